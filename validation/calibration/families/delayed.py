"""A load so many cycles behind a store or a load of many lines: when its data are back.

One warp, or two of two SMSPs, of which one makes the first access and the other one the load. Lines lie in L1, but
where EMPTY_L1 comes before or the load passes L1.
"""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, Launch, clock, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import EMPTY_L1, lanes_apart
from .draining import bits_of_smsp
from .operations import GLOBAL

START, ASKED, LOADED = 8, 9, 10
RECORDS = [START, ASKED, LOADED]
ALONE, TWO = smsp_warps(1), Launch("2 SMSPs", 64, 3)
LATER = (0, 1, 4, 9, 16, 25, 32, 41, 48, 57, 64, 73, 80, 89, 96, 113, 128, 145)  # cycles between the two
HELD = 1 << 22  # bytes behind the data where the words lie that are loaded
AREA = 1 << 16  # bytes between two stores that share no line
PAUSE = 40
_ADDRESS = 58  # of what is loaded
_SMSP = 1  # a predicate: the warp is of the first SMSP


def _loads(name: str, offset: int) -> Instruction:
    return op(name, 24, 4, _ADDRESS, offset, write=1, stall=2)


# Where lanes' words lie, for the first access and for the load.
ROW, OTHER_BANKS, LINES = lanes_apart(4), lanes_apart(132), lanes_apart(128)
# name -> the load, its lanes' addresses, whether L1 lacks its lines.
PROBES = {
    "LDG.32": (_loads("LDG.32", HELD), ROW, False),
    "LDG.64": (_loads("LDG.64", HELD), lanes_apart(8), False),
    "LDG.128": (_loads("LDG.128", HELD), lanes_apart(16), False),
    "LDG.32 of 32 lines": (_loads("LDG.32", HELD), LINES, False),
    "LDG.32 of 32 lines, other banks": (_loads("LDG.32", HELD + 64), LINES, False),
    "LDG.32, missing": (_loads("LDG.32", HELD), ROW, True),
    "LDG.128, missing": (_loads("LDG.128", HELD), lanes_apart(16), True),
    "LDG.32 of 32 lines, missing": (_loads("LDG.32", HELD), LINES, True),
    "LDG.32, new": (_loads("LDG.32", HELD), ROW, False),
    "LDG.32 of 32 lines, new": (_loads("LDG.32", HELD), LINES, False),
}


def _stores(count: int) -> list[Instruction]:
    return [op("STG.32", 4, GLOBAL, AREA * i, 40, read=0, stall=2) for i in range(count)]


# name -> the accesses, their lanes' addresses.
FIRST = {
    "nothing": ([], LINES),
    "STG.32 of 32 lines": (_stores(1), LINES),
    "2 STG.32 of 32 lines": (_stores(2), LINES),
    "STG.32 of 32 lines, other banks": (_stores(1), OTHER_BANKS),
    "STG.32 of 16 lines": (_stores(1), lanes_apart(128, 1, 4)),
    "3 STG.32 of 32 lines": (_stores(3), LINES),
    "STG.32 of 1 line": (_stores(1), ROW),
    "STG.32 of 4 lines": (_stores(1), lanes_apart(128, 3, 4)),
    "STG.32 of 8 lines": (_stores(1), lanes_apart(128, 2, 4)),
    "LDG.32 of 32 lines": ([op("LDG.32", 28, 4, GLOBAL, write=0, stall=2)], LINES),
}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for first, (accesses, placed) in FIRST.items():
        for probe, (load, addresses, misses) in PROBES.items():
            for later in LATER if accesses else LATER[:1]:
                what = (load, addresses, misses, later)
                yield _delayed(f"{first}, {later} cycles, {probe}", accesses, placed, *what, ALONE)
                if accesses:
                    others = [one.having(guard=~_SMSP) for one in accesses]
                    label = f"{first}, {later} cycles, {probe} of another SMSP"
                    yield _delayed(label, others, placed, load.having(guard=_SMSP), *what[1:], TWO)


def _delayed(
    label: str,
    accesses: Sequence[Instruction],
    placed: Sequence[Instruction],
    load: Instruction,
    addresses: Sequence[Instruction],
    misses: bool,
    later: int,
    launch: Launch,
) -> Experiment:
    copied = [op("MOV", _ADDRESS + i, GLOBAL + i, stall=SAFE) for i in range(2)]
    warm = [op("NOP", wait=0x3F, stall=SAFE), *[op("NOP", stall=SAFE)] * PAUSE]
    stalls = [SAFE] * (later // SAFE) + [later % SAFE] * (later % SAFE > 0)
    is_new = label.find("new") >= 0
    region = [
        *accesses,
        *([op("IADD3.IMM", _ADDRESS, _ADDRESS, 1 << 14, RZ, stall=SAFE)] if is_new else [load]),
        *warm,
        *(EMPTY_L1 if misses else ()),
        *[one for one in accesses if one.name.startswith("LDG") and misses],
        *warm,
        clock(START, stall=4),
        *accesses,
        *[op("NOP", stall=stall) for stall in stalls],
        clock(ASKED, stall=2),
        load,
        clock(LOADED, stall=2, wait=2),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        f"delayed/{label}",
        region,
        RECORDS,
        [*addresses, *copied, *placed, *bits_of_smsp()],
        (launch,),
        iterations=2,
        sync=True,
        kind="timeline",
    )
