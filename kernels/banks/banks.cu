// Sixteen accumulators whose multiply-adds read three registers each, all in one bank (-DCLASH) or in different ones.
//
// Register banks are chosen by the low bits of the register number, and 128-bit loads and stores pin a float4 to four
// consecutive registers, the first a multiple of four. A component therefore tells its register modulo 4: x 0, y 1,
// z 2, w 3. With a.x * b.x + sum.x all three sources agree modulo 4 (and 2); with a.y * b.z + sum.x they are 1, 2 and 0.
// Sums are 16 instructions apart and no source is that of the instruction before, so that neither latency nor the
// operand reuse cache plays a part.

#ifdef CLASH
#define KERNEL banks_clashing
__device__ __forceinline__ void step(float4& sum, float4 a, float4 b)
{
    sum.x = __fmaf_rn(a.x, b.x, sum.x);
    sum.y = __fmaf_rn(a.y, b.y, sum.y);
    sum.z = __fmaf_rn(a.z, b.z, sum.z);
    sum.w = __fmaf_rn(a.w, b.w, sum.w);
}
#else
#define KERNEL banks_spread
__device__ __forceinline__ void step(float4& sum, float4 a, float4 b)
{
    sum.x = __fmaf_rn(a.y, b.z, sum.x);
    sum.y = __fmaf_rn(a.z, b.w, sum.y);
    sum.z = __fmaf_rn(a.w, b.x, sum.z);
    sum.w = __fmaf_rn(a.x, b.y, sum.w);
}
#endif

#define QUADS 4
#define TURNS 8

extern "C" __global__ void KERNEL(const float4* a, const float4* b, float4* sums, long long* cycles,
                                  int iterations)
{
    if (iterations <= 0) return;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    float4 a_quads[QUADS], b_quads[QUADS], sum[QUADS];
#pragma unroll
    for (int k = 0; k < QUADS; ++k) {
        a_quads[k] = a[k * threads + thread];
        b_quads[k] = b[k * threads + thread];
        sum[k] = sums[k * threads + thread];
    }
#pragma unroll
    for (int k = 0; k < QUADS; ++k) step(sum[k], a_quads[k], b_quads[k]); // waits for the loads

    long long start = clock64();
#pragma unroll 1
    do {
#pragma unroll
        for (int turn = 0; turn < TURNS; ++turn) {
#pragma unroll
            for (int k = 0; k < QUADS; ++k) {
                step(sum[k], a_quads[(k + turn) % QUADS], b_quads[(k + 3 * turn) % QUADS]);
            }
        }
    } while (--iterations > 0);
    long long stop = clock64();

#pragma unroll
    for (int k = 0; k < QUADS; ++k) sums[k * threads + thread] = sum[k];
    if (threadIdx.x % 32 == 0) cycles[thread / 32] = stop - start;
}
