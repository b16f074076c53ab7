// Four elements per thread, loaded, scaled and stored in turn. Without __restrict__ a store may change what the next
// load reads, so that the loads stay behind the stores; with it they are independent and read-only.

#define ELEMENTS 4

#ifdef RESTRICT
#define KERNEL loads_restrict
#define POINTER __restrict__
#else
#define KERNEL loads_plain
#define POINTER
#endif

extern "C" __global__ void KERNEL(float* POINTER out, const float* POINTER in, const float* POINTER alpha)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
#pragma unroll
    for (int k = 0; k < ELEMENTS; ++k) {
        out[first + k * stride] = in[first + k * stride] * *alpha;
    }
}
