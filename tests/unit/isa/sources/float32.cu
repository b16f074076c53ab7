// FP32: arithmetic with every rounding mode, division, roots, and the math library.
extern "C" __global__ void arithmetic(float *o, const float *i) {
    float a = i[threadIdx.x], b = i[threadIdx.x + 1], c = i[threadIdx.x + 2];
    o[0] = a + b;
    o[1] = a * b;
    o[2] = a * b + c;
    o[3] = a / b;
    o[4] = sqrtf(a);
    o[5] = rsqrtf(b);
    o[6] = 1.0f / c;
    o[7] = fminf(a, b);
    o[8] = fmaxf(b, c);
    o[9] = fabsf(a) - b;
    o[10] = __fadd_rz(a, b) + __fmul_ru(a, b) + __fmaf_rd(a, b, c) + __fadd_rn(a, -b);
    o[11] = __saturatef(a * b);
    o[12] = copysignf(a, b);
    o[13] = a < b ? c : a;
    o[14] = (a < b && b <= c || a != c) ? 1.0f : 0.0f;
    o[15] = __fdividef(a, b) + __frcp_rn(a) + __fsqrt_rz(b) + __frsqrt_rn(c);
    o[16] = fmodf(a, b);
    o[17] = remainderf(a, b);
    o[18] = isnan(a) ? 1.0f : isinf(b) ? 2.0f : signbit(c) ? 3.0f : 4.0f;
    o[19] = fdimf(a, b);
    o[20] = nextafterf(a, b);
    o[21] = __int_as_float(0x7fc00123) + a * __int_as_float(0x7f800000);
    o[22] = ldexpf(a, (int)b) + logbf(c);
    o[23] = truncf(a) + floorf(b) + ceilf(c) + rintf(a) + roundf(b) + nearbyintf(c);
}
extern "C" __global__ void library(float *o, const float *i) {
    float a = i[threadIdx.x], b = i[threadIdx.x + 1];
    o[0] = sinf(a);
    o[1] = cosf(a);
    o[2] = tanf(a);
    o[3] = expf(a);
    o[4] = exp2f(a);
    o[5] = logf(a);
    o[6] = log2f(a);
    o[7] = powf(a, b);
    o[8] = tanhf(a);
    o[9] = erff(a);
    o[10] = atan2f(a, b);
    o[11] = asinf(a);
    o[12] = cbrtf(a);
    o[13] = lgammaf(a);
    o[14] = expm1f(a) + log1pf(b);
    o[15] = hypotf(a, b);
    o[16] = sinhf(a) + acoshf(b);
    o[17] = normcdff(a);
    o[18] = j0f(a);
    o[19] = exp10f(a);
    sincospif(a, &o[20], &o[21]);
}
extern "C" __global__ void fast(float *o, const float *i) {
    float a = i[threadIdx.x], b = i[threadIdx.x + 1];
    o[0] = __sinf(a);
    o[1] = __cosf(a);
    o[2] = __tanf(a);
    o[3] = __expf(a);
    o[4] = __logf(a);
    o[5] = __powf(a, b);
    o[6] = __log2f(a);
    o[7] = __exp10f(b);
}
