// What only inline PTX reaches: bit fields, saturation, packing, cache policies.
extern "C" __global__ void fields(unsigned *o, unsigned a, unsigned b) {
    unsigned d;
    asm("bfe.u32 %0, %1, 3, 7;" : "=r"(d) : "r"(a));
    o[0] = d;
    asm("bfi.b32 %0, %1, %2, 4, 9;" : "=r"(d) : "r"(a), "r"(b));
    o[1] = d;
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(d) : "r"(a));
    o[2] = d;
    asm("lop3.b32 %0, %1, %2, %1, 0x96;" : "=r"(d) : "r"(a), "r"(b));
    o[3] = d;
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    o[4] = d;
    asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    o[5] = d;
    asm("mad.hi.sat.s32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
    o[6] = d;
    asm("add.sat.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    o[7] = d;
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
    o[8] = d;
    asm("cvt.sat.u8.s32 %0, %1;" : "=r"(d) : "r"(a));
    o[9] = d;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
    o[10] = d;
    asm("prmt.b32.f4e %0, %1, %2, 3;" : "=r"(d) : "r"(a), "r"(b));
    o[11] = d;
    asm("mul24.hi.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    o[12] = d;
}
extern "C" __global__ void policies(unsigned *o) {
    unsigned d;
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(d) : "l"(o + 8), "l"(policy));
    o[0] = d;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.u32 %0, [%1];" : "=r"(d) : "l"(o + 32));
    o[1] = d;
    asm volatile("st.global.L1::no_allocate.u32 [%0], %1;" ::"l"(o + 33), "r"(d));
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(o));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(o));
}
