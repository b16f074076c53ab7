"""The dispatcher: second passes, and operands that are not forwarded."""

from statistics import median

from .question import Question

READER_STALL = 5  # of the readers in families/mixes.py


def written(question: Question) -> list[float]:
    """From a result's latency (path ``latency``) to its place in the register file, of each writer.

    The reader, which takes it from nowhere else, waits until then when it comes after the latency, at distance d. A
    writer's second pass lengthens both times.
    """
    latency = question.value(question.rule.arguments["latency"])
    samples = []
    for program in question.rule.programs:
        waits = _waits(question, program)
        samples.append(max(distance + wait for distance, wait in waits.items() if wait > 0) - latency)
    return samples


def unforwarded(question: Question) -> list[float]:
    """The operands for which the reader waits: as many as match programs in which it does, one for each operand."""
    (pattern,) = question.rule.programs
    waiting = [name for name in question.matching(pattern) if max(_late(question, name).values()) > 0]
    return [float(len(waiting))]


def _late(question: Question, program: str) -> dict[int, float]:
    """The waits at distances of 4 and more: before, the pipes' own intervals show."""
    return {distance: wait for distance, wait in _waits(question, program).items() if distance >= READER_STALL - 1}


def _waits(question: Question, program: str) -> dict[int, float]:
    """Distance of writer and reader -> cycles for which the reader waits."""
    distances = question.meta(program)["distances"]
    times = [median(column) for column in zip(*(repeat[0] for repeat in question.repeats(program)), strict=True)]
    extra = [time - distance for time, distance in zip(times, distances, strict=True)]
    return {distance: cycles - extra[-1] for distance, cycles in zip(distances, extra, strict=True)}


def blocked_slot(question: Question) -> list[float]:
    """The cycles behind a DADD (D) in which an IADD3 (A) goes later, with NOPs (N) between; the quads end with A."""
    times = {
        quad: cycles
        for program in question.matching(question.rule.programs[0])
        for quad, cycles in zip(question.meta(program)["quads"], question.repeats(program)[-1][0], strict=True)
    }
    return [
        float(behind)
        for behind, quad in enumerate(("NNDA", "NDNA", "DNNA"), start=1)
        if times[quad] > times[quad.replace("D", "N")]
    ]


def clock_gap(question: Question) -> list[float]:
    """From clock ``first`` of the first program to clock ``second`` of the last one, ``less`` what is known of it."""
    before, after = question.rule.programs[0], question.rule.programs[-1]
    first, second = int(question.rule.number("first")), int(question.rule.number("second"))
    return [
        later[second] - earlier[first] - question.rule.number("less")
        for earlier, later in zip(question.repeats(before), question.repeats(after), strict=True)
    ]
