"""Atomics of which several lanes are at one word, among other words: bursts by lanes a word, sectors and warps."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import FURTHEST, burst, lanes_apart
from .operations import GLOBAL, setup

COUNTS = (4, 32)
# label -> log2 of the lanes in a group, bytes between groups
PATTERNS = {
    "2 lanes a word": (1, 4),
    "8 lanes a word": (3, 4),
    "2 lanes a word, 16 bytes apart": (1, 16),
    "4 lanes a word, 16 bytes apart": (2, 16),
    "4 lanes a word, 32 bytes apart": (2, 32),
    "16 lanes a word, 128 bytes apart": (4, 128),
}
RANDOM_WORDS = (8, 64, 512)
LAUNCHES = (smsp_warps(1), *(sm_warps(n) for n in (1, 2, 8)))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for sharing, warp_bytes in (("of each warp", FURTHEST), ("of all warps", 0)):
        patterns = {label: lanes_apart(stride, group, 0, warp_bytes) for label, (group, stride) in PATTERNS.items()} | {
            f"one of {words} words each": random_words(words, warp_bytes) for words in RANDOM_WORDS
        }
        for label, prepare in patterns.items():
            for name in ("ATOMG.ADD", "REDG.ADD"):
                for count in COUNTS:
                    row = [_atomic(name, i) for i in range(count)]
                    yield burst(
                        f"collisions/{count} {name}, {label}, {sharing}",
                        row,
                        prepare,
                        fence=name == "REDG.ADD",
                        launches=LAUNCHES,
                    )


def _atomic(name: str, i: int) -> Instruction:
    if name == "REDG.ADD":
        return op("REDG.ADD", 4, GLOBAL, 0, 40, stall=2)
    return op("ATOMG.ADD", 24 + i % 16, 4, GLOBAL, 0, 40, write=0, stall=2)


def random_words(words: int, warp_bytes: int) -> list[Instruction]:
    """Each lane takes one of so many words, a power of two, as the upper bits of a square's multiple draw it."""
    return [
        *setup(lane_stride=0),
        op("IMAD", 53, 0, 0, RZ, stall=SAFE),
        op("IMAD.IMM", 53, 53, -0x61C8864F, RZ, stall=SAFE),
        op("SHF.R.IMM", 53, RZ, 33 - words.bit_length(), 53, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 53, 4, GLOBAL, stall=SAFE),
        op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 54, warp_bytes, GLOBAL, stall=SAFE),
    ]
