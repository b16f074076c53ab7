"""Bursts of accesses in a short and a long form."""

from statistics import median

from ..analyse import warps_per_smsp
from ..errors import CalibrationError
from .question import Question

SMSPS = 4


def burst_rate(question: Question) -> list[float]:
    """Cycles of the SM per instruction: what the longest of some bursts takes more than the shortest.

    ``{}`` stands in the programs' names for the length.
    """
    (pattern,) = question.rule.programs
    bursts = question.numbered(pattern)
    if len(bursts) < 2:
        raise CalibrationError(f"{pattern}: a rate needs the burst in two lengths, recorded: {list(bursts)}")
    short, long = min(bursts), max(bursts)
    instructions = (long - short) * SMSPS * warps_per_smsp(question.rule.launch)
    begin = median(_ends(question, bursts[short]))
    return [(end - begin) / instructions for end in _ends(question, bursts[long])]


def _ends(question: Question, program: str) -> list[float]:
    """When the last warp's burst was done: the last clock of each repeat, sorted."""
    return sorted(repeat[-1] for repeat in question.repeats(program))
