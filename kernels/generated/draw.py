"""The grammar: from a source of choices to a program."""

from collections.abc import Mapping

from kernels.generated.choices import Choices, spread, weighted
from kernels.generated.cost import cost
from kernels.generated.operations import LITERALS, NOTHING, Operation, group, operations
from kernels.generated.profiles import PROFILES, Profile
from kernels.generated.program import (
    EXCHANGE_PATTERNS,
    FEWEST_WORDS,
    SHARED_VALUES,
    WIDTHS,
    Barrier,
    Body,
    Branch,
    Compute,
    Exchange,
    Loop,
    Program,
    Shape,
    Statement,
    Switch,
    Take,
    level_inside,
    used_variables,
)

MOST_CHAINS = 8
MOST_DEPTH = 3
WAITING = ("exchange", "barrier")  # forms that all threads of a block must reach together
CYCLES = (2_000, 60_000)  # what trip counts aim at, by rough costs
MOST_EXECUTED = 10_000  # operations of a warp in all its trips: bounds the time of the emulator
TRIPS = (5, 200)
MOST_WORDS = 1 << 20
REGISTERS_PER_SM = 65_536
FEWEST_REGISTERS = 64  # per thread, that launch bounds leave: enough for all that is drawn
SMS = 132
WARPS_PER_BATCH = 256  # that the emulator runs together


def draw_program(choices: Choices, profile: str, shapes: tuple[Shape, ...], largest: int | None = None) -> Program:
    """A program of ``profile`` (a key of PROFILES) for these launches, of ``largest`` operations at most."""
    rules = PROFILES[profile]
    low, high = rules.sizes
    most = high if largest is None else min(high, largest)
    author = _Author(choices, rules)
    body = author.body(spread(choices, min(low, most), most), "block", 0)
    threads = max(shape.threads for shape in shapes)
    most_blocks = REGISTERS_PER_SM // (threads * FEWEST_REGISTERS)
    return Program(
        body=body,
        variables=used_variables(body),
        trips=_trips(choices, body, shapes),
        unroll=choices.choice((1, 1, 2, 4)),
        min_blocks=choices.integer(0, min(2, most_blocks)),
        words=1 << choices.integer(FEWEST_WORDS.bit_length() - 1, MOST_WORDS.bit_length() - 1),
        shapes=shapes,
    )


