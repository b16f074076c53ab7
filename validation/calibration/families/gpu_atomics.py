"""Reductions and atomics of all SMs at few words: what L2 does one after the other, and what at once.

Lane ``l`` of warp ``w`` takes the word ``((l * a + w * b) >> shift) & (words - 1)``, words so many bytes apart.
"""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, Launch
from ..sass import RZ, Instruction, op
from .chip import AWAIT, SM, full, loop

POINTER, WORD, LANE, WARP = 48, 54, 55, 56  # registers
TURNS = 8
MIX_LANES, MIX_WARPS = 0x61C88647, 0x45EBCA6B  # odd, without a pattern: words as of a histogram
EACH_WARP = (0, 1, 0)  # a, b, shift
APART = {
    1: (4,),
    2: (4, 32, 64, 128, 256, 512, 1024, 4096, 65536),
    8: (4, 32, 128, 512, 4096),
    16: (4, 32, 64, 128, 256, 512, 4096, 65536),
    64: (4, 32, 128, 256, 4096, 65536),
}
NAMES = ("REDG.ADD", "REDG.ADD.F32", "ATOMG.ADD")
FEW = (1, 2, 8, 33, 66)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for words, distances in APART.items():
        for apart in distances:
            yield _experiment(f"a word for a warp, {words} words {apart} bytes apart", words, apart, EACH_WARP)
            yield _experiment(f"one lane, {words} words {apart} bytes apart", words, apart, EACH_WARP, one_lane=True)
    for name in NAMES:
        for words in (1, 8, 32, 64, 256, 4096):
            mixed = (MIX_LANES, MIX_WARPS, 32 - words.bit_length() + 1)
            yield _experiment(f"{words} words at random", words, 4, mixed, name=name, blocks=FEW)
        for lanes in (1, 2, 4, 8, 16):
            pattern = (1, 0, lanes.bit_length() - 1)
            yield _experiment(f"one line, {lanes} lanes a word", 32 // lanes, 4, pattern, name=name, blocks=FEW)
        for lines in (2, 4, 16, 64):
            yield _experiment(f"{lines} lines in turn", 32 * lines, 4, (1, 32, 0), name=name)
    for words in (8, 64):
        for apart in (32, 128):
            mixed = (MIX_LANES, MIX_WARPS, 32 - words.bit_length() + 1)
            yield _experiment(f"{words} words at random, {apart} bytes apart", words, apart, mixed)


def _experiment(
    label: str,
    words: int,
    apart: int,
    pattern: tuple[int, int, int],
    *,
    name: str = "REDG.ADD",
    one_lane: bool = False,
    blocks: tuple[int, ...] = (),
) -> Experiment:
    launches: tuple[Launch, ...] = (full(threads=256), *(full(f"{n} blocks", threads=256, blocks=n) for n in blocks))
    if name.startswith("ATOMG"):
        accesses = [op(name, 24 + i, 4, POINTER, 0, 40, stall=2) for i in range(2)]
        accesses[-1] = accesses[-1].having(write=0)
    else:
        accesses = [op(name, 4, POINTER, 0, 40, stall=2) for _ in range(2)]
        accesses[-1] = accesses[-1].having(read=0)
    if one_lane:
        accesses = [access.having(guard=~6) for access in accesses]
    pointer = _words(words, apart, *pattern)
    title = f"gpu_atomics/{name}, {label}"
    return loop(title, accesses, onward=[AWAIT], prepare=pointer, turns=TURNS, launches=launches)


def _words(words: int, apart: int, a: int, b: int, shift: int) -> list[Instruction]:
    """Point every lane at its word."""
    return [
        op("S2R.SMID", SM, write=0, stall=SAFE),
        op("LDC.64", POINTER, DATA, write=0, stall=SAFE),
        op("MOV.IMM", 40, 1, stall=SAFE),
        op("LOP3.IMM", LANE, 0, 31, RZ, stall=SAFE),
        op("IMAD.IMM", WARP, 1, b, RZ, stall=SAFE),
        op("IMAD.IMM", WORD, LANE, a, WARP, stall=SAFE),
        op("SHF.R.IMM", WORD, RZ, shift, WORD, stall=SAFE),
        op("LOP3.IMM", WORD, WORD, words - 1, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", POINTER, WORD, apart, POINTER, wait=1, stall=SAFE),
        op("NOP", stall=SAFE, wait=0x3F),
    ]
