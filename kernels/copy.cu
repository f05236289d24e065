// Family copy: gather and scatter between two strided operands.
//
//     weft_copy_b<size>_<i32|i64>(plan over [dst, src], dst, src)
//
// One thread a step, consecutive threads on the innermost axis: writes are as dense as `dst` allows. Where `src` moves
// densely along another axis than `dst`, the family transpose takes over. Operands may be the same memory, element by
// element (D5 of `Device`), so nothing is promised to the compiler about aliasing.
#include "plan.cuh"

template <typename Element, typename Index>
__device__ __forceinline__ void copy(const Unravel<2, Index>& plan, Element* dst, const Element* src) {
    for (Index step = first_step<Index>(); step < plan.numel; step += all_threads<Index>()) {
        Offsets<2, Index> to = plan.offsets(step);
        dst[to.at[0]] = src[to.at[1]];
    }
}

#define COPY(SIZE, WIDTH, INDEX)                                                                              \
    extern "C" __global__ void __launch_bounds__(BLOCK) weft_copy_b##SIZE##_##WIDTH(                          \
        const __grid_constant__ Unravel<2, INDEX> plan, b##SIZE* dst, const b##SIZE* src) {                   \
        copy(plan, dst, src);                                                                                 \
    }
#define COPY_BOTH(SIZE) FOR_BOTH_WIDTHS(COPY, SIZE)
FOR_EACH_SIZE(COPY_BOTH)
