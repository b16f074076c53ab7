// Work that is the same for a whole warp: the compiler puts it on the uniform datapath.
extern "C" __global__ void scalars(int *o, int n, int m, long long w, unsigned u, float f, double d) {
    int b = blockIdx.x;
    o[threadIdx.x] = (b * n + m) / 3 + (b % m) + (n > m ? b : n) + min(b, n) + max(b, m) + abs(b - n);
    o[threadIdx.x + 32] = __popc(b) + __clz(b) + __brev(b) + (b << n) + (b >> m) + ((unsigned)b >> 3) + (b & n | m);
    o[threadIdx.x + 64] = (int)(w * b >> 32) + (int)((w + b) / n) + (int)(w << n) + (w > b ? 1 : 2);
    o[threadIdx.x + 96] = (int)(f * b) + (int)(d + b) + u / (b + 1) + __byte_perm(b, n, 0x3210) + __mulhi(b, n);
    for (int k = 0; k < n; k++)
        if (k & b) o[k] += n * k;
}
extern "C" __global__ void loops(float *o, const float *i, int n, int stride) {
    float sum = 0;
    for (int k = blockIdx.x; k < n; k += gridDim.x) sum += i[k * stride + threadIdx.x] * i[k];
    o[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void conditions(int *o, int a, int b, int c, int d) {
    if (a > b && c < d || a == d) o[0] = 1;
    if (blockIdx.x > a && (blockIdx.y ^ b) < c) o[threadIdx.x] = (a > b) + (c != d) * 2;
    o[threadIdx.x + b] = a > blockIdx.x ? b : c;
}
