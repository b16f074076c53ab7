// Loads and stores of every width and space, cache hints, constants with initial values, globals, generic addresses.
#include <cuda_pipeline.h>
__constant__ float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ int zeros[4];
__device__ int counter = 7;
__device__ float scratch[64];
__device__ int *pointer = &counter;
extern "C" __global__ void spaces(float *o, const float *__restrict__ i, int n, volatile float *v) {
    __shared__ float fixed[40];
    extern __shared__ float dynamic[];
    float local[24];
    for (int k = 0; k < 24; k++) local[k] = i[k * n];
    fixed[threadIdx.x] = i[threadIdx.x];
    dynamic[threadIdx.x] = v[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = local[n] + fixed[n] + dynamic[n] + table[n] + zeros[n & 3] + scratch[n];
    counter = n;
    scratch[n] = *pointer;
    v[n] = table[2];
}
template <typename T>
__device__ void copy(T *o, const T *__restrict__ i) {
    __shared__ T s[64];
    s[threadIdx.x] = i[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[63 - threadIdx.x];
    o[threadIdx.x + 64] = i[threadIdx.x + 64];
}
extern "C" __global__ void widths(void *o, const void *i) {
    copy((signed char *)o, (signed char *)i);
    copy((unsigned char *)o, (unsigned char *)i);
    copy((short *)o, (short *)i);
    copy((unsigned short *)o, (unsigned short *)i);
    copy((int2 *)o, (int2 *)i);
    copy((int4 *)o, (int4 *)i);
    copy((double *)o, (double *)i);
}
extern "C" __global__ void hints(float *o, const float *i) {
    int t = threadIdx.x;
    o[t] = __ldg(i + t) + __ldca(i + t + 1) + __ldcg(i + t + 2) + __ldcs(i + t + 3) + __ldlu(i + t + 4) + __ldcv(i + t + 5);
    __stcg(o + t + 32, i[t]);
    __stcs(o + t + 64, i[t]);
    __stwt(o + t + 96, i[t]);
    __stwb(o + t + 128, i[t]);
    asm volatile("prefetch.global.L2 [%0];" ::"l"(i + 400));
}
__device__ __noinline__ float generic(const float *p, int n) { return p[n] + p[n + 1]; }
extern "C" __global__ void generics(float *o, float *i, int n) {
    __shared__ float s[64];
    float local[8] = {0};
    s[threadIdx.x] = threadIdx.x;
    local[n] = 3;
    float *p = n > 3 ? s : n > 1 ? local : i;
    p[n] = 4.0f;
    atomicAdd(p + 1, 2.0f);
    o[0] = generic(p, n) + generic(s, n) + generic(local, n);
    o[1] = __isShared(p) + __isGlobal(p) * 2 + __isLocal(p) * 4 + (float)__cvta_generic_to_shared(s);
}
struct Big {
    double a[40];
    char b[3];
};
extern "C" __global__ void by_value(double *o, const Big big, int n) { o[n] = big.a[n] + big.b[n % 3]; }
extern "C" __global__ void asynchronous(float *o, const float *i) {
    __shared__ float4 s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], (const float4 *)i + threadIdx.x, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    o[threadIdx.x] = s[63 - threadIdx.x].x;
}
extern "C" __global__ void fences(volatile int *o) {
    o[0] = 1;
    __threadfence_block();
    o[1] = 1;
    __threadfence();
    o[2] = 1;
    __threadfence_system();
    o[3] = 1;
}
