"""Stores and loads right behind each other: when each load is back, by lines, passes, banks and what L1 holds.

`following/STG.32 of ...`: all sequences in turn; a record when one begins, and one behind each of its loads.
`following/... ahead`: warp 0 loads 32 lines, and has so many accesses behind, which wait for these; so many cycles
later warp 1 loads: records when it begins and when it is back.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, block_barrier, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import APART, EMPTY_L1, burst, lanes_apart
from .operations import GLOBAL, setup

# Steps as in `partly`; a number lets so many cycles pass, ``U`` empties L1 before.
SEQUENCES = (
    "L",
    "L L",
    "S L",
    "U S L",
    "S 8 L",
    "S 16 L",
    "S 32 L",
    "S 64 L",
    "S S L",
    "S S S L",
    "L S L",
    "S L S L L",
)
STORED = 56  # the address of stores
LOADED = 32 * APART  # bytes behind that those begin that are loaded
PAUSE = 40
AHEAD = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12)  # accesses
WIDTHS = {"32": 4, "64": 8, "128": 16}  # bytes
ROWS = ("SL", "SLL", "AL", "SSL")  # stores, loads, loads as wide as the stores
RANDOM_LOADED = 256 * APART  # bytes behind that those lie that are loaded at random
ROW_LAUNCHES = (smsp_warps(1), *(sm_warps(n) for n in (1, 2, 4)))
_PROBE = 58  # the address of what warp 1 loads
_FIRST = 64
# lines -> log2 of the lanes in a group, bytes between groups; 132 bytes apart the words have a bank each
PATTERNS = {"1 line": (5, 128), "8 lines": (2, 128), "16 lines": (1, 128), "32 lines": (0, 128), "32 banks": (0, 132)}
LAUNCHES = (smsp_warps(1), Launch("2 SMSPs", 64, 3), sm_warps(1))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for stored in ("32", "64", "128"):
        for loaded in ("32", "64", "128"):
            names = f"STG.{stored}", f"LDG.{loaded}"
            prepare = _both(at_random(WIDTHS[stored], 2 * APART), at_random(WIDTHS[loaded], 0))
            yield _sequences(" and ".join(names) + " at random", names, prepare)
            for row in ROWS:
                if row != "AL" or WIDTHS[stored] <= WIDTHS[loaded]:  # else its addresses are not aligned
                    yield _row(row, names, prepare)
    for stores in PATTERNS:
        for loads in PATTERNS:
            yield _program(stores, loads, 0, "")
            if "line" in stores and "line" in loads and "1 line" not in {stores, loads}:
                yield _program(stores, loads, 64, ", of other banks")
    for behind in PATTERNS:
        for probe in ("1 line", "32 lines"):
            yield _ahead("LDG.32", behind, probe)
            yield _ahead("STG.32", behind, probe)


def at_random(width: int, warp_bytes: int) -> list[Instruction]:
    """Instructions that set the address of each lane in ``GLOBAL``: any in 4 KB, aligned; the warps' lie apart."""
    return [
        *setup(lane_stride=0),
        op("IMAD.IMM", 53, 0, 0x1E3779B1, RZ, stall=SAFE),
        op("IADD3.IMM", 53, 53, 0x3C6EF372, RZ, stall=SAFE),
        op("IMAD", 53, 53, 53, RZ, stall=SAFE),
        op("SHF.R.IMM", 53, RZ, 20, 53, stall=SAFE),
        op("LOP3.IMM", 53, 53, APART - width, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 53, 1, GLOBAL, stall=SAFE),
        op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 54, warp_bytes, GLOBAL, stall=SAFE),
    ]


