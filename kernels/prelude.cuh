// What every kernel file starts with: names for the fixed-width types, elements as plain bytes, and nothing else. No
// system header is included, because NVRTC has none.
#pragma once

#if defined(__clang__) && defined(__CUDA__)
// clang with -nocudainc -nocudalib: the keywords and the few intrinsics that NVRTC and nvcc have built in.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#include "__clang_cuda_builtin_vars.h"
__device__ __forceinline__ unsigned int __umulhi(unsigned int a, unsigned int b) {
    return __nvvm_mulhi_ui(a, b);
}
__device__ __forceinline__ unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return __nvvm_mulhi_ull(a, b);
}
__device__ __forceinline__ unsigned int __float_as_uint(float x) { return __nvvm_bitcast_f2i(x); }
__device__ __forceinline__ float __uint_as_float(unsigned int x) { return __nvvm_bitcast_i2f(x); }
__device__ __forceinline__ long long __double_as_longlong(double x) { return __nvvm_bitcast_d2ll(x); }
__device__ __forceinline__ double __longlong_as_double(long long x) { return __nvvm_bitcast_ll2d(x); }
__device__ __forceinline__ unsigned long long atomicMin(unsigned long long* at, unsigned long long x) {
    return __nvvm_atom_min_gen_ull(at, x);
}
#endif

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;

// Elements of one size whatever they mean: b16 moves in one 16-byte access.
typedef u8 b1;
typedef u16 b2;
typedef u32 b4;
typedef u64 b8;
struct alignas(16) b16 {
    u32 word[4];
};

static_assert(sizeof(u32) == 4 && sizeof(u64) == 8 && sizeof(i64) == 8, "the widths that the host counts with");
static_assert(sizeof(b16) == 16 && alignof(b16) == 16, "one 16-byte access");

// Every kernel that counts along x uses blocks of this many threads (`BLOCK` in crates/device/src/cuda/ops/mod.rs).
enum { BLOCK = 256 };

// Calls M(element size in bytes) for every size an element can have.
#define FOR_EACH_SIZE(M) M(1) M(2) M(4) M(8) M(16)
