// Family fill: one value into every element of a plan.
//
//     weft_fill_b<size>_<i32|i64>(plan over [dst], dst, value)
//
// One thread a step, consecutive threads on the innermost axis, which the plan has made the one that moves `dst` the
// least. The vector form is the kernel of a larger element: the host repeats the value and divides the plan.
#include "plan.cuh"

template <typename Element>
__device__ __forceinline__ void fill(const Unravel<1>& plan, Element* dst, Element value) {
    for (Index step = first_step(); step < plan.numel; step += all_threads()) {
        dst[plan.offsets(step).at[0]] = value;
    }
}

#define FILL(SIZE)                                                                                  \
    ENTRY(BLOCK, fill_b##SIZE)                                                                      \
    (const __grid_constant__ Unravel<1> plan, b##SIZE* dst, b##SIZE value) { fill(plan, dst, value); }
FOR_EACH_SIZE(FILL)
