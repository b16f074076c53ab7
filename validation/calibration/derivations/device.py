"""What the GPU's driver answers."""

from itertools import pairwise
from math import gcd

from ..errors import CalibrationError
from .question import Question


def attribute(question: Question) -> list[float]:
    """An attribute of the device, per ``per``."""
    (program,) = question.rule.programs
    return [value / question.rule.number("per", 1) for value in question.repeats(program)]


def granularity(question: Question) -> list[float]:
    """The unit in which blocks get something, of which they ask for more and more.

    A sweep records [registers, shared bytes, blocks that fit]; ``column`` is what it sweeps. The most that each number
    of blocks can ask for, ``plus`` what the system takes (a path), is a multiple of the unit. Times ``times``.
    """
    (pattern,) = question.rule.programs
    column = int(question.rule.number("column"))
    plus = question.value(question.rule.arguments["plus"]) if "plus" in question.rule.arguments else 0
    rows = [row for name in question.matching(pattern) for row in question.repeats(name)]
    sweep = sorted((row[column], row[2]) for row in rows)
    most = [int(amount + plus) for (amount, fit), (_, next_fit) in pairwise(sweep) if next_fit < fit]
    if len(most) < 2:
        raise CalibrationError(f"{pattern}: the sweep shows {len(most)} changes of the number of blocks, too few")
    return [question.rule.number("times", 1) * gcd(*most)]
