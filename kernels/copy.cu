// Family copy: gather and scatter between two strided operands.
//
//     weft_copy_b<size>_<i32|i64>(plan over [dst, src], dst, src)
//
// One thread a step, consecutive threads on the innermost axis: writes are as dense as `dst` allows. Where `src` moves
// densely along another axis than `dst`, the family transpose takes over. Operands may be the same memory, element by
// element (D5 of `Device`), so nothing is promised to the compiler about aliasing.
#include "plan.cuh"

template <typename Element>
__device__ __forceinline__ void copy(const Unravel<2>& plan, Element* dst, const Element* src) {
    for (Index step = first_step(); step < plan.numel; step += all_threads()) {
        Offsets<2> to = plan.offsets(step);
        dst[to.at[0]] = src[to.at[1]];
    }
}

#define COPY(SIZE)                                                                                         \
    ENTRY(BLOCK, copy_b##SIZE)                                                                             \
    (const __grid_constant__ Unravel<2> plan, b##SIZE* dst, const b##SIZE* src) { copy(plan, dst, src); }
FOR_EACH_SIZE(COPY)
