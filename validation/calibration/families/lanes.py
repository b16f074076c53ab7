"""Operations across lanes by the values that these hold; accesses to shared memory by the lanes that are active."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, first_warps
from ..sass import RZ, Instruction, op
from .atoms import HASHES, hashed, scaled
from .operations import Builder, result, setup
from .probes import LAST, Probe, probes

_A, _LANE, _VALUE, _FREE, _WIDE, _WIDEST = 40, 53, 55, 50, 56, 58
_ACTIVE = 2  # predicate of the active lanes
ROWS = (1, 2, 3, 7)
_LAUNCHES = first_warps((1, 2, 4), "{} SMSPs", shared=16384)


def _reduction(name: str) -> Builder:
    return lambda i: op(name, 16 + i % 8, _VALUE)


ACROSS: dict[str, Builder] = {
    "MATCH.ANY": lambda i: op("MATCH.ANY", result(i), _VALUE),
    "MATCH.ANY.64": lambda i: op("MATCH.ANY.64", result(i), _WIDE),
    "MATCH.ALL": lambda i: op("MATCH.ALL", 1, result(i), _VALUE),
    **{name: _reduction(name) for name in ("REDUX.SUM", "REDUX.MIN", "REDUX.XOR", "REDUX.AND")},
}
BEHIND: dict[str, Builder] = {
    "LDC": lambda i: op("LDC", result(i), 0x220),
    "REDUX.SUM": lambda i: op("REDUX.SUM", 16, _A),
    "SHFL.BFLY": lambda i: op("SHFL.BFLY", result(i), _A),
    "LDS.32": lambda i: op("LDS.32", result(i), _FREE),
    "MUFU.RCP": lambda i: op("MUFU.RCP", result(i), _A),
}
VALUES: dict[str, list[Instruction]] = {
    **{f"lane % {m}": scaled(1, mask=m - 1) for m in (1, 2, 4, 8, 16, 32)},
    **{f"lane / {1 << s}": scaled(1, shift=s) for s in (1, 2, 3, 4)},
    **{f"hash {k} of 8": hashed(k, 8) for k, _ in HASHES[:3]},
}
ACTIVE = {
    "all": 0xFFFFFFFF,
    "low half": 0xFFFF,
    "low quarter": 0xFF,
    "every second": 0x55555555,
    "every fourth": 0x11111111,
    "one": 0x1,
    "second and third quarter": 0x00FFFF00,
}
ADDRESSES = {
    "lane": scaled(4),
    "lane / 2": scaled(4, shift=1),
    "lane % 16": scaled(4, mask=15),
    "min(lane, 16)": [
        op("MOV.IMM", _VALUE, 16, stall=SAFE),
        op("VIMNMX", _VALUE, _LANE, _VALUE, stall=SAFE),
        op("IMAD.IMM", _VALUE, _VALUE, 4, RZ, stall=SAFE),
    ],
    "32 lane": scaled(128),
}
ACCESSES: dict[str, Builder] = {
    "LDS.32": lambda i: op("LDS.32", result(i), _VALUE),
    "LDS.64": lambda i: op("LDS.64", result(i, 2), _WIDE),
    "LDS.128": lambda i: op("LDS.128", result(i, 4), _WIDEST),
    "STS.128": lambda i: op("STS.128", _WIDEST, 0, _A),
    "ATOMS.ADD": lambda i: op("ATOMS.ADD", result(i), _VALUE, 0, _A),
}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, values in VALUES.items():
        prepare = [*setup(), *values, *_multiples()]
        yield from probes(f"lanes/values {name}", _across(), prepare, _LAUNCHES)
    for name, addresses in ADDRESSES.items():
        for active, mask in ACTIVE.items():
            prepare = [*setup(), *addresses, *_multiples(), *_activate(mask)]
            yield from probes(f"lanes/{name}, active {active}", _masked(), prepare, _LAUNCHES)


def _multiples() -> list[Instruction]:
    return [
        op("IMAD.IMM", _WIDE, _VALUE, 2, RZ, stall=SAFE),
        op("MOV", _WIDE + 1, RZ, stall=SAFE),
        op("IMAD.IMM", _WIDEST, _VALUE, 4, RZ, stall=SAFE),
    ]


def _activate(mask: int) -> list[Instruction]:
    return [
        op("MOV.IMM", 60, mask, stall=SAFE),
        op("SHF.R", 60, RZ, _LANE, 60, stall=SAFE),
        op("LOP3.P", _ACTIVE, RZ, 60, 1, RZ, stall=SAFE),
        op("NOP", stall=SAFE),
    ]


def _across() -> Iterator[Probe]:
    for name, build in ACROSS.items():
        for count in ROWS if name == "MATCH.ANY" else (1, 7):
            row = [build(i).having(stall=2) for i in range(count)]
            yield f"{count} {name}", [*row[:-1], row[-1].having(write=LAST)]
    for name, build in BEHIND.items():
        row = [ACROSS["MATCH.ANY"](i).having(stall=2) for i in range(2)]
        yield f"2 MATCH.ANY, {name}", [*row, build(4).having(write=LAST, stall=2)]


def _masked() -> Iterator[Probe]:
    for name, build in ACCESSES.items():
        barrier = "read" if name.startswith("STS") else "write"
        yield name, [build(0).having(stall=2, guard=_ACTIVE, **{barrier: LAST})]
        row = [build(i).having(stall=2, guard=_ACTIVE) for i in range(7)]
        yield f"7 {name}, LDS.32", [*row, op("LDS.32", 24, _FREE, write=LAST, stall=2)]
