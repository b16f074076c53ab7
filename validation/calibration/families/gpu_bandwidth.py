"""L2 and DRAM under the load of 1 to 132 SMs: bandwidth, latency by SM and address, capacity, pages, blocks a cycle.

In a stream every warp takes the next piece of the buffer behind that of the warp before, all warps of the grid in turn.
Loads bypass L1. A launch runs over the buffer once: "flushed" finds nothing of it in L2, else L2 holds what the launch
before left.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..program import DATA, SAFE, Experiment, Launch, clock, constant
from ..sass import RZ, Instruction, op
from .chip import ALL_SMS, BEGUN, END, ENDED, RECORDS, SM, START, TURNS, full, loop
from .operations import GLOBAL, access_bytes, result

COPY = 20  # second pointer
LANE, WARPS = 53, 56
GRID_DIM, BLOCK_DIM = 0xC, 0x0  # in constant bank 0
UNROLLED = 2
MEGABYTE = 1 << 20
COPIED_TO = 288 * MEGABYTE
BLOCKS = (1, 2, 4, 8, 16, 33, 66)
THREADS = (32, 64, 128, 256, 512)
# Turns of 132 blocks of 1024 threads: 16 bytes a lane are 4.3 MB a turn.
TURNS_OF = {16: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 32, 60), 4: (4, 32, 128), 32: (4, 16), 64: (2, 8), 128: (1, 4)}
STREAMS = (
    *(("LDG.128.GPU", 16), ("LDG.32.GPU", 4), ("LDG.32.GPU", 32), ("LDG.32.GPU", 64), ("LDG.32.GPU", 128)),
    *(("STG.128", 16), ("STG.32", 4), ("COPY.128", 16)),
)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, stride in STREAMS:
        yield from _streams(name, stride)
    yield from _scattered()
    yield from _moved()
    yield from _sides()
    yield from _pages()
    yield from _atomics()
    yield _dispatch()


def _streams(name: str, stride: int) -> Iterator[Experiment]:
    for turns in TURNS_OF[stride]:
        launches = [full(), full("132 blocks, flushed", flush=True)]
        if turns in {32, 4} and stride in {4, 16}:
            for flush in (False, True):
                suffix = ", flushed" * flush
                launches += [full(f"{n} blocks{suffix}", blocks=n, flush=flush) for n in BLOCKS]
                launches += [full(f"132 blocks of {t}{suffix}", threads=t, flush=flush) for t in THREADS]
        yield stream(f"stream/{name}, {stride} bytes a lane/{turns}", name, stride, turns, tuple(launches))


def _scattered() -> Iterator[Experiment]:
    """Every lane reads a sector far from all others: rows of DRAM that are opened for little."""
    for stride, lengths in ((256, (4, 32)), (512, (4, 16)), (1024, (2, 8)), (2048, (1, 4)), (4096, (1, 2))):
        for turns in lengths:
            name = f"scattered/{stride} bytes a lane/{turns}"
            yield stream(name, "LDG.32.GPU", stride, turns, (full("132 blocks, flushed", threads=256, flush=True),))


def _moved() -> Iterator[Experiment]:
    """Each launch begins some chunks on: every SM reads what another one read before."""
    chunk = 32 * UNROLLED * 32 * 16
    launches = tuple(full(f"{n} chunks on", advance=n * chunk) for n in (2, 20, 36, 40, 60))
    yield stream("moved/LDG.128.GPU/4", "LDG.128.GPU", 16, 4, launches)


def stream(
    title: str, name: str, stride: int, turns: int, launches: tuple[Launch, ...], *, moves: bool = True
) -> Experiment:
    """Return the program whose warps access a buffer, piece by piece; unless it ``moves``, the same ones each turn."""
    piece = 32 * stride
    beyond = UNROLLED * piece if moves else 0
    onward = [
        op("IMAD.WIDE.U32.IMM", GLOBAL, WARPS, beyond, GLOBAL, stall=SAFE, wait=3),
        op("IMAD.WIDE.U32.IMM", COPY, WARPS, beyond, COPY, stall=SAFE),
    ]
    meta = {"bytes": turns * UNROLLED * piece, "accesses": turns * UNROLLED}
    body, prepare = _accesses(name, piece), _pointers(stride)
    return loop(title, body, onward=onward, prepare=prepare, turns=turns, launches=launches, **meta)


def _accesses(name: str, piece: int) -> list[Instruction]:
    if name == "COPY.128":
        loads = [op("LDG.128.GPU", result(i, 4), 4, GLOBAL, piece * i, stall=2) for i in range(UNROLLED)]
        loads[-1] = loads[-1].having(write=0)
        stores = [op("STG.128", 4, COPY, piece * i, result(i, 4), stall=2) for i in range(UNROLLED)]
        stores[0] = stores[0].having(wait=1)
        stores[-1] = stores[-1].having(read=1)
        return [*loads, *stores]
    if name.startswith(("STG", "REDG")):
        stores = [op(name, 4, GLOBAL, piece * i, 40, stall=2) for i in range(UNROLLED)]
        return [*stores[:-1], stores[-1].having(read=0)]
    loads = [op(name, result(i, access_bytes(name) // 4), 4, GLOBAL, piece * i, stall=2) for i in range(UNROLLED)]
    return [*loads[:-1], loads[-1].having(write=0)]


def _pointers(stride: int) -> list[Instruction]:
    """Where the warp's first piece lies, and how many warps the grid has."""
    return [
        op("S2R.SMID", SM, write=0, stall=SAFE),
        op("LOP3.IMM", LANE, 0, 31, RZ, wait=1, stall=SAFE),
        op("LDC.64", GLOBAL, DATA, write=0, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 1, UNROLLED * 32 * stride, GLOBAL, wait=1, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, LANE, stride, GLOBAL, stall=SAFE),
        constant(COPY, 1),
        op("IMAD.WIDE.U32.IMM", COPY, COPY, COPIED_TO, GLOBAL, stall=SAFE),
        op("LDC", WARPS, GRID_DIM, write=0, stall=SAFE),
        op("LDC", TURNS, BLOCK_DIM, write=1, stall=SAFE),
        op("SHF.R.IMM", TURNS, RZ, 5, TURNS, wait=3, stall=SAFE),
        op("IMAD", WARPS, WARPS, TURNS, RZ, stall=SAFE),
        op("NOP", stall=SAFE, wait=0x3F),
    ]


