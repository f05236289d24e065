// Family accumulate: adds a source into a destination that stands still along some axes, the gradient of a broadcast.
//
//     weft_accumulate_<type>_<i32|i64>(sums, reduce, dst, src, partial)        a thread adds up a chunk
//     weft_accumulate_block_<type>_<i32|i64>(sums, reduce, dst, src, partial)  a block adds up a chunk
//     weft_accumulate_tree_<type>_<i32|i64>(sums, dst, from, partial)          a thread adds up sums of chunks
//
// The bits are those of the host (crates/device/src/host/accumulate.rs): blocks of 16 elements are added up in the order
// of the walk, their sums in a balanced tree in which a node without a right neighbour moves up as it is. Chunks are
// 16 * 2^k elements, that is whole subtrees, so the tree can be cut at any height: the first kernel makes sums of chunks,
// the tree kernel takes those as leaves, as often as it takes until one is left. That one is added to the destination.
// No atomics: the same call gives the same bits.
//
// Two's complement is one addition for both signs, so signed types use the kernels of the unsigned ones.
#include "element.cuh"
#include "plan.cuh"

// Elements that are added up one after another, and the height of the tree that a thread holds in registers.
enum { LEAF = 16, LEVELS = 6 };

// What is added up, and in which parts. Partial sums lie chunk after chunk, in a chunk output after output.
struct Sums {
    // The leaves of one sum: elements of the source, or sums of chunks.
    Index leaves;
    // How many leaves a chunk has, the last one perhaps fewer; a power of two.
    Index chunk;
    // How many chunks a sum has. One chunk is the sum, and goes to the destination.
    Index chunks;
    // How many sums there are: `keep.numel`.
    Divider outputs;
    // Where each sum goes and where its elements start: `ReducePlan::keep`.
    Unravel<2> keep;
};

static_assert(sizeof(Sums) == BY_WIDTH(12 + 16 + 192, 24 + 24 + 328), "Sums");
static_assert(OFFSET_OF(Sums, outputs) == BY_WIDTH(12, 24), "outputs");
static_assert(OFFSET_OF(Sums, keep) == BY_WIDTH(28, 48), "keep");

// `ReducePlan::reduce`: a sum cannot be peeled, so it takes all axes that there can be.
using Reduce = Unravel<1, EVERY_AXIS>;

static_assert(sizeof(Reduce) == BY_WIDTH(16 + 61 * 20, 32 + 61 * 32), "Reduce");

// The balanced tree over up to 2^LEVELS leaves that come one after another: a binary counter whose digits are sums.
template <typename Sum>
struct Tree {
    Sum pending[LEVELS + 1];
    u32 count;

    __device__ __forceinline__ void push(Sum sum) {
        // No early end: then every level is a register.
        bool carries = true;
#pragma unroll
        for (int level = 0; level <= LEVELS; ++level) {
            const bool is_taken = (count >> level & 1) != 0;
            if (carries && is_taken) sum = add(pending[level], sum);
            if (carries && !is_taken) pending[level] = sum;
            carries = carries && is_taken;
        }
        ++count;
    }
    // The sum of all leaves, of which there is at least one.
    __device__ __forceinline__ Sum take() const {
        Sum sum;
        bool is_first = true;
#pragma unroll
        for (int level = 0; level <= LEVELS; ++level) {
            if ((count >> level & 1) != 0) {
                sum = is_first ? pending[level] : add(pending[level], sum);
                is_first = false;
            }
        }
        return sum;
    }
};

// The one place where a sum leaves a kernel: to the destination if it is whole, else to its place among the partial sums.
template <typename T, typename Sum>
__device__ __forceinline__ void leave(const Sums& plan, T* dst, Sum* partial, Index chunk, Index output, Index to,
                                      Sum sum) {
    if (plan.chunks == 1) {
        dst[to] = plus_sum(dst[to], sum);
    } else {
        partial[chunk * plan.outputs.divisor + output] = sum;
    }
}

// The common case of a sum along one axis: all loads of a leaf are under way before the first is waited for.
template <typename T>
__device__ __forceinline__ typename SumOf<T>::Type whole_leaf(const T* src, Index first, Index stride) {
    T elements[LEAF];
#pragma unroll
    for (u32 i = 0; i < LEAF; ++i) elements[i] = src[first + i * stride];
    typename SumOf<T>::Type sum = to_sum(elements[0]);
#pragma unroll
    for (u32 i = 1; i < LEAF; ++i) sum = add(sum, to_sum(elements[i]));
    return sum;
}

template <typename T>
__device__ __forceinline__ void by_thread(const Sums& plan, const Reduce& reduce, T* dst, const T* src,
                                          typename SumOf<T>::Type* partial) {
    typedef typename SumOf<T>::Type Sum;
    const Index all = plan.outputs.divisor * plan.chunks;
    for (Index number = first_step(); number < all; number += all_threads()) {
        const Index chunk = plan.outputs.div(number), output = plan.outputs.rem(number, chunk);
        const Offsets<2> at = plan.keep.offsets_by_loop(output);
        const Index first = chunk * plan.chunk;
        const Index last = plan.leaves - first < plan.chunk ? plan.leaves : first + plan.chunk;
        Tree<Sum> tree;
        tree.count = 0;
        for (Index leaf = first; leaf < last; leaf += LEAF) {
            const Index end = last - leaf < LEAF ? last : leaf + LEAF;
            if (reduce.carries == 0 && end - leaf == LEAF) {
                tree.push(whole_leaf(src, at.at[1] + reduce.start[0] + leaf * reduce.run[0], reduce.run[0]));
                continue;
            }
            // No starting zero: 0.0 + -0.0 would lose a sign.
            Sum sum = to_sum(src[at.at[1] + reduce.offsets_by_loop(leaf).at[0]]);
            for (Index i = leaf + 1; i < end; ++i) {
                sum = add(sum, to_sum(src[at.at[1] + reduce.offsets_by_loop(i).at[0]]));
            }
            tree.push(sum);
        }
        leave(plan, dst, partial, chunk, output, at.at[0], tree.take());
    }
}

