"""Fences of many warps: rows of rounds, each with a clock where it begins, where its fence is over, and behind it."""

from .question import Question

TOGETHER = 40  # cycles within which warps go on behind one flush


def flush_interval(question: Question) -> list[float]:
    """From one flush to the next, where warps wait for two in turn: half of a round, from the third on."""
    (program,) = question.rule.programs
    return [(warp[-3] - warp[6]) / (len(warp) // 3 - 3) / 2 for warps in question.repeats(program) for warp in warps]


def flush_gathers(question: Question) -> list[float]:
    """From the first of the fences that one flush serves to the last that it does: the most of any round."""
    (program,) = question.rule.programs
    return [
        max(_gathered(warps, round_) for round_ in range(len(warps[0]) // 3)) for warps in question.repeats(program)
    ]


def fence_interval(question: Question) -> list[float]:
    """Between fences of one moment: what a flush gathers, by those of many that the first one serves."""
    (program,) = question.rule.programs
    gathers = question.value("l1.flush_gathers")
    return [gathers / len(_served(warps, 0)) for warps in question.repeats(program)]


def _served(warps: list[list[int]], round_: int) -> list[int]:
    """When those fences of a round begin that are over with its first ones."""
    over = min(warp[3 * round_ + 1] for warp in warps)
    return [warp[3 * round_] for warp in warps if warp[3 * round_ + 1] <= over + TOGETHER]


def _gathered(warps: list[list[int]], round_: int) -> int:
    """Cycles between the fences of a round that are over with its first ones."""
    begun = _served(warps, round_)
    return max(begun) - min(begun)
