// Elementwise scaling: scalar accesses, 128-bit accesses, 128-bit accesses with a fused bias.

extern "C" __global__ void scale_scalar(float* __restrict__ out, const float* __restrict__ in, float alpha, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] * alpha;
    }
}

extern "C" __global__ void scale_float4(float4* __restrict__ out, const float4* __restrict__ in, float alpha, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 value = in[i];
        value.x *= alpha;
        value.y *= alpha;
        value.z *= alpha;
        value.w *= alpha;
        out[i] = value;
    }
}

extern "C" __global__ void scale_float4_fma(float4* __restrict__ out, const float4* __restrict__ in, float alpha,
                                            float bias, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 value = __ldg(&in[i]);
        value.x = __fmaf_rn(value.x, alpha, bias);
        value.y = __fmaf_rn(value.y, alpha, bias);
        value.z = __fmaf_rn(value.z, alpha, bias);
        value.w = __fmaf_rn(value.w, alpha, bias);
        out[i] = value;
    }
}
