"""The register file's ports by operand slot: which instruction waits for which, and rows of everything at once.

`ports/pairs`: two instructions of three sources each, right behind each other, and one more; a pattern says of slots A,
B and C whether they read an even register, an odd one or none. `ports/random`: rows of four to eight instructions drawn
at random, with stall counts of 1 to 4 and marks for reuse, none of which reads another one's result.
"""

from collections.abc import Iterator
from itertools import product
from random import Random

from ..program import SAFE, Experiment
from ..sass import RZ, Instruction, op
from .operations import setup
from .stopwatch import timed_in_turn

PATTERNS = ["".join(slots) for slots in product("eo-", repeat=3)]
KINDS = (("FFMA", "FFMA"), ("IADD3", "FFMA"), ("FFMA", "IADD3"), ("IADD3", "IADD3"))
ROWS = 5500
SEED = 7
_FIRST, _SECOND, _TARGET = 40, 32, 24  # registers
# name -> how often it is drawn, its operands, the slots that may be marked for reuse.
# Operands: r a register; z the same or RZ; p a pair; w a pair or RZ; i an immediate.
_DRAWN: dict[str, tuple[int, str, int]] = {
    "FFMA": (14, "zzz", 7),
    "FADD": (8, "rr", 5),
    "FMUL": (6, "rr", 3),
    "IMAD": (10, "zzz", 7),
    "IADD3": (12, "zzz", 7),
    "LOP3": (10, "zzz", 7),
    "MOV": (4, "r", 0),
    "ISETP": (5, "rr", 3),
    "MUFU.RCP": (5, "r", 0),
    "DADD": (3, "pp", 5),
    "DFMA": (3, "ppp", 7),
    "DMUL": (2, "pp", 0),
    "HFMA2": (4, "zzz", 7),
    "HFMA2.MMA": (4, "zzz", 7),
    "IMAD.WIDE": (3, "rrw", 7),
    "NOP": (2, "", 0),
    "HADD2": (3, "rr", 5),
    "IMAD.HI": (3, "rrw", 7),
    "IADD3.IMM": (4, "rir", 5),
    "IMAD.IMM": (4, "rir", 5),
}
_MARKS_OF_PAIRS = {"DADD": (0, 0, 0, 1, 4), "DFMA": (0, 0, 0, 1, 2, 4)}
_LENGTHS = (4, 6, 8)
_STALLS, _STALL_WEIGHTS = (1, 2, 3, 4), (70, 20, 6, 4)
_MARKS, _MARK_WEIGHTS = (0, 1, 2, 4, 3, 6), (70, 8, 8, 8, 3, 3)
_IMMEDIATE = 77


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    random = Random(SEED)
    rows = [[_drawn(random) for _ in range(random.choice(_LENGTHS))] for _ in range(ROWS)]
    for name, pieces in (("pairs", list(_pairs())), ("random", rows)):
        yield from timed_in_turn(f"ports/{name}", pieces, [*setup(), op("ISETP", 4, 40, 40, stall=SAFE)])


def _pairs() -> Iterator[list[Instruction]]:
    for one, other in product(PATTERNS, repeat=2):
        for first, second in KINDS:
            yield [_reader(first, one, _FIRST, 0), _reader(second, other, _SECOND, 2), op("NOP")]
        for third in ("eee", "ooo"):
            pair = [_reader("FFMA", one, _FIRST, 0), _reader("FFMA", other, _SECOND, 2)]
            yield [*pair, _reader("IADD3", third, _FIRST, 4)]


def _reader(name: str, pattern: str, base: int, target: int) -> Instruction:
    registers = [RZ if kind == "-" else base + 2 * slot + (kind == "o") for slot, kind in enumerate(pattern)]
    return op(name, _TARGET + target, *registers)


def _drawn(random: Random) -> Instruction:
    """An instruction drawn at random."""
    name = random.choices(list(_DRAWN), [weight for weight, _, _ in _DRAWN.values()])[0]
    _, operands, markable = _DRAWN[name]
    target = _TARGET + 2 * random.randrange(6)
    stall = random.choices(_STALLS, _STALL_WEIGHTS)[0]
    marks = random.choices(_MARKS, _MARK_WEIGHTS)[0]
    if name in _MARKS_OF_PAIRS:
        marks = random.choice(_MARKS_OF_PAIRS[name])
    values = [_operand(kind, random) for kind in operands]
    if name == "NOP":
        return op(name, stall=stall)
    drawn = op(name, 0 if name == "ISETP" else target, *values, stall=stall)
    empty = sum(1 << slot for slot, field in enumerate("abc") if drawn.operands.get(field) == RZ)
    return drawn.having(reuse=marks & markable & ~empty)


def _operand(kind: str, random: Random) -> int:
    match kind:
        case "z" if random.random() >= 0.85:
            return RZ
        case "p":
            return 2 * random.randrange(18, 24)
        case "w":
            return random.choice((RZ, 2 * random.randrange(18, 24)))
        case "i":
            return _IMMEDIATE
    return random.randrange(36, 48)
