// Sum reduction to one partial sum per block, with one and with four accumulators per thread.

__device__ __forceinline__ float warp_sum(float sum)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    return sum;
}

__device__ __forceinline__ void store_block_sum(float* partial_sums, float sum)
{
    __shared__ float warp_sums[32];
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    sum = warp_sum(sum);
    if (lane == 0) warp_sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < blockDim.x >> 5 ? warp_sums[lane] : 0.0f);
        if (lane == 0) partial_sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void sum_reduction_ilp1(const float* __restrict__ data, float* __restrict__ partial_sums, int n)
{
    int stride = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        sum += data[i];
    }
    store_block_sum(partial_sums, sum);
}

extern "C" __global__ void sum_reduction_ilp4(const float* __restrict__ data, float* __restrict__ partial_sums, int n)
{
    int stride = gridDim.x * blockDim.x;
    float sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (; i < n - 3 * stride; i += 4 * stride) {
        sum0 += data[i];
        sum1 += data[i + stride];
        sum2 += data[i + 2 * stride];
        sum3 += data[i + 3 * stride];
    }
    float sum = sum0 + sum1 + sum2 + sum3;
    for (; i < n; i += stride) {
        sum += data[i];
    }
    store_block_sum(partial_sums, sum);
}
