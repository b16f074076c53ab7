"""Times inside a program: the cycles that a piece of code takes, as one register."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..program import SAFE, Experiment, clock
from ..sass import Instruction, op

RESULTS = range(64, 128)  # for programs of 128 registers: `setup` leaves these alone
REGISTERS = 128
_PER_PROGRAM = 55  # pieces
LEAD = 4  # cycles between the first clock read and the piece
_START, _END = 60, 61


def stopwatch(register: int, piece: list[Instruction], *, wait: int = 0, lead: int = LEAD) -> list[Instruction]:
    """Set a register to the cycles from `lead` before the piece's first issue to the issue behind the piece.

    Args:
        register: where the cycles go.
        piece: what is timed.
        wait: barriers that the second clock read waits for.
        lead: stall count of the first clock read; it is part of the time.
    """
    return [
        op("NOP", stall=SAFE, wait=0x3F),
        clock(_START, stall=lead),
        *piece,
        clock(_END, stall=SAFE, wait=wait),
        op("IMAD.IMM", register, _START, -1, _END, stall=SAFE),
    ]


def stopwatches(pieces: Iterable[list[Instruction]]) -> list[Instruction]:
    """Set the result registers in turn to the cycles of each piece, between which the XU's queue runs empty."""
    region: list[Instruction] = []
    for register, piece in zip(RESULTS, pieces, strict=False):
        region += stopwatch(register, piece)
        region += [op("MUFU.RCP", 32, 40, write=1, stall=2), op("NOP", wait=2, stall=15)]
    return region


def timed(
    name: str, pieces: Sequence[list[Instruction]], prepare: list[Instruction], meta: dict[str, object] | None = None
) -> Experiment:
    """Return the program that times some pieces, as many as there are result registers at most."""
    region, results = stopwatches(pieces), RESULTS[: len(pieces)]
    return Experiment(name, region, results, prepare, registers=REGISTERS, kind="cycles", meta=meta or {})


def timed_in_turn(
    name: str,
    pieces: Sequence[list[Instruction]],
    prepare: list[Instruction],
    *,
    titles: Mapping[str, Sequence[object]] | None = None,
    per_program: int = _PER_PROGRAM,
) -> Iterator[Experiment]:
    """Yield the programs that time any number of pieces, each with its part of the ``titles`` as ``meta``."""
    for first in range(0, len(pieces), per_program):
        some = slice(first, first + per_program)
        meta: dict[str, object] = {key: list(values[some]) for key, values in (titles or {}).items()}
        yield timed(f"{name} from {first}", pieces[some], prepare, meta)
