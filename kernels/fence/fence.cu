// What is written for others to see: a sum in one pass, whose last block adds up what all blocks have left, and values
// of which each is followed by a fence before the next.

extern "C" __global__ void last_block_sum(const float* in, float* partial, unsigned* arrived, float* total, int n)
{
    __shared__ float warp_sums[32];
    __shared__ bool is_last;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0.0f;
        for (int warp = 0; warp < blockDim.x / 32; ++warp) sum += warp_sums[warp];
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < 32) {
        sum = 0.0f;
        for (int block = threadIdx.x; block < gridDim.x; block += 32) sum += __ldcg(&partial[block]);
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (threadIdx.x == 0) *total = sum;
    }
}

extern "C" __global__ void fenced_stores(float* out, float value, int rounds)
{
    float* mine = out + blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        *mine = value;
        FENCE();
        value = __fmul_rn(value, 0.5f);
    }
}
