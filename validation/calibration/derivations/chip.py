"""What all SMs share: L2, DRAM and the block dispatcher, from streams of the whole GPU and from single loads."""

from statistics import median, quantiles

from .question import Question


def stream_rate(question: Question) -> list[float]:
    """Cycles that one more turn of a stream takes, from its lengths ``from`` and ``to``, per ``per``.

    The paths ``less`` are taken off first, each times the number behind its ``:``.
    """
    (row,) = question.rule.programs
    short, long = int(question.rule.number("from")), int(question.rule.number("to"))
    less = 0.0
    for part in question.rule.arguments.get("less", "").split(","):
        path, _, times = part.partition(":")
        less += float(times) * question.value(path) if path else 0.0
    first, last = question.elapsed(f"{row}/{short}"), question.elapsed(f"{row}/{long}")
    turns = [(b - a) / (long - short) for a, b in zip(first, last, strict=True)]
    return [(cycles - less) / question.rule.number("per") for cycles in turns]


def group_interval(question: Question) -> list[float]:
    """Cycles between two of those that a group of SMs sends or gets, of so many like ``groups``, all SMs sending.

    From the cycles that a turn of a stream, from its lengths ``from`` and ``to``, takes each SM, which has ``per`` of
    them in a turn: what one SM leaves another one takes.
    """
    (row,) = question.rule.programs
    number = question.rule.number
    first, last = (question.repeats(f"{row}/{int(number(end))}") for end in ("from", "to"))
    turns = number("to") - number("from")
    intervals = []
    for few, many in zip(first, last, strict=True):
        rate = sum(number("per") * turns / (b - a) for a, b in zip(few, many, strict=True))
        intervals.append(number("groups") / rate)
    return intervals


def times_as_long(question: Question) -> list[float]:
    """How many times as long a turn of the first stream takes as a turn of the second one."""
    first, second = (
        [cycles / int(program.rpartition("/")[2]) for cycles in question.elapsed(program)]
        for program in question.rule.programs
    )
    return [a / b for a, b in zip(first, second, strict=True)]


def row_sectors(question: Question) -> list[float]:
    """Sectors of a row of DRAM, from sectors that lie ``apart`` sectors apart, some to a row.

    What they take longer than in bursts that follow each other is the time ``row`` (a path) over those of a row.
    """
    row = question.value(question.rule.arguments["row"])
    return [question.rule.number("apart") * row / shared for shared in stream_rate(question)]


def fetched_from_far(question: Question) -> list[float]:
    """What single loads take longer the first time than the second, where it is at least ``least`` cycles."""
    slower = []
    for pattern in question.rule.programs:
        for name in question.matching(pattern):
            first, second = question.repeats(name)[:2]
            slower += [a - b for a, b in zip(first, second, strict=True) if a - b >= question.rule.number("least")]
    return slower


def beyond(question: Question) -> list[float]:
    """What single loads that miss take longer than those that hit: the near ones, the faster half, and the median.

    One sample for each program that misses; the second pattern names those that hit, after the first repeat.
    """
    miss, hit = question.rule.programs
    hits = [cycles for name in question.matching(hit) for repeat in question.repeats(name)[1:] for cycles in repeat]
    recorded = [question.recordings.programs(question.rule.family, name)[name] for name in question.matching(miss)]
    loads = [program["launches"][question.rule.launch] for program in recorded]
    near = [quantiles([cycles for repeat in repeats for cycles in repeat])[0] for repeats in loads if repeats]
    return [cycles - median(hits) for cycles in near]


def one_behind_another(question: Question) -> list[float]:
    """What each further fill of the same two lines makes a load longer: that of the first program has ``fills`` more.

    One sample for each tenth of the loads, by time, but for the slowest, which wait for a refresh.
    """
    more, fewer = (
        quantiles([cycles for warps in question.repeats(name) for warp in warps for cycles in warp], n=10)[:8]
        for name in question.rule.programs
    )
    return [(a - b) / question.rule.number("fills") for a, b in zip(more, fewer, strict=True)]


