"""Several warps of an SMSP that want one pipe: rates with the compiler's stall counts, and who issues when."""

from collections.abc import Iterator

from ..program import Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .operations import OPERATIONS, VARIABLE, setup
from .throughput import NATURAL, timed

COUNTS = (16, 32, 64, 96, 128)
LAUNCHES = (
    *(smsp_warps(n, shared=16384) for n in (1, 2, 3, 4, 8)),
    sm_warps(1, shared=16384),
    sm_warps(4, shared=16384),
)
FEW = tuple(smsp_warps(n, shared=16384) for n in (1, 2, 3, 4))
FIRST, READS = 8, 16
STREAMS = (
    "FMUL",
    "IMAD",
    "IADD3",
    "HFMA2",
    "DADD",
    "UIADD3",
    "MUFU.RCP",
    "LDS.32",
    "LDG.32",
    "STS.32",
    "IMAD.WIDE",
    "POPC",
)
STEPS = {"IMAD": (1, 2), "IMAD.WIDE": (1, 4), "IADD3": (2,), "MUFU.RCP": (1, 8), "LDS.32": (1, 2), "FMUL": (1,)}
LAST_STEP = 64
INSIDE = {"IMAD": 2, "IADD3": 2, "MUFU.RCP": 8, "DADD": 2, "HFMA2": 2}
SWEPT = (
    "IMAD",
    "IMAD.WIDE",
    "IMAD.HI",
    "IADD3",
    "FMUL",
    "DADD",
    "HFMA2.MMA",
    "MUFU.RCP",
    "LDS.32",
    "LDG.32",
    "UIADD3",
    "CS2R.32",
)
REUSED = {"all even": (40, 42, 44), "spread": (40, 41, 42)}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for stall, names in NATURAL.items():
        for name in names:
            for count in COUNTS:
                yield _spaced(name, stall, count)
                if name in ("IMAD", "MUFU.RCP", "LDS.32", "IADD3"):
                    yield _spaced(name, 1, count)
    for name in STREAMS:
        for fill in (1, 3, 7):
            for stall in (1, 2, 4, 8):
                yield _stream(f"timeline/{name} x{fill} stall {stall}", [name] * fill, stall)
    for mix in ("FMUL IADD3", "FMUL IMAD", "IADD3 IMAD", "FFMA IADD3 IMAD", "MUFU.RCP FMUL FMUL", "LDS.32 FMUL FMUL"):
        for stall in (1, 2):
            yield _stream(f"timeline/{mix.replace(' ', '+')} stall {stall}", mix.split(), stall)
    yield from _steps()
    yield from _inside()
    yield from _sweep()
    yield from _reuse()
    yield from _wake_up()


def _steps() -> Iterator[Experiment]:
    """Rows one instruction longer each: the end of a row of n, less what the clock costs, is when its n-th issued."""
    for name, stalls in STEPS.items():
        for stall in stalls:
            for count in range(1, LAST_STEP + 1):
                body = [OPERATIONS[name](i).having(stall=stall) for i in range(count)]
                body[-1] = body[-1].having(write=0) if name in VARIABLE else body[-1]
                yield Experiment(
                    f"steps/{name} stall {stall}/{count}",
                    [clock(8, stall=4), *body, clock(9, stall=4), op("NOP", wait=0x3F)],
                    [8, 9],
                    setup(name),
                    FEW[:3],
                    sync=True,
                    kind="timeline",
                    meta={"count": count},
                )


def _spaced(name: str, stall: int, count: int, launches: tuple[Launch, ...] = LAUNCHES) -> Experiment:
    family = "spaced" if launches is LAUNCHES else "sweep"

    def spread(i: int) -> Instruction:
        return OPERATIONS[name](i).having(stall=stall)

    return timed(f"{family}/{name} stall {stall}/{count}", (name,), count, launches, builders=(spread,))


