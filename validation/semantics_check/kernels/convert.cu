#include "operation.cuh"

#define FLOAT_TO_INTEGER(r)                                 \
    OPERATION(f32_to_s32_##r, __float2int_##r(fa))          \
    OPERATION(f32_to_u32_##r, __float2uint_##r(fa))         \
    OPERATION(f32_to_s64_##r, __float2ll_##r(fa))           \
    OPERATION(f32_to_u64_##r, __float2ull_##r(fa))          \
    OPERATION(f64_to_s32_##r, __double2int_##r(da))         \
    OPERATION(f64_to_u32_##r, __double2uint_##r(da))        \
    OPERATION(f64_to_s64_##r, __double2ll_##r(da))          \
    OPERATION(f64_to_u64_##r, __double2ull_##r(da))         \
    OPERATION(f64_to_f32_##r, __double2float_##r(da))       \
    OPERATION(f32_to_f16_##r, __float2half_##r(fa))         \
    OPERATION(i32_to_f32_##r, __int2float_##r(ia))          \
    OPERATION(i32_uto_f32_##r, __uint2float_##r(ua))        \
    OPERATION(i64_to_f32_##r, __ll2float_##r(la))           \
    OPERATION(i64_uto_f32_##r, __ull2float_##r(a))          \
    OPERATION(i64_to_f64_##r, __ll2double_##r(la))          \
    OPERATION(i64_uto_f64_##r, __ull2double_##r(a))         \
    OPERATION(i32_to_f16_##r, __int2half_##r(ia))           \
    OPERATION(i64_uto_f16_##r, __ull2half_##r(a))
FLOAT_TO_INTEGER(rn)
FLOAT_TO_INTEGER(rz)
FLOAT_TO_INTEGER(rd)
FLOAT_TO_INTEGER(ru)

OPERATION(i32_to_f64, (double)ia)
OPERATION(i32_uto_f64, (double)ua)
OPERATION(i16_to_f32, (float)(short)ua)
OPERATION(i8_to_f32, (float)(signed char)(ua >> 8))
OPERATION(i8_uto_f32, (float)(unsigned char)(ua >> 16))
OPERATION(i16_uto_f64, (double)(unsigned short)(ua >> 16))
OPERATION(i8_to_f16, __int2half_rn((signed char)ua))
OPERATION(i16_to_f16, __short2half_rn((short)ua))
OPERATION(i32_to_bf16, __int2bfloat16_rn(ia))
OPERATION(i16_to_bf16, __short2bfloat16_rn((short)ia))
OPERATION(f32_to_s16, (int)(short)PTX1(short, "h", "cvt.rni.s16.f32", "f", fa))
OPERATION(f32_to_u8, [&] { u32 r; asm("cvt.rzi.u8.f32 %0, %1;" : "=r"(r) : "f"(fa)); return r; }())
OPERATION(f32_to_s8, [&] { int r; asm("cvt.rzi.sat.s8.f32 %0, %1;" : "=r"(r) : "f"(fa)); return r; }())
OPERATION(f64_to_s16, [&] { short r; asm("cvt.rzi.s16.f64 %0, %1;" : "=h"(r) : "d"(da)); return (int)r; }())
OPERATION(f32_to_s32_ftz, PTX1(int, "r", "cvt.rpi.ftz.s32.f32", "f", fa))
OPERATION(f32_to_f64, (double)fa)
OPERATION(f32_to_f64_ftz, PTX1(double, "d", "cvt.ftz.f64.f32", "f", fa))
OPERATION(f64_to_f32_ftz, PTX1(float, "f", "cvt.rn.ftz.f32.f64", "d", da))
OPERATION(f64_to_f32_sat, PTX1(float, "f", "cvt.rn.sat.f32.f64", "d", da))
OPERATION(f64_to_f16, __double2half(da))
OPERATION(f64_to_bf16, __double2bfloat16(da))
OPERATION(f16_to_f64, (double)__low2half(ha))
OPERATION(f32_to_f16_ftz, PTX1(short, "h", "cvt.rn.ftz.f16.f32", "f", fa) & 0xffff)
OPERATION(f32_to_f16_sat, PTX1(short, "h", "cvt.rn.sat.f16.f32", "f", fa) & 0xffff)
OPERATION(f32_pack_f16, PTX2(u32, "r", "cvt.rn.f16x2.f32", "f", fa, fb))
OPERATION(f32_pack_f16_rz, PTX2(u32, "r", "cvt.rz.f16x2.f32", "f", fa, fb))
OPERATION(f32_pack_f16_relu, PTX2(u32, "r", "cvt.rn.relu.f16x2.f32", "f", fa, fb))
OPERATION(f32_pack_bf16, PTX2(u32, "r", "cvt.rn.bf16x2.f32", "f", fa, fb))
OPERATION(f32_pack_bf16_rz, PTX2(u32, "r", "cvt.rz.bf16x2.f32", "f", fa, fb))
OPERATION(f32_pack_bf16_relu, PTX2(u32, "r", "cvt.rz.relu.bf16x2.f32", "f", fa, fb))
OPERATION(f32_to_bf16, __float2bfloat16_rn(fa))
OPERATION(f32_to_bf16_rz, __float2bfloat16_rz(fa))
OPERATION(f32_to_bf16_rd, __float2bfloat16_rd(fa))
OPERATION(f32_to_half2, __floats2half2_rn(fa, fb))
OPERATION(f32_to_tf32, PTX1(u32, "r", "cvt.rna.tf32.f32", "f", fa))
OPERATION(f16_to_bf16, __float2bfloat16(__half2float(__low2half(ha))))
OPERATION(i32_sat_s8, [&] { int r; asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r) : "r"(ia)); return r; }())
OPERATION(i32_sat_u8, [&] { int r; asm("cvt.sat.u8.s32 %0, %1;" : "=r"(r) : "r"(ia)); return r; }())
OPERATION(i32_sat_u16, [&] { short r; asm("cvt.sat.u16.s32 %0, %1;" : "=h"(r) : "r"(ia)); return (u32)r; }())
OPERATION(i32_usat_s16, [&] { short r; asm("cvt.sat.s16.u32 %0, %1;" : "=h"(r) : "r"(ia)); return (u32)r; }())
OPERATION(i64_sat_s32, [&] { int r; asm("cvt.sat.s32.s64 %0, %1;" : "=r"(r) : "l"(la)); return r; }())
OPERATION(i64_sat_u32, [&] { u32 r; asm("cvt.sat.u32.u64 %0, %1;" : "=r"(r) : "l"(a)); return r; }())
OPERATION(i32_pack_sat, PTX3(u32, "r", "cvt.pack.sat.s8.s32.b32", "r", ia, ib, ic))
OPERATION(i32_pack_sat16, PTX2(u32, "r", "cvt.pack.sat.s16.s32", "r", ia, ib))
OPERATION(f32_pack_e4m3, [&] { unsigned short r; asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(fa), "f"(fb)); return (u32)r; }())
OPERATION(f32_pack_e5m2, [&] { unsigned short r; asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(fa), "f"(fb)); return (u32)r; }())
OPERATION(f32_pack_e4m3_relu, [&] { unsigned short r; asm("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(fa), "f"(fb)); return (u32)r; }())
OPERATION(f16_pack_e4m3, [&] { unsigned short r; asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(r) : "r"(ua)); return (u32)r; }())
OPERATION(f16_pack_e5m2, [&] { unsigned short r; asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(r) : "r"(ua)); return (u32)r; }())
OPERATION(i16_unpack_e4m3, [&] { u32 r; asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(r) : "h"((unsigned short)ua)); return r; }())
OPERATION(i16_unpack_e5m2, [&] { u32 r; asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(r) : "h"((unsigned short)(ua >> 16))); return r; }())
