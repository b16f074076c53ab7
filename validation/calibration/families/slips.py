"""What else an SMSP does while its XU is busy, and what that costs the XU: rows of it with another instruction between.

Each group is an instruction for the XU and, so many cycles behind it, another one. The XU alone would set the pace: 8
cycles a group. By the banks of either's result and sources.
"""

from collections.abc import Callable, Iterator
from itertools import product

from ..program import SAFE, Experiment, clock, constant, smsp_warps
from ..sass import RZ, Instruction, op

GROUPS = 16
DISTANCES = range(1, 8)  # cycles from the XU's instruction to the other one
WARPS = (1, 2, 4)
_XU, _OTHER = 24, 26  # results, + 1 in the odd bank
_SOURCE = 40  # R40 to R43
_FIRST_CLOCK = 8
Builder = Callable[[int, int], Instruction]

# By the bank of the result and that of the sources.
OTHERS: dict[str, Builder] = {
    "MOV": lambda d, s: op("MOV", _OTHER + d, _SOURCE + s),
    "IADD3": lambda d, s: op("IADD3", _OTHER + d, _SOURCE + s, _SOURCE + 2 + s, RZ),
    "FADD": lambda d, s: op("FADD", _OTHER + d, _SOURCE + s, _SOURCE + 2 + s),
    "IMAD": lambda d, s: op("IMAD", _OTHER + d, _SOURCE + s, _SOURCE + 2 + s, RZ),
    "HADD2": lambda d, s: op("HADD2", _OTHER + d, _SOURCE + s, _SOURCE + 2 + s),
    "ISETP": lambda d, s: op("ISETP", d, _SOURCE + s, _SOURCE + 2 + s),
    "DADD": lambda d, s: op("DADD", 28, _SOURCE, 44),
    "IMAD.WIDE": lambda d, s: op("IMAD.WIDE", 28, _SOURCE + s, _SOURCE + 2 + s, 44),
    "HFMA2.MMA": lambda d, s: op("HFMA2.MMA", _OTHER + d, _SOURCE + s, _SOURCE + 2 + s, _SOURCE + s),
    "MOV.IMM": lambda d, s: op("MOV.IMM", _OTHER + d, 77),
    "CS2R.32": lambda d, s: op("CS2R.32", _OTHER + d),
    "NOP": lambda d, s: op("NOP"),
}
_ONE_RESULT = ("ISETP", "DADD", "IMAD.WIDE", "NOP")
_ONE_SOURCE = ("DADD", "MOV.IMM", "CS2R.32", "NOP")
# The XU's instructions, by the bank of the result and of the source.
ON_XU: dict[str, Builder] = {
    "MUFU.RCP": lambda d, s: op("MUFU.RCP", _XU + d, _SOURCE + s),
    "POPC": lambda d, s: op("POPC", _XU + d, _SOURCE + s),
    "F2F.F64.F32": lambda d, s: op("F2F.F64.F32", 30, _SOURCE + s),
}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for on_xu, builder in ON_XU.items():
        for xu_result, xu_source in product((0, 1) if on_xu != "F2F.F64.F32" else (0,), (0, 1)):
            for other in OTHERS if on_xu == "MUFU.RCP" else ("MOV", "FADD"):
                results = (0,) if other in _ONE_RESULT else (0, 1)
                for result, source in product(results, (0,) if other in _ONE_SOURCE else (0, 1)):
                    name = f"slips/{on_xu}, {other}, banks {xu_source}>{xu_result}, {source}>{result}"
                    yield _rows(name, builder(xu_result, xu_source), OTHERS[other](result, source))


def _rows(name: str, on_xu: Instruction, other: Instruction) -> Experiment:
    """Records: before and behind a row of groups, for each distance."""
    region = []
    records = range(_FIRST_CLOCK, _FIRST_CLOCK + 2 * len(DISTANCES))
    for number, distance in enumerate(DISTANCES):
        region += [op("NOP", wait=0x3F, stall=SAFE), clock(records[2 * number], stall=4)]
        region += [on_xu.having(stall=distance), other.having(stall=1)] * GROUPS
        region += [on_xu.having(write=0), clock(records[2 * number + 1], stall=SAFE)]
    region.append(op("NOP", wait=0x3F, stall=SAFE))
    setup = [constant(register, 0x3F800000 + 77777 * register) for register in range(40, 48)]
    launches = [smsp_warps(count) for count in WARPS]
    return Experiment(name, region, records, setup, launches, sync=True, kind="timeline")
