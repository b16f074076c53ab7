// FP16, BF16 and FP8: packed arithmetic, comparisons, conversions, math functions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
template <typename T, typename T2>
__device__ void arithmetic(T2 *o, const T2 *i) {
    T2 a = i[threadIdx.x], b = i[threadIdx.x + 1], c = i[threadIdx.x + 2];
    o[0] = __hadd2(a, b);
    o[1] = __hmul2(a, b);
    o[2] = __hfma2(a, b, c);
    o[3] = __hsub2(a, b);
    o[4] = __hmax2(a, b);
    o[5] = __hmin2(b, c);
    o[6] = __habs2(a);
    o[7] = __hneg2(b);
    o[8] = __hgt2(a, b);
    o[9] = __heq2(a, c);
    o[10].x = a.x + b.y * c.x;
    o[10].y = a.y > b.x ? c.y : a.x;
    o[11].x = __hbge2(a, b) ? a.x : b.x;
    o[12] = __hadd2_sat(a, b);
    o[13] = __hfma2_relu(a, b, c);
    o[14] = __h2div(a, b);
    o[15] = h2sqrt(a);
    o[16] = h2exp(a);
    o[17] = h2log2(b);
    o[18] = h2rcp(c);
    o[19] = h2sin(c);
    o[20] = h2floor(a);
    o[21].x = (T)((float)a.x * 2.5f);
    o[21].y = (T)(int)b.x;
    o[22].x = (T)(double)a.y;
    o[23].x = a.x != b.x && b.y <= c.y ? a.x : c.x;
    o[24] = __hmax2_nan(a, b);
    o[25].x = (T)(long long)a.x;
    o[25].y = (T)(unsigned short)b.x;
}
extern "C" __global__ void fp16(__half2 *o, const __half2 *i) {
    arithmetic<__half, __half2>(o, i);
    o[30] = h2tanh_approx(i[0]);
}
extern "C" __global__ void bf16(__nv_bfloat162 *o, const __nv_bfloat162 *i) { arithmetic<__nv_bfloat16, __nv_bfloat162>(o, i); }
extern "C" __global__ void dot(float *o, const __half2 *a, const __half2 *b, const __nv_bfloat16 *c) {
    __half2 sum = __float2half2_rn(0.0f);
    for (int k = 0; k < 16; k++) sum = __hfma2(a[k], b[k], sum);
    float2 f = __half22float2(sum);
    *o = f.x + f.y + __low2float(sum) + __bfloat162float(c[threadIdx.x]);
}
extern "C" __global__ void fp8(__nv_fp8_e4m3 *o, const float *i, __nv_fp8_e5m2 *p, float *q) {
    o[threadIdx.x] = __nv_fp8_e4m3(i[threadIdx.x]);
    p[threadIdx.x] = __nv_fp8_e5m2(i[threadIdx.x + 1]);
    q[threadIdx.x] = (float)o[threadIdx.x + 1] + (float)p[threadIdx.x + 1];
}
