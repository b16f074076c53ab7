// Integer arithmetic of every width: division, carries, funnel shifts, bit tricks, dot products, min and max.
template <typename T>
__device__ void arithmetic(T *out, const T *in) {
    T a = in[threadIdx.x], b = in[threadIdx.x + 1], c = in[threadIdx.x + 2];
    out[0] = a + b - c;
    out[1] = a * b + c;
    out[2] = a / b;
    out[3] = a % b;
    out[4] = a << (b & 7);
    out[5] = a >> (b & 7);
    out[6] = (a & b) | (~c ^ a);
    out[7] = a < b ? a : c;
    out[8] = a > b ? b : c;
    out[9] = a / 7;
    out[10] = a % 10;
    out[11] = -a;
    out[12] = a == b ? c : T(3);
}
extern "C" __global__ void int8(signed char *o, const signed char *i) { arithmetic(o, i); }
extern "C" __global__ void uint8(unsigned char *o, const unsigned char *i) { arithmetic(o, i); }
extern "C" __global__ void int16(short *o, const short *i) { arithmetic(o, i); }
extern "C" __global__ void uint16(unsigned short *o, const unsigned short *i) { arithmetic(o, i); }
extern "C" __global__ void int32(int *o, const int *i) { arithmetic(o, i); }
extern "C" __global__ void uint32(unsigned *o, const unsigned *i) { arithmetic(o, i); }
extern "C" __global__ void int64(long long *o, const long long *i) { arithmetic(o, i); }
extern "C" __global__ void uint64(unsigned long long *o, const unsigned long long *i) { arithmetic(o, i); }
extern "C" __global__ void int128(__int128 *o, const __int128 *i) {
    __int128 a = i[threadIdx.x], b = i[threadIdx.x + 1];
    o[0] = a * b + (a >> (int)(b & 63));
    o[1] = a - b;
    o[2] = a < b ? a : b;
}
extern "C" __global__ void bits(unsigned *o, const unsigned *i, const unsigned long long *w) {
    unsigned a = i[threadIdx.x], b = i[threadIdx.x + 1], c = i[threadIdx.x + 2];
    unsigned long long d = w[threadIdx.x];
    o[0] = __popc(a);
    o[1] = __clz(a);
    o[2] = __ffs(b);
    o[3] = __brev(c);
    o[4] = __byte_perm(a, b, c);
    o[5] = __funnelshift_l(a, b, c);
    o[6] = __funnelshift_rc(a, b, c);
    o[7] = __mulhi((int)a, (int)b);
    o[8] = __umulhi(a, b);
    o[9] = __popcll(d);
    o[10] = __clzll(d);
    o[11] = __brevll(d) >> 3;
    o[12] = __umul64hi(d, d + a);
    o[13] = __sad((int)a, (int)b, c);
    o[14] = __usad(a, b, c);
    o[15] = __dp4a((int)a, (int)b, (int)c);
    o[16] = __dp4a(a, b, c);
    o[17] = __dp2a_lo((int)a, (int)b, (int)c);
    o[18] = abs((int)a);
    o[19] = __mul24((int)a, (int)b);
    o[20] = __hadd((int)a, (int)b);
    o[21] = __ffsll(d);
    o[22] = (a >> 5) & 0x3ff;
    o[23] = ((int)(a << 7)) >> 20;
    o[24] = max(min((int)a, (int)b), (int)c);
    o[25] = max(a + b, c);
    o[26] = llabs((long long)d) >> 40;
    o[27] = __vadd4(a, b) ^ __vmaxs2(a, b) ^ __vabsdiffu4(a, c) ^ __vsads4(b, c);
    o[28] = __viaddmax_s32(a, b, c) + __vimax3_s32(a, b, c) + __vimin3_u32(a, b, c);
    o[29] = __viaddmin_u16x2(a, b, c) ^ __vimax3_s16x2(a, b, c) ^ __vimin_s32_relu(a, b);
}
