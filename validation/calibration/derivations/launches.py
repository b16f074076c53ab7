"""Block launches: when warps read their first clock. An entry is [SM, warp slot, first clock, last clock]."""

from itertools import pairwise

from .question import Question


def entry_interval(question: Question) -> list[float]:
    """Between one warp and the next that enter one SM, which has room for all of them."""
    (program,) = question.rule.programs
    entries = [sorted(entry[2] for entry in repeat) for repeat in question.repeats(program)]
    return [later - earlier for clocks in entries for earlier, later in pairwise(clocks)]
