// The triad of the STREAM benchmark: four elements per thread as 128-bit accesses.

extern "C" __global__ void triad(float4* __restrict__ a, const float4* __restrict__ b, const float4* __restrict__ c,
                                 float scalar)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 x = b[i], y = c[i];
    x.x = __fmaf_rn(scalar, y.x, x.x);
    x.y = __fmaf_rn(scalar, y.y, x.y);
    x.z = __fmaf_rn(scalar, y.z, x.z);
    x.w = __fmaf_rn(scalar, y.w, x.w);
    a[i] = x;
}
