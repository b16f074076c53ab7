// out = a * b + c, elementwise: fused into FFMA, kept apart by rounding intrinsics, and with the product stored.

extern "C" __global__ void multiply_add_fused(const float* __restrict__ a, const float* __restrict__ b,
                                              const float* __restrict__ c, float* __restrict__ out, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        out[i] = a[i] * b[i] + c[i];
    }
}

extern "C" __global__ void multiply_add_separate(const float* __restrict__ a, const float* __restrict__ b,
                                                 const float* __restrict__ c, float* __restrict__ out, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        out[i] = __fadd_rn(__fmul_rn(a[i], b[i]), c[i]);
    }
}

extern "C" __global__ void multiply_add_stored(const float* __restrict__ a, const float* __restrict__ b,
                                               const float* __restrict__ c, float* __restrict__ out,
                                               float* __restrict__ products, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float product = a[i] * b[i];
        products[i] = product;
        out[i] = product + c[i];
    }
}
