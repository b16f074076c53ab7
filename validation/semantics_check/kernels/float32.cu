#include "operation.cuh"

#define ROUNDED(suffix, ptx)                                       \
    OPERATION(f32_add_##suffix, __fadd_##suffix(fa, fb))      \
    OPERATION(f32_mul_##suffix, __fmul_##suffix(fa, fb))      \
    OPERATION(f32_fma_##suffix, __fmaf_##suffix(fa, fb, fc))  \
    OPERATION(f32_div_##suffix, __fdiv_##suffix(fa, fb))      \
    OPERATION(f32_rcp_##suffix, __frcp_##suffix(fa))          \
    OPERATION(f32_sqrt_##suffix, __fsqrt_##suffix(fa))        \
    OPERATION(f32_addz_##suffix, PTX2(float, "f", "add." #ptx ".ftz.f32", "f", fa, fb))     \
    OPERATION(f32_mulz_##suffix, PTX2(float, "f", "mul." #ptx ".ftz.f32", "f", fa, fb))     \
    OPERATION(f32_fmaz_##suffix, PTX3(float, "f", "fma." #ptx ".ftz.f32", "f", fa, fb, fc)) \
    OPERATION(f32_adds_##suffix, PTX2(float, "f", "add." #ptx ".sat.f32", "f", fa, fb))     \
    OPERATION(f32_muls_##suffix, PTX2(float, "f", "mul." #ptx ".sat.f32", "f", fa, fb))     \
    OPERATION(f32_fmas_##suffix, PTX3(float, "f", "fma." #ptx ".sat.f32", "f", fa, fb, fc))
ROUNDED(rn, rn)
ROUNDED(rz, rz)
ROUNDED(rd, rm)
ROUNDED(ru, rp)

OPERATION(f32_neg_fma, fmaf(-fa, fb, -fc))
OPERATION(f32_abs_add, fabsf(fa) - fabsf(fb))
OPERATION(f32_fmazs, PTX3(float, "f", "fma.rn.ftz.sat.f32", "f", fa, fb, fc))
OPERATION(f32_sat, __saturatef(fa))
OPERATION(f32_neg, -fa + 0.0f)
OPERATION(f32_mul3, fa * 3.0f)
OPERATION(f32_min, fminf(fa, fb))
OPERATION(f32_max, fmaxf(fa, fb))
OPERATION(f32_min3, fminf(fminf(fa, fb), fc))
OPERATION(f32_minz, PTX2(float, "f", "min.ftz.f32", "f", fa, fb))
OPERATION(f32_max_nan, PTX2(float, "f", "max.NaN.f32", "f", fa, fb))
OPERATION(f32_min_nan, PTX2(float, "f", "min.ftz.NaN.f32", "f", fa, fb))
OPERATION(f32_max_xorsign, PTX2(float, "f", "max.xorsign.abs.f32", "f", fa, fb))
OPERATION(f32_lt, fa < fb)
OPERATION(f32_compare, (fa < fb) | (fa <= fb) << 1 | (fa == fb) << 2 | (fa != fb) << 3 | (fa >= fb) << 4 | (fa > fb) << 5
    | !(fa < fb) << 6 | !(fa <= fb) << 7 | !(fa > fb) << 8 | !(fa >= fb) << 9)
OPERATION(f32_isnan, isnan(fa) | isinf(fb) << 1 | isfinite(fc) << 2 | signbit(fa) << 3)
OPERATION(f32_num, PTX2(u32, "r", "{.reg .pred p; .reg .f32 x, y; mov.b32 x, %1; mov.b32 y, %2; setp.num.f32 p, x, y; selp.u32 %0, 1, 0, p;} //", "r", ua, ub))
OPERATION(f32_equ_ftz, PTX2(u32, "r", "{.reg .pred p; .reg .f32 x, y; mov.b32 x, %1; mov.b32 y, %2; setp.equ.ftz.f32 p, x, y; selp.u32 %0, 1, 0, p;} //", "r", ua, ub))
OPERATION(f32_set, [&] { u32 r; asm("set.lt.u32.f32 %0, %1, %2;" : "=r"(r) : "f"(fa), "f"(fb)); return r; }())
OPERATION(f32_setf, PTX2(float, "f", "set.gtu.f32.f32", "f", fa, fb))
OPERATION(f32_setp_and, fa < fb && fb < fc)
OPERATION(f32_slct, [&] { float r; asm("slct.f32.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(fa), "f"(fb), "f"(fc)); return r; }())
OPERATION(f32_select, fa < fb ? -fa : fc)
OPERATION(f32_select_imm, fa < fb ? fa : 1.5f)
OPERATION(f32_copysign, copysignf(fa, fb))
OPERATION(f32_floor, floorf(fa))
OPERATION(f32_ceil, ceilf(fa))
OPERATION(f32_trunc, truncf(fa))
OPERATION(f32_rint, rintf(fa))
OPERATION(f32_round, roundf(fa))
OPERATION(f32_floorz, PTX1(float, "f", "cvt.rmi.ftz.f32.f32", "f", fa))
OPERATION(f32_rintsat, PTX1(float, "f", "cvt.rni.sat.f32.f32", "f", fa))
OPERATION(f32_fmod, fmodf(fa, fb))
OPERATION(f32_remainder, remainderf(fa, fb))
OPERATION(f32_nextafter, nextafterf(fa, fb))
OPERATION(f32_frexp, [&] { int e; float m = frexpf(fa, &e); return bits(m) | bits(e) << 32; }())
OPERATION(f32_ldexp, ldexpf(fa, ib % 300))
OPERATION(f32_logb, logbf(fa))
OPERATION(f32_fdim, fdimf(fa, fb))
OPERATION(f32_dot, fa * fb + fb * fc + fc * fa)
OPERATION(f32_fast_div, __fdividef(fa, fb))
