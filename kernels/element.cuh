// Elements with a meaning, and their arithmetic: `element` of weft-device (crates/device/src/element), bit for bit.
//
// Nothing here is fused (`--fmad=false`), floats are IEEE 754 with denormals, integers wrap, and the 16-bit floats compute
// in `float` and round once. A NaN is a NaN; which of its bits are set is promised for `greater` and `lesser` only.
#pragma once
#include "prelude.cuh"

typedef float f32;
typedef double f64;
struct f16 {
    u16 bits;
};
struct bf16 {
    u16 bits;
};
// Aligned to their size, which the host's are not: memory of a device begins at a multiple of 256 (D1 of `Device`).
struct alignas(8) c32 {
    f32 re, im;
};
struct alignas(16) c64 {
    f64 re, im;
};

static_assert(sizeof(f16) == 2 && sizeof(bf16) == 2, "elements");
static_assert(sizeof(c32) == 8 && alignof(c32) == 8 && sizeof(c64) == 16 && alignof(c64) == 16, "complex elements");

// `DType`, in its order: how a launch names a type.
enum DType { U8, U16, U32, U64, I8, I16, I32, I64, F16, BF16, F32, F64, F32X4, C32, C64 };

// Calls M(type) for every integer, for every real type, for every element type.
#define FOR_EACH_INTEGER(M) M(u8) M(u16) M(u32) M(u64) M(i8) M(i16) M(i32) M(i64)
#define FOR_EACH_REAL(M) FOR_EACH_INTEGER(M) M(f16) M(bf16) M(f32) M(f64)
#define FOR_EACH_TYPE(M) FOR_EACH_REAL(M) M(f32x4) M(c32) M(c64)

// The 16-bit floats, as the host's `F16` and `Bf16`.
__device__ __forceinline__ f32 to_f32(f16 x) {
    f32 wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
}
__device__ __forceinline__ f32 to_f32(bf16 x) { return __uint_as_float((u32)x.bits << 16); }

template <typename T>
__device__ __forceinline__ T from_f32(f32 x);
template <>
__device__ __forceinline__ f16 from_f32<f16>(f32 x) {
    f16 half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(x));
    return half;
}
template <>
__device__ __forceinline__ bf16 from_f32<bf16>(f32 x) {
    const u32 bits = __float_as_uint(x);
    // Half of the last place that stays, and one more where that place is odd: to nearest, ties to even.
    const u32 rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const u32 quiet = bits >> 16 | 0x40;
    return bf16{(u16)(x != x ? quiet : rounded)};
}

// Integers of any width wrap: they are computed unsigned, in a width that C++ does not promote.
template <int BYTES>
struct Wrapping {
    typedef u32 Type;
};
template <>
struct Wrapping<8> {
    typedef u64 Type;
};
#define INTEGER_ARITHMETIC(T)                                                                                   \
    __device__ __forceinline__ T add(T a, T b) {                                                                \
        typedef Wrapping<sizeof(T)>::Type W;                                                                    \
        return (T)((W)a + (W)b);                                                                                \
    }                                                                                                           \
    __device__ __forceinline__ T sub(T a, T b) {                                                                \
        typedef Wrapping<sizeof(T)>::Type W;                                                                    \
        return (T)((W)a - (W)b);                                                                                \
    }                                                                                                           \
    __device__ __forceinline__ T mul(T a, T b) {                                                                \
        typedef Wrapping<sizeof(T)>::Type W;                                                                    \
        return (T)((W)a * (W)b);                                                                                \
    }                                                                                                           \
    /* Where there is no quotient, the kernels that look for that have said so before. */                       \
    __device__ __forceinline__ T quotient(T a, T b) { return (T)(a / b); }                                      \
    __device__ __forceinline__ T greater(T a, T b) { return a > b ? a : b; }                                    \
    __device__ __forceinline__ T lesser(T a, T b) { return a < b ? a : b; }
FOR_EACH_INTEGER(INTEGER_ARITHMETIC)

__device__ __forceinline__ f32 add(f32 a, f32 b) { return a + b; }
__device__ __forceinline__ f32 sub(f32 a, f32 b) { return a - b; }
__device__ __forceinline__ f32 mul(f32 a, f32 b) { return a * b; }
__device__ __forceinline__ f32 quotient(f32 a, f32 b) { return a / b; }
__device__ __forceinline__ f64 add(f64 a, f64 b) { return a + b; }
__device__ __forceinline__ f64 sub(f64 a, f64 b) { return a - b; }
__device__ __forceinline__ f64 mul(f64 a, f64 b) { return a * b; }
__device__ __forceinline__ f64 quotient(f64 a, f64 b) { return a / b; }

