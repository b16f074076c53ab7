"""L1 as a cache, and its way to L2 for stores."""

from statistics import mean

from ..analyse import slopes, warps_per_smsp
from ..errors import CalibrationError
from .question import Question, spread_apart

KILOBYTE = 1024
SMSPS = 4
PROBED = 3  # record of the family behind: the probe's result is there
HIT_CYCLES = 100  # between the times of a probe that hits, some 35, and of one that goes to L2, 260 and more


def bytes_with_shared(question: Question) -> list[float]:
    """The most that L1 holds beside what launches ask for as shared memory: a walk's KB plus the launch's KB.

    Both stand for ``{}``, in the program's name and in the launch's. A walk fits when a line takes at most
    ``tolerance`` longer than in the fastest. Only the greatest sum counts: a cache loses lines before it is full.
    """
    (pattern,) = question.rule.programs
    walks: dict[int, dict[int, float]] = {}
    for kilobytes, name in question.numbered(pattern).items():
        for label, times in question.recordings.programs(question.rule.family, name)[name]["launches"].items():
            before, behind = question.rule.launch.split("{}")
            if label.startswith(before) and label.endswith(behind):
                asked = int(label.removeprefix(before).removesuffix(behind))
                walks.setdefault(asked, {})[kilobytes] = max(times) / kilobytes
    slowest = 1 + question.rule.number("tolerance")
    sums = [
        asked + max(size for size, cycles in each.items() if cycles <= min(each.values()) * slowest)
        for asked, each in walks.items()
    ]
    return [float(max(sums) * KILOBYTE)]


def sectors_behind(question: Question) -> list[float]:
    """How much later each further sector of a line is there: loads of a line of ``sectors`` and of one, all warps."""
    whole, one = (
        [mean(row[-1] - row[0] for row in repeat) for repeat in question.repeats(program)]
        for program in question.rule.programs
    )
    return [cycles / (question.rule.number("sectors") - 1) for cycles in spread_apart(whole, one)]


def bytes_a_cycle(question: Question) -> list[float]:
    """Bytes that the lanes' addresses span (``span``) per cycle and SM, from a row's short and long form."""
    short, long = question.rule.programs
    more = int(question.meta(long)["count"]) - int(question.meta(short)["count"])
    rates = slopes(question.elapsed(long), question.elapsed(short), more * warps_per_smsp(question.rule.launch))
    return [question.rule.number("span") / (rate / SMSPS) for rate in rates]


def staying_lines(question: Question) -> list[float]:
    """The most lines, of those that programs touch again and again, that all stay: every probe hits."""
    kept = [0.0]
    for pattern in question.rule.programs:
        for name in question.matching(pattern):
            times = question.repeats(name)[-1][0]
            if max(times) < HIT_CYCLES:
                kept.append(float(len(times)))
    if max(kept) == 0:
        raise CalibrationError(f"{question.rule.path}: all programs lose lines")
    return [max(kept)]


def _stores(question: Question, program: str) -> int:
    """The stores of all warps of the SM."""
    return int(question.meta(program)["count"]) * SMSPS * warps_per_smsp(question.rule.launch)


def buffered_stores(question: Question) -> list[float]:
    """Stores that a fence does not wait for: all of them less what its time allows, ``packets`` cycles for each.

    ``less`` names a value that is part of the number.
    """
    (program,) = question.rule.programs
    packets = question.rule.number("packets")
    known = question.value(question.rule.arguments["less"]) if "less" in question.rule.arguments else 0.0
    return [_stores(question, program) - time / packets - known for time in _fenced(question, program)]


def _fenced(question: Question, program: str) -> list[float]:
    """When the fence behind the last store let every warp go, sorted over the repeats: the last clock of three."""
    return sorted(repeat[2] for repeat in question.repeats(program))


