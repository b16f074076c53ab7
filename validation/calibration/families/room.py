"""A load of which some lines miss L1 so many cycles behind loads that hit: when its data are back.

The lines of loads that hit wait between tag and data stage; a load that misses asks L2 when its own find room there.
One warp, or two of two SMSPs, of which one makes the first loads and the other one the load that misses.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..program import SAFE, Experiment, Launch, block_barrier, clock, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import from_on, lanes_apart, pauses
from .draining import bits_of_smsp
from .operations import GLOBAL

START, ASKED, LOADED = 8, 9, 10
ALONE, TWO = smsp_warps(1), Launch("2 SMSPs", 64, 3)
LATER = (0, 16, 32, 48, 64)  # cycles between the two
HELD = 1 << 22  # bytes behind the data where the words lie that miss
FURTHER = 1 << 14  # bytes between what misses each time
AREA = 1 << 16  # bytes between two loads that hit
PAUSE = 40
_ADDRESS = 58  # of what misses
_SMSP, _NEW = 1, 3  # predicates: the warp is of the second SMSP; the lane's line is new


@dataclass(frozen=True)
class Missing:
    """A load, how far its lanes' words are apart, and which lanes' lines are new: from one on, or before one."""

    stride: int
    group: int = 0
    operation: str = "LDG.32"
    new_from: int = 0
    new_before: int = 32


def _hits(operation: str, count: int) -> tuple[Instruction, ...]:
    return tuple(op(operation, 28, 4, GLOBAL, AREA * i, write=0, stall=2) for i in range(count))


# label -> the loads that hit, bytes between their lanes, log2 of the lanes that share a line
FIRST = {
    "nothing": ((), 128, 0),
    "32 lines of one bank": (_hits("LDG.32", 1), 128, 0),
    "2 of 32 lines of one bank": (_hits("LDG.32", 2), 128, 0),
    "32 lines of all banks": (_hits("LDG.32", 1), 132, 0),
    "16 lines of one bank": (_hits("LDG.32", 1), 128, 1),
    "8 lines of one bank": (_hits("LDG.32", 1), 128, 2),
    "LDG.128 of 32 lines": (_hits("LDG.128", 1), 128, 0),
    "32 lines of one bank, 31 lines apart": (_hits("LDG.32", 1), 128 * 31, 0),
}
SECOND = {
    "32 lines of one bank": Missing(128),
    "32 lines of all banks": Missing(132),
    **{f"32 lines of one bank, {apart} lines apart": Missing(128 * apart) for apart in (3, 5, 7, 23, 31, 33)},
    **{f"32 lines, the last {new} of them new": Missing(128, new_from=32 - new) for new in (1, 4, 8, 16, 24, 28)},
    **{f"32 lines, the first {new} of them new": Missing(128, new_before=new) for new in (4, 16)},
    **{f"{32 >> group} lines of one bank": Missing(128, group) for group in (1, 2, 3, 5)},
    "LDG.128 of 4 lines": Missing(16, operation="LDG.128"),
}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, (hits, stride, group) in FIRST.items():
        for label, second in SECOND.items():
            for later in LATER if hits else LATER[:1]:
                yield _behind(f"{name}, {later} cycles, {label}", hits, lanes_apart(stride, group, 4), second, later)
                if hits and later in (0, 32) and (name.startswith("32 lines of one bank")):
                    text = f"{name}, {later} cycles, {label}, of another SMSP"
                    yield _behind(text, hits, lanes_apart(stride, group, 4), second, later, TWO)


def _behind(  # noqa: PLR0917
    label: str,
    hits: tuple[Instruction, ...],
    placed: list[Instruction],
    second: Missing,
    later: int,
    launch: Launch = ALONE,
) -> Experiment:
    load = op(second.operation, 24, 4, _ADDRESS, HELD, write=1, stall=2)
    first, miss = list(hits), [load]
    if launch is TWO:
        first, miss = [one.having(guard=~_SMSP) for one in hits], [load.having(guard=_SMSP)]
    copied = [op("MOV", _ADDRESS + i, GLOBAL + i, stall=SAFE) for i in range(2)]
    lane = op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE)
    bound = second.new_from if second.new_before == 32 else second.new_before
    new = _NEW if second.new_before == 32 else ~_NEW
    region = [
        *first,
        op("IADD3.IMM", _ADDRESS, _ADDRESS, FURTHER, RZ, guard=new, stall=SAFE),
        load.having(guard=~new),
        op("NOP", wait=0x3F, stall=SAFE),
        *[op("NOP", stall=SAFE)] * PAUSE,
        *block_barrier("together"),
        clock(START, stall=4),
        *first,
        *pauses(later),
        clock(ASKED, stall=2),
        *miss,
        clock(LOADED, stall=2, wait=2),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        f"room/{label}",
        region,
        [START, ASKED, LOADED],
        [
            *lanes_apart(second.stride, second.group, 4),
            *copied,
            *placed,
            lane,
            *from_on(_NEW, bound, 53, 54),
            *bits_of_smsp(),
        ],
        (launch,),
        iterations=3,
        sync=True,
        kind="timeline",
    )
