// Vector addition, ILP elements per thread, a grid's width apart. The grid covers the arrays exactly.

extern "C" __global__ void vec_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    float a_values[ILP], b_values[ILP];
#pragma unroll
    for (int k = 0; k < ILP; ++k) {
        a_values[k] = a[first + k * stride];
        b_values[k] = b[first + k * stride];
    }
#pragma unroll
    for (int k = 0; k < ILP; ++k) {
        c[first + k * stride] = a_values[k] + b_values[k];
    }
}
