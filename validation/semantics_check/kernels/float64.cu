#include "operation.cuh"

#define ROUNDED(suffix)                                       \
    OPERATION(f64_add_##suffix, __dadd_##suffix(da, db))      \
    OPERATION(f64_mul_##suffix, __dmul_##suffix(da, db))      \
    OPERATION(f64_fma_##suffix, __fma_##suffix(da, db, dc))   \
    OPERATION(f64_div_##suffix, __ddiv_##suffix(da, db))      \
    OPERATION(f64_rcp_##suffix, __drcp_##suffix(da))          \
    OPERATION(f64_sqrt_##suffix, __dsqrt_##suffix(da))
ROUNDED(rn)
ROUNDED(rz)
ROUNDED(rd)
ROUNDED(ru)

OPERATION(f64_neg_fma, fma(-da, db, -dc))
OPERATION(f64_abs_add, fabs(da) - fabs(db))
OPERATION(f64_add_imm, da + 1.5)
OPERATION(f64_min, fmin(da, db))
OPERATION(f64_max, fmax(da, db))
OPERATION(f64_compare, (da < db) | (da <= db) << 1 | (da == db) << 2 | (da != db) << 3 | (da >= db) << 4 | (da > db) << 5
    | !(da < db) << 6 | !(da <= db) << 7 | !(da > db) << 8 | !(da >= db) << 9)
OPERATION(f64_isnan, isnan(da) | isinf(db) << 1 | signbit(da) << 3)
OPERATION(f64_setp_and, da < db && db < dc)
OPERATION(f64_select, da < db ? -da : dc)
OPERATION(f64_floor, floor(da))
OPERATION(f64_ceil, ceil(da))
OPERATION(f64_trunc, trunc(da))
OPERATION(f64_rint, rint(da))
OPERATION(f64_round, round(da))
OPERATION(f64_fmod, fabs(da) > 1e-30 && fabs(db) < fabs(da) * 1e30 ? fmod(db, da) : 0.0)
OPERATION(f64_nextafter, nextafter(da, db))
OPERATION(f64_ldexp, ldexp(da, ib % 2000))
OPERATION(f64_max_zero, fmax(da, 0.0))
OPERATION(f64_dot, da * db + db * dc + dc * da)
OPERATION(f64_mul_imm, da * 3.0 - 1.0)
