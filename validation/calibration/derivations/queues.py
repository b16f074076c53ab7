"""Queues: rows of one to many instructions, whose end shows when the last of them issued."""

from statistics import median

from ..errors import CalibrationError
from .question import Question
from .rows import row_lengths


def _issues(question: Question, row: str) -> dict[int, float]:
    """When the last instruction of each recorded row length issued, after the first one's issue."""
    counts = row_lengths(question, row)
    alone = question.settled(f"{row}/{counts[0]}")
    return {count: question.settled(f"{row}/{count}") - alone for count in counts}


def back_to_back(question: Question) -> list[float]:
    """How many instructions issue one per cycle before the next has to wait; a row of each length up to there."""
    (row,) = question.rule.programs
    issues = _issues(question, row)
    return [float(max(count for count, issue in issues.items() if issue == count - 1))]


def issue_of(question: Question) -> list[float]:
    """When the instruction after those back to back issues, less the path ``less``."""
    (row,) = question.rule.programs
    issues = _issues(question, row)
    first_late = min(count for count, issue in issues.items() if issue != count - 1)
    return [issues[first_late] - question.value(question.rule.arguments["less"])]


def queue_depth(question: Question) -> list[float]:
    """The places of a queue, from two rows of instructions that leave it at different intervals.

    The queue's head leaves ``latency`` cycles behind its issue, the others one per interval, and each makes room for
    one more: instruction n issues at ``latency + interval * (n - 1 - depth)``. The rows' lines cross at n = depth + 1.
    """
    return [_crossing(question)[0] - 1]


def queue_latency(question: Question) -> list[float]:
    """From an instruction's issue to its leaving an empty queue, from two rows as in :func:`queue_depth`."""
    return [_crossing(question)[1]]


def _crossing(question: Question) -> tuple[float, float]:
    """Where the lines of two full queues meet: (number of the instruction, cycle of its issue)."""
    (first, first_at), (second, second_at) = (_line(_issues(question, row)) for row in question.rule.programs)
    if first == second:
        raise CalibrationError(f"{question.rule.path}: both rows leave the queue every {first:g} cycles")
    number = (second_at - first_at) / (first - second)
    return number, first_at + first * number


def _line(issues: dict[int, float]) -> tuple[float, float]:
    """Cycles per instruction of a full queue, and the cycle in which number 0 would have issued."""
    counts = sorted(issues)
    longest = counts[-1]
    interval = issues[longest] - issues[counts[-2]]
    return interval, median(issues[count] - interval * count for count in counts[len(counts) // 2 :])
