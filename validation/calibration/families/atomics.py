"""Atomics on global memory, with and without return: bursts and chains, by lanes per word, lines, and warps."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock
from ..sass import Instruction, op
from .burst import APART, FURTHEST, burst, lanes_apart
from .operations import GLOBAL, OPERATIONS, setup

COUNTS = (1, 4, 32)
# label -> log2 of the lanes in a group, bytes between groups, bytes between the lanes of a group
PATTERNS = {
    "32 words": (0, 4, 0),
    "32 words 16 bytes apart": (0, 16, 0),
    "32 sectors": (0, 32, 0),
    "32 lines": (0, 128, 0),
    "32 words 132 bytes apart": (0, 132, 0),
    "8 lines": (2, 128, 4),
    "4 lanes a word": (2, 4, 0),
    "16 lanes a word": (4, 4, 0),
    "one word": (5, 4, 0),
}
ADDRESSES = 24  # of a scan's program
FIRST_LANE = 6  # predicate: not the first lane of the warp


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for label, (group, stride, inner) in PATTERNS.items():
        for sharing, warp_bytes in (("of each warp", FURTHEST), ("of all warps", 0)):
            prepare = lanes_apart(stride, group, inner, warp_bytes)
            for count in COUNTS:
                for name in ("ATOMG.ADD", "REDG.ADD"):
                    for kind, apart in (("the same", 0), ("other", APART)):
                        atomics = [_atomic(name, i, apart) for i in range(count)]
                        yield burst(
                            f"atomics/{count} {name}, {label} {sharing}, {kind}",
                            atomics,
                            prepare,
                            fence=name == "REDG.ADD",
                        )
    for sharing, warp_bytes in (("of each warp", FURTHEST), ("of all warps", 0)):
        for count in COUNTS:
            for name in ("ATOMG.ADD", "REDG.ADD"):
                atomics = [_atomic(name, i, 0).having(guard=~FIRST_LANE) for i in range(count)]
                yield burst(
                    f"atomics/{count} {name}, one lane {sharing}, the same",
                    atomics,
                    lanes_apart(4, 0, 0, warp_bytes),
                    fence=name == "REDG.ADD",
                )
    yield from _scan()
    for label in ("32 words", "32 words 16 bytes apart", "32 lines", "one word"):
        group, stride, inner = PATTERNS[label]
        for sharing, warp_bytes in (("of each warp", FURTHEST), ("of all warps", 0)):
            for count in (1, 4, 16):
                chain = [_atomic("ATOMG.ADD", i, 0).having(wait=1) for i in range(count)]
                yield burst(
                    f"atomics/{count} ATOMG.ADD one after the other, {label} {sharing}",
                    chain,
                    lanes_apart(stride, group, inner, warp_bytes),
                )


def _scan() -> Iterator[Experiment]:
    """Latency of single accesses to L2 over addresses, from one SM: near and far lines."""
    for name in ("LDG.32.GPU", "ATOMG.ADD"):
        for apart in (128, 4096):
            for start in range(0, 96, ADDRESSES):
                body: list[Instruction] = []
                for i in range(ADDRESSES):
                    access = _atomic(name, i, 0) if name == "ATOMG.ADD" else OPERATIONS[name](i).having(write=0)
                    access = access.having(
                        operands={**access.operands, "off": apart * (start + i)}, stall=2, guard=~FIRST_LANE
                    )
                    body += [clock(64 + 2 * i, stall=4), access, clock(64 + 2 * i + 1, stall=4, wait=1)]
                yield Experiment(
                    f"atomics/scan, {name}, lines {apart} bytes apart from {start}",
                    [op("NOP", stall=SAFE, wait=0x3F), *body],
                    range(64, 64 + 2 * ADDRESSES),
                    setup(lane_stride=0),
                    (Launch(),),
                    registers=128,
                    iterations=3,
                    kind="scan",
                    meta={"lead": 4},
                )


def _atomic(name: str, i: int, apart: int) -> Instruction:
    if name == "REDG.ADD":
        return op("REDG.ADD", 4, GLOBAL, apart * i, 40, stall=2)
    return op("ATOMG.ADD", 24 + i % 16, 4, GLOBAL, apart * i, 40, write=0, stall=2)
