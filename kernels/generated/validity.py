"""Which programs are valid: they compile, end, stay in bounds, and compute the same in every run."""

from collections.abc import Iterator

from kernels.generated.operations import CONDITION, NOTHING, VARIABLE_KINDS, operations
from kernels.generated.program import (
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
    Statement,
    Switch,
    bodies,
    level_inside,
    names,
)


def problems(program: Program) -> list[str]:
    """Why a program is not valid: one line per fault, empty for a valid one."""
    found = list(_body_problems(program, program.body, "block"))
    if program.trips < 1 or program.unroll < 1:
        found.append("trip counts and unrolling begin at 1")
    if program.words < FEWEST_WORDS or program.words & (program.words - 1):
        found.append(f"{program.words} words are not a power of two from {FEWEST_WORDS} on")
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
            elif isinstance(statement, Compute):
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
