"""The path of an SMSP's instructions to the MIO's units: what goes behind what, and for how long it has to wait.

`mio/behind`: an instruction behind others of another kind; `mio/issues`: when each of two kinds in turn issues, and so
when their queues are full; `mio/roles`: two SMSPs with rows of different kinds.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from itertools import product

from ..program import SAFE, Experiment, Launch, clock, first_warps, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .operations import GLOBAL, OPERATIONS, SHARED, Builder, access_bytes, result, setup
from .probes import LAST, Probe, probes

_A = 40
EIGHT_WAY, QUADS, DOUBLES = 55, 56, 57  # shared addresses: 32, 16 and 8 bytes apart
GLOBAL_QUADS = 58  # a global one, 16 bytes apart
PARTED = 60
_FAR = 8192  # bytes from what is loaded to what is stored
_ONE_EACH = first_warps((1, 2, 4), "{} SMSPs", shared=16384)


def _shared(name: str, address: int) -> Builder:
    if name.startswith("LDS"):
        return lambda i: op(name, result(i, access_bytes(name) // 4), address)
    if name.startswith("STS"):
        return lambda i: op(name, address, 0, _A)
    return lambda i: op(name, result(i), address, 0, _A)


KINDS: dict[str, Builder] = {
    **{name: OPERATIONS[name] for name in ("LDS.32", "STS.32", "ATOMS.ADD", "ATOMS.CAS")},
    **{name: _shared(name, DOUBLES) for name in ("LDS.64", "STS.64")},
    **{name: _shared(name, QUADS) for name in ("LDS.128", "STS.128")},
    **{f"{name} 8-way": _shared(name, EIGHT_WAY) for name in ("LDS.32", "STS.32", "ATOMS.ADD")},
    "ATOMS.ADD RZ": lambda i: op("ATOMS.ADD", RZ, SHARED, 0, _A),
    "LDS.32 RZ": lambda i: op("LDS.32", result(i), RZ),
    "LDS.UR": lambda i: op("LDS.UR", result(i), SHARED, 12),
    "STS.32 RZ": lambda i: op("STS.32", RZ, 0, _A),
    "STS.32 of RZ": lambda i: op("STS.32", SHARED, 0, RZ),
    **{name: OPERATIONS[name] for name in ("SHFL.BFLY", "SHFL.IDX", "S2R.TID", "LDC", "LDC.R", "S2UR.CTAID")},
    **{name: OPERATIONS[name] for name in ("REDUX.SUM", "MATCH.ANY", "MUFU.RCP", "LDL", "STL", "LDG.32")},
    "LDG.128": lambda i: op("LDG.128", result(i, 4), 4, GLOBAL_QUADS),
    "STG.32": lambda i: op("STG.32", 4, GLOBAL, _FAR, _A),
    "STG.128": lambda i: op("STG.128", 4, GLOBAL_QUADS, _FAR, _A),
}
NAMES: dict[str, list[str]] = tomllib.loads((resources.files(__package__) / "mio.toml").read_text())
_IN_TURN, _ROW = 48, 32
WRITES = ("LDS", "ATOMS", "SHFL", "S2", "LDC", "LDL", "LDG", "REDUX", "MATCH", "MUFU")


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    pieces: list[Probe] = [(f"{name}", [_last(name)]) for name in KINDS]
    for first, last, count in product(KINDS, NAMES["behind"], (1, 3)):
        row = [KINDS[first](i).having(stall=2) for i in range(count)]
        pieces.append((f"{count} {first}, {last}", [*row, _last(last)]))
    yield from probes("mio/behind", pieces, prepare(), _ONE_EACH)
    for mix in NAMES["mixes"]:
        yield issues("mio/issues", mix)
    for pair in product(NAMES["roles"], repeat=2):
        if pair[0] <= pair[1]:
            yield _roles(*pair)


def prepare() -> list[Instruction]:
    """Set all the addresses that the kinds use; P1 tells the warps other than warp 0."""
    return [
        *setup(),
        op("IMAD.IMM", EIGHT_WAY, 53, 32, RZ, stall=SAFE),
        op("IMAD.IMM", QUADS, 53, 16, RZ, stall=SAFE),
        op("IMAD.IMM", DOUBLES, 53, 8, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL_QUADS, 53, 12, GLOBAL, stall=SAFE),
        op("SHF.R.IMM", PARTED, RZ, 5, 0, stall=SAFE),
        op("ISETP", 1, PARTED, RZ, stall=SAFE),
        op("UMOV.IMM", 12, 0, stall=SAFE),
    ]


def _last(name: str, kinds: Mapping[str, Builder] = KINDS) -> Instruction:
    """The instruction with barrier `LAST`: for its result, or for its sources where it has none."""
    instruction = kinds[name](0)
    writes = name.startswith(WRITES) and name != "ATOMS.ADD RZ"
    return instruction.having(write=LAST, stall=2) if writes else instruction.having(read=LAST, stall=2)


def issues(family: str, mix: str, kinds: Mapping[str, Builder] = KINDS) -> Experiment:
    """A clock read behind every instruction of a row."""
    names = mix.split("+")
    region: list[Instruction] = [clock(64, stall=4)]
    for i in range(_IN_TURN):
        region += [kinds[names[i % len(names)]](i), clock(65 + i, stall=1)]
    drain = [_last(name, kinds).having(stall=2) for name in names]
    region += [*drain, op("NOP", wait=0x3F, stall=SAFE)]
    launches = (
        *(smsp_warps(n, shared=16384) for n in (1, 3)),
        Launch("2x1", 64, 3, shared=16384),
        *(sm_warps(n, shared=16384) for n in (1, 4)),
    )
    return Experiment(
        f"{family} {mix}",
        region,
        range(64, 65 + _IN_TURN),
        prepare(),
        launches,
        registers=128,
        sync=True,
        kind="timeline",
    )


def timed(kind: Builder, count: int, first: int) -> list[Instruction]:
    """A row of a kind, a clock read behind each instruction: into registers from ``first`` on."""
    row: list[Instruction] = []
    for i in range(count):
        row += [kind(i), clock(first + i, stall=1)]
    return row


def two_ways(
    start: int, predicate: int, row: Sequence[Instruction], others: Sequence[Instruction]
) -> list[Instruction]:
    """A clock read into ``start``, then one row, or the other where a predicate holds."""
    return [
        clock(start, stall=4),
        op("BRA", "other", guard=predicate, stall=5),
        *row,
        op("BRA", "join", stall=5),
        op("NOP", label="other"),
        *others,
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
    ]


def _roles(first: str, second: str) -> Experiment:
    """Warp 0 executes a row of the first kind, warp 1, on another SMSP, of the second."""
    rows = [[KINDS[name](i) for i in range(_ROW)] + [_last(name)] for name in (first, second)]
    region = [
        op("NOP", stall=SAFE),
        clock(64, stall=4),
        op("BRA", "other", guard=1, stall=5),
        *rows[0],
        op("BRA", "join", stall=5),
        op("NOP", label="other"),
        *rows[1],
        clock(65, stall=SAFE, wait=1 << LAST, label="join"),
    ]
    return Experiment(
        f"mio/roles {first}, {second}",
        region,
        [64, 65],
        prepare(),
        (Launch("2 SMSPs", 64, 3, shared=16384), Launch("one SMSP", 160, 17, shared=16384)),
        registers=128,
        sync=True,
        kind="timeline",
    )
