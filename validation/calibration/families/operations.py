"""The instructions whose issue, throughput and latency are measured: one independent instance each.

`OPERATIONS[name](i)` builds the i-th of a row of independent instances. Registers: results rotate through R24 to R39,
sources are R40 to R47, R48:R49 is a global address per lane, R50 a shared address per lane (both set by `setup`).
"""

from collections.abc import Callable

from ..program import DATA, SAFE, constant
from ..sass import PT, RZ, Instruction, op

GLOBAL, SHARED, LOCAL, CONST = 48, 50, 51, 52
_A, _B = 40, 41
Builder = Callable[[int], Instruction]


def result(i: int, width: int = 1) -> int:
    """Return a result register of the rotation, for results of `width` registers."""
    return 24 + (i * width) % 16


def _r3(name: str) -> Builder:
    # Two registers of different banks: three would cost two cycles at the register file, see order.py's banks.
    return lambda i: op(name, result(i), _A, _B, _A)


def _r2(name: str) -> Builder:
    return lambda i: op(name, result(i), _A, _B)


def _r1(name: str, width: int = 1) -> Builder:
    return lambda i: op(name, result(i, width), _A)


def _r0(name: str) -> Builder:
    return lambda i: op(name, result(i))


def _predicate(name: str) -> Builder:
    return lambda i: op(name, i % 4, _A, _B)


def _uniform(name: str) -> Builder:
    return lambda i: op(name, 16 + i % 8, 8, 9, 10)


_R3 = ("FFMA", "IMAD", "IMAD.HI", "IADD3", "LOP3", "SHF", "PRMT", "HFMA2", "HFMA2.MMA")
_R2 = ("FADD", "FMUL", "FMNMX", "LEA", "VIADD", "VIMNMX", "HADD2", "HMUL2", "F2FP", "SGXT")
_R1 = ("I2FP", "MOV", "IABS", "POPC", "FLO", "BREV", "F2I", "FRND", "F2F.F32.F64", "F2I.F64")
_MUFU = ("RCP", "RSQ", "EX2", "LG2", "SIN", "COS", "SQRT", "TANH", "RCP64H", "RSQ64H")

OPERATIONS: dict[str, Builder] = {
    **{name: _r3(name) for name in _R3},
    **{name: _r2(name) for name in _R2},
    **{name: _r1(name) for name in _R1},
    **{name: _r1(name, 2) for name in ("F2F.F64.F32", "I2F.F64")},
    **{name: _predicate(name) for name in ("ISETP", "FSETP")},
    "DSETP": lambda i: op("DSETP", i % 4, _A, 44),
    "FFMA.CONST": lambda i: op("FFMA.CONST", result(i), _A, DATA, _B),
    "IADD3.CONST": lambda i: op("IADD3.CONST", result(i), _A, DATA, _B),
    **{f"MUFU.{kind}": _r1(f"MUFU.{kind}") for kind in _MUFU},
    **{name: _r0(name) for name in ("S2R.TID", "S2R.LANEID", "S2R.CTAID", "S2R.SMID")},
    "SEL": lambda i: op("SEL", result(i), _A, _B, 0),
    "FSEL": lambda i: op("FSEL", result(i), _A, _B, 0),
    "FFMA.UR": lambda i: op("FFMA.UR", result(i), _A, 8, _B),
    "IADD3.IMM": lambda i: op("IADD3.IMM", result(i), _A, 77, RZ),
    "IMAD.IMM": lambda i: op("IMAD.IMM", result(i), _A, 77, _B),
    "IMAD.MOV": lambda i: op("IMAD", result(i), RZ, RZ, _A),
    "MOV.IMM": lambda i: op("MOV.IMM", result(i), 77),
    "MOV.UR": lambda i: op("MOV.UR", result(i), 8),
    "LOP3.P": lambda i: op("LOP3.P", i % 4, RZ, _A, 77, RZ),
    "PLOP3": lambda i: op("PLOP3"),
    "IMAD.WIDE": lambda i: op("IMAD.WIDE", result(i, 2), _A, _B, 44),
    "DADD": lambda i: op("DADD", result(i, 2), _A, 44),
    "DMUL": lambda i: op("DMUL", result(i, 2), _A, 44),
    "DFMA": lambda i: op("DFMA", result(i, 2), _A, 44, _A),
    "CS2R.32": lambda i: op("CS2R.32", result(i)),
    "CS2R": lambda i: op("CS2R", result(i, 2)),
    "NOP": lambda i: op("NOP"),
    "VOTE.ANY": lambda i: op("VOTE.ANY", result(i), PT),
    "VOTE.ALL": lambda i: op("VOTE.ALL", i % 4, PT),
    "SHFL.BFLY": lambda i: op("SHFL.BFLY", result(i), _A),
    "SHFL.IDX": lambda i: op("SHFL.IDX", result(i), _A, _B),
    "MATCH.ANY": lambda i: op("MATCH.ANY", result(i), _A),
    "REDUX.SUM": lambda i: op("REDUX.SUM", 16 + i % 8, _A),
    "R2UR": lambda i: op("R2UR", 16 + i % 8, _A),
    "S2UR.CTAID": lambda i: op("S2UR.CTAID", 16 + i % 8),
    "LDC": lambda i: op("LDC", result(i), DATA),
    "LDC.64": lambda i: op("LDC.64", result(i, 2), DATA),
    "LDC.R": lambda i: op("LDC.R", result(i), CONST),
    "ULDC": lambda i: op("ULDC", 16 + i % 8, DATA),
    "ULDC.64": lambda i: op("ULDC.64", 16 + 2 * (i % 4), DATA),
    **{name: _uniform(name) for name in ("UIADD3", "ULOP3", "USHF", "UIMAD")},
    "UMOV": lambda i: op("UMOV", 16 + i % 8, 8),
    "UISETP": lambda i: op("UISETP", i % 4, 8, 9),
    "USEL": lambda i: op("USEL", 16 + i % 8, 8, 9, 0),
    "LDS.32": lambda i: op("LDS.32", result(i), SHARED),
    "LDS.64": lambda i: op("LDS.64", result(i, 2), SHARED),
    "LDS.128": lambda i: op("LDS.128", result(i, 4), SHARED),
    "STS.32": lambda i: op("STS.32", SHARED, 0, _A),
    "STS.64": lambda i: op("STS.64", SHARED, 0, _A),
    "STS.128": lambda i: op("STS.128", SHARED, 0, _A),
    "LDG.32": lambda i: op("LDG.32", result(i), 4, GLOBAL),
    "LDG.64": lambda i: op("LDG.64", result(i, 2), 4, GLOBAL),
    "LDG.128": lambda i: op("LDG.128", result(i, 4), 4, GLOBAL),
    "LDG.32.GPU": lambda i: op("LDG.32.GPU", result(i), 4, GLOBAL),
    "LDG.128.GPU": lambda i: op("LDG.128.GPU", result(i, 4), 4, GLOBAL),
    "LDG.32.CONSTANT": lambda i: op("LDG.32.CONSTANT", result(i), 4, GLOBAL),
    "STG.32": lambda i: op("STG.32", 4, GLOBAL, 0, _A),
    "STG.64": lambda i: op("STG.64", 4, GLOBAL, 0, _A),
    "STG.128": lambda i: op("STG.128", 4, GLOBAL, 0, _A),
    "LDL": lambda i: op("LDL", result(i), LOCAL),
    "STL": lambda i: op("STL", LOCAL, 0, _A),
    "ATOMS.ADD": lambda i: op("ATOMS.ADD", result(i), SHARED, 0, _A),
    "ATOMS.EXCH": lambda i: op("ATOMS.EXCH", result(i), SHARED, 0, _A),
    "ATOMS.CAS": lambda i: op("ATOMS.CAS", result(i), SHARED, 0, _A, _B),
    "ATOMG.ADD": lambda i: op("ATOMG.ADD", result(i), 4, GLOBAL, 0, _A),
    "RED.ADD": lambda i: op("ATOMG.ADD", RZ, 4, GLOBAL, 0, _A),
    "WARPSYNC.ALL": lambda i: op("WARPSYNC.ALL"),
}