LINES, APART = 29, 33 * 128
AFTER = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 40, 60, 80, 100, 120, 131)
FIRST = 64
ONE, BEGIN = 54, 56


def timed_loads(apart: int) -> list[Instruction]:
    """Loads one after the other, each timed; then on to the next part of the buffer."""
    body: list[Instruction] = []
    for i in range(LINES):
        load = op("LDG.32.GPU", 24, 4, GLOBAL, write=0, stall=2)
        body += [clock(FIRST + 2 * i, stall=4), load, clock(FIRST + 2 * i + 1, stall=SAFE, wait=1)]
        body.append(op("IMAD.WIDE.U32.IMM", GLOBAL, ONE, apart, GLOBAL, stall=SAFE))
    return [op("NOP", stall=SAFE, wait=0x3F), *body]


def to(distance: int) -> Instruction:
    """Point so many bytes behind the beginning of the buffer."""
    return op("IMAD.WIDE.U32.IMM", GLOBAL, ONE, distance, BEGIN, stall=SAFE)


def beside_others(
    name: str, region: Sequence[Instruction], loads: int, number: Instruction, launch: Launch
) -> Experiment:
    """SM 0's timed loads are recorded, so many; the other SMs of the region store nothing.

    ``number`` is what sets a warp's or a lane's number.
    """
    begin = [
        op("S2R.SMID", SM, write=0, stall=SAFE),
        op("LDC.64", BEGIN, DATA, write=1, stall=SAFE),
        number,
        constant(ONE, 1),
        op("NOP", stall=SAFE, wait=0x3F),
        to(0),
    ]
    return Experiment(
        name,
        region,
        [*range(FIRST, FIRST + 2 * loads), SM],
        begin,
        (launch,),
        registers=128,
        iterations=1,
        kind="single",
        meta={"sm": 0},
    )


