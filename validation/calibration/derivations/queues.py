"""Queues: rows of one to many instructions, whose end shows when the last of them issued."""

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
