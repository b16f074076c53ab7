// Control flow: loops, jump tables, calls, recursion, function pointers, divergence, named barriers, traps.
__device__ __noinline__ int called(int a, int b) { return a * b + (a ^ b); }
__device__ __noinline__ int recursive(int n, const int *p) { return n < 2 ? p[n] : recursive(n - 1, p) + recursive(n - 2, p); }
__device__ int twice(int a) { return 2 * a; }
__device__ int square(int a) { return a * a; }
typedef int (*Function)(int);
__device__ Function functions[2] = {twice, square};
extern "C" __global__ void jump_table(int *o, int n) {
    switch (n) {
    case 0: o[0] = o[1] / 3; break;
    case 1: o[2] = o[1] * o[3]; break;
    case 2: o[5] = o[1] >> 1; break;
    case 3: o[7] = o[6] ^ o[1]; break;
    case 4: o[9] = o[8] - o[1]; break;
    case 5: o[1] = o[2] | o[3] & o[4]; break;
    case 6: o[6] = 4; break;
    case 7: o[3] = o[4] % o[5]; break;
    default: o[10] = n;
    }
}
extern "C" __global__ void divergent_table(int *o) {
    int t = threadIdx.x;
    switch (o[t] & 7) {
    case 0: o[t] = o[t + 1] / 3; break;
    case 1: o[t] = o[t + 1] * o[t + 3]; break;
    case 2: o[t + 5] = o[t + 1] >> 1; break;
    case 3: o[t] = o[t + 6] ^ o[t + 1]; break;
    case 4: o[t + 9] = o[t + 8] - o[t + 1]; break;
    case 5: o[t] = o[t + 2] | o[t + 3] & o[t + 4]; break;
    case 6: o[t + 6] = 4; break;
    default: o[t] = o[t + 4] % o[t + 5]; break;
    }
    o[t + 100] = 1;
}
extern "C" __global__ void calls(int *o, int n) { o[threadIdx.x] = called(o[threadIdx.x], n) + called(n, o[1]) + recursive(n, o); }
extern "C" __global__ void pointers(int *o) { o[threadIdx.x] = functions[o[1]](threadIdx.x); }
extern "C" __global__ void local_pointers(int *o, int n) {
    Function table[2] = {twice, square};
    o[threadIdx.x] = table[n](threadIdx.x);
}
extern "C" __global__ void loops(float *o, int n, int m) {
    float sum = 0;
    for (int i = 0; i < n; i++) {
        if (o[i] < 0) continue;
        for (int j = i; j < m; j++) {
            if (o[j] > 3) break;
            sum += o[i] * o[j];
        }
        if (sum > 1000) return;
    }
    do {
        sum *= 0.5f;
    } while (sum > threadIdx.x);
    o[threadIdx.x] = sum;
}
extern "C" __global__ void named_barriers(int *o) {
    __shared__ int s[128];
    s[threadIdx.x] = o[threadIdx.x];
    if (threadIdx.x < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.arrive 2, 128;" ::: "memory");
    if (threadIdx.x < 64) asm volatile("bar.sync 2, 128;" ::: "memory");
    asm volatile("barrier.sync %0, %1;" ::"r"(o[200] & 7), "r"(o[201]) : "memory");
    o[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void traps(int *o) {
    if (o[0] > 3) __trap();
    if (o[1] > 3) __brkpt();
    if (o[2] > 3) asm volatile("exit;");
    o[3] = 1;
    __builtin_assume(o[4] > 0);
    if (o[4] == 77) __builtin_unreachable();
}
extern "C" __global__ void many_predicates(int *o, const int *i, int n) {
    bool p[12];
    for (int k = 0; k < 12; k++) p[k] = i[k * 32 + threadIdx.x] > n;
    __syncthreads();
    for (int k = 0; k < 12; k++)
        if (p[k] ^ p[(k + 1) % 12]) o[k * 32 + threadIdx.x] = p[(k + 5) % 12] && p[(k + 7) % 12] ? k : n;
}
extern "C" __global__ void __launch_bounds__(128, 16) spills(float *o, const float *i) {
    float a[80];
#pragma unroll
    for (int k = 0; k < 80; k++) a[k] = i[k * 128 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 80; k++) o[k * 128 + threadIdx.x] = a[k] * a[79 - k];
}