def placing_lines(question: Question) -> list[float]:
    """Lines of stores that wait behind the data stage for a place, when a load behind them all is back.

    The first program's ``lines``, less those that have left: ``packets`` cycles for each from the first store's end on,
    which the second program's load shows, one warp's, and ``l1.store_idle`` later. ``less`` names the places.
    """
    rows, alone = question.rule.programs
    lines, packets = question.rule.number("lines"), question.rule.number("packets")
    (first,) = {repeat[0][-1] - repeat[0][0] for repeat in question.recordings.launches("draining", alone, "1")}
    leave = first + question.value("l1.store_idle")
    places = question.value(question.rule.arguments["less"])
    return sorted(
        lines - (max(warp[-1] for warp in repeat) - repeat[0][0] - leave) / packets - places
        for repeat in question.repeats(rows)
    )


def overtaken(question: Question) -> list[float]:
    """What waits for its tags when an instruction without tags goes past it: all of it, less what was served before.

    Of two programs the first makes the probe wait, the second does not; ``units`` are loads, or lines of stores, each
    served in ``cycles``. ``less`` names a value that is part of the number.
    """
    waits, alone = (question.repeats(program) for program in question.rule.programs)
    units, cycles = question.rule.number("units"), question.rule.number("cycles")
    known = question.value(question.rule.arguments["less"]) if "less" in question.rule.arguments else 0.0
    soonest = min(repeat[PROBED] for repeat in alone)
    return sorted(units - (repeat[PROBED] - soonest) / cycles - known for repeat in waits)


def pending(question: Question) -> list[float]:
    """How many loads, or ``turns`` of each, wait for data at once, so that a probe behind them does."""
    (pattern,) = question.rule.programs
    return [question.rule.number("turns") * count for count in _least_to_wait_behind(question, pattern)]


def pending_further(question: Question) -> list[float]:
    """The share of its room that a load's second turn adds: how many more loads wait at once of a turn than of two."""
    of_one, of_two = (_least_to_wait_behind(question, pattern) for pattern in question.rule.programs)
    return [mean(of_one) / count - 1 for count in of_two]


def _least_to_wait_behind(question: Question, pattern: str) -> list[int]:
    """Of programs whose number of loads stands for ``{}``, the first whose last warp's probe waits, in each repeat."""
    waits: list[list[int]] = [[], []]
    for count, name in question.numbered(pattern).items():
        repeats = question.repeats(name)
        for first, repeat in zip(waits, [repeats[0], repeats[-1]], strict=True):
            begun, done = repeat[-1]
            if done - begun > HIT_CYCLES:
                first.append(count)
    return [min(counts) for counts in waits]


def idle_store(question: Question) -> list[float]:
    """Cycles behind a store's data after which its lines leave.

    A second store to their sectors then makes a load of the first one's words miss: the first such distance of the two,
    and the one before it, bound it. ``lead`` is the first store's stall count, its data take ``data`` cycles.
    """
    (program,) = question.rule.programs
    distances = question.meta(program)["distances"]
    taken = question.rule.number("data") - question.rule.number("lead")
    bounds = []
    for (times,) in question.repeats(program):
        first = min(place for place, cycles in enumerate(times) if cycles > HIT_CYCLES)
        bounds += [distances[first - 1] - taken, distances[first] - 1 - taken]
    return sorted(bounds)


def being_sent(question: Question) -> list[float]:
    """Cycles behind a line's packets in which a store to it leaves none of the bytes that were stored before.

    The last distance of two stores at which a load misses, and the next, at which it hits, bound it. ``lead`` is the
    first store's stall count; ``l1.store_idle`` behind its ``data`` the ``packets`` leave.
    """
    (program,) = question.rule.programs
    distances = question.meta(program)["distances"]
    leaves = question.rule.number("data") + question.value("l1.store_idle") - question.rule.number("lead")
    earlier = leaves + question.rule.number("packets")
    bounds = []
    for (times,) in question.repeats(program):
        last = max(place for place, cycles in enumerate(times) if cycles > HIT_CYCLES)
        bounds += [distances[last] - earlier, distances[last + 1] - earlier]
    return sorted(bounds)
