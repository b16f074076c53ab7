// Code that a table says: the way of a switch, and a function that is called.

// A machine with a sum, whose code all threads run.
extern "C" __global__ void jump_table(const int* code, int* out, int n)
{
    int sum = threadIdx.x;
    for (int i = 0; i < n; i++) {
        switch (code[i]) {
            case 0: sum = sum * 3 + 1; break;
            case 1: sum ^= i << 3; break;
            case 2: sum -= 7; break;
            case 3: sum = (sum >> 2) + code[i + 1]; break;
            case 4: sum += __popc(sum); break;
            case 5: sum = ~sum; break;
            case 6: sum *= sum; break;
            case 7: sum = __brev(sum); break;
            case 8: sum = min(sum, 1 << 20); break;
            case 9: sum = max(sum, -(1 << 20)); break;
            case 10: sum = sum << 5 ^ sum; break;
            case 11: sum = (sum & 0xff00ff) * 5; break;
            case 12: sum = __byte_perm(sum, i, 0x1302); break;
            case 13: sum = abs(sum); break;
            case 14: sum += __clz(sum); break;
            case 15: sum = sum % 1021; break;
            case 16: sum |= 1 << (i & 31); break;
            case 17: sum &= ~(1 << (i & 31)); break;
            case 18: sum = __funnelshift_l(sum, i, 7); break;
            default: sum >>= 1;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

typedef float (*Function)(float);
__device__ __noinline__ float twice(float x) { return x + x; }
__device__ __noinline__ float half(float x) { return 0.5f * x; }
__device__ __noinline__ float square(float x) { return x * x; }
__device__ __noinline__ float less(float x) { return x - 3.0f; }

// Calls by a table of functions, the same by all threads of a warp.
extern "C" __global__ void function_table(const int* which, float* out, int n)
{
    const Function functions[] = {twice, half, square, less};
    float x = threadIdx.x * 0.125f;
    for (int i = 0; i < n; i++) {
        x = functions[which[i] & 3](x);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
