// Tiles of global memory go through shared memory one after the other, by asynchronous copies of WORDS words a thread:
// while one is summed, the next STAGES - 1 are on their way. A copy of four words passes L1, one of a word goes into it.

#define LARGEST_BLOCK 512

static __device__ void copy(float* to, const float* from)
{
    unsigned shared = unsigned(__cvta_generic_to_shared(to));
#if WORDS == 4
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(from) : "memory");
#endif
}

extern "C" __global__ void async_copy(const float* in, float* out, int tiles)
{
    __shared__ __align__(16) float staged[STAGES][LARGEST_BLOCK * WORDS];
    int size = blockDim.x * WORDS;
    const float* mine = in + (size_t)blockIdx.x * tiles * size + threadIdx.x * WORDS;
#pragma unroll
    for (int stage = 0; stage < STAGES; ++stage) {
        if (stage < tiles) copy(&staged[stage][threadIdx.x * WORDS], mine + (size_t)stage * size);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    float sum = 0.0f;
    int stage = 0;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
        __syncthreads();
        const float* there = &staged[stage][(blockDim.x - 1 - threadIdx.x) * WORDS];
#pragma unroll
        for (int i = 0; i < WORDS; ++i) sum = __fadd_rn(sum, there[i]);
        __syncthreads();
        if (tile + STAGES < tiles) copy(&staged[stage][threadIdx.x * WORDS], mine + (size_t)(tile + STAGES) * size);
        asm volatile("cp.async.commit_group;" ::: "memory");
        stage = stage + 1 == STAGES ? 0 : stage + 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
