// Family convert: copies from one element type to another, as `Converts` says: Rust's `as`.
//
//     weft_convert_<source type>_<i32|i64>(plan over [dst, src], dst, src, type of dst)
//
// One kernel a source type: the destination's type is the same for every thread. Conversions from a type to itself are
// copies and no business of this family.
#include "element.cuh"
#include "plan.cuh"

// Floats become integers by truncation, clamped to the type; a NaN becomes 0. Both bounds are powers of two or 0, which
// every float type holds exactly.
template <typename T, typename Float>
__device__ __forceinline__ T float_to_integer(Float x) {
    const bool is_signed = (T)-1 < 0;
    const T least = is_signed ? (T)((u64)1 << (sizeof(T) * 8 - 1)) : 0;
    const T most = (T)~least;
    const Float past = (Float)((u64)1 << (sizeof(T) * 8 - 1)) * (is_signed ? 1 : 2);
    if (x != x) return 0;
    if (x >= past) return most;
    if (x <= (Float)least) return least;
    return (T)x;
}

// The float that a later rounding to 16 bits rounds as if it had seen `value` itself: `round_to_odd` of the host.
__device__ __forceinline__ f32 round_to_odd(f64 value) {
    const f32 near = (f32)value;
    const u32 bits = __float_as_uint(near);
    if (near != near || (f64)near == value || (bits & 1) == 1) return near;
    const f64 wide = (f64)near;
    const bool is_past = (wide < 0 ? -wide : wide) > (value < 0 ? -value : value);
    return __uint_as_float(is_past ? bits - 1 : bits + 1);
}

// An integer as the double that later roundings to fewer bits round as if they had seen the integer itself.
__device__ __forceinline__ f64 integer_to_odd(u64 magnitude) {
    if (magnitude >> 53 != 0) magnitude = (magnitude & ~(u64)0x7ff) | ((magnitude & 0x7ff) == 0 ? 0 : 0x800);
    return (f64)magnitude;
}

// From<S>::to<T>: what a source type becomes. Integers first: low bits, nearest floats.
template <typename T>
struct Is16 {
    enum { VALUE = 0 };
};
template <>
struct Is16<f16> {
    enum { VALUE = 1 };
};
template <>
struct Is16<bf16> {
    enum { VALUE = 1 };
};

template <typename T, typename S>
__device__ __forceinline__ T from_integer(S x) {
    if constexpr (Is16<T>::VALUE) {
        const bool is_negative = (S)-1 < 0 && (i64)x < 0;
        const u64 magnitude = is_negative ? (u64)0 - (u64)x : (u64)x;
        const f64 odd = integer_to_odd(magnitude);
        return from_f32<T>(round_to_odd(is_negative ? -odd : odd));
    } else {
        return (T)x;
    }
}

// Whether a type is a float: one half is not lost.
template <typename T>
struct IsFloat {
    enum { VALUE = (T)0.5 != (T)0 };
};

template <typename T>
__device__ __forceinline__ T from_float(f32 x) {
    if constexpr (Is16<T>::VALUE) {
        return from_f32<T>(x);
    } else if constexpr (IsFloat<T>::VALUE) {
        return (T)x;
    } else {
        return float_to_integer<T>(x);
    }
}
template <typename T>
__device__ __forceinline__ T from_float(f64 x) {
    if constexpr (Is16<T>::VALUE) {
        return from_f32<T>(round_to_odd(x));
    } else if constexpr (IsFloat<T>::VALUE) {
        return (T)x;
    } else {
        return float_to_integer<T>(x);
    }
}

#define CONVERT_INTEGER(S)                                                                                        \
    template <typename T>                                                                                         \
    __device__ __forceinline__ T to(S x) {                                                                        \
        return from_integer<T>(x);                                                                                \
    }
FOR_EACH_INTEGER(CONVERT_INTEGER)
template <typename T>
__device__ __forceinline__ T to(f16 x) {
    return from_float<T>(to_f32(x));
}
template <typename T>
__device__ __forceinline__ T to(bf16 x) {
    return from_float<T>(to_f32(x));
}
template <typename T>
__device__ __forceinline__ T to(f32 x) {
    return from_float<T>(x);
}
template <typename T>
__device__ __forceinline__ T to(f64 x) {
    return from_float<T>(x);
}

template <typename T>
__device__ __forceinline__ void store(void* dst, u64 at, T value) {
    ((T*)dst)[at] = value;
}

// A real number as the type with this number.
template <typename S>
__device__ __forceinline__ void store_as(u32 type, void* dst, u64 at, S x) {
#define ARM(TYPE, T) \
    if (type == TYPE) return store(dst, at, to<T>(x));
    ARM(U8, u8) ARM(U16, u16) ARM(U32, u32) ARM(U64, u64)
    ARM(I8, i8) ARM(I16, i16) ARM(I32, i32) ARM(I64, i64)
    ARM(F16, f16) ARM(BF16, bf16) ARM(F32, f32) ARM(F64, f64)
#undef ARM
    if (type == C32) return store(dst, at, c32{to<f32>(x), 0});
    return store(dst, at, c64{to<f64>(x), 0});
}
// A complex number becomes the other complex type, part by part.
__device__ __forceinline__ void store_as(u32, void* dst, u64 at, c32 x) { store(dst, at, c64{(f64)x.re, (f64)x.im}); }
__device__ __forceinline__ void store_as(u32, void* dst, u64 at, c64 x) { store(dst, at, c32{(f32)x.re, (f32)x.im}); }

template <typename S>
__device__ __forceinline__ void convert(const Unravel<2>& plan, void* dst, const S* src, u32 type) {
    for (Index step = first_step(); step < plan.numel; step += all_threads()) {
        const Offsets<2> to = plan.offsets(step);
        store_as(type, dst, to.at[0], src[to.at[1]]);
    }
}

#define CONVERT(S)                                                                                           \
    ENTRY(BLOCK, convert_##S)                                                                                \
    (const __grid_constant__ Unravel<2> plan, void* dst, const S* src, u32 type) { convert(plan, dst, src, type); }
FOR_EACH_REAL(CONVERT)
CONVERT(c32)
CONVERT(c64)
