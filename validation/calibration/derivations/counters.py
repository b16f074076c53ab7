"""ncu's counters of catalogue kernels: the family "measurements", programs ``KERNEL/LAUNCH COUNTER``."""

import math
from collections.abc import Iterator
from fnmatch import fnmatchcase
from statistics import linear_regression, mean

from isa.emulator.lanes import WARP_SIZE
from validation.measurement import CACHES, RECORDED, Cache, Measurement, gpu_folder, load

from ..errors import CalibrationError
from ..recordings import Recordings
from ..registry import Rule
from .question import Question

FAMILY = "measurements"


def bytes_per(question: Question) -> list[float]:
    """Bytes of each part: ``bytes`` of a whole, of which the first counter counts the wholes, the second the parts."""
    wholes, parts = (_figures(question, program) for program in question.rule.programs)
    return [question.rule.number("bytes") * whole / part for whole, part in zip(wholes, parts, strict=True)]


def cycles(question: Question) -> list[float]:
    """Cycles of a counter: the first one's figure less the second's, ``plus`` cycles, paths ``more``, less ``less``.

    That ``per`` of something; where a path ``of`` is given, what is left of it.
    """
    figures = [_figures(question, program) for program in question.rule.programs]
    more, less = (_sum(question, question.rule.arguments.get(key, "")) for key in ("more", "less"))
    plus, per = question.rule.number("plus", 0), question.rule.number("per", 1)
    times = [(run[0] - sum(run[1:]) + plus + more - less) / per for run in zip(*figures, strict=True)]
    if "of" not in question.rule.arguments:
        return times
    return [question.value(question.rule.arguments["of"]) - time for time in times]


def _sum(question: Question, paths: str) -> float:
    return sum(question.value(path) for path in paths.split(",") if path)


def waiting_at_slice(question: Question) -> list[float]:
    """Packets of an SM's reductions that wait on their way to a slice of L2, from how long an SM is active in the mean.

    Each of ``sms`` sends so many ``packets``, of which L2 does one in each ``interval`` (a path), and is rid of them
    when no more wait than may: these, and its part of what may wait of one SM alone, the path ``alone``, beyond them.
    """
    (program,) = question.rule.programs
    sms, packets = question.rule.number("sms"), question.rule.number("packets")
    interval, alone = (question.value(question.rule.arguments[name]) for name in ("interval", "alone"))
    waiting = [packets - active / sms / (sms * interval) for active in _figures(question, program)]
    return [(each - alone / sms) / (1 - 1 / sms) for each in waiting]


def still_dirty(question: Question) -> list[float]:
    """Bytes stored, the first counter's sectors of ``bytes`` each, that the second one says were not written back.

    The two are from different runs; every run stores the same.
    """
    stored, written = (_figures(question, program) for program in question.rule.programs)
    return [question.rule.number("bytes") * stored[0] - back for back in written]


def overhead(question: Question) -> list[float]:
    """Microseconds of a launch, the first counter in ns, for which the second counter's cycles do not account."""
    durations, cycles = (_figures(question, program) for program in question.rule.programs)
    clock = question.value("gpu.clock_mhz")
    return [duration / 1000 - active / clock for duration, active in zip(durations, cycles, strict=True)]


def later_when_cold(question: Question) -> list[float]:
    """What each counter is higher in the rule's cache mode than with warm caches, less the path ``less``."""
    later = []
    for program in question.rule.programs:
        ((measurement, counter),) = _measurements(question.rule, question.recordings, program)
        warm = measurement.mean(counter, "warm")
        later += [figure - warm for figure in _figures(question, program)]
    return [cycles - question.value(question.rule.arguments["less"]) for cycles in later]


def per_line_of_code(question: Question) -> list[float]:
    """Cycles of a counter per warp for each line of the kernel's code, by run: the slope through one-block launches."""
    return [linear_regression(*zip(*run, strict=True)).slope for run in _by_lines(question, "warm")]


