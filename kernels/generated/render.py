"""A generated program as CUDA C.

Every thread owns what it writes: its elements of the output and of ``data``, an element of shared memory between two
barriers, an element of ``tickets``. ``bins`` and ``counts`` only take integer atomics that commute. So the outputs do
not depend on the order in which warps run, whatever statements a program has.
"""

from collections.abc import Iterator

from kernels.generated.operations import VARIABLE_KINDS, operations
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
    walk,
)

BINS = 192
LOCAL_WORDS = 32
BLOCK_ELEMENTS = 1024  # of an exchange, however wide
WARP_WORDS = 128
TYPES = {"u": "unsigned", "f": "float", "d": "double", "h": "__half2", "a": "float"}
FIRST_VALUES = {
    "u": "seed * {odd}u + {number}u",
    "f": "unit(seed * {odd}u)",
    "d": "static_cast<double>(unit(seed * {odd}u))",
    "h": "__floats2half2_rn(unit(seed * {odd}u), unit(seed + {odd}u))",
    "a": "unit(seed * {odd}u)",
}
RESULTS = {
    "u": "{0}",
    "f": "bits({0})",
    "d": "({0} == {0} ? __double2loint({0}) ^ __double2hiint({0}) : 1)",
    "h": "(bits(__low2float({0})) ^ bits(__high2float({0})) >> 1)",
}
HELPERS = """\
constexpr unsigned ALL = 0xffffffffu, MASK = {mask}u;
// Between 0.5 and 1.
__device__ float unit(unsigned x) {{ return __uint_as_float((x & 0x7fffffu) | 0x3f000000u); }}
// One pattern for all NaNs.
__device__ unsigned bits(float x) {{ return x == x ? __float_as_uint(x) : 0x7fffffffu; }}
__device__ unsigned fold(uint2 x) {{ return x.x + x.y; }}
__device__ unsigned fold(uint4 x) {{ return (x.x ^ x.y) + (x.z ^ x.w); }}
// A permutation of 0 ... size - 1 (a power of two) that takes neighbours ``stride`` apart, a power of two or odd.
__device__ constexpr unsigned place(unsigned index, unsigned stride, unsigned size)
{{
    if (stride == 0) return (index ^ index >> 5) & (size - 1);
    unsigned far = index * stride;
    return stride & stride - 1 ? far & (size - 1) : (far & (size - 1)) + far / size;
}}
"""
MUFU = '__device__ float {0}_(float x)\n{{\n    float y;\n    asm("{0}.approx.f32 %0, %1;" : "=f"(y) : "f"(x));\n' + (
    "    return y;\n}}\n"
)
MUFU_NAMES = ("rsqrt", "rcp", "sqrt", "ex2", "lg2", "sin", "cos", "tanh")
# Parts of ``data``: words of a thread, and the type of an element.
DATA = {
    "column": (4, "unsigned"),
    "row": (4, "unsigned"),
    "column2": (8, "uint2"),
    "column4": (16, "uint4"),
    "far": (32, "unsigned"),
}


def needs(program: Program) -> set[str]:
    """The declarations that the program's operations ask for."""
    found = set()
    for statement in walk(program.body):
        match statement:
            case Compute():
                found.add(operations()[statement.operation].needs)
            case Branch():
                found.add(operations()[statement.condition].needs)
            case Exchange():
                found.add(f"{statement.scope}_exchange")
            case _:
                pass
    if program.count("h"):
        found.add("fp16")
    return found - {""}


def data_words(program: Program) -> int:
    """Words of ``data`` that a thread owns."""
    wanted = needs(program)
    return sum(words for name, (words, _) in DATA.items() if name in wanted)


def render(program: Program, name: str) -> str:
    """The source, with one ``extern "C"`` kernel called ``name``."""
    wanted = needs(program)
    bounds = f"{program.threads}, {program.min_blocks}" if program.min_blocks else f"{program.threads}"
    lines = ["#include <cuda_fp16.h>", ""] if "fp16" in wanted else []
    lines.append(HELPERS.format(mask=program.words - 1))
    lines += [MUFU.format(function) for function in MUFU_NAMES if function in wanted]
    lines += [
        f'extern "C" __global__ void __launch_bounds__({bounds}) {name}(',
        "    const unsigned* in, unsigned* data, unsigned* bins, unsigned* out, float* rough, long long* cycles,",
        "    unsigned n, unsigned k, float c)",
        "{",
    ]
    lines += _indented(_prologue(program, wanted))
    lines += ["", "    long long start = clock64();", f"#pragma unroll {program.unroll}"]
    lines += ["    for (unsigned i = 0; i < n; ++i) {"]
    lines += _indented(_indented(_body(program.body)))
    lines += ["    }", "    long long stop = clock64();", ""]
    lines += _indented(_epilogue(program, wanted))
    lines.append("}")
    return "\n".join(lines) + "\n"


def _indented(lines: list[str]) -> list[str]:
    return [line if line.startswith("#") else f"    {line}" for line in lines]


def _prologue(program: Program, wanted: set[str]) -> list[str]:
    lines = ["unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;"]
    if wanted & set(DATA):
        lines.append("unsigned threads = gridDim.x * blockDim.x;")
    lines += [
        f"const {kind}* {name} = reinterpret_cast<const {kind}*>(in);"
        for name, kind in (("in2", "uint2"), ("in4", "uint4"))
        if name in wanted
    ]
    offset = 0
    for name, (words, kind) in DATA.items():
        if name in wanted:
            lines.append(f"{kind}* {name} = reinterpret_cast<{kind}*>(data + {offset}u * threads);")
            offset += words
    lines += _shared_memory(program, wanted)
    if "local" in wanted:
        lines.append(f"unsigned local[{LOCAL_WORDS}];")
        lines.append(f"for (unsigned j = 0; j < {LOCAL_WORDS}u; ++j) local[j] = thread + j;")
    lines.append("unsigned seed = in[thread & MASK] + thread * 0x9e3779b9u;")
    for kind in VARIABLE_KINDS:
        for number in range(program.count(kind)):
            value = FIRST_VALUES[kind].format(odd=2 * number + 1, number=number)
            lines.append(f"{TYPES[kind]} {kind}{number} = {value};")
    if program.count("d"):
        lines.append("double cd = c;")
    if program.count("h"):
        lines.append("__half2 ch = __float2half2_rn(c);")
    return lines


def _shared_memory(program: Program, wanted: set[str]) -> list[str]:
    """Arrays with known contents: an exchange may read elements that no thread wrote."""
    sizes = {}
    if "block_exchange" in wanted:
        widest = max(len(s.values) for s in walk(program.body) if isinstance(s, Exchange) and s.scope == "block")
        sizes["block_words"] = BLOCK_ELEMENTS * widest
    if "warp_exchange" in wanted:
        sizes["all_warp_words"] = WARP_WORDS * program.threads // 32
    if "counts" in wanted:
        sizes["counts"] = BINS
    if "tickets" in wanted:
        sizes["tickets"] = program.threads
    lines = [f"__shared__ __align__(16) unsigned {name}[{size}];" for name, size in sizes.items()]
    for name, size in sizes.items():
        lines.append(f"for (unsigned j = threadIdx.x; j < {size}u; j += blockDim.x) {name}[j] = j * 0x85ebca6bu;")
    if "warp_exchange" in wanted:
        lines.append(f"unsigned* warp_words = all_warp_words + threadIdx.x / 32u * {WARP_WORDS}u;")
    if sizes:
        lines.append("__syncthreads();")
    return lines


def _epilogue(program: Program, wanted: set[str]) -> list[str]:
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
