"""A generated program as CUDA C.

Every thread owns what it writes: its elements of the output and of ``data``, an element of shared memory between two
barriers, an element of ``tickets``. ``bins`` and ``counts`` only take integer atomics that commute. So the outputs do
not depend on the order in which warps run, whatever statements a program has.
"""

from collections.abc import Iterator

from kernels.generated.declarations import BINS, BLOCK_ELEMENTS, WARP_WORDS, helpers, needs, prologue
from kernels.generated.operations import operations
from kernels.generated.program import (
    Barrier,
    Body,
    Branch,
    Compute,
    Exchange,
    Loop,
    Program,
    Statement,
    Switch,
    Take,
)

# How a variable of a kind goes into the result.
RESULTS = {
    "u": "{0}",
    "f": "bits({0})",
    "d": "({0} == {0} ? __double2loint({0}) ^ __double2hiint({0}) : 1)",
    "h": "(bits(__low2float({0})) ^ bits(__high2float({0})) >> 1)",
}


def render(program: Program, name: str) -> str:
    """The source, with one ``extern "C"`` kernel called ``name``."""
    bounds = f"{program.threads}, {program.min_blocks}" if program.min_blocks else f"{program.threads}"
    lines = [
        *helpers(program),
        f'extern "C" __global__ void __launch_bounds__({bounds}) {name}(',
        "    const unsigned* in, unsigned* data, unsigned* bins, unsigned* out, float* rough, long long* cycles,",
        "    unsigned n, unsigned k, float c)",
        "{",
    ]
    lines += _indented(prologue(program))
    lines += ["", "    long long start = clock64();", f"#pragma unroll {program.unroll}"]
    lines += ["    for (unsigned i = 0; i < n; ++i) {"]
    lines += _indented(_indented(_body(program.body)))
    lines += ["    }", "    long long stop = clock64();", ""]
    lines += _indented(_epilogue(program))
    lines.append("}")
    return "\n".join(lines) + "\n"


def _indented(lines: list[str]) -> list[str]:
    return [line if line.startswith("#") else f"    {line}" for line in lines]


def _epilogue(program: Program) -> list[str]:
    wanted = needs(program)
    lines = ["unsigned result = 0;"]
    for kind, text in RESULTS.items():
        lines += [f"result = result * 31u + {text.format(f'{kind}{n}')};" for n in range(program.count(kind))]
    if "local" in wanted:
        lines.append("result ^= local[thread & 31u];")
    if "counts" in wanted:
        lines += ["__syncthreads();", f"result += counts[threadIdx.x % {BINS}u];"]
    if "tickets" in wanted:
        lines.append("result ^= tickets[threadIdx.x];")
    lines.append("out[thread] = result;")
    if program.count("a"):
        lines.append(f"rough[thread] = {' + '.join(f'a{n}' for n in range(program.count('a')))};")
    lines.append("if (threadIdx.x % 32u == 0) cycles[thread / 32u] = stop - start;")
    return lines


def _body(body: Body) -> list[str]:
    return [line for statement in body for line in _statement(statement)]


def _expression(operation: str, sources: tuple[str, ...]) -> str:
    return operations()[operation].expression.format(*sources)


def _statement(statement: Statement) -> Iterator[str]:
    match statement:
        case Compute():
            written = f"{statement.target} = " if statement.target else ""
            yield f"{written}{_expression(statement.operation, statement.sources)};"
        case Branch():
            yield f"if ({_expression(statement.condition, statement.sources)}) {{"
            yield from _indented(_body(statement.then))
            if statement.otherwise:
                yield "} else {"
                yield from _indented(_body(statement.otherwise))
            yield "}"
        case Switch():
            yield f"switch ({statement.selector} % {len(statement.cases)}u) {{"
            for number, case in enumerate(statement.cases):
                yield f"case {number}:"
                yield from _indented([*_body(case), "break;"])
            yield "}"
        case Loop():
            last = f"1 + {statement.selector} % {statement.trips}u" if statement.selector else f"{statement.trips}u"
            yield f"#pragma unroll {statement.unroll}"
            yield f"for (unsigned j = 0, last = {last}; j < last; ++j) {{"
            yield from _indented(_body(statement.body))
            yield "}"
        case Exchange():
            yield "{"
            yield from _indented(list(_exchange(statement)))
            yield "}"
        case Barrier():
            yield _barrier(statement.scope)


def _barrier(scope: str) -> str:
    return "__syncthreads();" if scope == "block" else "__syncwarp();"


def _exchange(exchange: Exchange) -> Iterator[str]:
    width = len(exchange.values)
    element = {1: "unsigned", 2: "uint2", 4: "uint4"}[width]
    is_block = exchange.scope == "block"
    words, index = ("block_words", "threadIdx.x") if is_block else ("warp_words", "threadIdx.x % 32u")
    size = BLOCK_ELEMENTS if is_block else WARP_WORDS // width
    value = exchange.values[0] if width == 1 else f"make_{element}({', '.join(exchange.values)})"
    yield f"{element}* shared = reinterpret_cast<{element}*>({words});"
    yield f"shared[place({index}, {exchange.stride}u, {size}u)] = {value};"
    yield from _body(exchange.between)
    yield _barrier(exchange.scope)
    for take in exchange.takes:
        read = f"shared[{_place_of(take, exchange.stride, index, size)}]"
        yield f"{take.target} += {read if width == 1 else f'fold({read})'};"
    yield _barrier(exchange.scope)


def _place_of(take: Take, stride: int, index: str, size: int) -> str:
    match take.pattern:
        case "xor":
            return f"place({index} ^ {take.number}u, {stride}u, {size}u) % {size}u"
        case "shift":
            return f"place({index} + {take.number}u, {stride}u, {size}u) % {size}u"
        case "same":
            return f"{take.number}u % {size}u"
        case "stride":
            return f"{index} * {take.number}u % {size}u"
        case "scatter":
            return f"{take.selector} % {size}u"
    raise ValueError(f"unknown pattern {take.pattern!r}")
