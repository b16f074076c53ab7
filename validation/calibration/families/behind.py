"""What comes behind loads that miss L1, stores or atomics: other instructions of the warp, by how many there are."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import APART, EMPTY_L1, lanes_apart
from .operations import GLOBAL, OPERATIONS, SHARED
from .probes import LAST

START, ISSUED, PROBE_ISSUED, PROBED, DONE = 8, 9, 10, 11, 12
RECORDS = [START, ISSUED, PROBE_ISSUED, PROBED, DONE]
_SHARED = {"shared": 16384}
LAUNCHES: tuple[Launch, ...] = (
    *(smsp_warps(n, **_SHARED) for n in (1, 4)),
    *(sm_warps(n, **_SHARED) for n in (1, 2, 4, 8)),
)
COUNTS = (1, 2, 4, 8, 16)
STORES = (1, 4, 16)
LINES = (1, 8, 32)
ATOMICS = {
    "32 words": lanes_apart(4),
    "32 lines": lanes_apart(128),
    "one word": lanes_apart(0),
    "one word of all warps": lanes_apart(0, warp_bytes=0),
}
# What comes behind; a store's barrier is that of its sources.
PROBES = {
    "LDS.32": op("LDS.32", 24, SHARED, write=LAST, stall=2),
    "STS.32": op("STS.32", SHARED, 0, 40, read=LAST, stall=2),
    "S2R.TID": OPERATIONS["S2R.TID"](0).having(write=LAST, stall=2),
    "SHFL.BFLY": OPERATIONS["SHFL.BFLY"](0).having(write=LAST, stall=2),
    "LDG.32": op("LDG.32", 24, 4, GLOBAL, -APART, write=LAST, stall=2),
}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    yield from _behind_atomics()
    for lines in LINES:
        prepare = lanes_apart(128, 6 - lines.bit_length(), 4)
        for name, probe in PROBES.items():
            for count in COUNTS:
                loads = [op("LDG.32", 28 + i % 8, 4, GLOBAL, APART * i, write=0, stall=2) for i in range(count)]
                yield _behind(f"{count} LDG.32 of {lines} lines, {name}", loads, probe, prepare)
            for count in STORES:
                stores = [op("STG.32", 4, GLOBAL, APART * i, 40, read=0, stall=2) for i in range(count)]
                yield _behind(f"{count} STG.32 of {lines} lines, {name}", stores, probe, prepare)


def _behind_atomics() -> Iterator[Experiment]:
    returning = op("ATOMG.ADD", 28, 4, GLOBAL, 0, 40, write=0, stall=2)
    for name, atomic in (("ATOMG.ADD", returning), ("REDG.ADD", op("REDG.ADD", 4, GLOBAL, 0, 40, read=0, stall=2))):
        for label, prepare in ATOMICS.items():
            for probed, probe in PROBES.items():
                for count in STORES:
                    yield _behind(f"{count} {name}, {label}, {probed}", [atomic] * count, probe, prepare)


def _behind(name: str, row: list[Instruction], probe: Instruction, prepare: list[Instruction]) -> Experiment:
    region = [
        *EMPTY_L1,
        clock(START, stall=4),
        *row,
        clock(ISSUED, stall=2),
        probe,
        clock(PROBE_ISSUED, stall=4),
        clock(PROBED, stall=4, wait=1 << LAST),
        clock(DONE, stall=4, wait=1),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    prepare = [*prepare, op("IADD3.IMM", GLOBAL, GLOBAL, APART, RZ, stall=SAFE)]
    return Experiment(f"behind/{name}", region, RECORDS, prepare, LAUNCHES, iterations=2, sync=True, kind="spans")
