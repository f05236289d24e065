// From the number of a step to the offsets of every operand: `weft_layout::plan` (crates/layout/src/plan) as kernels see
// it, name by name. The host side of every struct is in crates/device/src/cuda/desc.rs.
#pragma once
#include "prelude.cuh"

// A plan may have any number of axes, a launch takes this many; the host peels the rest off (`Plan::peel`).
enum { MAX_AXES = 8 };

// The most axes any plan can have: their sizes are 2 or more and their product is below 2^63. Only what is summed over
// must take them all, because a sum cannot be peeled.
enum { EVERY_AXIS = 62 };

// `IndexWidth`: every file is compiled twice, once for each type that counts steps and offsets. Strides are signed, and
// stored as two's complement in the same unsigned type: additions and products wrap, and only the end of a sum has to be
// an offset (P1 of `Plan`). Kernels are named `weft_<name>_<i32|i64>`.
#if INDEX_BITS == 32
typedef u32 Index;
#define INDEX_NAME i32
#elif INDEX_BITS == 64
typedef u64 Index;
#define INDEX_NAME i64
#else
#error "INDEX_BITS is 32 or 64: --define-macro=INDEX_BITS=32"
#endif
#define ENTRY_NAME(NAME, WIDTH) weft_##NAME##_##WIDTH
#define ENTRY_OF(NAME, WIDTH) ENTRY_NAME(NAME, WIDTH)

// The head of a kernel that runs in blocks of up to THREADS threads.
#define ENTRY(THREADS, NAME) extern "C" __global__ void __launch_bounds__(THREADS) ENTRY_OF(NAME, INDEX_NAME)

__device__ __forceinline__ u32 high(u32 a, u32 b) { return __umulhi(a, b); }
__device__ __forceinline__ u64 high(u64 a, u64 b) { return __umul64hi(a, b); }

// `Divider32` and `Divider64`: division by a number known beforehand, right for every dividend.
struct Divider {
    Index divisor;
    Index multiplier;
    u32 pre_shift;
    u32 post_shift;

    __device__ __forceinline__ Index div(Index n) const {
        Index t = high(multiplier, n);
        return (t + ((n - t) >> pre_shift)) >> post_shift;
    }
    __device__ __forceinline__ Index rem(Index n, Index quotient) const { return n - quotient * divisor; }
};

// The offsets of K operands, in elements.
template <int K>
struct Offsets {
    Index at[K];
};

// After how many steps an outer axis moves, and how far that is on top of the steps: `Unravel::carries`.
template <int K>
struct Carry {
    Divider steps;
    Index jump[K];
};

// `Unravel`: the plan of a launch of up to AXES axes. No axes are one step; an empty plan is never launched.
template <int K, int AXES = MAX_AXES>
struct Unravel {
    Index numel;
    Index start[K];
    Index run[K];
    // How many of the following are used. As wide as its neighbours, so that no struct has padding.
    Index carries;
    Carry<K> carry[AXES - 1];

    // The offsets of the step-th tuple of the walk.
    __device__ __forceinline__ Offsets<K> offsets(Index step) const {
        Offsets<K> to = ends(step);
#pragma unroll
        for (u32 axis = 0; axis < AXES - 1; ++axis) {
            if (axis >= carries) break;
            carry_on(to, axis, step);
        }
        return to;
    }

    // The same in a loop, for many axes and where code is better short than fast.
    __device__ __forceinline__ Offsets<K> offsets_by_loop(Index step) const {
        Offsets<K> to = ends(step);
#pragma unroll 1
        for (u32 axis = 0; axis < carries; ++axis) carry_on(to, axis, step);
        return to;
    }

private:
    // Where the innermost axis alone would lead.
    __device__ __forceinline__ Offsets<K> ends(Index step) const {
        Offsets<K> to;
#pragma unroll
        for (int k = 0; k < K; ++k) to.at[k] = start[k] + step * run[k];
        return to;
    }

    __device__ __forceinline__ void carry_on(Offsets<K>& to, u32 axis, Index step) const {
        const Index times = carry[axis].steps.div(step);
#pragma unroll
        for (int k = 0; k < K; ++k) to.at[k] += times * carry[axis].jump[k];
    }
};

// NVRTC, which has no `offsetof`, and nvcc know the first form, clang the second.
#if defined(__clang__)
#define OFFSET_OF(TYPE, MEMBER) __builtin_offsetof(TYPE, MEMBER)
#else
#define OFFSET_OF(TYPE, MEMBER) __INTADDR__(&((TYPE*)0)->MEMBER)
#endif
// A number that depends on the index width.
#define BY_WIDTH(OF_32, OF_64) (INDEX_BITS == 32 ? OF_32 : OF_64)

// What the host passes (desc.rs asserts the same numbers).
static_assert(sizeof(Divider) == BY_WIDTH(16, 24), "Divider");
static_assert(sizeof(Unravel<1>) == BY_WIDTH(16 + 7 * 20, 32 + 7 * 32), "Unravel<1>");
static_assert(sizeof(Unravel<2>) == BY_WIDTH(24 + 7 * 24, 48 + 7 * 40), "Unravel<2>");
static_assert(sizeof(Unravel<3>) == BY_WIDTH(32 + 7 * 28, 64 + 7 * 48), "Unravel<3>");
static_assert(OFFSET_OF(Unravel<2>, start) == BY_WIDTH(4, 8), "start");
static_assert(OFFSET_OF(Unravel<2>, run) == BY_WIDTH(12, 24), "run");
static_assert(OFFSET_OF(Unravel<2>, carries) == BY_WIDTH(20, 40), "carries");
static_assert(OFFSET_OF(Unravel<2>, carry) == BY_WIDTH(24, 48), "carry");

// The steps of one thread: `for (Index step = first_step(); step < numel; step += all_threads())`. The host keeps all
// threads together at 2^31 or fewer, so a 32-bit step, below 2^31 itself, does not wrap.
__device__ __forceinline__ Index first_step() { return (Index)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ Index all_threads() { return (Index)gridDim.x * blockDim.x; }
