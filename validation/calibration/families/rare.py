"""The operations that the other families leave out: intervals, latencies behind barriers, read barriers, jumps."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock
from ..sass import PT, RZ, Instruction, op
from .operations import GLOBAL, LOCAL, OPERATIONS, SHARED, Builder, result, setup
from .stopwatch import REGISTERS, RESULTS, stopwatch
from .throughput import LAUNCHES as _ALL_LAUNCHES

COUNTS = (16, 32, 64)
QUEUES = range(1, 25)
QUEUED = (
    *("LDS.32", "STS.32", "STS.64", "SHFL.BFLY", "ATOMS.ADD"),
    *("LDG.32", "STG.32", "STG.64", "LDL", "LDC", "MUFU.RCP"),
)
LAUNCHES = tuple(launch for launch in _ALL_LAUNCHES if launch.label in ("1", "2", "4", "4x1", "4x4"))
START, END, LEAD = 8, 9, 8
_A, _B = 40, 41


def _move(name: str, width: int = 1) -> Builder:
    return lambda i: op(name, result(i, width), _A)


def _bare(name: str) -> Builder:
    return lambda i: op(name)


def _load(name: str, width: int, address: int = GLOBAL) -> Builder:
    if address == LOCAL:
        return lambda i: op(name, result(i, width), LOCAL)
    return lambda i: op(name, result(i, width), 4, GLOBAL)


def _store(name: str) -> Builder:
    return lambda i: op(name, 4, GLOBAL, 0, _A)


RARE: dict[str, Builder] = {
    "I2I": _move("I2I"),
    "HADD2.F32": _move("HADD2.F32"),
    "HMNMX2": lambda i: op("HMNMX2", result(i), _A, _B),
    "HSET2": lambda i: op("HSET2", result(i), _A, _B),
    "HSETP2": lambda i: op("HSETP2", i % 4, _A, _B),
    "VOTEU.ANY": lambda i: op("VOTEU.ANY", 16 + i % 8, PT),
    "ELECT": lambda i: op("ELECT", 16 + i % 8),
    "FCHK": lambda i: op("FCHK", i % 4, _A, _B),
    "I2F.S64": lambda i: op("I2F.S64", result(i), _A),
    "I2F.F64.S64": _move("I2F.F64.S64", 2),
    "I2F.F16": _move("I2F.F16"),
    "F2I.S64": _move("F2I.S64", 2),
    "F2I.S64.F64": _move("F2I.S64.F64", 2),
    "FRND.F64": _move("FRND.F64", 2),
    "FRND.F16": _move("FRND.F16"),
    "SHFL.UP": _move("SHFL.UP"),
    "SHFL.DOWN": _move("SHFL.DOWN"),
    "SHFL.UP.R": lambda i: op("SHFL.UP.R", result(i), _A, _B),
    "SHFL.DOWN.R": lambda i: op("SHFL.DOWN.R", result(i), _A, _B),
    "MATCH.ALL": lambda i: op("MATCH.ALL", 1, result(i), _A),
    "S2UR.CTAID": OPERATIONS["S2UR.CTAID"],
    "B2R": lambda i: op("B2R", result(i)),
    "GETLMEMBASE": lambda i: op("GETLMEMBASE", result(i, 2)),
    "LD.32": _load("LD.32", 1),
    "LD.64": _load("LD.64", 2),
    "LD.128": _load("LD.128", 4),
    "ST.32": _store("ST.32"),
    "ST.64": _store("ST.64"),
    "ST.128": _store("ST.128"),
    "LDL.64": _load("LDL.64", 2, LOCAL),
    "LDL.128": _load("LDL.128", 4, LOCAL),
    "STL": OPERATIONS["STL"],
    "STL.64": lambda i: op("STL.64", LOCAL, 0, _A),
    "STL.128": lambda i: op("STL.128", LOCAL, 0, _A),
    "ATOM.ADD": lambda i: op("ATOM.ADD", result(i), 4, GLOBAL, 0, _A),
    "ATOM.CAS": lambda i: op("ATOM.CAS", result(i), GLOBAL, 0, _A, _B),
    "REDG.ADD": lambda i: op("REDG.ADD", 4, GLOBAL, 0, _A),
    "LDGSTS.32": lambda i: op("LDGSTS.32", SHARED, 4, GLOBAL),
    "LDGSTS.128": lambda i: op("LDGSTS.128", SHARED, 4, GLOBAL),
    "LDGSTS.BYPASS.128": lambda i: op("LDGSTS.BYPASS.128", SHARED, 4, GLOBAL),
    "QSPC": lambda i: op("QSPC", i % 4, GLOBAL),
    "CCTL.PF1": lambda i: op("CCTL.PF1", GLOBAL),
    "LDGDEPBAR": _bare("LDGDEPBAR"),
    "DEPBAR": _bare("DEPBAR"),
    "YIELD": _bare("YIELD"),
    "BMOV": lambda i: op("BMOV", result(i)),
    "BMOV.B": lambda i: op("BMOV.B", RZ),
    "LEPC": lambda i: op("LEPC", result(i, 2)),
    "PMTRIG": _bare("PMTRIG"),
    "FENCE.SHARED": _bare("FENCE.SHARED"),
    "FENCE.GLOBAL": _bare("FENCE.GLOBAL"),
    **{f"MEMBAR.{kind}": _bare(f"MEMBAR.{kind}") for kind in ("CTA", "GPU", "SYS", "ALL.CTA", "ALL.GPU", "ALL.SYS")},
    "CCTLL.PF1": lambda i: op("CCTLL.PF1", LOCAL),
    "RPCMOV": lambda i: op("RPCMOV", RZ),
}
# What sets a write barrier, and what reads registers behind its issue.
_WRITES = (
    *("FCHK", "I2F", "F2I", "FRND", "SHFL", "MATCH", "S2UR", "B2R", "GETLM", "LD.", "LDL", "ATOM", "QSPC", "LDGDEP"),
    *("FENCE", "LDGSTS"),
)
_READS = (
    *("FCHK", "I2F", "F2I", "FRND", "SHFL", "MATCH", "LD.", "LDL", "ATOM", "QSPC", "ST", "REDG", "LDGSTS", "CCTL"),
    "MEMBAR",
)
_OFTEN = ("FLO", "BREV", "I2F.F64", "FRND", "F2F.F64.F32", "F2F.F32.F64", "MATCH.ANY", "REDUX.SUM", "R2UR")
_SLOW = ("MEMBAR.GPU", "MEMBAR.SYS", "MEMBAR.ALL.GPU", "MEMBAR.ALL.SYS", "FENCE.GLOBAL")


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family, what may be refused at run time last."""
    for name in _OFTEN:
        yield _probe(f"{name}/read", [OPERATIONS[name](0).having(read=0, stall=2)], setup(name))
    for name, build in RARE.items():
        if name.startswith(_WRITES):
            yield _probe(f"{name}/write", [build(0).having(write=0, stall=2)], setup(name))
        if name.startswith(_READS):
            yield _probe(f"{name}/read", [build(0).having(read=0, stall=2)], setup(name))
    yield from _asynchronous_copies()
    yield from _behind_stores()
    yield from _jumps()
    for name in QUEUED:
        for count in QUEUES:
            yield _row(f"queue/{name}", name, OPERATIONS[name], count)
    for name, build in RARE.items():
        for count in (4, 8) if name in _SLOW else COUNTS:
            yield _row(name, name, build, count)


