extern "C" __global__ void collatz(const long long* start, int* steps) {
  long long n = start[threadIdx.x];
  int count = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    count++;
  }
  steps[threadIdx.x] = count;
}
