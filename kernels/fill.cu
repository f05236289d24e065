// Family fill: one value into every element of a plan.
//
//     weft_fill_b<size>_<i32|i64>(plan over [dst], dst, value)
//
// One thread a step, consecutive threads on the innermost axis, which the plan has made the one that moves `dst` the
// least. The vector form is the kernel of a larger element: the host repeats the value and divides the plan.
#include "plan.cuh"

template <typename Element, typename Index>
__device__ __forceinline__ void fill(const Unravel<1, Index>& plan, Element* dst, Element value) {
    for (Index step = first_step<Index>(); step < plan.numel; step += all_threads<Index>()) {
        dst[plan.offsets(step).at[0]] = value;
    }
}

#define FILL(SIZE, WIDTH, INDEX)                                                                                    \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                             \
        weft_fill_b##SIZE##_##WIDTH(const __grid_constant__ Unravel<1, INDEX> plan, b##SIZE* dst, b##SIZE value) {  \
        fill(plan, dst, value);                                                                                     \
    }
#define FILL_BOTH(SIZE) FOR_BOTH_WIDTHS(FILL, SIZE)
FOR_EACH_SIZE(FILL_BOTH)
