"""Stores of a line, to local memory or global, in turn with loads that hit and make many passes, by 1 to 16 warps.

In loops as of generated programs: a warp's next load waits for its last, its store waits for its load. And one by one:
loads of two SMSPs take the data stage, a third one's store comes behind, and how long does the fourth one's load wait?
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, block_barrier, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import APART, EMPTY_L1, lanes_apart, pauses
from .draining import bits_of_smsp
from .operations import GLOBAL, LOCAL

START, BACK, END = 8, 9, 10
TRIPS, LOOP_TRIPS, LENGTH = 11, 6, 12
OWN = 4 * APART  # bytes between two warps
AHEAD = 8 << 20  # bytes before the words that are loaded
_LOADED, _PROBED = 56, 58  # the addresses of loads
PLACES = 16
# name -> bytes from group to group of lanes, log2 of a group's lanes, bytes from lane to lane in it
LOADS = {
    "LDG.32": (4, 0, 0),
    "LDG.128": (16, 0, 0),
    **{f"LDG.32 of {1 << 5 - n} lines in a bank": (128, n, 4) for n in (3, 2, 1, 0)},
    "LDG.32 of 32 lines in a pass": (132, 0, 0),
    "LDG.64 of 16 lines": (64, 0, 0),
    "LDG.128 of 8 lines": (32, 0, 0),
}
# The same, and bytes between two stores of a warp, which go to 16 places in turn.
GLOBAL_STORES = {
    "STG.32": (4, 0, 0, 512),
    "STG.32 of a sector": (0, 3, 4, 512),
    "STG.64": (8, 0, 0, 512),
    "STG.128": (16, 0, 0, 512),
    "STG.32 of 4 lines": (16, 0, 0, 512),
    "STG.32 of 4 lines in a bank": (128, 3, 4, 512),
    "STG.32 of 8 lines in a bank": (128, 2, 4, 1024),
    "STG.32 of 32 lines in a pass": (132, 0, 0, 0),
}
# Bytes between two stores of a warp, which go to 16 places in turn, and between two lanes' words.
LOCAL_STORES = {
    "STL.32": (4, 0),
    "STL.64": (8, 0),
    "STL.128": (16, 0),
    "STL.32 of 32 lines": (0, 4),
}
# A letter a load or a store that waits for the load before.
PATTERNS = ("sL", "LLLS")
SIX = Launch("6 warps", 192, (1 << 6) - 1)
ONE_SMSP = tuple(smsp_warps(count) for count in (1, 2, 4))
LAUNCHES = (*ONE_SMSP, Launch("2 SMSPs", 64, 3), sm_warps(1), SIX, sm_warps(2), sm_warps(4))
# Of single ones: by whom the data stage is taken, what the third SMSP stores, what the fourth loads how much later.
TAKEN = {"no load": 0, "one load": 1, "two loads": 2}
ONCE = ("STL.32", "STG.32", "STG.32 of a sector", "STG.32 of 4 lines in a bank", "STG.32 of 8 lines in a bank")
PROBES = ("LDG.32", "LDG.32 of 8 lines in a bank", "LDG.32 of 32 lines in a bank", "LDG.32 of 32 lines in a pass")
LATER = (1, 4, 8, 16, 24, 32, 48, 64)
EACH = range(24, 84)  # the same, for loads of a line: in which cycles are the stores' lines read that leave?
LONG = "LDG.32 of 32 lines in a bank"
PAUSE = 60
_FIRST, _SECOND = 1, 2  # predicates: bits of the warp's SMSP


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for load in LOADS:
        yield _loop("L", load, "STG.32")
        for store in LOCAL_STORES | GLOBAL_STORES:
            for pattern in PATTERNS:
                yield _loop(pattern, load, store)
    for taken in TAKEN:
        for store in ("nothing", *ONCE):
            for is_own in (False, True):
                for probe in PROBES:
                    for later in LATER:
                        yield _once(taken, store, is_own, probe, later)
            for later in EACH:
                if later not in LATER:
                    yield _once(taken, store, False, PROBES[0], later)


def name_of(pattern: str, load: str, store: str) -> str:
    """The name of the program with a loop of these."""
    kinds = [kind for letter, kind in (("L", load), ("S", store)) if letter in pattern.upper()]
    return f"stacked/{pattern}, {', '.join(kinds)}"


def name_of_once(taken: str, store: str, is_own: bool, probe: str, later: int) -> str:
    """The name of the program in which a load comes so many cycles behind a store."""
    return f"stacked/once, {taken}{' and its own' if is_own else ''}, {store}, {later} cycles, {probe}"


def _store(store: str, i: int, wait: int) -> Instruction:
    name, place = store.split(maxsplit=1)[0], i % PLACES
    if store in LOCAL_STORES:
        return op(name.removesuffix(".32"), LOCAL, LOCAL_STORES[store][0] * place, 40, wait=wait, stall=2)
    return op(name, 4, GLOBAL, GLOBAL_STORES[store][3] * place, 40, wait=wait, stall=2)


def _load(load: str, i: int, address: int = _LOADED, **control: int) -> Instruction:
    return op(load.split(maxsplit=1)[0], 24 + 4 * (i % 4), 4, address, write=0, stall=2, **control)


def _addresses(load: str, store: str) -> list[Instruction]:
    """Where a warp loads and stores."""
    _, apart = LOCAL_STORES.get(store, (0, 0))
    return [
        *lanes_apart(*LOADS[load], warp_bytes=0),
        *_ahead(_LOADED),
        *lanes_apart(*GLOBAL_STORES.get(store, GLOBAL_STORES["STG.32"])[:3], warp_bytes=OWN),
        op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE),
        op("IMAD.IMM", LOCAL, 53, apart, LOCAL, stall=SAFE),
    ]


def _ahead(address: int) -> list[Instruction]:
    return [
        op("MOV", address, GLOBAL, stall=SAFE),
        op("MOV", address + 1, GLOBAL + 1, stall=SAFE),
        op("MOV.IMM", 54, AHEAD, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", address, 54, 1, address, stall=SAFE),
    ]


def _loop(pattern: str, load: str, store: str) -> Experiment:
    row = []
    for i in range(LENGTH):
        letter = pattern[i % len(pattern)]
        row.append(_load(load, i, wait=1) if letter == "L" else _store(store, i, wait=1 if letter == "s" else 0))
    region = [
        *EMPTY_L1,
        _load(load, 0, wait=1),
        *[_store(store, i, wait=1) for i in range(PLACES)],
        op("NOP", wait=0x3F, stall=SAFE),
        *[op("NOP", stall=SAFE)] * PAUSE,
        *block_barrier("begin"),
        op("MOV.IMM", TRIPS, LOOP_TRIPS, stall=SAFE),
        clock(START, stall=4),
        op("IADD3.IMM", TRIPS, TRIPS, -1, RZ, stall=5, label="loop"),
        *row,
        op("ISETP", 3, TRIPS, RZ, stall=13),
        op("BRA", "loop", guard=3, stall=5),
        clock(END, stall=4, wait=1),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    prepare = _addresses(load, store)
    return Experiment(
        name_of(pattern, load, store), region, [START, END], prepare, LAUNCHES, iterations=2, sync=True, kind="timeline"
    )


def _once(taken: str, store: str, is_own: bool, probe: str, later: int) -> Experiment:
    """Two SMSPs load, behind them the third one stores, and behind it, so much later, the fourth one loads."""
    of_store = "STG.32" if store == "nothing" else store
    stored = [] if store == "nothing" else [_store(store, 0, wait=0)]
    region = [
        *EMPTY_L1,
        _load(LONG, 0),
        _load(probe, 1, _PROBED),
        _store(of_store, 0, wait=1),
        op("NOP", wait=0x3F, stall=SAFE),
        *[op("NOP", stall=SAFE)] * PAUSE,
        *block_barrier("begin"),
        op("BRA", "later", guard=_SECOND, stall=5),
        *([[op("BRA", "none", stall=5)], [op("BRA", "none", guard=_FIRST, stall=5)], []][TAKEN[taken]]),
        clock(START, stall=4),
        _load(LONG, 0),
        clock(BACK, stall=4, wait=1),
        op("BRA", "join", stall=5),
        op("BRA", "probe", guard=_FIRST, stall=5, label="later"),
        *pauses(8),
        clock(START, stall=4),
        *([_load(LONG, 0)] if is_own else []),
        *stored,
        clock(BACK, stall=4, wait=1),
        op("BRA", "join", stall=5),
        *_labelled("probe", pauses(8 + later)),
        clock(START, stall=4),
        _load(probe, 1, _PROBED),
        clock(BACK, stall=4, wait=1),
        op("BRA", "join", stall=5),
        *([] if TAKEN[taken] == 2 else [clock(START, stall=4, label="none"), clock(BACK, stall=4)]),
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
        *block_barrier("joined"),
    ]
    prepare = [
        *lanes_apart(*LOADS[probe], warp_bytes=0),
        *_ahead(_PROBED),
        *_addresses(LONG, of_store),
        *bits_of_smsp(),
    ]
    return Experiment(
        name_of_once(taken, store, is_own, probe, later),
        region,
        [START, BACK],
        prepare,
        (sm_warps(1),),
        iterations=2,
        sync=True,
        kind="timeline",
    )


def _labelled(label: str, instructions: list[Instruction]) -> list[Instruction]:
    return [instructions[0].having(label=label), *instructions[1:]]
