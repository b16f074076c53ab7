// Tiled matrix product C = A * B, A is (rows, k), B is (k, columns), all row-major; blocks of 16 x 16 threads.
// rows, columns and k are multiples of 16.

#define TILE 16

__device__ __forceinline__ float product_naive(const float* a_tile, const float* b_tile, int row, int column)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < TILE; ++k) {
        sum = __fmaf_rn(a_tile[row * TILE + k], b_tile[k * TILE + column], sum);
    }
    return sum;
}

__device__ __forceinline__ float product_unrolled(const float* a_tile, const float* b_tile, int row, int column)
{
    float sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
#pragma unroll 4
    for (int k = 0; k < TILE; k += 4) {
        sum0 = __fmaf_rn(a_tile[row * TILE + k], b_tile[k * TILE + column], sum0);
        sum1 = __fmaf_rn(a_tile[row * TILE + k + 1], b_tile[(k + 1) * TILE + column], sum1);
        sum2 = __fmaf_rn(a_tile[row * TILE + k + 2], b_tile[(k + 2) * TILE + column], sum2);
        sum3 = __fmaf_rn(a_tile[row * TILE + k + 3], b_tile[(k + 3) * TILE + column], sum3);
    }
    return sum0 + sum1 + sum2 + sum3;
}

template <float (*product)(const float*, const float*, int, int)>
__device__ __forceinline__ void multiply(const float* a, const float* b, float* c, int columns, int k)
{
    __shared__ float a_tile[TILE * TILE];
    __shared__ float b_tile[TILE * TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    int slot = threadIdx.y * TILE + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int start = 0; start < k; start += TILE) {
        a_tile[slot] = a[row * k + start + threadIdx.x];
        b_tile[slot] = b[(start + threadIdx.y) * columns + column];
        __syncthreads();
        sum += product(a_tile, b_tile, threadIdx.y, threadIdx.x);
        __syncthreads();
    }
    c[row * columns + column] = sum;
}

extern "C" __global__ void matmul_naive(const float* __restrict__ a, const float* __restrict__ b,
                                        float* __restrict__ c, int columns, int k)
{
    multiply<product_naive>(a, b, c, columns, k);
}

extern "C" __global__ void matmul_unrolled(const float* __restrict__ a, const float* __restrict__ b,
                                           float* __restrict__ c, int columns, int k)
{
    multiply<product_unrolled>(a, b, c, columns, k);
}
