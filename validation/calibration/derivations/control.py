"""Block barriers."""

from .question import Question


def barrier_release(question: Question) -> list[float]:
    """From the last arrival's issue to the first issue of each warp behind a barrier and a branch.

    A timeline of warps that arrive one after the other: its first clock is read ``lead`` cycles before the barrier, its
    second behind a taken branch (path ``less``).
    """
    (program,) = question.rule.programs
    lead, branch = question.rule.number("lead"), question.value(question.rule.arguments["less"])
    return [
        warp[1] - max(before for before, *_ in warps) - lead - branch
        for warps in question.repeats(program)
        for warp in warps
    ]
