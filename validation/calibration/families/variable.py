"""Variable latencies: cycles from a producer's issue until an instruction that waits for its barrier issues.

`write`: the barrier that the result releases; `read`: the barrier that reading the sources releases. The record is the
difference of two clock reads, the first `LEAD` cycles before the producer, the second waiting for the barrier.
"""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, Launch, clock, first_warps
from ..sass import RZ, Instruction, op
from .operations import OPERATIONS, READ_LATE, VARIABLE, setup

LEAD = 8
START, END = 8, 9
ONE_WARP = (Launch(shared=32768),)
LINES = (1, 2, 4, 8, 16, 32)


def _probe(name: str, body: list[Instruction], wait: int, prepare: list[Instruction] | None = None) -> Experiment:
    region = [
        op("NOP", stall=SAFE, wait=0x3F),
        clock(START, stall=LEAD),
        *body,
        clock(END, stall=4, wait=wait),
        op("NOP", stall=SAFE, wait=0x3F),
    ]
    chosen = setup() if prepare is None else prepare
    return Experiment(f"variable/{name}", region, [START, END], chosen, ONE_WARP, meta={"lead": LEAD})


def _write(name: str, label: str, prepare: list[Instruction]) -> Experiment:
    return _probe(label, [OPERATIONS[name](0).having(write=0, stall=2)], 1, prepare)


def experiments() -> Iterator[Experiment]:
    """Yield the latency probes."""
    for name in VARIABLE:
        yield _write(name, f"{name}/write", setup(name))
    for name in OPERATIONS:
        if name.startswith(READ_LATE):
            yield _probe(f"{name}/read", [OPERATIONS[name](0).having(read=0, stall=2)], 1, setup(name))
    yield from _memory_patterns()
    yield from _control_flow()
    yield from _barriers()
    yield from _chases()


def _memory_patterns() -> Iterator[Experiment]:
    for ways in LINES:
        yield _write("LDS.32", f"LDS.32/write/{ways}-way", setup(lane_stride=4 * ways))
        yield _probe(
            f"STS.32/read/{ways}-way", [OPERATIONS["STS.32"](0).having(read=0, stall=2)], 1, setup(lane_stride=4 * ways)
        )
        for name in ("LDG.32", "LDG.32.GPU"):
            yield _write(name, f"{name}/write/{ways} lines", setup(lane_stride=4 * ways))
    for name in ("LDS.32", "LDG.32", "LDG.32.GPU"):
        yield _write(name, f"{name}/write/one address", setup(lane_stride=0))
    for shift in range(6):
        for name in ("ATOMS.ADD", "ATOMS.EXCH", "ATOMG.ADD"):
            yield _write(name, f"{name}/write/{1 << shift} lanes an address", setup(name, 4, shift))


