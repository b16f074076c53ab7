// One kernel per operation: thread i applies it to the i-th operands and stores 64 bits.
// Narrow operands are the low bits of the 64-bit ones: u (unsigned), i (int), f (float), d (double), l (long long),
// h (__half2) and n (__nv_bfloat162), each followed by a, b or c.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using u32 = unsigned int;
using u64 = unsigned long long;

__device__ __forceinline__ u64 bits(u32 x) { return x; }
__device__ __forceinline__ u64 bits(int x) { return (u32)x; }
__device__ __forceinline__ u64 bits(bool x) { return x; }
__device__ __forceinline__ u64 bits(u64 x) { return x; }
__device__ __forceinline__ u64 bits(long long x) { return (u64)x; }
__device__ __forceinline__ u64 bits(float x) { return __float_as_uint(x); }
__device__ __forceinline__ u64 bits(double x) { return (u64)__double_as_longlong(x); }
__device__ __forceinline__ u64 bits(__half x) { return __half_as_ushort(x); }
__device__ __forceinline__ u64 bits(__half2 x) { return *reinterpret_cast<u32*>(&x); }
__device__ __forceinline__ u64 bits(__nv_bfloat16 x) { return __bfloat16_as_ushort(x); }
__device__ __forceinline__ u64 bits(__nv_bfloat162 x) { return *reinterpret_cast<u32*>(&x); }
__device__ __forceinline__ __half2 half2_of(u64 x) { u32 w = (u32)x; return *reinterpret_cast<__half2*>(&w); }
__device__ __forceinline__ __nv_bfloat162 bfloat2_of(u64 x) {
    u32 w = (u32)x;
    return *reinterpret_cast<__nv_bfloat162*>(&w);
}

#define OPERATION(name, ...)                                                                                         \
    extern "C" __global__ void name(const u64* A, const u64* B, const u64* C, u64* out) {                            \
        int t = blockIdx.x * blockDim.x + threadIdx.x;                                                               \
        u64 a = A[t], b = B[t], c = C[t];                                                                            \
        u32 ua = (u32)a, ub = (u32)b, uc = (u32)c;                                                                   \
        int ia = (int)a, ib = (int)b, ic = (int)c;                                                                   \
        long long la = (long long)a, lb = (long long)b, lc = (long long)c;                                           \
        float fa = __uint_as_float(ua), fb = __uint_as_float(ub), fc = __uint_as_float(uc);                          \
        double da = __longlong_as_double(la), db = __longlong_as_double(lb), dc = __longlong_as_double(lc);          \
        __half2 ha = half2_of(a), hb = half2_of(b), hc = half2_of(c);                                                \
        __nv_bfloat162 na = bfloat2_of(a), nb = bfloat2_of(b), nc = bfloat2_of(c);                                   \
        out[t] = bits(__VA_ARGS__);                                                                                  \
    }

// PTX instructions with one to three operands: constraint letters r (32 bits), l (64), f, d, h.
#define PTX1(type, letter, text, in, x)                                                                              \
    [&] { type r; asm(text " %0, %1;" : "=" letter(r) : in(x)); return r; }()
#define PTX2(type, letter, text, in, x, y)                                                                           \
    [&] { type r; asm(text " %0, %1, %2;" : "=" letter(r) : in(x), in(y)); return r; }()
#define PTX3(type, letter, text, in, x, y, z)                                                                        \
    [&] { type r; asm(text " %0, %1, %2, %3;" : "=" letter(r) : in(x), in(y), in(z)); return r; }()
