"""The register file's read window: what an instruction with several sources in one bank costs those behind it.

`reads/A B C`: the three instructions, with stall 1 each, between two clock reads, for all triples of an alphabet; the
letters say how many distinct registers of the even and the odd bank an instruction reads. `reads/row ...`: rows of two
in turn by one and more warps.
"""

from collections.abc import Iterator
from itertools import product

from ..program import Experiment, clock, smsp_warps
from ..sass import Instruction, op
from .operations import setup
from .stopwatch import timed_in_turn

# name -> the instruction with a free destination, at another register for each place in a row
_SOURCES = {"30": (40, 42, 44), "21": (40, 42, 41), "12": (40, 41, 43), "03": (41, 43, 45), "11": (40, 41, 40)}
_ONE = {"10": 40, "01": 41}
ALPHABET = (
    *("FFMA30", "FFMA21", "FFMA11", "FFMA03", "IADD3-30", "IADD3-21", "IADD3-10"),
    *("IMAD21", "ISETP20", "NOP", "MUFU10"),
)
ROWS = (*ALPHABET, "FFMA12", "FFMA10", "FFMA01", "IADD3-03", "IADD3-01", "ISETP11", "IMAD30", "LDS10", "DFMA", "CS2R")
START, END = 8, 9
_LAUNCHES = (smsp_warps(1, shared=16384), smsp_warps(2, shared=16384), smsp_warps(4, shared=16384))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    triples = list(product(ALPHABET, repeat=3))
    pieces = [[letter(name, i) for i, name in enumerate(names)] for names in triples]
    yield from timed_in_turn(
        "reads/triples", pieces, setup(), titles={"triples": [" ".join(names) for names in triples]}
    )
    for pair in product(ROWS, repeat=2):
        for count in (8, 24):
            body = [letter(pair[i % 2], i) for i in range(2 * count)]
            drain = [letter("LDS10", 0).having(write=0, stall=2), letter("MUFU10", 0).having(write=1, stall=2)]
            region = [clock(START, stall=4), *body, clock(END, stall=4), *drain, op("NOP", wait=0x3F, stall=15)]
            name = f"reads/row {pair[0]} {pair[1]}/{count}"
            yield Experiment(name, region, [START, END], setup(), _LAUNCHES, sync=True, meta={"count": count})


def letter(name: str, i: int) -> Instruction:
    """Return the instruction of a letter; `i` chooses its destination."""
    operation, reads = name.rstrip("0123456789-"), name[-2:]
    if operation == "IADD":  # IADD3-30
        operation = "IADD3"
    target = 24 + i % 8
    match operation:
        case "NOP":
            return op("NOP")
        case "CS2R":
            return op("CS2R.32", target)
        case "MUFU":
            return op("MUFU.RCP", target, _ONE[reads])
        case "LDS":
            return op("LDS.32", target, 50)
        case "DFMA":
            return op("DFMA", 32 + 2 * (i % 4), 40, 42, 44)
        case "ISETP":
            return op("ISETP", i % 4, *((40, 42) if reads == "20" else (40, 41)))
    sources = _SOURCES.get(reads) or (_ONE[reads],) * 3
    return op(operation, target, *sources)
