"""Block launches: when warps read their first clock. An entry is [SM, warp slot, first clock, last clock]."""

from itertools import pairwise

from .question import Question, spread_apart


def entry_interval(question: Question) -> list[float]:
    """Between one warp and the next that enter one SM, which has room for all of them."""
    (program,) = question.rule.programs
    entries = [sorted(entry[2] for entry in repeat) for repeat in question.repeats(program)]
    return [later - earlier for clocks in entries for earlier, later in pairwise(clocks)]


def block_gap(question: Question) -> list[float]:
    """Between the last of a block's so many ``warps``, which enter an SM one after the other, and the next block."""
    (program,) = question.rule.programs
    warps = int(question.rule.number("warps"))
    entries = [sorted(entry[2] for entry in repeat) for repeat in question.repeats(program)]
    entered = (warps - 1) * question.value("launch.warp_interval")
    return [later - earlier - entered for clocks in entries for earlier, later in pairwise(clocks[::warps])]


def turnover(question: Question) -> list[float]:
    """From a block's EXIT to the first instruction of the block in its place, less the paths ``less``."""
    (program,) = question.rule.programs
    less = _sum(question, "less")
    return [gap - less for gap in _turnovers(question, program)]


def hidden_exit(question: Question) -> list[float]:
    """What a warp's end takes that a store in flight hides.

    A store holds its warp for the paths ``held`` from its issue, of which EXIT comes ``stall`` cycles later; the block
    in its place comes later by only so much as the first program's turnover exceeds the second's.
    """
    with_store, without = (_turnovers(question, program) for program in question.rule.programs)
    held = _sum(question, "held") - question.rule.number("stall")
    return [held - later for later in spread_apart(with_store, without)]


def _turnovers(question: Question, program: str) -> list[float]:
    """The medians over all SMs, sorted over the repeats, counted from EXIT."""
    return sorted(middle - question.meta(program)["exit"] for _, middle, _ in question.repeats(program))


def _sum(question: Question, key: str) -> float:
    return sum(question.value(path) for path in question.rule.arguments[key].split(","))