def _row(steps: str, names: tuple[str, str], prepare: list[Instruction]) -> Experiment:
    row = []
    kinds = {"S": names[0], "L": names[1], "A": names[0].replace("STG", "LDG")}
    for i, step in enumerate(steps * 6):
        if step == "S":
            row.append(op(names[0], 4, STORED, APART * (i // len(steps) % 2), 40, stall=2))
        else:
            name = kinds[step]
            row.append(op(name, 24 + 4 * (i % 4), 4, GLOBAL, RANDOM_LOADED + APART * (i % 2), write=0, stall=2))
    label = f"following/6 times {' and '.join(kinds[step] for step in steps)} at random"
    return burst(label, row, prepare, launches=ROW_LAUNCHES)


def _both(stores: list[Instruction], loads: list[Instruction]) -> list[Instruction]:
    copy = [op("MOV", STORED + i, GLOBAL + i, stall=SAFE) for i in range(2)]
    return [*stores, *copy, *loads]


def _program(stores: str, loads: str, place: int, label: str) -> Experiment:
    addresses = (lanes_apart(PATTERNS[one][1], PATTERNS[one][0], 4) for one in (stores, loads))
    name = f"STG.32 of {stores}, LDG.32 of {loads}{label}"
    return _sequences(name, ("STG.32", "LDG.32"), _both(*addresses), LOADED + place)


def _sequences(
    name: str,
    names: tuple[str, str],
    prepare: list[Instruction],
    place: int = RANDOM_LOADED,
) -> Experiment:
    def load(number: int, barrier: int) -> Instruction:
        return op(names[1], 24 + 4 * number, 4, GLOBAL, place + APART * number, write=barrier, stall=2)

    region: list[Instruction] = []
    record = _FIRST
    for number, sequence in enumerate(SEQUENCES):
        steps = sequence.split()
        held = [op("LDG.32", 24, 4, STORED, APART * i, write=0, stall=SAFE) for i in range(steps.count("S"))]
        held += [load(i, 0) for i in range(steps.count("L"))]
        region += [
            *(EMPTY_L1[:1] if "U" in steps else ()),
            *(held[steps.count("S") :] if "U" in steps else held),
            op("NOP", wait=0x3F, stall=SAFE),
            *[op("NOP", stall=SAFE)] * PAUSE,
            *block_barrier(f"at{number}"),
            clock(record, stall=4),
        ]
        done = []
        record += 1
        counts = {"S": 0, "L": 0}
        for step in steps:
            if step == "S":
                region.append(op(names[0], 4, STORED, APART * counts["S"], 40, stall=2))
            elif step == "L":
                region.append(load(counts["L"], counts["L"]))
                done.append(clock(record, stall=2, wait=1 << counts["L"]))
                record += 1
            elif step != "U":
                region += [op("NOP", stall=8)] * (int(step) // 8)
            if step in counts:
                counts[step] += 1
        region += [*done, op("NOP", wait=0x3F, stall=SAFE)]
    return Experiment(
        f"following/{name}",
        region,
        range(_FIRST, record),
        prepare,
        LAUNCHES,
        registers=128,
        iterations=2,
        sync=True,
        kind="timeline",
        meta={"sequences": list(SEQUENCES)},
    )


def _ahead(name: str, behind: str, probe: str) -> Experiment:
    region: list[Instruction] = []
    record = _FIRST
    for count in AHEAD:
        row = [op("LDG.32", 24, 4, GLOBAL, 0, write=0, stall=2)]
        if name == "LDG.32":
            row += [op("LDG.32", 25 + i, 4, STORED, LOADED + APART * i, write=0, stall=2) for i in range(count)]
        else:
            row += [op("STG.32", 4, STORED, LOADED + APART * i, 40, stall=2) for i in range(count)]
        held = [op("LDG.32", 24, 4, STORED, LOADED + APART * i, write=0, stall=SAFE) for i in range(count)]
        region += [
            *held,
            op("LDG.32", 24, 4, GLOBAL, 0, write=0, stall=SAFE),
            op("LDG.32", 24, 4, _PROBE, 0, write=0, stall=SAFE),
            op("NOP", wait=0x3F, stall=SAFE),
            *[op("NOP", stall=SAFE)] * PAUSE,
            op("BAR.SYNC", stall=8),
            op("BRA", f"probe{count}", guard=1, stall=5),
            op("NOP", stall=SAFE),
            clock(record, stall=4),
            *row,
            clock(record + 1, stall=2, wait=1),
            op("BRA", f"join{count}", stall=5),
            *[op("NOP", stall=SAFE)] * 4,
            op("NOP", stall=SAFE, label=f"probe{count}"),
            *[op("NOP", stall=SAFE)] * 3,
            clock(record, stall=4),
            op("LDG.32", 24, 4, _PROBE, 0, write=0, stall=2),
            clock(record + 1, stall=2, wait=1),
            op("NOP", stall=SAFE),
            op("NOP", wait=0x3F, stall=SAFE, label=f"join{count}"),
        ]
        record += 2
    prepare = [
        *lanes_apart(PATTERNS[behind][1], PATTERNS[behind][0], 4),
        op("MOV", STORED, GLOBAL, stall=SAFE),
        op("MOV", STORED + 1, GLOBAL + 1, stall=SAFE),
        *lanes_apart(PATTERNS[probe][1], PATTERNS[probe][0], 4),
        op("MOV", _PROBE, GLOBAL, stall=SAFE),
        op("MOV", _PROBE + 1, GLOBAL + 1, stall=SAFE),
        *lanes_apart(128),
        op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
        op("ISETP", 1, 54, RZ, stall=SAFE),
    ]
    return Experiment(
        f"following/{name} of {behind}, LDG.32 of {probe} ahead",
        region,
        range(_FIRST, record),
        prepare,
        LAUNCHES[1:2],
        registers=128,
        iterations=2,
        sync=True,
        kind="timeline",
        meta={"behind": list(AHEAD)},
    )
