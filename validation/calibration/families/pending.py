"""How many loads wait for data at once: warps load from the host's memory, which answers after 2,400 cycles and more.

`pending/<count> <pattern>`: so many loads in all, each of the same lines, of which L1 holds none, or every other one
(``held``); ``beside`` others of one line. Behind them the last warp loads a line that L1 holds, a clock read before
and behind it: it waits for the host as well where no more loads may.
"""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, Launch, block_barrier, clock
from ..sass import RZ, Instruction, op
from .burst import EMPTY_L1, from_on, lanes_apart
from .operations import GLOBAL

FILLERS = 20  # warps
START, DONE = 8, 9  # records
# label -> operation, log2 of the lanes in a group, bytes between groups, bytes between the lanes of a group
PATTERNS = {
    "LDG.32 of 1 line": ("LDG.32", 5, 0, 4),
    "LDG.32 of 4 lines": ("LDG.32", 3, 128, 4),
    "LDG.32 of 8 lines": ("LDG.32", 2, 128, 4),
    "LDG.32 of 12 lines": ("LDG.32", 0, 48, 0),
    "LDG.32 of 16 lines": ("LDG.32", 1, 128, 4),
    "LDG.32 of 24 lines": ("LDG.32", 0, 96, 0),
    "LDG.32 of 32 lines": ("LDG.32", 0, 128, 0),
    "LDG.32 132 bytes apart": ("LDG.32", 0, 132, 0),
    "LDG.128 of 4 lines": ("LDG.128", 5, 0, 16),
}
COUNTS = {
    "LDG.32 of 1 line": range(504, 516, 2),
    "LDG.32 of 4 lines": range(504, 516, 2),
    "LDG.32 of 8 lines": range(404, 412),
    "LDG.32 of 12 lines": range(336, 344),
    "LDG.32 of 16 lines": range(252, 258),
    "LDG.32 of 24 lines": range(167, 173),
    "LDG.32 of 32 lines": range(124, 130),
    "LDG.128 of 4 lines": range(504, 516, 2),
}
_HELD = range(124, 130)
_BESIDE = range(108, 120, 2)
_LINE, _LINE_BYTES = 56, 1 << 16  # register: address of one line; of the line that L1 holds, behind it
_PROBE, _DONE, _EVEN = 1, 2, 3  # predicates: this warp loads that line; it does not load once more; this lane is even
_PAUSE = 100  # turns of 15 cycles in which all lines are looked up, and before the host's memory answers


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for label, counts in COUNTS.items():
        for count in counts:
            yield _pending(f"{count} {label}", label, count)
    apart = "LDG.32 132 bytes apart"
    for count in _HELD:
        yield _pending(f"{count} {apart}, every other line held", apart, count, held=True)
    for count in _BESIDE:
        yield _pending(f"{count} {apart} beside {count // FILLERS * FILLERS} of 1 line", apart, count, beside=True)


def _pending(name: str, label: str, count: int, *, held: bool = False, beside: bool = False) -> Experiment:
    operation, group, stride, inner = PATTERNS[label]
    each, further = divmod(count, FILLERS)
    load = op(operation, 24, 4, GLOBAL, write=0, stall=2)
    of_one = [op("LDG.32", 24, 4, _LINE, write=0, stall=2)] if beside else []
    hold = [
        op("LOP3.IMM", 53, 0, 1, RZ, stall=SAFE),
        op("ISETP", _EVEN, 53, RZ, stall=SAFE),
        op("LDG.32", 32, 4, GLOBAL, guard=~_EVEN, write=0, stall=2),
    ]
    probe = op("LDG.32", 32, 4, _LINE, _LINE_BYTES, write=0, stall=2)
    region = [
        *EMPTY_L1,
        *(hold if held else []),
        probe.having(guard=_PROBE),
        op("NOP", wait=0x3F, stall=SAFE),
        *block_barrier("held"),
        op("BRA", "probe", guard=_PROBE, stall=5),
        *[*of_one, load] * each,
        load.having(guard=~_DONE),
        clock(START, stall=2),
        clock(DONE, stall=2, wait=1),
        op("BRA", "join", stall=5),
        op("NOP", label="probe"),
        *[op("NOP", stall=SAFE)] * _PAUSE,
        clock(START, stall=4),
        probe,
        clock(DONE, stall=2, wait=1),
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
        *block_barrier("all"),
    ]
    return Experiment(
        f"pending/{name}",
        region,
        (START, DONE),
        [op("LDC.64", _LINE, DATA, write=0, stall=SAFE), *lanes_apart(stride, group, inner, 0), *_roles(further)],
        (Launch("1", 32 * (FILLERS + 1), (1 << FILLERS + 1) - 1, data="host"),),
        iterations=2,
        sync=True,
        kind="timeline",
    )


def _roles(further: int) -> list[Instruction]:
    return [
        op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
        *from_on(_PROBE, FILLERS, 54, 53),
        *from_on(_DONE, further, 54, 53),
    ]
