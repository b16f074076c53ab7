// Inclusive prefix sums: each thread through its own slice, and each warp through its own slice with shuffles.

extern "C" __global__ void scan_serial(const float* __restrict__ in, float* __restrict__ out, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    in += thread * n;
    out += thread * n;
    float prefix = 0.0f;
    for (int i = 0; i < n; ++i) {
        prefix += in[i];
        out[i] = prefix;
    }
}

// n is a multiple of 32: each warp scans 32 elements at a time and carries the last prefix on.
extern "C" __global__ void scan_warp(const float* __restrict__ in, float* __restrict__ out, int n)
{
    int lane = threadIdx.x & 31;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    in += warp * n;
    out += warp * n;
    float carry = 0.0f;
#pragma unroll 1
    for (int start = 0; start < n; start += 32) {
        float prefix = in[start + lane];
#pragma unroll
        for (int offset = 1; offset < 32; offset <<= 1) {
            float left = __shfl_up_sync(0xffffffff, prefix, offset);
            if (lane >= offset) prefix += left;
        }
        prefix += carry;
        out[start + lane] = prefix;
        carry = __shfl_sync(0xffffffff, prefix, 31);
    }
}