def _row(label: str, name: str, build: Builder, count: int) -> Experiment:
    body = [build(i) for i in range(count)]
    if name.startswith(_WRITES) or name in ("MUFU.RCP", "LDS.32", "SHFL.BFLY", "LDG.32", "LDL", "ATOMS.ADD", "LDC"):
        body[-8:] = [instruction.having(write=i % 4) for i, instruction in enumerate(body[-8:])]
    if name.startswith("MEMBAR"):
        body = [instruction.having(read=0, stall=2) for instruction in body]
    region = [clock(START, stall=4), *body, clock(END, stall=4), op("NOP", wait=0x3F, stall=SAFE)]
    return Experiment(
        f"rare/{label}/{count}", region, [START, END], setup(name), LAUNCHES, sync=True, meta={"count": count}
    )


def _probe(name: str, body: list[Instruction], prepare: list[Instruction]) -> Experiment:
    region = [
        op("NOP", stall=SAFE, wait=0x3F),
        clock(START, stall=LEAD),
        *body,
        clock(END, stall=4, wait=1),
        op("NOP", stall=SAFE, wait=0x3F),
    ]
    one = (Launch(shared=16384),)
    return Experiment(f"rare/{name}", region, [START, END], prepare, one, meta={"lead": LEAD})


def _asynchronous_copies() -> Iterator[Experiment]:
    """LDGSTS until LDGDEPBAR's barrier is free and DEPBAR lets the warp pass; an arrival's fence and its B2R."""
    for name in ("LDGSTS.32", "LDGSTS.128", "LDGSTS.BYPASS.128"):
        for copies in (0, 1, 2, 4, 8):
            body = [RARE[name](i).having(stall=2) for i in range(copies)]
            body += [op("LDGDEPBAR", write=0, stall=2), op("DEPBAR", stall=4)]
            yield _probe(f"{copies} {name}, LDGDEPBAR, DEPBAR", body, setup(name))
    vote = [op("BAR.RED", stall=8), op("B2R", 30, write=0, stall=2)]
    yield _probe("BAR.RED, B2R", vote, setup())


