// The order in which the parts of one diverged warp run: a lane that passes place n draws a ticket and stores it in
// order[n * 32 + lane]. The ticket is an asm atomic, which the compiler neither merges with others nor moves.

#define PLACE(n) \
    { \
        int ticket; \
        unsigned address = (unsigned)__cvta_generic_to_shared(&next); \
        asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(ticket) : "r"(address) : "memory"); \
        order[(n) * 32 + threadIdx.x] = ticket; \
    }

#define KERNEL(name) extern "C" __global__ void name(int *order, const int *x)

#define BEGIN \
    __shared__ int next; \
    if (threadIdx.x == 0) next = 0; \
    __syncthreads(); \
    int v = x[threadIdx.x];

KERNEL(if_else) {
    BEGIN
    if (v & 1) { PLACE(0) PLACE(1) } else { PLACE(2) PLACE(3) }
    PLACE(4)
}

KERNEL(if_else_low_half) {
    BEGIN
    if (v & 16) { PLACE(0) PLACE(1) } else { PLACE(2) PLACE(3) }
    PLACE(4)
}

KERNEL(if_else_one) {
    BEGIN
    if (v == 7) { PLACE(0) PLACE(1) } else { PLACE(2) PLACE(3) }
    PLACE(4)
}

KERNEL(if_else_most) {
    BEGIN
    if (v != 7) { PLACE(0) PLACE(1) } else { PLACE(2) PLACE(3) }
    PLACE(4)
}

KERNEL(nested) {
    BEGIN
    if (v & 1) {
        if (v & 2) PLACE(0) else PLACE(1)
        PLACE(2)
    } else {
        if (v & 2) PLACE(3) else PLACE(4)
        PLACE(5)
    }
    PLACE(6)
}

KERNEL(loops) {
    BEGIN
    int n = v % 5 + 1;
    for (int i = 0; i < n; i++) PLACE(i)
    PLACE(6)
}

KERNEL(choose) {
    BEGIN
    switch (v & 7) {
        case 0: PLACE(0) break;
        case 1: PLACE(1) PLACE(2) break;
        case 2: PLACE(3) break;
        case 3: PLACE(4) PLACE(5) break;
        case 4: PLACE(6) break;
        default: PLACE(7)
    }
    PLACE(8)
}

KERNEL(early) {
    BEGIN
    if (v & 1) {
        PLACE(0)
        if (v & 2) return;
        PLACE(1)
    }
    PLACE(2)
    if (v & 4) { PLACE(3) return; }
    PLACE(4)
}
