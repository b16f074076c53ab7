// Branches that part the lanes of a warp as the data say: 10 instructions on one side and 20 on the other, and two
// levels of two sides each, 10 instructions a side. Each side is a chain of another instruction: the compiler would
// merge sides that differ in operands only.

template <int length> __device__ __forceinline__ float multiply_add(float x, float a, float b)
{
#pragma unroll
    for (int k = 0; k < length; ++k) x = __fmaf_rn(x, a, b);
    return x;
}

template <int length> __device__ __forceinline__ float multiply(float x, float a)
{
#pragma unroll
    for (int k = 0; k < length; ++k) x = __fmul_rn(x, a);
    return x;
}

template <int length> __device__ __forceinline__ float add(float x, float a)
{
#pragma unroll
    for (int k = 0; k < length; ++k) x = __fadd_rn(x, a);
    return x;
}

template <int length> __device__ __forceinline__ float subtract_from(float x, float a)
{
#pragma unroll
    for (int k = 0; k < length; ++k) x = __fadd_rn(a, -x);
    return x;
}

extern "C" __global__ void divergent_10_20(const int* __restrict__ side, float* __restrict__ out, float a, float b,
                                           int iterations)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = side[thread];
    float x = float(thread);
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        if (mine & 1) {
            x = multiply_add<10>(x, a, b);
        } else {
            x = multiply<20>(x, a);
        }
    }
    out[thread] = x;
}

extern "C" __global__ void divergent_nested(const int* __restrict__ side, float* __restrict__ out, float a, float b,
                                            int iterations)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = side[thread];
    float x = float(thread);
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        if (mine & 1) {
            if (mine & 2) {
                x = multiply_add<10>(x, a, b);
            } else {
                x = multiply<10>(x, a);
            }
        } else {
            if (mine & 2) {
                x = add<10>(x, b);
            } else {
                x = subtract_from<10>(x, b);
            }
        }
    }
    out[thread] = x;
}