// `maximum` and `minimum` of IEEE 754-2019: a NaN on either side gives the canonical NaN, and +0 is the greater zero.
// Equal values differ in no bit but the sign of a zero.
__device__ __forceinline__ f32 greater(f32 a, f32 b) {
    if (a != a || b != b) return __uint_as_float(0x7fc00000);
    if (a == b) return __uint_as_float(__float_as_uint(a) & __float_as_uint(b));
    return a > b ? a : b;
}
__device__ __forceinline__ f32 lesser(f32 a, f32 b) {
    if (a != a || b != b) return __uint_as_float(0x7fc00000);
    if (a == b) return __uint_as_float(__float_as_uint(a) | __float_as_uint(b));
    return a < b ? a : b;
}
__device__ __forceinline__ f64 greater(f64 a, f64 b) {
    if (a != a || b != b) return __longlong_as_double(0x7ff8000000000000);
    if (a == b) return __longlong_as_double(__double_as_longlong(a) & __double_as_longlong(b));
    return a > b ? a : b;
}
__device__ __forceinline__ f64 lesser(f64 a, f64 b) {
    if (a != a || b != b) return __longlong_as_double(0x7ff8000000000000);
    if (a == b) return __longlong_as_double(__double_as_longlong(a) | __double_as_longlong(b));
    return a < b ? a : b;
}

// Computed in `float`, rounded once: a `float` has more than twice the digits, so that is the exact result rounded. The
// greater and the lesser of two are one of the two or the NaN, whose bits are said here.
#define HALF_ARITHMETIC(T, NAN)                                                                                   \
    __device__ __forceinline__ T add(T a, T b) { return from_f32<T>(to_f32(a) + to_f32(b)); }                     \
    __device__ __forceinline__ T sub(T a, T b) { return from_f32<T>(to_f32(a) - to_f32(b)); }                     \
    __device__ __forceinline__ T mul(T a, T b) { return from_f32<T>(to_f32(a) * to_f32(b)); }                     \
    __device__ __forceinline__ T quotient(T a, T b) { return from_f32<T>(to_f32(a) / to_f32(b)); }                     \
    __device__ __forceinline__ T greater(T a, T b) {                                                              \
        const f32 wide = greater(to_f32(a), to_f32(b));                                                           \
        return wide != wide ? T{NAN} : from_f32<T>(wide);                                                         \
    }                                                                                                             \
    __device__ __forceinline__ T lesser(T a, T b) {                                                               \
        const f32 wide = lesser(to_f32(a), to_f32(b));                                                            \
        return wide != wide ? T{NAN} : from_f32<T>(wide);                                                         \
    }
HALF_ARITHMETIC(f16, 0x7e00)
HALF_ARITHMETIC(bf16, 0x7fc0)

// Several elements side by side: 16 bytes that move at once, the vector form of their type. `F32x4` is the one that is an
// element type itself; its order is that of its lanes and no operation on the host.
template <typename T>
struct alignas(16) Lanes {
    enum { COUNT = 16 / sizeof(T) };
    T lane[COUNT];
};
typedef Lanes<f32> f32x4;
typedef Lanes<f64> f64x2;
typedef Lanes<f16> f16x8;
typedef Lanes<bf16> bf16x8;
#define LANES(OP)                                                                                                 \
    template <typename T>                                                                                         \
    __device__ __forceinline__ Lanes<T> OP(Lanes<T> a, Lanes<T> b) {                                              \
        Lanes<T> r;                                                                                               \
        _Pragma("unroll") for (int i = 0; i < Lanes<T>::COUNT; ++i) r.lane[i] = OP(a.lane[i], b.lane[i]);         \
        return r;                                                                                                 \
    }
LANES(add) LANES(sub) LANES(mul) LANES(quotient) LANES(greater) LANES(lesser)

// The formulas of the textbooks, in the host's order.
#define COMPLEX_ARITHMETIC(T)                                                                                     \
    __device__ __forceinline__ T add(T a, T b) { return T{a.re + b.re, a.im + b.im}; }                            \
    __device__ __forceinline__ T sub(T a, T b) { return T{a.re - b.re, a.im - b.im}; }                            \
    __device__ __forceinline__ T mul(T a, T b) {                                                                  \
        return T{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};                                           \
    }                                                                                                             \
    __device__ __forceinline__ T quotient(T a, T b) {                                                                  \
        const auto norm = b.re * b.re + b.im * b.im;                                                              \
        return T{(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};                         \
    }
COMPLEX_ARITHMETIC(c32)
COMPLEX_ARITHMETIC(c64)

// `Sum`: what sums are carried in until the destination is in them.
template <typename T>
struct SumOf {
    typedef T Type;
};
template <>
struct SumOf<f16> {
    typedef f32 Type;
};
template <>
struct SumOf<bf16> {
    typedef f32 Type;
};

template <typename T>
__device__ __forceinline__ T to_sum(T x) {
    return x;
}
__device__ __forceinline__ f32 to_sum(f16 x) { return to_f32(x); }
__device__ __forceinline__ f32 to_sum(bf16 x) { return to_f32(x); }

template <typename T>
__device__ __forceinline__ T plus_sum(T x, T sum) {
    return add(x, sum);
}
__device__ __forceinline__ f16 plus_sum(f16 x, f32 sum) { return from_f32<f16>(to_f32(x) + sum); }
__device__ __forceinline__ bf16 plus_sum(bf16 x, f32 sum) { return from_f32<bf16>(to_f32(x) + sum); }