# Results of these come at no fixed time: the writer sets a barrier, the reader waits for it.
_VARIABLE = ("MUFU", "POPC", "FLO", "BREV", "F2I", "F2F.", "I2F.", "FRND", "SHFL", "MATCH", "REDUX", "S2", "LD", "ATOM")
VARIABLE = tuple(name for name in OPERATIONS if name.startswith(_VARIABLE))
# These read registers late: a read barrier says when the sources may be overwritten.
READ_LATE = ("STS", "STG", "STL", "RED", "ATOM", "LD", "SHFL", "MUFU", "POPC", "F2I")
WIDTH = {".64": 8, ".128": 16}


def access_bytes(name: str) -> int:
    """Return the bytes per lane of a memory operation."""
    return next((size for suffix, size in WIDTH.items() if suffix in name), 4)


def setup(name: str = "", lane_stride: int | None = None, shift: int = 0) -> list[Instruction]:
    """Set the source registers and addresses: lane `l` of warp `w` takes `(l >> shift) * lane_stride` bytes.

    The stride defaults to the access's width; the warps use disjoint ranges for global memory (32 lanes apart).
    """
    stride = access_bytes(name) if lane_stride is None else lane_stride
    warp_bytes = stride * 32
    return [
        *(constant(register, 0x3F800000 + register) for register in range(_A, 48)),
        op("LDC.64", GLOBAL, DATA, write=0, stall=SAFE),
        op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE),
        op("SHF.R.IMM", 53, RZ, shift, 53, stall=SAFE),
        op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
        op("SHF.R.IMM", 54, RZ, 2, 54, stall=SAFE),
        op("LOP3.IMM", 54, 54, 7, RZ, stall=SAFE),
        op("IMAD.IMM", SHARED, 53, stride, RZ, stall=SAFE),
        op("IMAD.IMM", 54, 54, warp_bytes, SHARED, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 54, 1, GLOBAL, wait=1, stall=SAFE),
        op("LDC", LOCAL, 0x28, write=0, stall=SAFE),
        op("IADD3.IMM", LOCAL, LOCAL, -256, RZ, wait=1, stall=SAFE),
        constant(CONST, DATA),
        op("UMOV.IMM", 8, 5, stall=SAFE),
        op("UMOV.IMM", 9, 6, stall=SAFE),
        op("UMOV.IMM", 10, 7, stall=SAFE),
        op("ISETP", 0, RZ, RZ, stall=SAFE),
        op("NOP", stall=SAFE, wait=0x3F),
    ]
