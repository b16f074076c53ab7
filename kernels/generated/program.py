"""A generated program as a tree: what is drawn, rendered as CUDA C, and reduced.

Variables are named by kind and number, "u0" or "f3"; the kinds are those of ``operations.csv``. Sources are variables,
literals ("5u"), or the values that every thread shares: "k", "c" (kernel arguments), "i" (the main loop's counter).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kernels.generated.operations import VARIABLE_KINDS, operations

# By kind, what a source may be besides a variable.
SHARED_VALUES = {"u": ("k", "i", "0x9e3779b9u"), "f": ("c", "0.75f"), "d": ("cd",), "h": ("ch",), "a": ()}
WIDTHS = (1, 2, 4)  # words of an exchanged element
FEWEST_WORDS = 256  # of the input array
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
        words: of the input array, a power of two from FEWEST_WORDS on.
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


def used_variables(body: Body) -> tuple[int, ...]:
    """How many variables a body needs, by kind in the order of VARIABLE_KINDS: one more than the highest number."""
    highest = dict.fromkeys(VARIABLE_KINDS, -1)
    for name in (name for statement in walk(body) for name in names(statement)):
        if name[0] in highest and name[1:].isdecimal():
            highest[name[0]] = max(highest[name[0]], int(name[1:]))
    return tuple(number + 1 for number in highest.values())


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
