"""Instruction fetch."""

from itertools import pairwise

from ..program import LINE
from ..sass import INSTRUCTION_BYTES
from .question import Question
from .rows import row_lengths


def _excess(question: Question) -> dict[int, float]:
    """By its place in the code (``{}`` in the program's name), what a branch target costs beyond the least place."""
    (pattern,) = question.rule.programs
    before, behind = pattern.split("{}")
    places = sorted(int(name.removeprefix(before).removesuffix(behind)) for name in question.matching(f"{before}*"))
    costs = {place: question.settled(pattern.format(place)) - place for place in places}
    return {place: cost - min(costs.values()) for place, cost in costs.items()}


def line_bytes(question: Question) -> list[float]:
    """The distance between branch targets that cost more: those at the end of a line."""
    late = [place for place, cost in _excess(question).items() if cost > 0]
    return [float((b - a) * INSTRUCTION_BYTES) for a, b in pairwise(late)]


def line_end(question: Question) -> list[float]:
    """What a branch target at the end of a line costs more."""
    return [cost for cost in _excess(question).values() if cost > 0]


def fitting_lines(question: Question) -> list[float]:
    """Lines of the longest loop that runs at one instruction a cycle; rows of all sizes."""
    (row,) = question.rule.programs
    sizes = row_lengths(question, row)
    start = question.settled(f"{row}/{sizes[0]}") - sizes[0]
    return [max(size / LINE for size in sizes if question.settled(f"{row}/{size}") == size + start)]
