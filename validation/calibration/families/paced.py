"""Two warps of an SMSP that each issue an instruction every so many cycles, one warp D cycles behind the other.

`paced/X, Y, REGISTERS`: pieces, one for each D from 0 to the period; in each warp 0 executes a row of X and warp 1 a
row of Y. Stall counts set the pace and nothing depends on anything, so a row that takes longer than its stall counts
shows what one warp's instruction makes the other's wait at the dispatcher. REGISTERS says from which banks both read
(a letter for each operand slot: even, odd or none) and to which bank X, and then Y, write.
`paced/row X, Y, REGISTERS`: one to four warps that execute X and Y in turn as fast as they can; "kept" rows keep what
both read in slots B and C (`.reuse`).
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement

from ..program import SAFE, Experiment, block_barrier, clock, smsp_warps
from ..sass import RZ, Instruction, op
from .operations import setup

PERIOD, COUNT = 12, 20
KINDS = ("HFMA2.MMA", "HFMA2", "FFMA", "IMAD", "IADD3", "IMAD.WIDE", "DFMA")
PAIRS = ("IMAD.WIDE", "DFMA")  # their results, and all that DFMA reads, are pairs of registers
REGISTERS = ("oeo o o", "oeo o e", "oo- o o", "eo- e e", "eo- e o")
_FIRST, _SECOND, _ODD, _EVEN = 64, 1, (41, 43, 45), (40, 42, 44)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for registers in REGISTERS:
        for pair in combinations_with_replacement(KINDS, 2):
            yield _pair(*pair, registers)
    for registers in REGISTERS:
        for pair in combinations_with_replacement(KINDS[:5], 2):
            for kept in ("", ", kept"):
                yield _row_of_both(pair, registers, kept)


def _pair(first: str, second: str, registers: str) -> Experiment:
    sources, *targets = registers.split()
    region: list[Instruction] = []
    for d in range(PERIOD):
        region += [
            *block_barrier(f"begin{d}"),
            op("NOP", stall=SAFE),
            op("BRA", f"second{d}", guard=_SECOND, stall=5),
            *[op("NOP", stall=SAFE)] * 4,
            clock(_FIRST + 2 * d, stall=15),
            *_row(first, sources, targets[0]),
            clock(_FIRST + 2 * d + 1, stall=4),
            op("BRA", f"join{d}", stall=5),
            op("NOP", stall=SAFE, label=f"second{d}"),
            *[op("NOP", stall=SAFE)] * 3,
            op("NOP", stall=d + 1),
            clock(_FIRST + 2 * d, stall=15),
            *_row(second, sources, targets[1]),
            clock(_FIRST + 2 * d + 1, stall=4),
            op("NOP", stall=SAFE, label=f"join{d}"),
        ]
    return Experiment(
        f"paced/{first}, {second}, {registers}",
        region,
        range(_FIRST, _FIRST + 2 * PERIOD),
        [*setup(), op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE), op("ISETP", _SECOND, 54, RZ, stall=SAFE)],
        (smsp_warps(2, shared=16384),),
        registers=96,
        sync=True,
        kind="timeline",
    )


def _row_of_both(pair: tuple[str, str], registers: str, kept: str) -> Experiment:
    sources, *targets = registers.split()
    rows = [_row(name, sources, target) for name, target in zip(pair, targets, strict=True)]
    row = [one.having(stall=1, reuse=6 if kept else 0) for both in zip(*rows, strict=True) for one in both]
    return Experiment(
        f"paced/row {pair[0]}, {pair[1]}, {registers}{kept}",
        [clock(_FIRST, stall=4), *row, *row, clock(_FIRST + 1, stall=4)],
        (_FIRST, _FIRST + 1),
        setup(),
        tuple(smsp_warps(n, shared=16384) for n in (1, 2, 3, 4)),
        registers=96,
        sync=True,
        kind="timeline",
    )


def _row(name: str, sources: str, target: str) -> list[Instruction]:
    banks = {"e": _EVEN, "o": _ODD}
    read = [RZ if bank == "-" else banks[bank][slot] for slot, bank in enumerate(sources)]
    odd = target == "o"
    if name in PAIRS:
        odd = False
        read = [*read[:2], RZ] if name == "IMAD.WIDE" else [40, 44, RZ]
    return [op(name, 24 + 4 * (i % 4) + odd, *read, stall=PERIOD) for i in range(COUNT)]
