// Register-only chains: ILP independent chains of one instruction, OPERATIONS of them per loop iteration.
//
// -DILP=n and one of -DFFMA -DFADD -DFMUL -DIMAD -DIADD3 -DDFMA -DHFMA2 -DHFMA2_MIXED -DMUFU choose the kernel. All
// operands are registers or come from the parameters, so that nothing can be folded. One step per chain runs before
// the clock is read: it waits for the parameters, whose loads would otherwise be timed.

#define OPERATIONS 128

#if defined(FFMA)
#define KERNEL chain_ffma
typedef float Value;
__device__ __forceinline__ void step(Value& x, Value a, Value b) { x = __fmaf_rn(x, a, b); }

#elif defined(FADD)
#define KERNEL chain_fadd
typedef float Value;
__device__ __forceinline__ void step(Value& x, Value a, Value) { x = __fadd_rn(x, a); }

#elif defined(FMUL)
#define KERNEL chain_fmul
typedef float Value;
__device__ __forceinline__ void step(Value& x, Value a, Value) { x = __fmul_rn(x, a); }

#elif defined(IMAD)
#define KERNEL chain_imad
typedef unsigned Value;
__device__ __forceinline__ void step(Value& x, Value a, Value b) { x = x * a + b; }

#elif defined(IADD3)
// x + a + b would be folded to x + 128 * (a + b). A Fibonacci-like recurrence keeps every addition; volatile keeps
// ptxas from splitting half of them into IMAD.IADD and a two-input IADD3, as it does at ILP 1 and 16.
#define KERNEL chain_iadd3
typedef unsigned Value;
#define TWO_TERMS
__device__ __forceinline__ void step(Value& x, Value previous, Value a)
{
    asm volatile("{.reg .u32 sum; add.u32 sum, %0, %1; add.u32 %0, sum, %2;}" : "+r"(x) : "r"(previous), "r"(a));
}

#elif defined(DFMA)
#define KERNEL chain_dfma
typedef double Value;
__device__ __forceinline__ void step(Value& x, Value a, Value b) { x = __fma_rn(x, a, b); }

#elif defined(HFMA2)
// The multiplier is a's low half, broadcast: HFMA2.MMA cannot select halves, so that ptxas writes HFMA2 only.
#define KERNEL chain_hfma2
typedef unsigned Value; // two halves
__device__ __forceinline__ void step(Value& x, Value a, Value b)
{
    asm("{.reg .f16 low, high; .reg .f16x2 multiplier; mov.b32 {low, high}, %1; mov.b32 multiplier, {low, low};"
        "fma.rn.f16x2 %0, %0, multiplier, %2;}"
        : "+r"(x)
        : "r"(a), "r"(b));
}

#elif defined(HFMA2_MIXED)
// Left alone, ptxas divides the work between HFMA2 and HFMA2.MMA, which execute on different pipes.
#define KERNEL chain_hfma2_mixed
typedef unsigned Value; // two halves
__device__ __forceinline__ void step(Value& x, Value a, Value b)
{
    asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
}

#elif defined(MUFU)
#define KERNEL chain_mufu
typedef float Value;
__device__ __forceinline__ void step(Value& x, Value, Value) { asm("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x)); }
#endif

extern "C" __global__ void KERNEL(Value* out, long long* cycles, Value a, Value b, int iterations)
{
    if (iterations <= 0) return;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    Value x[ILP];
#pragma unroll
    for (int chain = 0; chain < ILP; ++chain) {
        x[chain] = Value(thread + 1 + chain);
#ifndef TWO_TERMS
        step(x[chain], a, b);
#endif
    }
#ifdef TWO_TERMS
    Value y[ILP];
#pragma unroll
    for (int chain = 0; chain < ILP; ++chain) {
        y[chain] = b;
        step(x[chain], y[chain], a);
    }
#endif

    long long start = clock64();
#pragma unroll 1
    do {
#pragma unroll
        for (int length = 0; length < OPERATIONS / ILP; ++length) {
#pragma unroll
            for (int chain = 0; chain < ILP; ++chain) {
#ifdef TWO_TERMS
                if (length % 2 == 0) {
                    step(y[chain], x[chain], a);
                } else {
                    step(x[chain], y[chain], a);
                }
#else
                step(x[chain], a, b);
#endif
            }
        }
    } while (--iterations > 0);
    long long stop = clock64();

#pragma unroll
    for (int chain = 0; chain < ILP; ++chain) {
        out[thread * ILP + chain] = x[chain];
    }
    if (threadIdx.x % 32 == 0) cycles[thread / 32] = stop - start;
}
