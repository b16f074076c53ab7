"""Instruction fetch and the constants that come with instructions."""

from itertools import pairwise, takewhile
from statistics import mean, median

from ..program import LINE
from ..sass import INSTRUCTION_BYTES
from .question import Question


def _excess(question: Question) -> dict[int, float]:
    """By its place in the code (``{}`` in the program's name), what a branch target costs beyond the least place."""
    (pattern,) = question.rule.programs
    costs = {place: question.settled(name) - place for place, name in question.numbered(pattern).items()}
    return {place: cost - min(costs.values()) for place, cost in costs.items()}


def line_bytes(question: Question) -> list[float]:
    """The distance between branch targets that cost more: those at the end of a line."""
    late = [place for place, cost in _excess(question).items() if cost > 0]
    return [float((b - a) * INSTRUCTION_BYTES) for a, b in pairwise(late)]


def line_end(question: Question) -> list[float]:
    """What a branch target at the end of a line costs more."""
    return [cost for cost in _excess(question).values() if cost > 0]


def fitting_lines(question: Question) -> list[float]:
    """Lines of the longest loop (its size for ``{}``, ``more`` instructions around it) that runs without a bubble.

    The lines fetched ahead behind its end (the path ``plus``) lie in the cache, too; bits of the address say where, so
    that it holds a power of two.
    """
    (pattern,) = question.rule.programs
    loops = {size: question.elapsed(name) for size, name in question.numbered(pattern).items()}
    least = min(loops)
    start = loops[least][0] - least
    longest = max(size for size, times in loops.items() if times[-1] == size + start)
    instructions = longest + int(question.rule.number("more"))
    lines = -(-instructions // LINE) + int(question.value(question.rule.arguments["plus"]))
    return [1 << (lines - 1).bit_length()]


def ways_missed(question: Question) -> list[float]:
    """How many lines of a chain of jumps (``{}`` lines) miss for each line that the cache holds too few.

    Of ``more`` lines around the chain as many have each a set in which all lines miss, its own and so many of the
    chain: paths ``lines`` of the cache, ``miss`` of what one costs.
    """
    (pattern,) = question.rule.programs
    arguments = question.rule.arguments
    chains = {lines: question.elapsed(name)[-1] for lines, name in question.numbered(pattern).items()}
    shortest, longer, *_ = sorted(chains)
    each = (chains[longer] - chains[shortest]) / (longer - shortest)
    held, more = int(question.value(arguments["lines"])), int(question.rule.number("more"))
    longest = max(lines for lines in chains if lines <= held)
    missed = (chains[longest] - chains[shortest] - each * (longest - shortest)) / question.value(arguments["miss"])
    return [round(missed / (longest + more - held))]


def kept_lines(question: Question) -> list[float]:
    """Lines of the most places (``{}`` of them) that a warp which goes around finds again.

    At each the lines fetched ahead (the path ``ahead``) lie in the cache, too, and behind a branch at the end of a line
    another one. The first half of the visits goes around.
    """
    (pattern,) = question.rule.programs
    found = []
    for places, name in question.numbered(pattern).items():
        (times,) = question.repeats(name)[-1]
        again = times[places : 2 * places]
        if 2 * places <= len(times) // 2 and max(again) == min(times[1:]):
            found.append(places)
    return [max(found) * (2 + question.value(question.rule.arguments["ahead"]))]


def landing_miss(question: Question) -> list[float]:
    """What each landing at the top of the longest loop costs more than at that of the shortest."""
    late = _late_landings(question)
    return [late[max(late)] - late[min(late)]]


def instructions_a_cycle(question: Question) -> list[float]:
    """Of a line that is missing: by the slot (``{}``) of it that a warp lands in, how much later it does."""
    (pattern,) = question.rule.programs
    hops = {slot: _hops(question, name)[-2] for slot, name in question.numbered(pattern).items()}
    return [(max(hops) - 1) / (hops[max(hops) - 1] - hops[0])]


def brought_ahead(question: Question) -> list[float]:
    """Cycles from one place to the next however soon a warp leaves it (after ``{}`` cycles): what the first brings."""
    (pattern,) = question.rule.programs
    taken = question.value("frontend.branch_taken")
    hops = {stay: _hops(question, name)[-1] for stay, name in question.numbered(pattern).items()}
    late = [hop for stay, hop in hops.items() if hop > stay + taken]
    return [hop for hop in late if late.count(hop) > 1]


def brought_behind(question: Question) -> list[float]:
    """Cycles from a landing to the next line, where NOPs of one cycle run through ``lines`` lines to the next clock."""
    (name,) = question.rule.programs
    return [LINE + on - (int(question.rule.number("lines")) * LINE - 2) for on in _hops(question, name)[-2::-2][:8]]


def followed(question: Question) -> list[float]:
    """Cycles from a place that was missing to that which its branch leads to, however soon a warp leaves it."""
    (pattern,) = question.rule.programs
    hops = [hop for name in question.numbered(pattern).values() for hop in _hops(question, name)[-2:]]
    return [hop for hop in hops if hops.count(hop) == max(map(hops.count, hops))]


def there_after(question: Question) -> list[float]:
    """Cycles from a clock to when a line is there for a branch, of branches after ever longer waits."""
    (name,) = question.rule.programs
    return [_there(question, name)]


def next_there_after(question: Question) -> list[float]:
    """By how much the line of the first program is there later than that of the second."""
    first, second = question.rule.programs
    return [_there(question, first) - _there(question, second)]


def _there(question: Question, name: str) -> float:
    """The least time of a branch that waits for the line, as it does for ``late`` cycles at least, or that does not."""
    taken, late = question.value("frontend.branch_taken"), question.rule.number("late")
    hops = _hops(question, name)[::2]
    waits = range(int(name.rpartition(" ")[2]), int(name.rpartition(" ")[2]) + len(hops))
    waiting = [hop for wait, hop in zip(waits, hops, strict=True) if hop > wait + taken + late]
    return min(waiting) if waiting else min(hop for wait, hop in zip(waits, hops, strict=True) if hop == wait + taken)


def _hops(question: Question, name: str) -> list[float]:
    """From each clock read to the next, in the last repeat."""
    (times,) = question.repeats(name)[-1]
    return [float(b - a) for a, b in pairwise(times)]


def _late_landings(question: Question) -> dict[int, float]:
    """By the lines of a loop, cycles of a trip, as good as each, beyond one for each instruction."""
    (pattern,) = question.rule.programs
    loops = question.numbered(pattern)
    return {
        lines: (question.settled(name) - (trips := question.meta(name)["trips"]) * lines * LINE) / (trips - 1)
        for lines, name in loops.items()
    }


def busy_landing(question: Question) -> list[float]:
    """The most cycles by which a second warp may branch behind a first one and still land late."""
    return [max(behind for behind, late in _second_landings(question) if late > 1)]


def late_landing(question: Question) -> list[float]:
    """How much later such a second warp lands; a cycle may be the first one's issue."""
    return [late for _, late in _second_landings(question) if late > 1]


def _second_landings(question: Question) -> list[tuple[float, float]]:
    """Of two warps that branch, ``lead`` cycles behind a clock: by how much the second does later, and lands late."""
    (pattern,) = question.rule.programs
    usual = question.rule.number("lead") + question.value(question.rule.arguments["usual"])
    pairs = [sorted(warps) for name in question.matching(pattern) for warps in question.repeats(name)]
    return [(second[0] - first[0], second[1] - second[0] - usual) for first, second in pairs]


def cost_of_each(question: Question) -> list[float]:
    """What each of the first program's ``count`` costs beyond what each of the second's does."""
    first, second = question.rule.programs
    least = question.settled(second) / _count(question, second)
    return [cycles / _count(question, first) - least for cycles in question.elapsed(first)]


def _count(question: Question, program: str) -> int:
    return int(question.meta(program)["count"])


def lines_ahead(question: Question) -> list[float]:
    """Lines that come with the first of an island: those behind it that do not wait. The first island is left out."""
    (program,) = question.rule.programs
    lines = int(question.meta(program)["lines"])
    islands = [
        clocks[at : at + lines] for (clocks,) in question.repeats(program) for at in range(lines, len(clocks), lines)
    ]
    return [
        float(len(list(takewhile(lambda step: step == LINE, (b - a for a, b in pairwise(island))))))
        for island in islands
    ]


def lines_a_miss(question: Question) -> list[float]:
    """Further lines that come with one that missed, which takes the paths ``miss``: from a loop that no cache holds."""
    (row,) = question.rule.programs
    miss = sum(question.value(path) for path in question.rule.arguments["miss"].split(","))
    instructions = int(row.rpartition("/")[2])
    return [miss / (cycles * LINE / instructions) - 1 for cycles in question.elapsed(row)]


def cold_miss(question: Question) -> list[float]:
    """What the first line that had to come from DRAM costs more than the dearest of those before it."""
    return [steps[first] - max(steps[:first]) for steps, (first, *_) in _cold_misses(question)]


def lines_a_cold_miss(question: Question) -> list[float]:
    """Further lines that come with the first one that had to come from DRAM: up to the second such."""
    return [second - first - 1 for _, (first, second, *_) in _cold_misses(question)]


def _cold_misses(question: Question) -> list[tuple[list[int], list[int]]]:
    """Of each program the cycles from clock to clock, a line each, and which of these are ``long`` or longer."""
    (pattern,) = question.rule.programs
    long = question.rule.number("long")
    misses = []
    for name in question.matching(pattern):
        for (clocks,) in question.repeats(name):
            steps = [b - a for a, b in pairwise(clocks)]
            misses.append((steps, [place for place, step in enumerate(steps) if step >= long]))
    return misses


def prefetched_lines(question: Question) -> list[float]:
    """Lines that a launch's first pass over its code finds: up to the first clock that comes late.

    ``lines`` lie between two clocks, ``before`` in front of the first.
    """
    (program,) = question.rule.programs
    reached = []
    for (clocks,) in question.repeats(program):
        steps = [b - a for a, b in pairwise(clocks)]
        late = (at for at, step in enumerate(steps) if step >= 2 * steps[0])
        in_time = next(late, len(steps))
        reached.append(in_time * question.rule.number("lines") + question.rule.number("before"))
    return reached


def bytes_a_miss(question: Question) -> list[float]:
    """Bytes between two touches that miss, of touches ``apart`` bytes from one another."""
    (program,) = question.rule.programs
    lines = []
    for (touches,) in question.repeats(program):
        missed = [at for at, cycles in enumerate(touches) if cycles > 2 * min(touches)]
        lines += [(b - a) * question.rule.number("apart") for a, b in pairwise(missed)]
    return sorted(lines)


def missed_of_a_set(question: Question) -> list[float]:
    """Lines that a set has of those that miss when one more is gone over again and again, which gives up each."""
    (program,) = question.rule.programs
    return [sum(cycles > 2 * min(touches) for cycles in touches) - 1 for (touches,) in question.repeats(program)]


def come_together(question: Question) -> list[float]:
    """Of warps that touch lines of their own at once, by their first two clocks, those that have it before a gap."""
    (program,) = question.rule.programs
    counts = []
    for warps in question.repeats(program):
        ends = sorted(clocks[1] for clocks in warps)
        gaps = [later - earlier for earlier, later in pairwise(ends)]
        counts.append(float(gaps.index(max(gaps)) + 1))
    return counts


def beyond_the_least(question: Question) -> list[float]:
    """By how much the touches that take twice as long as the shortest one are longer; in all repeats but the first."""
    (program,) = question.rule.programs
    beyond: list[float] = []
    for (touches,) in question.repeats(program)[1:]:
        beyond += [cycles - min(touches) for cycles in touches if cycles > 2 * min(touches)]
    return beyond


def beyond_the_least_of_another(question: Question) -> list[float]:
    """By how much a row's touches are longer, in the mean of each repeat, than the shortest one of the first program.

    All of the further programs' touches miss.
    """
    held, *missing = question.rule.programs
    least = min(min(touches) for (touches,) in question.repeats(held))
    return [mean(touches) - least for program in missing for (touches,) in question.repeats(program)]


def served_in_turn(question: Question) -> list[float]:
    """Between two warps' last clocks, of warps that ask at the same time."""
    (program,) = question.rule.programs
    ends = [sorted(warp[-1] for warp in repeat) for repeat in question.repeats(program)]
    return [later - earlier for clocks in ends for earlier, later in pairwise(clocks)]


def turns_of_others(question: Question) -> list[float]:
    """Cycles by which a first touch comes later for each of the SM's that come before it, where all SMs touch at once.

    The first program's touches are at once, the second's one SM's behind another's; ``warps`` of an SM touch.
    """
    at_once, alone = question.rule.programs
    before = (question.rule.number("warps") - 1) / 2
    late, usual = ([means[0] for means, _ in question.repeats(name)] for name in (at_once, alone))
    return [(a - median(usual)) / before for a in late]


def missed_before_the_line(question: Question) -> list[float]:
    """For how long LDCs miss a line that the first asked for: those that do, ``interval`` apart, end behind a gap.

    A warp's clocks are pairs, before and behind an LDC; of each pair's ends those behind the widest gap missed.
    """
    (program,) = question.rule.programs
    interval = question.value(question.rule.arguments["interval"])
    times = []
    for warps in question.repeats(program):
        for behind in range(1, len(warps[0]), 2):
            ends = sorted(clocks[behind] for clocks in warps)
            gaps = [later - earlier for earlier, later in pairwise(ends)]
            times.append(interval * (len(gaps) - gaps.index(max(gaps))))
    return times
