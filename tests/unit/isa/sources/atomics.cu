// Atomics and reductions on global, shared and generic memory, in every type.
#include <cuda_fp16.h>
#include <cuda/atomic>
template <typename T>
__device__ void integers(T *m, T v, T *o) {
    atomicAdd(m, v);
    atomicMin(m + 1, v);
    atomicMax(m + 2, v);
    atomicAnd(m + 3, v);
    atomicOr(m + 4, v);
    atomicXor(m + 5, v);
    o[0] = atomicAdd(m + 6, v);
    o[1] = atomicMin(m + 7, v);
    o[2] = atomicMax(m + 8, v);
    o[3] = atomicAnd(m + 9, v);
    o[4] = atomicOr(m + 10, v);
    o[5] = atomicXor(m + 11, v);
    o[6] = atomicExch(m + 12, v);
    o[7] = atomicCAS(m + 13, v, v + 1);
}
extern "C" __global__ void global(int *i, unsigned *u, unsigned long long *w, long long *l, float *f, double *d, __half2 *h) {
    integers(i, (int)threadIdx.x, i + 32);
    integers(u, threadIdx.x, u + 32);
    integers(w, (unsigned long long)threadIdx.x, w + 32);
    l[3] = atomicMin(l, (long long)threadIdx.x);
    u[60] = atomicInc(u + 61, 7) + atomicDec(u + 62, 9) + atomicSub(u + 63, 3);
    atomicAdd(f, 1.5f);
    f[3] = atomicAdd(f + 1, f[2]);
    atomicAdd(d, 1.5);
    d[3] = atomicAdd(d + 1, d[2]);
    h[3] = atomicAdd(h, h[1]);
    atomicAdd(h + 4, h[2]);
    ((unsigned short *)u)[300] = atomicCAS((unsigned short *)u + 301, (unsigned short)3, (unsigned short)4);
}
extern "C" __global__ void shared(int *i, unsigned *u, unsigned long long *w, float *f, double *d) {
    __shared__ int si[64];
    __shared__ unsigned su[64];
    __shared__ unsigned long long sw[64];
    __shared__ float sf[4];
    __shared__ double sd[4];
    integers(si, (int)threadIdx.x, i);
    integers(su, threadIdx.x, u);
    integers(sw, (unsigned long long)threadIdx.x, w);
    atomicAdd(sf, 1.0f);
    f[1] = atomicAdd(sf + 1, 2.0f);
    atomicAdd(sd, 1.0);
    d[1] = atomicAdd(sd + 1, 2.0);
    u[20] = atomicInc(su + 30, 5) + atomicDec(su + 31, 6);
    atomicAdd(su + 40, 1);
    __syncthreads();
    f[0] = sf[0] + si[0] + su[40] + sw[0] + sd[0];
}
extern "C" __global__ void aggregated(int *o, const int *i) {
    if (i[threadIdx.x] > 3) atomicAdd(o, 1);
    atomicMax(o + 1, i[threadIdx.x]);
}
extern "C" __global__ void scoped(int *o, int *p) {
    cuda::atomic_ref<int, cuda::thread_scope_device> a(o[0]);
    a.fetch_add(1, cuda::memory_order_relaxed);
    while (a.load(cuda::memory_order_acquire) < 4) __nanosleep(20);
    p[0] = a.exchange(7, cuda::memory_order_acq_rel);
    a.store(3, cuda::memory_order_release);
    cuda::atomic_ref<int, cuda::thread_scope_block> b(p[1]);
    b.fetch_or(2);
    atomicAdd_block(p + 3, 1);
    atomicAdd_system(p + 4, 1);
}
extern "C" __global__ void vectors(float4 *a, float2 *b, float *o) {
    float4 v = atomicAdd(a, a[1]);
    float2 w = atomicAdd(b, b[1]);
    o[0] = v.x + v.w + w.x;
    atomicAdd(a + 2, v);
    atomicAdd(b + 3, w);
}
