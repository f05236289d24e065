// Family binary: `dst = a op b`, element by element; `dst` may be `a` or `b` itself.
//
//     weft_binary_<type>_<i32|i64>(plan over [dst, a, b], dst, a, b, op)
//     weft_divide_<integer>_<i32|i64>(plan over [dst, a, b], a, b, found)
//
// One kernel a type: which operation is asked for is the same for every thread, so the choice costs a branch that all take
// together. The second kind looks for divisions that have no quotient, before anything is written.
#include "element.cuh"
#include "plan.cuh"

// `BinaryOp`, in its order: how a launch names the operation.
enum BinaryOp { ADD, SUB, MUL, DIV, MAX, MIN };

template <typename T>
__device__ __forceinline__ T apply(u32 op, T a, T b) {
    if (op == ADD) return add(a, b);
    if (op == SUB) return sub(a, b);
    if (op == MUL) return mul(a, b);
    if (op == DIV) return quotient(a, b);
    return op == MAX ? greater(a, b) : lesser(a, b);
}
// Complex numbers have no order; the host refuses before it launches.
template <typename T>
__device__ __forceinline__ T apply_unordered(u32 op, T a, T b) {
    if (op == ADD) return add(a, b);
    if (op == SUB) return sub(a, b);
    return op == MUL ? mul(a, b) : quotient(a, b);
}
__device__ __forceinline__ c32 apply(u32 op, c32 a, c32 b) { return apply_unordered(op, a, b); }
__device__ __forceinline__ c64 apply(u32 op, c64 a, c64 b) { return apply_unordered(op, a, b); }

template <typename T>
__device__ __forceinline__ void binary(const Unravel<3>& plan, T* dst, const T* a, const T* b, u32 op) {
    for (Index step = first_step(); step < plan.numel; step += all_threads()) {
        const Offsets<3> to = plan.offsets(step);
        dst[to.at[0]] = apply(op, a[to.at[1]], b[to.at[2]]);
    }
}

#define BINARY(T)                                                                                            \
    ENTRY(BLOCK, binary_##T)                                                                                 \
    (const __grid_constant__ Unravel<3> plan, T* dst, const T* a, const T* b, u32 op) {                      \
        binary(plan, dst, a, b, op);                                                                         \
    }
FOR_EACH_TYPE(BINARY)
// The vector forms, where the plan proves that 16 bytes are neighbours in all three operands; `F32x4` is the one of `f32`.
BINARY(f64x2)
BINARY(f16x8)
BINARY(bf16x8)

// `-1` and the least value of a signed type, whose quotient the type cannot hold.
template <typename T>
__device__ __forceinline__ bool overflows(T a, T b) {
    const T least = (T)((u64)1 << (sizeof(T) * 8 - 1));
    return (T)-1 < 0 && a == least && b == (T)-1;
}

// Writes the lowest offset of a zero divisor to found[0] and that of an overflowing dividend to found[1], where the host
// has put the greatest number of all. A minimum does not depend on the order of the threads.
template <typename T>
__device__ __forceinline__ void divide(const Unravel<3>& plan, const T* a, const T* b, u64* found) {
    const u64 none = ~(u64)0;
    u64 zero = none, overflow = none;
    for (Index step = first_step(); step < plan.numel; step += all_threads()) {
        const Offsets<3> to = plan.offsets(step);
        const T divisor = b[to.at[2]];
        if (divisor == 0) {
            zero = to.at[2] < zero ? to.at[2] : zero;
        } else if (overflows(a[to.at[1]], divisor)) {
            overflow = to.at[1] < overflow ? to.at[1] : overflow;
        }
    }
    if (zero != none) atomicMin(&found[0], zero);
    if (overflow != none) atomicMin(&found[1], overflow);
}

#define DIVIDE(T)                                                                                            \
    ENTRY(BLOCK, divide_##T)                                                                                 \
    (const __grid_constant__ Unravel<3> plan, const T* a, const T* b, u64* found) { divide(plan, a, b, found); }
FOR_EACH_INTEGER(DIVIDE)