def _single(name: str, apart: int, distance: int, sm: int, *, flush: bool) -> Experiment:
    """One warp on one SM; the first time around is `distance` bytes before the second, which is recorded."""
    start = [
        op("S2R.SMID", SM, write=0, stall=SAFE),
        constant(ONE, sm),
        op("ISETP", 0, SM, ONE, wait=1, stall=SAFE),
        op("EXIT", guard=0, stall=5),
        op("LDC.64", BEGIN, DATA, write=0, stall=SAFE),
        op("LDC.64", GLOBAL, DATA, write=0, stall=SAFE),
        constant(ONE, 1),
        op("NOP", stall=SAFE, wait=0x3F),
    ]
    return Experiment(
        name,
        [*timed_loads(apart), to(distance)],
        [*range(FIRST, FIRST + 2 * LINES), SM],
        start,
        (Launch("132 blocks", 32, 1, ALL_SMS, flush=flush),),
        registers=128,
        iterations=2,
        kind="single",
        meta={"sm": sm},
    )


def _sides() -> Iterator[Experiment]:
    """Latency of single lines from an SM, after DRAM and after another SM had them."""
    for sm in AFTER:
        yield _single(f"side/SM 0 before {sm}", APART, MEGABYTE, 0, flush=True)
        yield _single(f"side/SM {sm} after 0", APART, MEGABYTE, sm, flush=False)


def _pages() -> Iterator[Experiment]:
    """Latency of single lines in pages of their own: touched before in the launch, or never."""
    for kilobytes in (128, 512, 2048, 8192):
        apart = kilobytes * 1024 + 128
        for sm in (0, 1):
            for flush in (False, True):
                again = "again" if not flush else "flushed"
                yield _single(f"pages/{kilobytes} KB, SM {sm}, {again}", apart, 4096, sm, flush=flush)
                if kilobytes <= 2048:
                    onward = LINES * apart & ~127
                    yield _single(f"pages/{kilobytes} KB, SM {sm}, new, {again}", apart, onward, sm, flush=flush)


def _atomics() -> Iterator[Experiment]:
    """Reductions of all lanes at one address, of one lane of each warp there, and at addresses of their own."""
    launches = (*(full(f"{n} blocks", blocks=n, threads=256) for n in BLOCKS), full(threads=256))
    for name in ("REDG.ADD", "REDG.ADD.F32"):
        for stride in (0, 4):
            yield stream(f"atomics/{name}, {stride} bytes a lane", name, stride, 8, launches)
        one_lane = stream(f"atomics/{name}, one lane", name, 0, 8, launches)
        region = [i.having(guard=~6) if i.name == name else i for i in one_lane.region]
        yield replace(one_lane, region=region)


def _dispatch() -> Experiment:
    """Blocks that do nothing: how many begin in a cycle."""
    launches = tuple(
        Launch(f"{12672 // warps} blocks of {warps}", 32 * warps, (1 << warps) - 1, 12672 // warps)
        for warps in (1, 2, 4, 8, 16, 32)
    )
    region = [op("S2R.SMID", SM, write=0, stall=SAFE), op("CS2R.GT", BEGUN, stall=SAFE), clock(START, stall=SAFE)]
    region += [op("CS2R.GT", ENDED, stall=SAFE), clock(END, stall=SAFE, wait=1)]
    return Experiment("dispatch/nothing", region, RECORDS, [], launches, iterations=1, kind="starts")
