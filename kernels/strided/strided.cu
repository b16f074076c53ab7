// Stores that leave sectors of memory unfinished, or finish them late.

// Each thread stores words that lie `stride` words apart.
extern "C" __global__ void strided_stores(float *out, int stride, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        out[(long)i * stride] = (float)i;
}

// Each thread adds to words that lie `stride` words apart.
extern "C" __global__ void strided_adds(float *out, int stride, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        out[(long)i * stride] += 1.0f;
}

// A transposed copy without a tile: the words of a sector of `out` come from different warps.
extern "C" __global__ void transpose_untiled(const float *in, float *out, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[(long)x * size + y] = in[(long)y * size + x];
}