def _stream(name: str, names: list[str], stall: int) -> Experiment:
    """`READS` times: one of each named operation, then a clock read."""
    body: list[Instruction] = []
    for i in range(READS):
        body += [OPERATIONS[n](j).having(stall=stall) for j, n in enumerate(names)]
        body.append(clock(FIRST + i, stall=1))
    drain = [OPERATIONS[n](0).having(write=0, stall=2) for n in names if n.startswith(("MUFU", "POPC", "LD"))]
    region = [*body, *drain, op("NOP", stall=15, wait=0x3F)]
    return Experiment(name, region, range(FIRST, FIRST + READS), setup(names[0]), FEW, sync=True, kind="timeline")


def _inside() -> Iterator[Experiment]:
    """One clock read inside a row of `LAST_STEP`, behind its n-th instruction: when each warp came there."""
    for name, stall in INSIDE.items():
        for place in range(0, LAST_STEP, 2):
            body = [OPERATIONS[name](i).having(stall=stall) for i in range(LAST_STEP)]
            body[-1] = body[-1].having(write=0) if name in VARIABLE else body[-1]
            yield Experiment(
                f"inside/{name} stall {stall}, clock behind {place}",
                [clock(8, stall=4), *body[:place], clock(9), *body[place:], clock(10, stall=4), op("NOP", wait=0x3F)],
                [8, 9, 10],
                setup(name),
                FEW,
                sync=True,
                kind="timeline",
                meta={"count": place},
            )


def _sweep() -> Iterator[Experiment]:
    """The same rows with every stall count: does an instruction that comes just in time find its pipe free?"""
    for name in SWEPT:
        for stall in range(1, 12):
            for count in (16, 48):
                yield _spaced(name, stall, count, FEW[:2])


def _reuse() -> Iterator[Experiment]:
    """Does a reused operand survive another warp's instruction, or one of the same warp between?"""
    between = {
        "nothing": [],
        "NOP": [op("NOP")],
        "IADD3 of others": [op("IADD3", 32, 47, 46, 47)],
        "MOV.IMM": [op("MOV.IMM", 32, 1)],
        "UMOV": [op("UMOV", 16, 8)],
        "CS2R": [op("CS2R.32", 32)],
        "BRA": None,
    }
    for label, (a, b, c) in REUSED.items():
        for name, filler in between.items():
            for stall in (1, 2, 4):
                for reuse in (0, 7):
                    for count in (16, 48):
                        body: list[Instruction] = []
                        for i in range(count):
                            body.append(op("FFMA", 24 + i % 8, a, b, c, reuse=reuse, stall=stall, label=f"l{i}"))
                            body += [op("BRA", f"l{i + 1}", stall=5)] if filler is None else filler
                        region = [clock(8, stall=4), *body, clock(9, stall=4).having(label=f"l{count}")]
                        yield Experiment(
                            f"reuse/{label}, {name} between, stall {stall}, reuse {reuse}/{count}",
                            region,
                            [8, 9],
                            setup(),
                            FEW,
                            sync=True,
                            meta={"count": count},
                        )


def _wake_up() -> Iterator[Experiment]:
    """Each warp waits for a load or a MUFU, then issues a row of FMULs: the order in which they wake and go on."""
    for name in ("LDS.32", "MUFU.RCP", "LDG.32"):
        body: list[Instruction] = []
        for i in range(4):
            body += [clock(FIRST + 4 * i), OPERATIONS[name](0).having(write=0, stall=2)]
            body += [op("FMUL", 32, 24, 24, wait=1), clock(FIRST + 4 * i + 1)]
            body += [op("FMUL", 33 + j, 40, 41) for j in range(6)]
            body += [
                clock(FIRST + 4 * i + 2),
                *[op("FMUL", 33 + j, 40, 41) for j in range(6)],
                clock(FIRST + 4 * i + 3),
            ]
        region = [*body, op("NOP", stall=15, wait=0x3F)]
        yield Experiment(
            f"timeline/wake up after {name}",
            region,
            range(FIRST, FIRST + READS),
            setup(name),
            FEW,
            sync=True,
            kind="timeline",
        )
        lone = (*FEW, Launch("8", 32 * 29, 0x11111111, shared=16384))
        yield Experiment(
            f"timeline/wake up after {name}, no barrier before",
            region,
            range(FIRST, FIRST + READS),
            setup(name),
            lone,
            kind="timeline",
        )
