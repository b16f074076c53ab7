"""Instructions of every unit, with places for registers: what the strategies draw from."""

from collections.abc import Mapping

# Instructions by unit of the machine description; d, a, b, c stand for any registers, D, A, B, C for the
# first ones of quadruples.
TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "fma": ("FFMA {d}, {a}, {b}, {c}", "FADD {d}, {a}, {b}", "FMUL {d}, {a}, 2", "FFMA {d}, {a}, c[0x0][0x210], {c}"),
    "heavy": ("IMAD {d}, {a}, {b}, {c}", "IMAD.WIDE {D}, {a}, {b}, {C}", "VIADD {d}, {a}, 0x1"),
    "half": ("HFMA2 {d}, {a}, {b}, {c}", "HADD2 {d}, {a}, {b}", "HFMA2.MMA {d}, {a}, {b}, {c}"),
    "alu": ("IADD3 {d}, {a}, {b}, {c}", "MOV {d}, {a}", "ISETP.GE.AND P0, PT, {a}, {b}, PT", "SEL {d}, {a}, {b}, P0"),
    "fp64": ("DFMA {D}, {A}, {B}, {C}", "DADD {D}, {A}, {B}"),
    "uniform": ("UIADD3 UR4, UR5, UR6, URZ", "ULDC UR5, c[0x0][0x230]", "R2UR UR6, {a}"),
    "xu": ("MUFU.RCP {d}, {a}", "F2F.F64.F32 {D}, {a}", "POPC {d}, {a}"),
    "mio": (
        "LDS {d}, [{a}]",
        "LDS.128 {D}, [{a}]",
        "STS.64 [{a}], {B}",
        "ATOMS.ADD {d}, [{a}], {b}",
        "SHFL.BFLY PT, {d}, {a}, 0x1, 0x1f",
        "S2R {d}, SR_TID.X",
    ),
    "lg": (
        "LDG.E {d}, desc[UR4][{A}.64]",
        "LDG.E.128 {D}, desc[UR4][{A}.64]",
        "LDG.E.64.CONSTANT {D}, desc[UR4][{A}.64]",
        "LDGSTS.E.128 [{a}], desc[UR4][{A}.64]",
        "LDGDEPBAR",
        "STG.E desc[UR4][{A}.64], {b}",
        "LDL {d}, [{a}]",
        "STL.64 [{a}], {B}",
        "ATOMG.E.ADD.STRONG.GPU PT, {D}, desc[UR4][{A}.64], {b}",
        "RED.E.ADD.STRONG.GPU desc[UR4][{A}.64], {b}",
        "RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][{A}.64], {b}",
    ),
    "adu": (
        "LDC {D}, c[0x0][0x240]",
        "LDC {d}, c[0x0][{a}]",
        "S2UR UR5, SR_CTAID.X",
        "REDUX.SUM UR6, {a}",
        "MATCH.ANY {d}, {a}",
    ),
    # Behind all of these the warp goes on with the next instruction, sometimes with other lanes.
    "branch": ("BRA 0x0", "BSSY B0, 0x0", "BSYNC B0", "WARPSYNC 0xffffffff", "BREAK B0", "@P1 EXIT"),
    "none": ("NOP", "CCTL.IVALL", "DEPBAR.LE SB0, 0x1"),
    "membar": ("MEMBAR.SC.CTA", "MEMBAR.SC.GPU", "CGAERRBAR"),
    "sleep": ("NANOSLEEP 0x20",),
}
REGISTER_ONLY = ("fma", "heavy", "half", "alu", "fp64", "uniform", "xu", "none")
MEMORY = ("mio", "lg")
QUEUED = ("xu", "mio", "lg", "adu")
