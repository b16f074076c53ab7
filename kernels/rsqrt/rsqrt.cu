// Each thread walks its own slice of n elements: a load, a reciprocal square root and eight dependent additions and
// multiplications per element; with -DSINE a sine as well. -DUNROLL=u copies of the body per iteration.

#ifdef SINE
#define KERNEL rsqrt_sin_slices
#else
#define KERNEL rsqrt_slices
#endif

extern "C" __global__ void KERNEL(const float* data, float* out, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const float* slice = data + thread * n;
    float sum = 0.0f;
#pragma unroll UNROLL
    for (int i = 0; i < n; ++i) {
        float x = slice[i];
        float root = rsqrtf(x);
#ifdef SINE
        root += __sinf(x);
#endif
        sum += root;
        sum *= 0.99f;
        sum += x * 0.5f;
        sum -= x * 0.1f;
        sum *= 1.01f;
        sum += x * x * 0.01f;
        sum -= root * 0.5f;
        sum += 0.001f;
    }
    out[thread] = sum;
}
