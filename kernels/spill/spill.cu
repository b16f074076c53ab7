// Over-unrolled: UNROLL iterations of three loads each, all needed twice. The launch bounds leave 32 registers per
// thread, so that the compiler keeps the rest in local memory.

#define UNROLL 16

extern "C" __global__ void __launch_bounds__(1024, 2)
    spill(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c,
          float* __restrict__ out, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    float total = 0.0f;
#pragma unroll 1
    for (int start = 0; start < n; start += UNROLL) {
        float x[UNROLL], y[UNROLL], z[UNROLL];
        float largest = 0.0f;
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) {
            int i = (start + k) * stride + thread;
            x[k] = a[i];
            y[k] = b[i];
            z[k] = c[i];
            largest = fmaxf(largest, fmaxf(x[k], fmaxf(y[k], z[k])));
        }
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) {
            total = __fmaf_rn(x[k] - largest, y[k] - largest, total) + (z[k] - largest);
        }
    }
    out[thread] = total;
}
