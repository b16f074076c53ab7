// Kernels whose names are mangled.
template <int N, typename T>
__global__ void scale(T *o) {
    o[threadIdx.x] *= N;
}
template __global__ void scale<3, float>(float *);
template __global__ void scale<5, float>(float *);
__global__ void plain(float *o, char c, double d, short s, const void *p) { o[threadIdx.x] = c + d + s + (p != nullptr); }
namespace inner {
__global__ void hidden(int *o) { o[threadIdx.x] = 1; }
}
extern "C" __global__ void c_name(int *o) { o[threadIdx.x] = 2; }
