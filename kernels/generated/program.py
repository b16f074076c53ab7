"""A generated program as a tree: what is drawn, rendered as CUDA C, and reduced.

Variables are named by kind and number, "u0" or "f3"; the kinds are those of ``operations.csv``. Sources are variables,
literals ("5u"), or the values that every thread shares: "k", "c" (kernel arguments), "i" (the main loop's counter).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kernels.generated.operations import CONDITION, NOTHING, VARIABLE_KINDS, operations

# By kind, what a source may be besides a variable.
SHARED_VALUES = {"u": ("k", "i", "0x9e3779b9u"), "f": ("c", "0.75f"), "d": ("cd",), "h": ("ch",), "a": ()}
WIDTHS = (1, 2, 4)  # words of an exchanged element
EXCHANGE_PATTERNS = ("xor", "shift", "same", "stride", "scatter")


@dataclass(frozen=True)
class Compute:
    """One operation: ``target`` is written ("" for an operation without a result), ``sources`` are read."""

    operation: str
    target: str
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Branch:
    """If and else; the condition is an operation whose result is "p"."""

    condition: str
    sources: tuple[str, ...]
    then: "Body"
    otherwise: "Body" = ()


@dataclass(frozen=True)
class Switch:
    """One case for each value of ``selector`` modulo the number of cases, which is a power of two."""

    selector: str
    cases: tuple["Body", ...]


@dataclass(frozen=True)
class Loop:
    """``trips`` rounds; with ``selector`` each lane has its own number of rounds, 1 to ``trips`` (a power of two)."""

    trips: int
    body: "Body"
    unroll: int = 1
    selector: str = ""


@dataclass(frozen=True)
class Take:
    """A read of an exchanged element into ``target``, from the place that ``pattern`` makes of ``number``.

    "xor", "shift": the element of the thread whose index is this one's, xor or plus ``number``; "same": one element for
    all; "stride": elements at another stride; "scatter": where ``selector`` says.
    """

    target: str
    pattern: str
    number: int
    selector: str = ""


@dataclass(frozen=True)
class Exchange:
    """Every thread writes an element of shared memory, all wait, read others' elements, and wait again.

    Attributes:
        scope: "block" (``__syncthreads``) or "warp" (``__syncwarp``).
        stride: between the elements of neighbouring threads; 0: xor of the thread's index with its upper bits.
        values: the words of the element: 1, 2 or 4 variables.
        between: straight code after the write, before the first wait.
    """

    scope: str
    stride: int
    values: tuple[str, ...]
    between: "Body"
    takes: tuple[Take, ...]


@dataclass(frozen=True)
class Barrier:
    """``__syncthreads`` ("block") or ``__syncwarp`` ("warp")."""

    scope: str


Statement: TypeAlias = Compute | Branch | Switch | Loop | Exchange | Barrier
Body: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True)
class Shape:
    """Blocks of the grid, and threads per block: a multiple of 32."""

    blocks: int
    threads: int

    @property
    def name(self) -> str:
        """ "1x128": one block of 128 threads."""
        return f"{self.blocks}x{self.threads}"


@dataclass(frozen=True)
class Program:
    """A kernel and how it is launched.

    Attributes:
        body: what the main loop repeats.
        variables: how many there are, by kind in the order of VARIABLE_KINDS.
        trips: of the main loop, an argument of the kernel.
        unroll: what the pragma asks for.
        min_blocks: of ``__launch_bounds__``; 0 when only the threads are given.
        words: of the input array, a power of two from 256 on.
        shapes: the launches.
    """

    body: Body
    variables: tuple[int, ...]
    trips: int
    unroll: int
    min_blocks: int
    words: int
    shapes: tuple[Shape, ...]

    def count(self, kind: str) -> int:
        """How many variables of a kind there are."""
        return self.variables[VARIABLE_KINDS.index(kind)]

    @property
    def threads(self) -> int:
        """Of the largest block."""
        return max(shape.threads for shape in self.shapes)


def bodies(statement: Statement) -> tuple[Body, ...]:
    """The bodies inside a statement."""
    match statement:
        case Branch():
            return (statement.then, statement.otherwise)
        case Switch():
            return statement.cases
        case Loop():
            return (statement.body,)
        case Exchange():
            return (statement.between,)
        case _:
            return ()


def walk(body: Body) -> Iterator[Statement]:
    """All statements, those inside others included."""
    for statement in body:
        yield statement
        for inner in bodies(statement):
            yield from walk(inner)


def names(statement: Statement) -> tuple[str, ...]:
    """The variables, literals and shared values that a statement itself names."""
    match statement:
        case Compute():
            return (*filter(None, (statement.target,)), *statement.sources)
        case Branch():
            return statement.sources
        case Switch():
            return (statement.selector,)
        case Loop():
            return tuple(filter(None, (statement.selector,)))
        case Exchange():
            takes = (name for take in statement.takes for name in (take.target, take.selector) if name)
            return (*statement.values, *takes)
        case Barrier():
            return ()


def level_inside(statement: Statement, level: str) -> str:
    """The level of control flow inside a statement that stands at ``level``: "block" or "lane"."""
    match statement:
        case Branch():
            parts = operations()[statement.condition].level == "lane"
        case Loop():
            parts = bool(statement.selector)
        case _:
            parts = isinstance(statement, Switch)
    return "lane" if parts else level


def problems(program: Program) -> list[str]:
    """Why a program is not valid: one line per fault, empty for a valid one."""
    found = list(_body_problems(program, program.body, "block"))
    if program.trips < 1 or program.unroll < 1:
        found.append("trip counts and unrolling begin at 1")
    if program.words < 256 or program.words & (program.words - 1):
        found.append(f"{program.words} words are not a power of two from 256 on")
    for shape in program.shapes:
        if shape.threads % 32 or not 32 <= shape.threads <= 1024 or shape.blocks < 1:
            found.append(f"{shape.name} is not a launch of whole warps")
    return found


def _body_problems(program: Program, body: Body, level: str) -> Iterator[str]:
    for statement in body:
        yield from (f"{name} is not declared" for name in names(statement) if not _declared(program, name))
        yield from _problems(statement, level)
        for inner in bodies(statement):
            yield from _body_problems(program, inner, level_inside(statement, level))


def _declared(program: Program, name: str) -> bool:
    kind, number = name[0], name[1:]
    return not (kind in VARIABLE_KINDS and number.isdecimal()) or int(number) < program.count(kind)


def _problems(statement: Statement, level: str) -> Iterator[str]:
    match statement:
        case Compute() | Branch():
            name = statement.operation if isinstance(statement, Compute) else statement.condition
            operation = operations()[name]
            if isinstance(statement, Branch) != (operation.result == CONDITION):
                yield f"{name} is not what stands there"
            if isinstance(statement, Compute):
                wanted = "" if operation.result == NOTHING else operation.result
                if statement.target[:1] != wanted:
                    yield f"{name} writes {statement.target!r}"
                if not operation.stands_at(level):
                    yield f"{name} where lanes may have parted"
            for kind, source in zip(operation.sources, statement.sources, strict=True):
                if not _fits(kind, source):
                    yield f"{name}: {source} is no {kind}"
        case Switch() if len(statement.cases) & (len(statement.cases) - 1) or not statement.cases:
            yield f"{len(statement.cases)} cases are not a power of two"
        case Loop() if statement.trips < 1 or (statement.selector and statement.trips & (statement.trips - 1)):
            yield f"{statement.trips} trips"
        case Exchange() | Barrier():
            if level != "block":
                yield f"a {statement.scope} barrier where lanes may have parted"
            if isinstance(statement, Exchange):
                if len(statement.values) not in WIDTHS:
                    yield f"an element of {len(statement.values)} words"
                if not all(isinstance(inner, Compute) for inner in statement.between):
                    yield "more than straight code between the write and the wait"


def _fits(kind: str, source: str) -> bool:
    """Whether a source may stand for a kind: approximate variables for no other kind."""
    if kind not in VARIABLE_KINDS:
        return source[:1].isdecimal()
    return (source[1:].isdecimal() and source[0] == kind) or source in SHARED_VALUES[kind]