def _trips(choices: Choices, body: Body, shapes: tuple[Shape, ...]) -> int:
    """As many as make the drawn number of cycles."""
    per_trip = cost(body)
    warps = max(shape.threads // 32 * -(-shape.blocks // SMS) for shape in shapes)
    batches = max(1, max(shape.threads // 32 * shape.blocks for shape in shapes) // WARPS_PER_BATCH)
    wanted = spread(choices, *CYCLES) // max(1, per_trip.latency, per_trip.sm_cycles * warps)
    allowed = MOST_EXECUTED // (max(1, per_trip.operations) * batches)
    return max(TRIPS[0], min(TRIPS[1], wanted, allowed))


class _Author:
    """Draws statements; remembers the program's theme and which chain is next."""

    def __init__(self, choices: Choices, rules: Profile) -> None:
        self.choices = choices
        self.rules = rules
        self.chains = choices.integer(1, MOST_CHAINS)
        self.join_percent = choices.choice((0, 10, 30, 60, 100))
        self.form_percent = choices.integer(0, rules.form_percent)
        self.groups = dict.fromkeys(self._theme(rules.arithmetic, 4), 1)
        if rules.special:
            share = choices.integer(1, 4)
            self.groups |= dict.fromkeys(self._theme(rules.special, 3), share)
        self._next = 0

    def _theme(self, weights: Mapping[str, int], most: int) -> list[str]:
        count = self.choices.integer(1, min(most, len(weights)))
        chosen: list[str] = []
        while len(chosen) < count:
            chosen.append(weighted(self.choices, {name: w for name, w in weights.items() if name not in chosen}))
        return chosen

    def body(self, size: int, level: str, depth: int) -> Body:
        """Statements that hold ``size`` operations."""
        statements: list[Statement] = []
        left = size
        while left > 0:
            forms = self.choices.integer(1, 100) <= self.form_percent and depth < MOST_DEPTH
            statement, used = self._form(left, level, depth) if forms else (self._compute(level), 1)
            statements.append(statement)
            left -= used
        return tuple(statements)

    def _compute(self, level: str) -> Compute:
        able = {name: weight for name, weight in self.groups.items() if _at_level(name, level)}
        operation = self.choices.choice(_at_level(weighted(self.choices, able or {"integer": 1}), level))
        target = "" if operation.result == NOTHING else self._target(operation.result)
        return Compute(operation.name, target, self._sources(operation, target))

    def _target(self, kind: str) -> str:
        self._next += 1
        return f"{kind}{self._next % self.chains}"

    def _sources(self, operation: Operation, target: str) -> tuple[str, ...]:
        sources: list[str] = []
        for kind in operation.sources:
            if kind in LITERALS:
                sources.append(f"{self.choices.choice(LITERALS[kind])}u")
            elif not sources and kind == operation.result:
                sources.append(target)
            else:
                joins = kind != operation.result or self.choices.integer(1, 100) <= self.join_percent
                sources.append(self._variable(kind, target) if joins else self._shared_value(kind, target))
        return tuple(sources)

    def _variable(self, kind: str, target: str = "") -> str:
        """A variable other than ``target``, or a shared value: x ^ x would make what came before dead."""
        others = [name for name in (f"{kind}{n}" for n in range(self.chains)) if name != target]
        return self.choices.choice(others or SHARED_VALUES[kind] or (target,))

    def _shared_value(self, kind: str, target: str) -> str:
        return self.choices.choice(SHARED_VALUES[kind]) if SHARED_VALUES[kind] else self._variable(kind, target)

    def _form(self, left: int, level: str, depth: int) -> tuple[Statement, int]:
        """A statement that holds others, or waits, and how many operations that makes."""
        forms = {form: weight for form, weight in self.rules.forms.items() if level != "lane" or form not in WAITING}
        form = weighted(self.choices, forms)
        size = self.choices.integer(1, max(1, min(left, 24)))
        match form:
            case "branch":
                return self._branch(size, level, depth), size
            case "switch":
                count = self.choices.choice((2, 4, 8))
                each = max(1, size // count)
                cases = tuple(self.body(each, "lane", depth + 1) for _ in range(count))
                return Switch(self._variable("u"), cases), each * count
            case "loop" | "lane_loop":
                return self._loop(form, size, level, depth)
            case "exchange":
                return self._exchange(min(size, 6), level), min(size, 6) + 3
            case _:
                return Barrier(self._scope()), 1

    def _branch(self, size: int, level: str, depth: int) -> Branch:
        condition = operations()[self.choices.choice(self.rules.conditions)]
        branch = Branch(condition.name, self._sources(condition, ""), ())
        inside = level_inside(branch, level)
        first = self.choices.integer(1, size)
        then = self.body(first, inside, depth + 1)
        return Branch(condition.name, branch.sources, then, self.body(size - first, inside, depth + 1))

    def _loop(self, form: str, size: int, level: str, depth: int) -> tuple[Loop, int]:
        selector = self._variable("u") if form == "lane_loop" else ""
        trips = self.choices.choice((2, 4, 8, 16) if selector else (2, 3, 4, 6))
        unroll = self.choices.choice((1, 1, 2, trips))
        body = self.body(max(1, size // 3), "lane" if selector else level, depth + 1)
        return Loop(trips, body, unroll, selector), max(1, size // 3) * (unroll if unroll > 1 else 1)

    def _scope(self) -> str:
        return self.choices.choice(("block", "warp"))

    def _exchange(self, size: int, level: str) -> Exchange:
        scope = self._scope()
        values = tuple(self._variable("u") for _ in range(self.choices.choice(WIDTHS)))
        stride = self.choices.choice((*LITERALS["S"], 0))
        between = tuple(self._compute(level) for _ in range(self.choices.integer(0, size)))
        takes = tuple(self._take() for _ in range(self.choices.integer(1, 3)))
        return Exchange(scope, stride, values, between, takes)

    def _take(self) -> Take:
        pattern = self.choices.choice(EXCHANGE_PATTERNS)
        number = self.choices.choice(LITERALS["S"])
        return Take(self._target("u"), pattern, number, self._variable("u") if pattern == "scatter" else "")


def _at_level(name: str, level: str) -> tuple[Operation, ...]:
    return tuple(operation for operation in group(name) if operation.stands_at(level))
