// Four instructions: I0 -> I2 -> I3 is a chain, I1 is independent of the three and fills a gap. I0 and I1 of the next
// group need I3's result and its I0 needs I1's, so that groups do not overlap. Only every fourth warp works, so that
// all that do share one SMSP: a block of 32 threads is one warp, a block of 160 threads is two.

#define GROUPS 32

extern "C" __global__ void pipeline(float* out, long long* cycles, float r1, float r4, float r7, int iterations)
{
    int warp = threadIdx.x / 32;
    if (warp % 4 != 0 || iterations <= 0) return;
    float r0 = __fmul_rn(float(threadIdx.x), r1); // waits for the parameters before the clock is read
    float r3 = r0;
    long long start = clock64();
#pragma unroll 1
    do {
#pragma unroll
        for (int group = 0; group < GROUPS; ++group) {
            float r2 = __fmul_rn(r0, r1); // I0
            float r5 = __fadd_rn(r3, r4); // I1
            float r6 = __fadd_rn(r2, r1); // I2
            float r8 = __fmul_rn(r6, r7); // I3
            r0 = r8;
            r3 = r8;
            r1 = r5;
        }
    } while (--iterations > 0);
    long long stop = clock64();
    out[threadIdx.x] = r0;
    out[blockDim.x + threadIdx.x] = r1;
    if (threadIdx.x % 32 == 0) cycles[warp] = stop - start;
}
