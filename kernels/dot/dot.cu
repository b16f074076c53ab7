// Dot products: one accumulator, four, and one with an atomic per thread.

__device__ __forceinline__ void add_warp_sum(float* out, float sum)
{
    for (int offset = 16; offset > 0; offset >>= 1) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if ((threadIdx.x & 31) == 0) atomicAdd(out, sum);
}

extern "C" __global__ void dot_ilp1(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out,
                                    int n)
{
    int stride = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        sum = __fmaf_rn(a[i], b[i], sum);
    }
    add_warp_sum(out, sum);
}

extern "C" __global__ void dot_ilp4(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out,
                                    int n)
{
    int stride = gridDim.x * blockDim.x;
    float sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (; i < n - 3 * stride; i += 4 * stride) {
        sum0 = __fmaf_rn(a[i], b[i], sum0);
        sum1 = __fmaf_rn(a[i + stride], b[i + stride], sum1);
        sum2 = __fmaf_rn(a[i + 2 * stride], b[i + 2 * stride], sum2);
        sum3 = __fmaf_rn(a[i + 3 * stride], b[i + 3 * stride], sum3);
    }
    float sum = sum0 + sum1 + sum2 + sum3;
    for (; i < n; i += stride) {
        sum = __fmaf_rn(a[i], b[i], sum);
    }
    add_warp_sum(out, sum);
}

extern "C" __global__ void dot_serial(const float* a, const float* b, float* out, int n)
{
    int stride = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        sum += a[i] * b[i];
    }
    atomicAdd(out, sum);
}