def _control_flow() -> Iterator[Experiment]:
    yield _probe("nothing", [], 0)
    for stall in (1, 2, 4, 5, 6, 8):
        yield _probe(f"BRA taken/stall {stall}", [op("BRA", "next", stall=stall), op("NOP", label="next")], 0)
        hop = [op("BRA", "next", stall=stall), *[op("NOP")] * 40, op("NOP", label="next")]
        yield _probe(f"BRA taken far/stall {stall}", hop, 0)
    hop = [op("BRA", "next", stall=1), op("NOP", label="next")]
    for offset in range(16):
        yield _probe(f"BRA taken/offset {offset}", [*[op("NOP")] * offset, *hop], 0)
    never = [op("ISETP", 0, RZ, RZ, stall=SAFE), op("NOP", stall=SAFE)]
    missed = [op("BRA", "next", guard=0, stall=1), op("NOP", label="next")]
    region = [*never, clock(START, stall=LEAD), *missed, clock(END, stall=4)]
    yield Experiment("variable/BRA not taken", region, [START, END], setup(), ONE_WARP, meta={"lead": LEAD})
    for stall in (1, 5):
        sync = [op("BSSY", "join", stall=stall), op("BSYNC", stall=stall), op("NOP", label="join")]
        yield _probe(f"BSSY BSYNC/stall {stall}", sync, 0)
        yield _probe(f"BSSY/stall {stall}", [op("BSSY", "join", stall=stall), op("NOP", label="join")], 0)
        yield _probe(f"WARPSYNC.ALL/stall {stall}", [op("WARPSYNC.ALL", stall=stall)], 0)
    yield from _calls()
    for scope in ("CTA", "GPU"):
        yield _probe(f"MEMBAR.{scope}/idle", [op(f"MEMBAR.{scope}", stall=2)], 0)
        yield _probe(f"MEMBAR.{scope}/idle read", [op(f"MEMBAR.{scope}", read=0, stall=2)], 1)
        store = OPERATIONS["STG.32"](0).having(stall=2)
        yield _probe(f"MEMBAR.{scope}/after STG read", [store, op(f"MEMBAR.{scope}", read=0, stall=2)], 1)
        store = OPERATIONS["STS.32"](0).having(stall=2)
        yield _probe(f"MEMBAR.{scope}/after STS read", [store, op(f"MEMBAR.{scope}", read=0, stall=2)], 1)
    yield _probe("ERRBAR", [op("ERRBAR", stall=2)], 0)
    yield _probe("CCTL.IVALL", [op("CCTL.IVALL", stall=2)], 0)
    for time in (0, 20, 100, 1000):
        yield _probe(f"NANOSLEEP/{time}", [op("NANOSLEEP", time, stall=2)], 0)
    for stall in range(16):
        yield _probe(f"NOP/stall {stall}", [op("NOP", stall=stall)], 0)
        yield _probe(f"NOP/stall {stall} yield", [op("NOP", stall=stall, yield_=True)], 0)
    for stall in (1, 2, 3):
        early = OPERATIONS["MUFU.RCP"](0).having(write=0, stall=stall)
        yield _probe(f"MUFU.RCP/stall {stall} before the wait", [early], 1)


def _calls() -> Iterator[Experiment]:
    function = [op("NOP", label="function", stall=1), op("RET", 56, "start", stall=5), op("NOP")]
    region = [
        op("NOP", stall=SAFE),
        op("MOV.IMM", 56, "back", stall=SAFE),
        op("MOV", 57, RZ, stall=SAFE),
        clock(START, stall=LEAD),
        op("CALL", "function", stall=5),
        clock(END, stall=4, label="back"),
    ]
    yield Experiment(
        "variable/CALL NOP RET", region, [START, END], setup(), ONE_WARP, functions=function, meta={"lead": LEAD}
    )


def _barriers() -> Iterator[Experiment]:
    for stall in (1, 5, 6):
        region = [clock(START, stall=LEAD), op("BAR.SYNC", stall=stall), clock(END, stall=4)]
        launches = first_warps((1, 2, 4, 8, 16, 32))
        yield Experiment(
            f"variable/BAR.SYNC/stall {stall}", region, [START, END], setup(), launches, sync=True, meta={"lead": LEAD}
        )


def _chases() -> Iterator[Experiment]:
    """Dependent 64-bit loads round a ring in global memory: the time of `STEPS` of them."""
    steps = 16
    kinds = {
        "L1 hit": ("LDG.64", Launch(data="chase:256:16")),
        "L2 hit": ("LDG.64.GPU", Launch(data="chase:256:16")),
        "L2 hit, 1 MB": ("LDG.64.GPU", Launch(data="chase:16512:64")),
        "L2 hit, 16 MB": ("LDG.64.GPU", Launch(data="chase:262272:64")),
        "DRAM, stride 8 KB": ("LDG.64", Launch(data="chase:8320:65536", advance=8320 * 777)),
        "DRAM, stride 64 KB": ("LDG.64", Launch(data="chase:65664:8000", advance=65664 * 77)),
        "DRAM, stride 1 MB": ("LDG.64", Launch(data="chase:1048704:1000", advance=128 * 33)),
    }
    for label, (name, launch) in kinds.items():
        for count in (1, steps):
            loads = [op(name, 56, 4, 56, write=0, wait=1, stall=2) for _ in range(count)]
            region = [clock(START, stall=LEAD), *loads, clock(END, stall=4, wait=1)]
            start = [*setup(), op("LDC.64", 56, DATA, write=0, stall=SAFE), op("NOP", wait=1, stall=SAFE)]
            yield Experiment(
                f"variable/chase {label}/{count}",
                region,
                [START, END],
                start,
                (launch,),
                iterations=8 if "hit" in label else 3,
                meta={"lead": LEAD, "count": count},
            )
