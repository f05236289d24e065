// From the number of a step to the offsets of every operand: `weft_layout::plan` (crates/layout/src/plan) as kernels see
// it, name by name. The host side of every struct is in crates/device/src/cuda/desc.rs.
#pragma once
#include "prelude.cuh"

// A plan may have any number of axes, a launch takes this many; the host peels the rest off (`Plan::peel`).
enum { MAX_AXES = 8 };

// The most axes any plan can have: their sizes are 2 or more and their product is below 2^63. Only what is summed over
// must take them all, because a sum cannot be peeled.
enum { EVERY_AXIS = 62 };

// `IndexWidth`: the type that counts steps and offsets. Strides are signed, and stored as two's complement in the same
// unsigned type: additions and products wrap, and only the end of the sum has to be an offset (P1 of `Plan`).
typedef u32 IndexU32;
typedef u64 IndexU64;

__device__ __forceinline__ u32 high(u32 a, u32 b) { return __umulhi(a, b); }
__device__ __forceinline__ u64 high(u64 a, u64 b) { return __umul64hi(a, b); }

// `Divider32` and `Divider64`: division by a number known beforehand, right for every dividend.
template <typename Index>
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
template <int K, typename Index>
struct Offsets {
    Index at[K];
};

// After how many steps an outer axis moves, and how far that is on top of the steps: `Unravel::carries`.
template <int K, typename Index>
struct Carry {
    Divider<Index> steps;
    Index jump[K];
};

// `Unravel`: the plan of a launch of up to AXES axes. No axes are one step; an empty plan is never launched.
template <int K, typename Index, int AXES = MAX_AXES>
struct Unravel {
    Index numel;
    Index start[K];
    Index run[K];
    u32 carries;
    Carry<K, Index> carry[AXES - 1];

    // The offsets of the step-th tuple of the walk.
    __device__ __forceinline__ Offsets<K, Index> offsets(Index step) const {
        Offsets<K, Index> to;
#pragma unroll
        for (int k = 0; k < K; ++k) to.at[k] = start[k] + step * run[k];
#pragma unroll
        for (int axis = 0; axis < AXES - 1; ++axis) {
            if (axis >= carries) break;
            Index times = carry[axis].steps.div(step);
#pragma unroll
            for (int k = 0; k < K; ++k) to.at[k] += times * carry[axis].jump[k];
        }
        return to;
    }
};

// NVRTC, which has no `offsetof`, and nvcc know the first form, clang the second.
#if defined(__clang__)
#define OFFSET_OF(TYPE, MEMBER) __builtin_offsetof(TYPE, MEMBER)
#else
#define OFFSET_OF(TYPE, MEMBER) __INTADDR__(&((TYPE*)0)->MEMBER)
#endif
typedef Unravel<2, u32> Unravel2U32;
typedef Unravel<2, u64> Unravel2U64;

// What the host passes (desc.rs asserts the same numbers).
static_assert(sizeof(Divider<u32>) == 16 && sizeof(Divider<u64>) == 24, "Divider");
static_assert(sizeof(Unravel<1, u32>) == 16 + 7 * 20 && sizeof(Unravel<1, u64>) == 32 + 7 * 32, "Unravel of 1");
static_assert(sizeof(Unravel<2, u32>) == 24 + 7 * 24 && sizeof(Unravel<2, u64>) == 48 + 7 * 40, "Unravel of 2");
static_assert(sizeof(Unravel<3, u32>) == 32 + 7 * 28 && sizeof(Unravel<3, u64>) == 64 + 7 * 48, "Unravel of 3");
static_assert(OFFSET_OF(Unravel2U32, start) == 4 && OFFSET_OF(Unravel2U64, start) == 8, "start");
static_assert(OFFSET_OF(Unravel2U32, run) == 12 && OFFSET_OF(Unravel2U64, run) == 24, "run");
static_assert(OFFSET_OF(Unravel2U32, carries) == 20 && OFFSET_OF(Unravel2U64, carries) == 40, "carries");
static_assert(OFFSET_OF(Unravel2U32, carry) == 24 && OFFSET_OF(Unravel2U64, carry) == 48, "carry");

// The steps of one thread: `for (auto step = first_step<Index>(); step < numel; step += all_threads<Index>())`. The
// host keeps all threads together at 2^31 or fewer, so a 32-bit step, below 2^31 itself, does not wrap.
template <typename Index>
__device__ __forceinline__ Index first_step() {
    return (Index)blockIdx.x * blockDim.x + threadIdx.x;
}
template <typename Index>
__device__ __forceinline__ Index all_threads() {
    return (Index)gridDim.x * blockDim.x;
}

// Instantiates a kernel for both index widths: M(arguments..., i32, u32) and M(arguments..., i64, u64).
#define FOR_BOTH_WIDTHS(M, ...) M(__VA_ARGS__, i32, u32) M(__VA_ARGS__, i64, u64)
