extern "C" __global__ void broken(float* y) {
  y[0] = x;
}
