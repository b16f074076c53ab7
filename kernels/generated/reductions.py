"""Smaller programs: every one-step reduction of a program, for finding the smallest that still shows something."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from kernels.generated.operations import NOTHING, operations, simplest
from kernels.generated.program import (
    FEWEST_WORDS,
    SHARED_VALUES,
    Body,
    Branch,
    Compute,
    Exchange,
    Loop,
    Program,
    Shape,
    Statement,
    Switch,
    used_variables,
    walk,
)


def reductions(program: Program) -> Iterator[Program]:
    """Every program that is one step smaller, large steps first; each is valid when ``program`` is.

    A step drops a statement or puts what it holds in its place, halves a trip count, stops an unrolling, takes the
    simplest operation, or halves the launches or the arrays. No sequence of steps goes on for ever: ``size`` falls.
    """
    yield from (replace(program, body=body) for body in _smaller_bodies(program.body))
    if program.trips > 1:
        yield replace(program, trips=program.trips // 2)
    if program.unroll > 1:
        yield replace(program, unroll=1)
    if program.min_blocks:
        yield replace(program, min_blocks=0)
    if program.words > FEWEST_WORDS:
        yield replace(program, words=program.words // 2)
    if len(program.shapes) > 1:
        yield from (replace(program, shapes=(shape,)) for shape in program.shapes)
    if any(shape.threads > 32 for shape in program.shapes):
        yield replace(program, shapes=_reshaped(program, lambda s: Shape(s.blocks, max(32, s.threads // 64 * 32))))
    if any(shape.blocks > 1 for shape in program.shapes):
        yield replace(program, shapes=_reshaped(program, lambda s: Shape(max(1, s.blocks // 2), s.threads)))
    variables = used_variables(program.body)
    if variables != program.variables:
        yield replace(program, variables=variables)


def size(program: Program) -> int:
    """What every reduction lowers."""
    launches = sum(shape.threads // 32 + shape.blocks for shape in program.shapes)
    numbers = program.trips + program.unroll + program.min_blocks + program.words // FEWEST_WORDS
    return sum(map(_weight, walk(program.body))) + launches + numbers + sum(program.variables)


def _weight(statement: Statement) -> int:
    match statement:
        case Compute():
            return 1 if _is_simplest(statement) else 2
        case Loop():
            return 1 + statement.trips + statement.unroll + bool(statement.selector)
        case Switch():
            return 1 + len(statement.cases)
        case Exchange():
            return 1 + len(statement.values) + len(statement.takes)
        case _:
            return 1


def _reshaped(program: Program, change: Callable[[Shape], Shape]) -> tuple[Shape, ...]:
    """The launches changed, each kept once."""
    return tuple(dict.fromkeys(map(change, program.shapes)))


def _smaller_bodies(body: Body) -> Iterator[Body]:
    for position in range(len(body)):
        yield body[:position] + body[position + 1 :]
    for position, statement in enumerate(body):
        for smaller in _in_its_place(statement):
            yield body[:position] + smaller + body[position + 1 :]


def _in_its_place(statement: Statement) -> Iterator[Body]:
    """What may stand where a statement stood."""
    match statement:
        case Compute():
            if not _is_simplest(statement):
                yield (_simplified(statement),)
        case Branch():
            yield from (side for side in (statement.then, statement.otherwise) if side)
            yield from ((replace(statement, then=then),) for then in _smaller_bodies(statement.then))
            yield from ((replace(statement, otherwise=other),) for other in _smaller_bodies(statement.otherwise))
        case Switch():
            yield from _smaller_switches(statement)
        case Loop():
            yield from _smaller_loops(statement)
        case Exchange():
            yield from _smaller_exchanges(statement)
        case _:
            pass


def _smaller_switches(switch: Switch) -> Iterator[Body]:
    yield from switch.cases
    if len(switch.cases) > 1:
        yield (replace(switch, cases=switch.cases[: len(switch.cases) // 2]),)
    for position, case in enumerate(switch.cases):
        for smaller in _smaller_bodies(case):
            cases = (*switch.cases[:position], smaller, *switch.cases[position + 1 :])
            yield (replace(switch, cases=cases),)


def _smaller_loops(loop: Loop) -> Iterator[Body]:
    yield loop.body
    if loop.trips > 1:
        yield (replace(loop, trips=loop.trips // 2),)
    if loop.unroll > 1:
        yield (replace(loop, unroll=1),)
    if loop.selector:
        yield (replace(loop, selector=""),)
    yield from ((replace(loop, body=body),) for body in _smaller_bodies(loop.body))


def _smaller_exchanges(exchange: Exchange) -> Iterator[Body]:
    if exchange.between:
        yield exchange.between
    if len(exchange.values) > 1:
        yield (replace(exchange, values=exchange.values[: len(exchange.values) // 2]),)
    for position in range(len(exchange.takes) if len(exchange.takes) > 1 else 0):
        yield (replace(exchange, takes=exchange.takes[:position] + exchange.takes[position + 1 :]),)
    yield from ((replace(exchange, between=between),) for between in _smaller_bodies(exchange.between))


def _is_simplest(compute: Compute) -> bool:
    result = operations()[compute.operation].result
    return result == NOTHING or simplest(result).name == compute.operation


def _simplified(compute: Compute) -> Compute:
    """The simplest operation with the same target, and as many of the same sources as fit."""
    old = operations()[compute.operation]
    kind = old.result
    fitting = [source for source, wanted in zip(compute.sources, old.sources, strict=True) if wanted == kind]
    fitting += [*SHARED_VALUES[kind], compute.target]
    wanted = simplest(kind)
    count = len(wanted.sources)
    return Compute(wanted.name, compute.target, tuple((fitting * count)[:count]))
