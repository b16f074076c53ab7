// Reductions of all blocks at a word, at the words of a line, and at those of two slices of L2, and nothing else.

// Lane l of each warp adds to word l / LANES, n times, LINES lines in turn, each half a kilobyte behind the one before.
extern "C" __global__ void adds(float* sums, int n)
{
    float* sum = sums + threadIdx.x % 32 / LANES;
    for (int i = 0; i < n; i++) {
        atomicAdd(sum + i % LINES * 128, 1.0f);
    }
}

// Counts of 256 values, each block's own in shared memory, added to those of all at the end.
extern "C" __global__ void histogram(const unsigned* values, unsigned* counts, int n)
{
    __shared__ unsigned own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&own[values[i] & 255], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&counts[i], own[i]);
}
