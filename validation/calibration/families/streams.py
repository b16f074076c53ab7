"""What is fetched ahead of a warp, and when a landing or the next line waits for it: code that the L0 does not hold.

Places, so many lines apart, to which a warp goes in turn. Branches are always taken, ``BRA``, or carry a predicate that
is true, ``guarded``. Records: a clock at each place, for longer ones another before the branch.
"""

from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, clock, smsp_warps, up_to
from ..sass import RZ, Instruction, op

FIRST = 8  # register of the first clock
NOT = 1  # a predicate that is false
ROUNDS = 6
PLACES = 48
STEPS = (1, 2, 3, 4, -1, -4)
STAYS = (*range(1, 31), *range(32, 48, 2))
SKIPPED = (0, 1, 2, 3, 4, 5, 6, 10)
BEFORE = (1, 2, 3, 4, 6)
RUNS = (2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24, 28)
SLOTS = (0, 3, 6, 7)
PACES = (1, 2, 3)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for guarded in (False, True):
        for step in STEPS:
            for stay in STAYS:
                yield _ring(step, stay, guarded)
        for skipped in SKIPPED:
            for before in BEFORE:
                for pace in PACES:
                    yield _skip(skipped, before, pace, guarded)
    for run in RUNS:
        for slot in SLOTS:
            for pace in PACES:
                yield _run(run, slot, pace)
    for untaken in (1, 3, 5, 7):
        for apart in (2, 4, 8):
            for stay in (10, 20, 30):
                yield _beside(untaken, apart, stay)


def _branch(target: str, guarded: bool) -> Instruction:
    return op("BRA", target, guard=~NOT if guarded else None, stall=5)


def _experiment(name: str, region: list[Instruction], records: range) -> Experiment:
    return gone_round(f"streams/{name}", region, records)


def gone_round(
    name: str, region: list[Instruction], records: range, registers: int = Experiment.registers
) -> Experiment:
    """Return the program of one warp that goes round the region, `NOT` being false."""
    return Experiment(
        name,
        region,
        records,
        [op("ISETP", NOT, RZ, RZ, stall=SAFE)],
        (smsp_warps(1, shared=16384),),
        iterations=ROUNDS,
        sync=True,
        kind="timeline",
        registers=registers,
    )


def _ring(step: int, stay: int, guarded: bool) -> Experiment:
    """From place to place, `step` lines on, that the warp leaves `stay` cycles later."""
    slot = -(-stay // SAFE)
    order = range(PLACES) if step > 0 else range(PLACES - 1, -1, -1)
    region = [op("BRA", "place0", stall=5)]
    region += up_to(region, 0)
    for place in order:
        row = [clock(FIRST + place, label=f"place{place}"), *[op("NOP")] * (slot - 1)]
        region += [one.having(stall=(stay + number) // slot) for number, one in enumerate(row)]
        region += [_branch(f"place{place + 1}", guarded)]
        region += [op("NOP")] * (abs(step) * LINE - slot - 1)
    region.append(op("NOP", stall=SAFE, label=f"place{PLACES}"))
    kind = "guarded ring" if guarded else "ring"
    return _experiment(f"{kind}, {step} lines on, {stay} cycles at each", region, range(FIRST, FIRST + PLACES))


def _skip(skipped: int, before: int, pace: int, guarded: bool) -> Experiment:
    """Jumps forward over so many lines, so many lines run before each: clocks before each and behind it."""
    region: list[Instruction] = []
    region += up_to(region, 0)
    places = 12
    for place in range(places):
        run = [op("NOP", stall=pace)] * (before * LINE - 2) + [clock(FIRST + 2 * place, stall=pace)]
        region += [run[0].having(label=f"place{place}"), *run[1:], _branch(f"over{place}", guarded)]
        region += [op("NOP")] * (skipped * LINE)
        region += [clock(FIRST + 2 * place + 1, label=f"over{place}", stall=pace)]
        region += [op("NOP", stall=pace)] * (LINE - 1)
    region += [op("NOP")] * max(0, 70 * LINE - len(region))
    kind = "guarded jumps" if guarded else "jumps"
    name = f"{kind} over {skipped} lines, {before} lines before each, pace {pace}"
    return _experiment(name, region, range(FIRST, FIRST + 2 * places))


def _run(run: int, slot: int, pace: int) -> Experiment:
    """Land in a slot of a line that is missing and run straight on: clocks at the first and last instruction."""
    places, apart = 16, 8
    region: list[Instruction] = [op("BRA", "place0", stall=5)]
    region += up_to(region, 0)
    for place in range(places):
        row = [op("NOP")] * slot + [clock(FIRST + 2 * place, stall=pace, label=f"place{place}")]
        row += [op("NOP", stall=pace)] * (run - 2) + [clock(FIRST + 2 * place + 1, stall=pace)]
        row += [_branch(f"place{place + 1}", True)]
        region += [*row, *[op("NOP")] * (apart * LINE - len(row))]
    region.append(op("NOP", stall=SAFE, label=f"place{places}"))
    return _experiment(f"run of {run} from slot {slot}, pace {pace}", region, range(FIRST, FIRST + 2 * places))


def _beside(untaken: int, apart: int, stay: int) -> Experiment:
    """In each place a branch to the place after the next that is not taken, then one to the next."""
    places = 40
    region: list[Instruction] = [op("BRA", "place0", stall=5)]
    region += up_to(region, 0)
    for place in range(places):
        row = [clock(FIRST + place, label=f"place{place}", stall=2)]
        row += [op("NOP")] * (untaken - 1) + [op("BRA", f"place{min(place + 2, places)}", guard=NOT, stall=5)]
        row += [op("NOP", stall=(stay - 5) // 2), op("NOP", stall=stay - 5 - (stay - 5) // 2)]
        row += [_branch(f"place{place + 1}", True)]
        region += [*row, *[op("NOP")] * (apart * LINE - len(row))]
    region.append(op("NOP", stall=SAFE, label=f"place{places}"))
    name = f"untaken branch in slot {untaken}, {apart} lines apart, {stay} cycles"
    return _experiment(name, region, range(FIRST, FIRST + places))
