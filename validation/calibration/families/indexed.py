"""Constants by a register index: when an LDC has read its register, when its data are there, and what waits for either.

Beside ``module_constants``, whose rows wait for data alone.
"""

from collections.abc import Iterator

from ..program import OUT, SAFE, Experiment, clock, first_warps, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .constants import to_next_line
from .module_constants import INDEX, TABLE_BYTES
from .operations import GLOBAL, SHARED, setup
from .stopwatch import REGISTERS, RESULTS, stopwatch

# Words that the lanes of an LDC read, and bytes from one to the next.
WORDS = ((1, 4), (2, 4), (2, 64), (4, 4), (4, 512), (8, 4), (32, 4))
ROW = 16
TOUCHES = 4  # by each warp, of lines that nobody has touched
OWN = 2048  # bytes from a warp's touch to its next one
ROUNDS = 16
TABLES = (512, 1024, 2048, 4096, 16384)  # bytes
_CLOCKS = 8  # register of the first clock
_DATA, _OTHER = 60, 56  # registers that what is loaded goes to
_SHARED = 16384
_WARP = 58
READ, WRITE = 1, 2  # masks of barriers 0 and 1


def experiments() -> Iterator[Experiment]:
    """Yield single LDCs, rows that wait for a register or for data, first touches by many warps, and mixtures."""
    for words, step in WORDS:
        yield _single("LDC3.R", words, step)
        yield _single("LDC3.R64", words, max(step, 8))
    for waits in ("register", "data"):
        for words, step in WORDS:
            yield _row(waits, words, step)
    for words, step in ((1, 4), (2, 4), (4, 64)):
        for own in (0, 64, 256):
            yield _first(words, step, own)
    for table in TABLES:
        for words in (1, 8, 32):
            yield _table(table, words)
    for other in ("LDG.32", "LDS.32", "LDC"):
        for words in (1, 4):
            yield _mixture(other, words)


def _lanes(words: int, step: int, own: int = 0) -> list[Instruction]:
    """Give each lane the place of its word among so many, some bytes apart, and each warp a place of its own."""
    return [
        op("LOP3.IMM", INDEX, 0, 31, RZ, stall=SAFE),
        op("LOP3.IMM", INDEX, INDEX, words - 1, RZ, stall=SAFE),
        op("IMAD.IMM", INDEX, INDEX, step, RZ, stall=SAFE),
        op("SHF.R.IMM", _WARP, RZ, 5, 0, stall=SAFE),
        op("IMAD.IMM", INDEX, _WARP, own, INDEX, stall=SAFE),
    ]


def _single(name: str, words: int, step: int) -> Experiment:
    """An LDC whose line is there: until its register is read, until its data are there, and both."""
    one, register, data = op(name, 24, INDEX, stall=2), RESULTS[0], RESULTS[1]
    both = [one.having(read=0, write=1), clock(RESULTS[2], stall=4, wait=READ), clock(RESULTS[3], stall=4, wait=WRITE)]
    region = [
        *stopwatch(register, [one.having(read=0)], wait=READ),
        *stopwatch(data, [one.having(write=1)], wait=WRITE),
        op("NOP", stall=SAFE, wait=0x3F),
        clock(RESULTS[4], stall=4),
        *both,
    ]
    return Experiment(
        f"indexed/{name} of {words} words, {step} bytes apart",
        region,
        RESULTS[:5],
        [*setup(), *_lanes(words, step)],
        (smsp_warps(1, shared=_SHARED),),
        registers=REGISTERS,
        iterations=3,
        constants=TABLE_BYTES,
        kind="cycles",
    )


def _row(waits: str, words: int, step: int) -> Experiment:
    """A row of LDCs, each of which waits until the one before has read its register or has its data."""
    region = [clock(_CLOCKS, stall=4)]
    for i in range(ROW):
        load = op("LDC3.R", _DATA, INDEX, read=0, write=1, stall=2)
        region += [load, clock(_CLOCKS + 1 + i, stall=2, wait=READ if waits == "register" else WRITE)]
    return Experiment(
        f"indexed/row by {waits} of {words} words, {step} bytes apart",
        [*region, op("NOP", stall=SAFE, wait=0x3F)],
        range(_CLOCKS, _CLOCKS + 1 + ROW),
        [*setup(), *_lanes(words, step)],
        (smsp_warps(2, shared=_SHARED), *(sm_warps(n, shared=_SHARED) for n in (1, 2, 4, 8))),
        iterations=3,
        sync=True,
        constants=TABLE_BYTES,
        kind="timeline",
    )


