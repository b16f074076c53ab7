// One more for each element, where it lies: of one array, or of three.
extern "C" __global__ void in_place(float* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += 1.0f;
}

extern "C" __global__ void in_place3(float* x, float* y, float* z, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        x[i] += 1.0f;
        y[i] += 2.0f;
        z[i] += 3.0f;
    }
}