def behind_front(question: Question) -> list[float]:
    """For how long what L2 has asked DRAM for waits there, while L2 takes nothing more.

    Of single loads in turn the first of two misses, and the next, of the same line, waits as long in front of L2. What
    else the first takes longer is this wait and DRAM's ``latency`` (a path). One sample for each program.
    """
    latency = question.value(question.rule.arguments["latency"])
    longer = []
    for name in (name for pattern in question.rule.programs for name in question.matching(pattern)):
        loads = [load for repeat in question.repeats(name) for load in repeat]
        longer.append(median(first - again for first, again in zip(loads[::2], loads[1::2], strict=True)) - latency)
    return longer


def written_back_in_turn(question: Question) -> list[float]:
    """Lines that a set of L2 gives up for one of them to be written back; one sample for each two programs.

    Of so many turns that were ``stored`` more are gone behind the second programs, in which ``more`` turns are loaded
    than in the first ones: single loads of those take ``late`` cycles and more. A line that is loaded takes ``places``
    in the mean, since there is a copy of what is far.
    """
    fewer, more = (
        [_share_late(question, name) for name in question.matching(pattern)] for pattern in question.rule.programs
    )
    number = question.rule.number
    return [number("places") * number("more") / (number("stored") * (b - a)) for a, b in zip(fewer, more, strict=True)]


def _share_late(question: Question, program: str) -> float:
    loads = [cycles for repeat in question.repeats(program) for cycles in repeat]
    return sum(bool(cycles >= question.rule.number("late")) for cycles in loads) / len(loads)


def crowded(question: Question) -> list[float]:
    """For how long a request occupies what it may meet another one at, from how much longer a turn of a stream takes.

    The rule's launch names two, with few and with many warps: the program runs ``turns`` turns, in the second launch of
    ``sectors`` sectors each, of which the whole GPU takes one per ``interval`` (a path) at most. In a queue with random
    arrivals and constant service a request waits service x use / (2 x (1 - use)).
    """
    (program,) = question.rule.programs
    turns, sectors = question.rule.number("turns"), question.rule.number("sectors")
    few, many = (
        [time / turns for time in sorted(question.recordings.launches(question.rule.family, program, launch))]
        for launch in question.rule.launch.split(" & ")
    )
    interval = question.value(question.rule.arguments["interval"])
    used = [sectors * interval / time for time in many]
    return [(b - a) * 2 * (1 - use) / use for a, b, use in zip(few, many, used, strict=True)]


def held_before_l2(question: Question) -> list[float]:
    """Packets of reductions that an SM is rid of before L2 has them.

    The first program does not wait for what its ``packets`` make L2 do, the second one does.
    """
    sent, returned = (question.elapsed(program) for program in question.rule.programs)
    packets = question.rule.number("packets")
    return [packets * (1 - a / b) for a, b in zip(sent, returned, strict=True)]


def held_alone(question: Question) -> list[float]:
    """Packets of one SM's reductions at one word that have left it before L2 has begun with them.

    Of ``packets`` in all L2 has done one in each ``interval`` (a path); instructions of ``lanes`` packets each wait in
    front of L1, as many as the path ``queued`` says.
    """
    (program,) = question.rule.programs
    interval, queued = (question.value(question.rule.arguments[name]) for name in ("interval", "queued"))
    waiting = queued * question.rule.number("lanes")
    return [question.rule.number("packets") - time / interval - waiting for time in question.elapsed(program)]


def until_done(question: Question) -> list[float]:
    """Cycles that L2 takes for a packet of reductions, all of them at one word.

    Each of the launch's blocks, as many as its name says, sends so many ``packets`` and is rid of the last ones, as
    many as the path ``held`` says, before L2 has begun with them.
    """
    (program,) = question.rule.programs
    blocks = int(question.rule.launch.split()[0])
    seen = blocks * (question.rule.number("packets") - question.value(question.rule.arguments["held"]))
    return [time / seen for time in question.elapsed(program)]


def begin_interval(question: Question) -> list[float]:
    """Cycles between two blocks of one warp, anywhere on the GPU, of those in the second half of a launch."""
    (program,) = question.rule.programs
    clock = question.value("gpu.clock_mhz") / 1000  # cycles a nanosecond
    return [clock * nanoseconds / blocks for nanoseconds, blocks in question.repeats(program)]