def bytes_beside_code(question: Question) -> list[float]:
    """Of each launch the bytes of a counter, in the mean of its runs, that the lines of its code do not account for."""
    line_bytes = question.value("frontend.line_bytes")
    (program,) = question.rule.programs
    beside = []
    for launch, counter in _measurements(question.rule, question.recordings, program):
        beside.append(launch.mean(counter, _cache(question.rule)) - _lines(question.rule, launch) * line_bytes)
    return beside


def long_code(question: Question) -> list[float]:
    """By run: the lines of code beyond which a counter is higher with cold caches than with warm ones."""
    return [_step(run)[0] for run in _colder_by_lines(question)]


def later_behind_long_code(question: Question) -> list[float]:
    """By run: by how many cycles per warp it is, beyond what is so with shorter code."""
    return [_step(run)[1] for run in _colder_by_lines(question)]


def _colder_by_lines(question: Question) -> Iterator[list[tuple[float, float]]]:
    """By run: each launch's lines of code and what a counter is higher per warp with cold caches."""
    for cold, warm in zip(_by_lines(question, "cold"), _by_lines(question, "warm"), strict=True):
        yield [(lines, later - sooner) for (lines, later), (_, sooner) in zip(cold, warm, strict=True)]


def _step(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Where a step is, and how high, that leaves least of the points' squares: the middle of two neighbours."""
    points = sorted(points)
    best = (math.inf, 0.0, 0.0)
    for i in range(1, len(points)):
        parts = [[value for _, value in part] for part in (points[:i], points[i:])]
        if points[i - 1][0] < points[i][0]:
            left = sum((value - mean(part)) ** 2 for part in parts for value in part)
            best = min(best, (left, (points[i - 1][0] + points[i][0]) / 2, mean(parts[1]) - mean(parts[0])))
    return best[1:]


def _by_lines(question: Question, cache: Cache) -> list[list[tuple[float, float]]]:
    """By run: one-block launches' lines of code, and the cycles of a counter per warp."""
    runs: dict[int, list[tuple[float, float]]] = {}
    (program,) = question.rule.programs
    for launch, counter in _measurements(question.rule, question.recordings, program):
        if launch.num_blocks == 1:
            lines = _lines(question.rule, launch)
            for run, cycles in enumerate(launch.figures(counter, cache)):
                runs.setdefault(run, []).append((lines, cycles / math.ceil(math.prod(launch.block) / WARP_SIZE)))
    return list(runs.values())


def _lines(rule: Rule, launch: Measurement) -> float:
    """The lines of a one-block launch's code: it has the GCC look up each of them, and ``brought`` more."""
    return launch.mean("gcc__cache_requests_type_instruction.sum", "warm") - rule.number("brought")


def date(rule: Rule, recordings: Recordings) -> str:
    """When the first of the kernels was measured."""
    measured = [one for program in rule.programs for one, _ in _measurements(rule, recordings, program)]
    return min(str(one.measured_with["utc"])[:10] for one in measured)


def _figures(question: Question, program: str) -> list[float]:
    """A counter's figures, one per run in the rule's cache mode."""
    ((measurement, counter),) = _measurements(question.rule, question.recordings, program)
    return [float(figure) for figure in measurement.figures(counter, _cache(question.rule))]


def _cache(rule: Rule) -> Cache:
    """The rule's cache mode."""
    for cache in CACHES:
        if rule.launch == cache:
            return cache
    raise CalibrationError(f"values.csv: {rule.path}: launch must be one of {', '.join(CACHES)}")


def _measurements(rule: Rule, recordings: Recordings, program: str) -> Iterator[tuple[Measurement, str]]:
    """The launches and the counter that a program names; ``*`` in it stands for any text."""
    try:
        case, counter = program.split(" ")
        kernel, name = case.split("/")
    except ValueError:
        raise CalibrationError(f"values.csv: {rule.path}: {program!r} is not KERNEL/LAUNCH COUNTER") from None
    for path in sorted((RECORDED / gpu_folder(recordings.environment()["gpu"])).glob(f"{kernel}.json")):
        for launch in load(path).launches:
            if fnmatchcase(launch.launch, name):
                yield launch, counter
