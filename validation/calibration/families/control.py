"""Block barriers with staggered arrivals, calls and returns, divergence, fences, blocks that follow each other."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock, first_warps
from ..sass import RZ, Instruction, op
from .operations import OPERATIONS, setup

START, END = 8, 9
LEAD = 8
ONE = (Launch(shared=16384),)
STAGGER = 16  # trips of a delay loop by which each warp arrives after the one before


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    yield from _barriers()
    yield from _calls()
    yield from _divergence()
    yield from _membar()
    yield _partial_exit()
    yield from _relaunch()


def _probe(name: str, body: list[Instruction], functions: list[Instruction] | None = None) -> Experiment:
    region = [op("NOP", stall=SAFE, wait=0x3F), clock(START, stall=LEAD), *body, clock(END, stall=4)]
    region.append(op("NOP", stall=SAFE, wait=0x3F))
    return Experiment(
        f"control/{name}", region, [START, END], setup(), ONE, functions=functions or [], meta={"lead": LEAD}
    )


def _barriers() -> Iterator[Experiment]:
    """Every warp reads the clock, arrives, and reads it four times behind the barrier; warps arrive far apart."""
    launches = first_warps((2, 4, 8, 32), shared=16384)
    behind = {
        "CS2R": [clock(9 + i, stall=2) for i in range(24)],
        "LDS": [op("LDS.32", 40, RZ, write=0, stall=2), clock(9, wait=1), *(clock(10 + i, stall=2) for i in range(23))],
        "MUFU": [
            op("MUFU.RCP", 40, 40, write=0, stall=2),
            clock(9, wait=1),
            *(clock(10 + i, stall=2) for i in range(23)),
        ],
        "BRA": [op("BRA", "on", stall=5), *(clock(9 + i, stall=2, label="on" if i == 0 else None) for i in range(24))],
        "yield": [clock(9 + i, stall=2, yield_=True) for i in range(24)],
    }
    for factor in (STAGGER, 0):
        for label, body in behind.items():
            for stall in (1, 5, 8):
                delay = [
                    op("SHF.R.IMM", 60, RZ, 5, 0, stall=SAFE),
                    op("MOV.IMM", 61, 1, stall=SAFE),
                    op("IMAD.IMM", 60, 60, factor, 61, stall=SAFE),
                    op("IADD3.IMM", 60, 60, -1, RZ, stall=5, label="delay"),
                    op("ISETP", 0, 60, RZ, stall=13),
                    op("BRA", "delay", guard=0, stall=5),
                    op("NOP", stall=SAFE),
                ]
                order = "one after the other" if factor else "together"
                yield Experiment(
                    f"timeline/BAR.SYNC stall {stall}, then {label}, arriving {order}",
                    [*delay, clock(8, stall=2), op("BAR.SYNC", stall=stall), *body],
                    range(8, 33),
                    setup(),
                    launches,
                    sync=True,
                    iterations=2,
                    kind="timeline",
                )


def _calls() -> Iterator[Experiment]:
    for gap in (0, 20):
        function = [clock(10, stall=4, label="function"), *[op("NOP")] * gap, clock(11, stall=2)]
        function += [op("RET", 56, "start", stall=5), op("NOP")]
        region = [
            op("MOV.IMM", 56, "back", stall=SAFE),
            op("MOV", 57, RZ, stall=SAFE),
            *[op("NOP", stall=SAFE)] * 4,
            clock(8, stall=LEAD),
            op("CALL", "function", stall=5),
            clock(12, stall=4, label="back"),
        ]
        yield Experiment(
            f"timeline/CALL, {gap} NOPs, RET",
            region,
            [8, 10, 11, 12],
            setup(),
            ONE,
            functions=function,
            kind="timeline",
        )


def _divergence() -> Iterator[Experiment]:
    """Half a warp branches away; R8 before, R9 and R10 in the two paths (as lane 0 sees them), R11 after the join."""
    for label, predicate in {"lane 0 falls through": 16, "lane 0 branches": 0}.items():
        for length in (1, 8):
            mask = [op("LOP3.P", 1, RZ, 0, 16, RZ, stall=SAFE), op("NOP", stall=SAFE)]
            guard = 1 if predicate else ~1
            row = [op("FMUL", 32 + i % 4, 40, 41) for i in range(length)]
            region = [
                *mask,
                op("MOV", 9, RZ, stall=SAFE),
                op("MOV", 10, RZ, stall=SAFE),
                clock(8, stall=LEAD),
                op("BSSY", "join", stall=5),
                op("BRA", "away", guard=guard, stall=5),
                clock(9, stall=2),
                *row,
                op("BRA", "join", stall=5),
                clock(10, stall=2, label="away"),
                *row,
                op("NOP", label="last"),
                op("BSYNC", stall=5, label="join"),
                clock(11, stall=2),
            ]
            yield Experiment(f"divergence/{label}, {length} FMUL", region, [8, 9, 10, 11], setup(), ONE, kind="path")
    for stall in (1, 5, 10):
        for gap in (0, 8, 16):
            body = [op("BSSY", "join", stall=stall), *[op("NOP")] * gap, op("BSYNC", stall=5), op("NOP", label="join")]
            yield _probe(f"BSSY stall {stall}, {gap} NOPs, BSYNC", body)
    for stall in (1, 5):
        lanes = op("MOV.IMM", 59, 0xFFFFFFFF, stall=8)
        yield _probe(f"MOV stall 8, WARPSYNC R stall {stall}", [lanes, op("WARPSYNC", 59, stall=stall)])


def _partial_exit() -> Experiment:
    """All lanes but one leave (P6: the lane is not 0): clocks before and behind."""
    region = [clock(8, stall=LEAD), op("EXIT", guard=6, stall=5), clock(9, stall=2)]
    return Experiment("control/EXIT of all lanes but one", region, [8, 9], setup(), ONE, iterations=1, kind="path")


def _membar() -> Iterator[Experiment]:
    for scope in ("CTA", "GPU"):
        for name in ("STG.32", "STS.32", "RED.ADD", "LDG.32"):
            store = OPERATIONS[name](0).having(stall=2)
            for waits in (0, 1):
                body = [store, op(f"MEMBAR.{scope}", read=0, stall=2), op("NOP", wait=waits, stall=1)]
                yield _probe(f"MEMBAR.{scope} after {name}, wait {waits}", body)
                if scope == "GPU":
                    full = [*body, op("ERRBAR", stall=2), op("CCTL.IVALL", stall=2)]
                    yield _probe(f"MEMBAR.{scope} ERRBAR CCTL after {name}, wait {waits}", full)
    for name in ("LDG.32", "LDG.32.GPU", "LDS.32"):
        body = [op("CCTL.IVALL", stall=2), OPERATIONS[name](0).having(write=0, stall=2), op("NOP", wait=1)]
        yield _probe(f"CCTL.IVALL then {name}", body)


def _relaunch() -> Iterator[Experiment]:
    """Blocks that fill an SM: entry clocks of one block after another, every second one leaving at once or none."""
    for label, leave in {"every second leaves at once": 1, "none leaves": 0}.items():
        early = [
            clock(16, stall=SAFE),
            op("S2R.CTAID", 5, write=0, stall=2),
            op("LOP3.P", 1, RZ, 5, leave, RZ, wait=1, stall=SAFE),
            op("NOP", stall=SAFE),
            op("EXIT", guard=1, stall=5),
        ]
        region = [
            op("S2R.VIRTID", 17, write=0),
            op("S2R.SMID", 18, write=1),
            op("NOP", stall=SAFE, wait=0x3F),
            clock(19, stall=SAFE),
        ]
        for threads, blocks in ((32, 1056), (1024, 396)):
            launches = (Launch(f"{blocks} blocks x {threads}", threads, 1, blocks=blocks),)
            yield Experiment(
                f"launch/{label}, {threads} threads",
                region,
                [16, 17, 18, 19],
                launches=launches,
                iterations=1,
                entry=early,
                kind="entries",
            )
