"""Accesses to shared memory by what their lanes touch: words per bank, lanes per word; atomics by their operation."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, first_warps
from ..sass import RZ, Instruction, op
from .operations import Builder, result, setup
from .probes import LAST, Probe, probes

_A, _B, _LANE, _ADDRESS, _FREE, _WIDE, _WIDEST = 40, 44, 53, 55, 50, 56, 57
_ZERO = 12  # a uniform register
ROW = 7
_LAUNCHES = first_warps((1, 4), "{} SMSPs", shared=16384)


def _returning(name: str) -> Builder:
    return lambda i: op(name, result(i), _ADDRESS, 0, _A)


def _silent(name: str) -> Builder:
    return lambda i: op(name, RZ, _ADDRESS, 0, _A)


OPERATIONS: dict[str, Builder] = {
    **{name: _returning(name) for name in ("ATOMS.ADD", "ATOMS.EXCH", "ATOMS.MAX", "ATOMS.INC")},
    **{f"{name} RZ": _silent(name) for name in ("ATOMS.ADD", "ATOMS.MAX")},
    "ATOMS.XOR RZ": _silent("ATOMS.XOR"),
    "ATOMS.ADD.UR": lambda i: op("ATOMS.ADD.UR", result(i), _ADDRESS, _A, _ZERO),
    "ATOMS.POPC.INC": lambda i: op("ATOMS.POPC.INC", RZ, _ADDRESS, _ZERO),
    "ATOMS.CAS": lambda i: op("ATOMS.CAS", result(i), _ADDRESS, 0, _A, _B),
    "ATOMS.CAST.SPIN": lambda i: op("ATOMS.CAST.SPIN", result(i), _ADDRESS, 0, _A, _B),
    "ATOMS.CAS.64": lambda i: op("ATOMS.CAS.64", result(i, 2), _WIDE, 0, _A, _B),
    "LDS.32": lambda i: op("LDS.32", result(i), _ADDRESS),
    "STS.32": lambda i: op("STS.32", _ADDRESS, 0, _A),
    "LDS.64": lambda i: op("LDS.64", result(i, 2), _WIDE),
    "STS.64": lambda i: op("STS.64", _WIDE, 0, _A),
    "LDS.128": lambda i: op("LDS.128", result(i, 4), _WIDEST),
    "STS.128": lambda i: op("STS.128", _WIDEST, 0, _A),
}


def scaled(stride: int, mask: int = 31, shift: int = 0) -> list[Instruction]:
    """((lane & mask) >> shift) x stride."""
    return [
        op("LOP3.IMM", _ADDRESS, _LANE, mask, RZ, stall=SAFE),
        op("SHF.R.IMM", _ADDRESS, RZ, shift, _ADDRESS, stall=SAFE),
        op("IMAD.IMM", _ADDRESS, _ADDRESS, stride, RZ, stall=SAFE),
    ]


def _hot(lanes: int) -> list[Instruction]:
    """So many lanes at one word, the others each at a bank of its own."""
    return [
        op("MOV.IMM", _ADDRESS, 32 - lanes, stall=SAFE),
        op("VIMNMX", _ADDRESS, _LANE, _ADDRESS, stall=SAFE),
        op("IMAD.IMM", _ADDRESS, _ADDRESS, 4, RZ, stall=SAFE),
    ]


def hashed(factor: int, words: int) -> list[Instruction]:
    """Lanes at words that look drawn."""
    return [
        op("IMAD.IMM", _ADDRESS, _LANE, factor, RZ, stall=SAFE),
        op("SHF.R.IMM", _ADDRESS, RZ, 22, _ADDRESS, stall=SAFE),
        op("LOP3.IMM", _ADDRESS, _ADDRESS, words - 1, RZ, stall=SAFE),
        op("IMAD.IMM", _ADDRESS, _ADDRESS, 4, RZ, stall=SAFE),
    ]


HASHES = (
    *((-1640531535, 64), (-2048144789, 64), (-1028477387, 64)),
    *((0x27D4EB2F, 256), (0x165667B1, 16), (-1640531535, 8)),
)
PATTERNS: dict[str, list[Instruction]] = {
    "lane": scaled(4),
    "lane / 2": scaled(4, shift=1),
    "lane / 8": scaled(4, shift=3),
    "one word": scaled(0),
    "lane % 16": scaled(4, mask=15),
    "lane % 4": scaled(4, mask=3),
    "2 lane": scaled(8),
    "8 lane": scaled(32),
    "32 lane": scaled(128),
    "32 (lane / 16)": scaled(128, shift=4),
    "32 (lane / 8)": scaled(128, shift=3),
    "32 (lane / 2)": scaled(128, shift=1),
    "32 (lane % 2)": scaled(128, mask=1),
    "16 (lane / 2)": scaled(64, shift=1),
    "8 at a word": _hot(8),
    "3 at a word": _hot(3),
    **{f"hash {k} of {words}": hashed(k, words) for k, words in HASHES},
}


def experiments() -> Iterator[Experiment]:
    """Yield a program per pattern."""
    for pattern, addresses in PATTERNS.items():
        wide = [
            op("IMAD.IMM", _WIDE, _ADDRESS, 2, RZ, stall=SAFE),
            op("IMAD.IMM", _WIDEST, _ADDRESS, 4, RZ, stall=SAFE),
            op("UMOV.IMM", _ZERO, 0, stall=SAFE),
        ]
        yield from probes(f"atoms/{pattern}", _pieces(), [*setup(), *addresses, *wide], _LAUNCHES)


def _pieces() -> Iterator[Probe]:
    """Of each operation one, then a row of them until a load behind it has its data."""
    for name, build in OPERATIONS.items():
        barrier = "read" if name.endswith("RZ") or name.startswith(("STS", "ATOMS.POPC.INC")) else "write"
        yield f"{name}", [build(0).having(stall=2, **{barrier: LAST})]
        row = [build(i).having(stall=2) for i in range(ROW)]
        yield f"{ROW} {name}, LDS.32", [*row, op("LDS.32", 24, _FREE, write=LAST, stall=2)]
