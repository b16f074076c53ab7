// Warp operations: shuffles, votes, matches, reductions, synchronisation; cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void shuffles(int *o, float *f, double *d) {
    int a = o[threadIdx.x];
    int b = __shfl_sync(~0u, a, 3) + __shfl_up_sync(~0u, a, 2) + __shfl_down_sync(~0u, a, 4, 16) + __shfl_xor_sync(~0u, a, 8);
    b += __shfl_sync(~0u, a, b & 31);
    f[threadIdx.x] = __shfl_xor_sync(0xffff, f[threadIdx.x], a);
    d[threadIdx.x] = __shfl_down_sync(~0u, d[threadIdx.x], 1);
    o[threadIdx.x] = b;
}
extern "C" __global__ void votes(unsigned *o, const int *i) {
    int a = i[threadIdx.x];
    o[0] = __ballot_sync(~0u, a > 3);
    o[1] = __all_sync(~0u, a > 4);
    o[2] = __any_sync(~0u, a > 5);
    o[3] = __uni_sync(~0u, a > 5);
    o[4] = __match_any_sync(~0u, a);
    int same;
    o[5] = __match_all_sync(~0u, a, &same) + same;
    o[6] = __match_any_sync(~0u, (unsigned long long)a * 3);
    o[7] = __activemask();
    o[8] = __reduce_add_sync(~0u, a) + __reduce_min_sync(~0u, a) + __reduce_max_sync(~0u, (unsigned)a);
    o[9] = __reduce_and_sync(~0u, (unsigned)a) ^ __reduce_or_sync(~0u, (unsigned)a) ^ __reduce_xor_sync(~0u, (unsigned)a);
    if (a > 7) {
        o[10] = __ballot_sync(__activemask(), a > 9);
        __syncwarp(__activemask());
    }
    o[11] = __syncthreads_count(a) + __syncthreads_and(a) + __syncthreads_or(a);
    o[12] = __fns(o[0], 3, 2);
}
extern "C" __global__ void groups(float *o, const float *i) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(block);
    float a = i[block.thread_rank()];
    o[0] = cg::reduce(warp, a, cg::plus<float>());
    o[1] = cg::reduce(tile, a, cg::greater<float>());
    o[2] = cg::inclusive_scan(tile, a);
    o[3] = cg::reduce(warp, (int)a, cg::plus<int>());
    if (a > 0) {
        auto active = cg::coalesced_threads();
        o[4] = active.size() + active.shfl(a, 0);
        if (active.thread_rank() == 0) o[5] = 1;
    }
    auto odd = cg::labeled_partition(warp, threadIdx.x & 1);
    o[6] = odd.size();
    cg::invoke_one(warp, [&] { o[7] = 1; });
    block.sync();
}
extern "C" __global__ void registers(unsigned *o, long long *t) {
    unsigned x;
    o[0] = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z;
    o[1] = blockIdx.x + blockIdx.y + blockIdx.z + gridDim.x * gridDim.y * gridDim.z + blockDim.z;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(x));
    o[2] = x;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(x));
    o[3] = x;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(x));
    o[4] = x;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(x));
    o[5] = x;
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(x));
    o[6] = x;
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(x));
    o[7] = x;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(x));
    o[8] = x;
    asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(x));
    o[9] = x;
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(x));
    o[10] = x;
    t[0] = clock64();
    o[11] = clock();
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    t[1] = ns;
    __nanosleep(o[2]);
    __nanosleep(100);
}
