"""Rows of loads that hit and stores that nothing ties together, by lines and passes: what does each add to the others?

By one warp, and by up to six of each SMSP. Stores that gather in one line, since all warps store there, are hardly ever
sent to L2; those of a sector hardly need its port.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import APART, DONE, EMPTY_L1, ISSUED, RECORDS, START, lanes_apart
from .operations import GLOBAL, SHARED

LOADED = 56  # the address of loads
AHEAD = 8 << 20  # bytes before these
LENGTH = 48  # accesses in a row
OWN = 4 * APART  # bytes between two warps
# name -> width in bytes, bytes from group to group of lanes, log2 of a group's lanes, bytes from lane to lane in it
LOADS = {
    "LDG.32": (4, 4, 0, 0),
    "LDG.64": (8, 8, 0, 0),
    "LDG.32 of 4 lines": (4, 16, 0, 0),
    "LDG.32 of 4 lines in a pass": (4, 160, 3, 4),
    "LDG.32 of 16 lines": (4, 64, 0, 0),
}
SOME_LOADS = {
    **{name: LOADS[name] for name in ("LDG.32", "LDG.32 of 4 lines")},
    "LDG.128": (16, 16, 0, 0),
    "LDG.32 of 8 lines in a bank": (4, 128, 2, 0),
    "LDG.32 of 8 lines in bank 16": (4, 128, 2, 0),
}
BANK_LOADS = {f"LDG.32 of 16 lines in banks 0 and {8 * i}": (4, 128, 1, 32 * i) for i in (1, 2, 3)}
SHARED_LOADS = {"LDS.32": 4, "LDS.128": 16, "LDS.32 8-way": 32}
# The same, bytes between two warps, and between two stores of a warp, which go to 16 places in turn.
STORES = {
    "STG.32": (4, 4, 0, 0, OWN, 0),
    "STG.32 of a sector": (4, 0, 3, 4, OWN, 0),
    "STG.64": (8, 8, 0, 0, OWN, 0),
    "STG.32 of 4 lines": (4, 16, 0, 0, OWN, 0),
    "STG.32 of 4 lines in a pass": (4, 160, 3, 4, OWN, 0),
}
GATHERED = {
    "STG.32 to one line": (4, 4, 0, 0, 0, 0),
    "STG.32 of a sector to one line": (4, 0, 3, 4, 0, 0),
    "STG.32 of 4 lines in a pass to these": (4, 160, 3, 4, 0, 0),
    "STG.64 to two lines": (8, 8, 0, 0, 0, 0),
}
OTHERS = {
    "STG.32 to others each time": (4, 4, 0, 0, OWN, 512),
    "STG.32 of a sector to others each time": (4, 0, 3, 4, OWN, 512),
    "STG.32 of 4 lines in a pass to others each time": (4, 160, 3, 4, OWN, 640),
    "STG.32 of 2 sectors": (4, 0, 4, 4, OWN, 0),
    "STG.32 of 8 words in 4 sectors": (4, 0, 3, 16, OWN, 0),
    "STG.32 of 2 lines in a pass": (4, 192, 4, 4, OWN, 0),
    "STG.32 of 32 lines in a pass": (4, 132, 0, 0, OWN, 0),
    "STG.32 of a word": (4, 0, 5, 0, OWN, 0),
}
WORDS = {
    **{f"STG.32 of words in sectors 0 and {i}": (4, 32 * i, 4, 0, OWN, 0) for i in (1, 2, 3)},
    "STG.32 of words in sectors 0 of 2 lines": (4, 132, 4, 0, OWN, 0),
    **{f"STG.32 of words in sectors 0 and {i} of 2 lines": (4, 128 + 32 * i, 4, 0, OWN, 0) for i in (1, 2)},
    "STG.32 of words in sectors 0 of 4 lines": (4, 132, 3, 0, OWN, 0),
    "STG.32 of words in 4 sectors of 4 lines": (4, 160, 3, 0, OWN, 0),
    "STG.128": (16, 16, 0, 0, OWN, 0),
}
ALL_LOADS = LOADS | SOME_LOADS | BANK_LOADS
ALL_STORES = STORES | GATHERED | OTHERS | WORDS
PLACES = 16
PATTERNS = ("LS", "LLSS", "LLLLSSSS", "LLS", "LSS", "LLLS")
FEW_PATTERNS = ("LS", "LLS", "LLLS")
LAUNCHES = (smsp_warps(1, shared=16384), *(sm_warps(n, shared=16384) for n in (1, 2, 4, 6)))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    names = [(pattern, load, store) for load in LOADS for store in STORES for pattern in PATTERNS]
    few = [(load, store) for load in SOME_LOADS for store in (GATHERED | OTHERS)]
    few += [(load, store) for load in SOME_LOADS if load not in LOADS for store in STORES]
    few += [(load, store) for load in BANK_LOADS for store in STORES]
    few += [("LDG.128", store) for store in WORDS]
    few += [(load, store) for load in SHARED_LOADS for store in (STORES | GATHERED)]
    names += [(pattern, load, store) for load, store in few for pattern in FEW_PATTERNS]
    names += [("L", load, "STG.32") for load in (ALL_LOADS | SHARED_LOADS)]
    names += [("S", "LDG.32", store) for store in ALL_STORES]
    for name in names:
        yield _experiment(*name)


def name_of(pattern: str, load: str, store: str) -> str:
    """The name of the program with a row of these."""
    kinds = [kind for letter, kind in (("L", load), ("S", store)) if letter in pattern]
    return f"interleaved/{pattern}, {', '.join(kinds)}"


def _experiment(pattern: str, load: str, store: str) -> Experiment:
    width, stride, group, inner, apart, step = ALL_STORES[store]
    load_width, load_stride, load_group, load_inner = ALL_LOADS.get(load, LOADS["LDG.32"])
    of_load = (
        ("LDS." + load.split(maxsplit=1)[0][4:], SHARED) if load in SHARED_LOADS else (f"LDG.{8 * load_width}", LOADED)
    )

    def loaded(i: int) -> Instruction:
        name, address = of_load
        if address == SHARED:
            return op(name, 24 + 4 * (i % 4), SHARED, 0, write=0, stall=2)
        return op(name, 24 + 4 * (i % 4), 4, LOADED, write=0, stall=2)

    def stored(i: int) -> Instruction:
        return op(f"STG.{8 * width}", 4, GLOBAL, step * (i % PLACES), 40, stall=2)

    row = [loaded(i) if pattern[i % len(pattern)] == "L" else stored(i) for i in range(LENGTH)]
    region = [
        *EMPTY_L1,
        loaded(0),
        stored(0),
        op("NOP", wait=0x3F, stall=SAFE),
        *[op("NOP", stall=SAFE)] * 60,
        clock(START, stall=4),
        *row,
        clock(ISSUED, stall=2),
        loaded(0),
        clock(DONE, stall=4, wait=1),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    ahead = AHEAD + (64 if load.endswith("bank 16") else 0)
    prepare = [
        *lanes_apart(load_stride, load_group, load_inner, warp_bytes=OWN),
        op("MOV", LOADED, GLOBAL, stall=SAFE),
        op("MOV", LOADED + 1, GLOBAL + 1, stall=SAFE),
        op("MOV.IMM", 54, ahead, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", LOADED, 54, 1, LOADED, stall=SAFE),
        *lanes_apart(stride, group, inner, warp_bytes=apart),
    ]
    if load in SHARED_LOADS:
        prepare += [
            op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE),
            op("MOV.IMM", 54, SHARED_LOADS[load], stall=SAFE),
            op("IMAD", SHARED, 53, 54, RZ, stall=SAFE),
        ]
    return Experiment(
        name_of(pattern, load, store), region, RECORDS, prepare, LAUNCHES, iterations=2, sync=True, kind="spans"
    )
