"""Rates: rows of one instruction, or of several in turn, in a short and a long form."""

from ..analyse import slopes, warps_per_smsp
from ..errors import CalibrationError
from .question import Question


def rate(question: Question) -> list[float]:
    """Cycles per instruction and SMSP, from a row's long and short form; times ``times``, per ``per``, less ``less``.

    With W warps on an SMSP each runs the row, so the difference is divided by W as well.
    """
    (row,) = question.rule.programs
    scale, less = question.rule.number("times", 1) / question.rule.number("per", 1), question.rule.number("less", 0)
    return [scale * cycles - less for cycles in _rate(question, row)]


def _rate(question: Question, row: str) -> list[float]:
    counts = row_lengths(question, row)
    if len(counts) < 2:
        raise CalibrationError(f"{row}: a rate needs the row in two lengths, recorded: {counts}")
    short = int(question.rule.number("from", counts[0]))
    long = int(question.rule.number("to", counts[-1]))
    instructions = (long - short) * warps_per_smsp(question.rule.launch)
    return slopes(question.elapsed(f"{row}/{long}"), question.elapsed(f"{row}/{short}"), instructions)


def row_lengths(question: Question, row: str) -> list[int]:
    """The lengths in which a row was recorded, ascending; they end its programs' names."""
    names = (name.rpartition("/") for name in question.matching(f"{row}/*"))
    return sorted(int(length) for stem, _, length in names if stem == row and length.isdigit())


def turn_of_each(question: Question) -> list[float]:
    """Cycles of each of the program's ``count``, per ``per``, less ``less``."""
    (program,) = question.rule.programs
    share = int(question.meta(program)["count"]) * question.rule.number("per")
    return [cycles / share - question.rule.number("less", 0) for cycles in question.elapsed(program)]
