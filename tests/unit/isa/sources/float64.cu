// FP64: arithmetic, division, roots, the math library, conversions.
extern "C" __global__ void arithmetic(double *o, const double *i) {
    double a = i[threadIdx.x], b = i[threadIdx.x + 1], c = i[threadIdx.x + 2];
    o[0] = a + b;
    o[1] = a * b;
    o[2] = a * b + c;
    o[3] = a / b;
    o[4] = sqrt(a);
    o[5] = rsqrt(b);
    o[6] = 1.0 / c;
    o[7] = fmin(a, b);
    o[8] = fmax(b, c);
    o[9] = fabs(a) - b;
    o[10] = __dadd_rz(a, b) + __dmul_ru(a, b) + __fma_rd(a, b, c);
    o[11] = a < b ? c : a;
    o[12] = floor(a) + ceil(b) + trunc(c) + rint(a) + round(b);
    o[13] = fmod(a, b);
    o[14] = a * 3.14159265358979 + 0x1p-1040;
    o[15] = __hiloint2double(__double2loint(a), __double2hiint(b));
}
extern "C" __global__ void library(double *o, const double *i) {
    double a = i[threadIdx.x], b = i[threadIdx.x + 1];
    o[0] = sin(a);
    o[1] = exp(a);
    o[2] = log(a);
    o[3] = pow(a, b);
    o[4] = tanh(a);
    o[5] = erf(a);
    o[6] = atan2(a, b);
    o[7] = cbrt(a);
    o[8] = tgamma(a);
}
extern "C" __global__ void convert(double *o, const long long *w, const float *f, const int *n, long long *v) {
    int t = threadIdx.x;
    o[0] = (double)w[t];
    o[1] = (double)(unsigned long long)w[t + 1];
    o[2] = (double)f[t];
    o[3] = (double)n[t];
    o[4] = (double)(unsigned)n[t + 1];
    v[0] = (long long)o[t];
    v[1] = (unsigned long long)o[t + 1];
    v[2] = (long long)f[t];
    v[3] = (unsigned long long)f[t + 1];
    v[4] = (int)o[t + 2] + (unsigned)o[t + 3];
    v[5] = (int)f[t + 2] + (unsigned)f[t + 3] + (short)f[t + 4] + (unsigned char)f[t + 5];
    ((float *)v)[20] = (float)o[t + 4];
    ((float *)v)[21] = (float)w[t + 2];
    ((float *)v)[22] = (float)(unsigned long long)w[t + 3];
    ((float *)v)[23] = (float)n[t + 4] + (float)(unsigned)n[t + 5];
    ((float *)v)[24] = __double2float_rz(o[t + 5]) + __ll2float_ru(w[t]) + __int2float_rd(n[t]);
    v[13] = __float2int_ru(f[t]) + __double2ll_rd(o[t]) + __float2uint_rn(f[t + 1]);
    ((short *)v)[60] = (short)o[t];
    ((float *)v)[31] = (float)((short *)n)[t] + (float)((unsigned char *)n)[t] + (float)((signed char *)n)[t + 3];
}