def _first(words: int, step: int, own: int) -> Experiment:
    """First touches, by each warp of the same line or of its own: clocks before, when it has read, when it has data."""
    region = to_next_line()
    for i in range(TOUCHES):
        at = _CLOCKS + 3 * i
        region += [
            op("NOP", stall=SAFE),
            clock(at, stall=2),
            op("LDC3.R", _DATA, INDEX, read=0, write=1, stall=2),
            clock(at + 1, stall=2, wait=READ),
            clock(at + 2, stall=2, wait=WRITE),
            op("IADD3.IMM", INDEX, INDEX, max(32 * own, OWN), RZ, stall=SAFE),
            op("BAR.SYNC", stall=8),
            op("BRA", f"on{i}", stall=5),
            op("NOP", stall=SAFE, label=f"on{i}"),
        ]
    launches = first_warps((1, 2, 4, 8, 16, 32), shared=_SHARED)
    return Experiment(
        f"indexed/first touches of {words} words, {step} bytes apart, warps {own} bytes apart",
        region,
        range(_CLOCKS, _CLOCKS + 3 * TOUCHES),
        [*setup(), *_lanes(words, step, own)],
        launches,
        iterations=1,
        sync=True,
        constants=TABLE_BYTES,
        kind="timeline",
    )


def _table(table: int, words: int) -> Experiment:
    """Rounds of an LDC of words all over a table, others for each warp and round: in the first round none is there."""
    start = [
        op("LOP3.IMM", INDEX, 0, 31, RZ, stall=SAFE),
        op("LOP3.IMM", INDEX, INDEX, words - 1, RZ, stall=SAFE),
        op("IMAD.IMM", INDEX, INDEX, 1260, RZ, stall=SAFE),
        op("SHF.R.IMM", _WARP, RZ, 5, 0, stall=SAFE),
        op("IMAD.IMM", INDEX, _WARP, 844, INDEX, stall=SAFE),
        op("LOP3.IMM", INDEX, INDEX, table - 4, RZ, stall=SAFE),
    ]
    region = [clock(_CLOCKS, stall=4)]
    for i in range(ROUNDS):
        region += [
            op("LDC3.R", _DATA, INDEX, write=1, stall=2),
            clock(_CLOCKS + 1 + i, stall=SAFE, wait=WRITE),
            op("IADD3.IMM", INDEX, INDEX, 1956, RZ, stall=SAFE),
            op("LOP3.IMM", INDEX, INDEX, table - 4, RZ, stall=SAFE),
        ]
    return Experiment(
        f"indexed/table of {table} bytes, {words} words",
        region,
        range(_CLOCKS, _CLOCKS + 1 + ROUNDS),
        [*setup(), *start],
        (smsp_warps(1, shared=_SHARED), *(sm_warps(n, shared=_SHARED) for n in (1, 2, 4, 8))),
        iterations=1,
        sync=True,
        constants=TABLE_BYTES,
        kind="timeline",
    )


def _mixture(other: str, words: int) -> Experiment:
    """Rounds of another load and an LDC that set one barrier, as a loop over a table has them: a clock at each wait."""
    loads = {
        "LDG.32": op("LDG.32", _OTHER, 4, GLOBAL, write=1, stall=1),
        "LDS.32": op("LDS.32", _OTHER, SHARED, write=1, stall=1),
        "LDC": op("LDC", _OTHER, OUT, write=1, stall=1),
    }
    region = [clock(_CLOCKS, stall=4)]
    for i in range(ROUNDS):
        region += [
            loads[other],
            op("LDC3.R", _DATA, INDEX, read=0, write=1, stall=2),
            clock(_CLOCKS + 1 + 2 * i, stall=2, wait=READ),
            clock(_CLOCKS + 2 + 2 * i, stall=2, wait=WRITE),
        ]
    return Experiment(
        f"indexed/rounds of {other} and LDC of {words} words",
        [*region, op("NOP", stall=SAFE, wait=0x3F)],
        range(_CLOCKS, _CLOCKS + 1 + 2 * ROUNDS),
        [*setup(), *_lanes(words, 4)],
        (
            smsp_warps(1, shared=_SHARED),
            smsp_warps(2, shared=_SHARED),
            *(sm_warps(n, shared=_SHARED) for n in (1, 4, 8)),
        ),
        iterations=3,
        sync=True,
        constants=TABLE_BYTES,
        kind="timeline",
    )