def _behind_stores() -> Iterator[Experiment]:
    """Does a load wait for what a wide store before it takes?"""
    loads = ("LDS.32", "LDS.128", "LDG.32", "SHFL.BFLY")
    for name in ("STS.32", "STS.64", "STS.128", "ATOMS.ADD", "LDS.128", "STG.128", "LDG.128"):
        for count in (0, 1, 2, 4):
            region: list[Instruction] = []
            for register, load in zip(RESULTS, loads, strict=False):
                stores = [OPERATIONS[name](i).having(stall=2) for i in range(count)]
                region += stopwatch(register, [*stores, OPERATIONS[load](0).having(write=0, stall=2)], wait=1)
            yield Experiment(
                f"rare/loads behind {count} {name}",
                region,
                RESULTS[: len(loads)],
                setup(lane_stride=16),
                (Launch(shared=32768),),
                registers=REGISTERS,
                kind="cycles",
                meta={"loads": list(loads)},
            )


def _jumps() -> Iterator[Experiment]:
    """Branches by register, and BREAK inside a region of its own."""
    skipped = 8
    for gap in (2, 5, 8):
        landing = [op("NOP")] * skipped
        register = [op("MOV.IMM", 56, 16 * skipped, stall=SAFE), op("MOV", 57, RZ, stall=SAFE)]
        yield _probe(f"BRX, stall {gap}", [op("BRX", 56, stall=gap), *landing], [*setup(), *register])
        uniform = [op("UMOV.IMM", 16, 16 * skipped, stall=SAFE), op("UMOV.IMM", 17, 0, stall=SAFE)]
        yield _probe(f"BRXU, stall {gap}", [op("BRXU", 16, stall=gap), *landing], [*setup(), *uniform])
        yield _probe(f"YIELD, stall {gap}", [op("YIELD", stall=gap)], setup())
        yield _probe(f"BMOV, stall {gap}", [op("BMOV", 30, stall=gap)], setup())
        sync = [op("BSSY", "join", stall=gap), op("BREAK", stall=gap), op("NOP", label="join")]
        yield _probe(f"BSSY, BREAK, stall {gap}", sync, setup())
    here = [op("LEPC", 56, stall=SAFE), op("IADD3.IMM", 56, 56, 16 * skipped, RZ, stall=SAFE)]
    yield _probe("LEPC, IADD3, JMX", [*here, op("JMX", 56, stall=5), *[op("NOP")] * (2 * skipped)], setup())