// So many threads add up a chunk together: its elements fit 16 KiB of shared memory.
template <typename T>
struct Together {
    enum { THREADS = sizeof(T) <= 4 ? 256 : 1024 / sizeof(T) };
};

// A block reads its chunk in the order of the walk, neighbours by neighbours, and puts it into rows of LEAF elements and
// one of padding, which threads then read row by row without meeting in a bank.
template <typename T>
__device__ __forceinline__ void by_block(const Sums& plan, const Reduce& reduce, T* dst, const T* src,
                                         typename SumOf<T>::Type* partial, T (*rows)[LEAF + 1],
                                         typename SumOf<T>::Type* tree) {
    typedef typename SumOf<T>::Type Sum;
    enum { THREADS = Together<T>::THREADS };
    const u32 thread = threadIdx.x;
    const Index all = plan.outputs.divisor * plan.chunks;
    for (Index number = blockIdx.x; number < all; number += gridDim.x) {
        const Index chunk = plan.outputs.div(number), output = plan.outputs.rem(number, chunk);
        const Offsets<2> at = plan.keep.offsets_by_loop(output);
        const Index first = chunk * plan.chunk;
        // A chunk of this kernel has LEAF * THREADS elements, the last one perhaps fewer.
        const u32 elements = plan.leaves - first < plan.chunk ? plan.leaves - first : plan.chunk;
        for (u32 i = thread; i < elements; i += THREADS) {
            rows[i / LEAF][i % LEAF] = src[at.at[1] + reduce.offsets_by_loop(first + i).at[0]];
        }
        __syncthreads();
        const u32 leaves = (elements + LEAF - 1) / LEAF;
        if (thread < leaves) {
            const u32 length = elements - thread * LEAF < LEAF ? elements - thread * LEAF : LEAF;
            Sum sum = to_sum(rows[thread][0]);
            for (u32 i = 1; i < length; ++i) sum = add(sum, to_sum(rows[thread][i]));
            tree[thread] = sum;
        }
        for (u32 width = 1; width < leaves; width *= 2) {
            __syncthreads();
            if (thread % (2 * width) == 0 && thread + width < leaves) {
                tree[thread] = add(tree[thread], tree[thread + width]);
            }
        }
        if (thread == 0) leave(plan, dst, partial, chunk, output, at.at[0], tree[0]);
        // The next chunk overwrites what a slower thread may still be reading.
        __syncthreads();
    }
}

template <typename T>
__device__ __forceinline__ void by_tree(const Sums& plan, T* dst, const typename SumOf<T>::Type* from,
                                        typename SumOf<T>::Type* partial) {
    typedef typename SumOf<T>::Type Sum;
    const Index all = plan.outputs.divisor * plan.chunks;
    for (Index number = first_step(); number < all; number += all_threads()) {
        const Index chunk = plan.outputs.div(number), output = plan.outputs.rem(number, chunk);
        const Index first = chunk * plan.chunk;
        const Index last = plan.leaves - first < plan.chunk ? plan.leaves : first + plan.chunk;
        Tree<Sum> tree;
        tree.count = 0;
        for (Index leaf = first; leaf < last; ++leaf) tree.push(from[leaf * plan.outputs.divisor + output]);
        leave(plan, dst, partial, chunk, output, plan.keep.offsets_by_loop(output).at[0], tree.take());
    }
}

#define ACCUMULATE(T)                                                                                        \
    ENTRY(BLOCK, accumulate_##T)                                                                             \
    (const __grid_constant__ Sums plan, const __grid_constant__ Reduce reduce, T* dst, const T* src,         \
     SumOf<T>::Type* partial) {                                                                              \
        by_thread(plan, reduce, dst, src, partial);                                                          \
    }                                                                                                        \
    ENTRY(Together<T>::THREADS, accumulate_block_##T)                                                        \
    (const __grid_constant__ Sums plan, const __grid_constant__ Reduce reduce, T* dst, const T* src,         \
     SumOf<T>::Type* partial) {                                                                              \
        __shared__ T rows[Together<T>::THREADS][LEAF + 1];                                                   \
        __shared__ SumOf<T>::Type tree[Together<T>::THREADS];                                                \
        by_block(plan, reduce, dst, src, partial, rows, tree);                                               \
    }                                                                                                        \
    ENTRY(BLOCK, accumulate_tree_##T)                                                                        \
    (const __grid_constant__ Sums plan, T* dst, const SumOf<T>::Type* from, SumOf<T>::Type* partial) {       \
        by_tree(plan, dst, from, partial);                                                                   \
    }
ACCUMULATE(u8)
ACCUMULATE(u16)
ACCUMULATE(u32)
ACCUMULATE(u64)
ACCUMULATE(f16)
ACCUMULATE(bf16)
ACCUMULATE(f32)
ACCUMULATE(f64)
ACCUMULATE(f32x4)
ACCUMULATE(c32)
ACCUMULATE(c64)
