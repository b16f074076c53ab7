"""What a generated kernel declares before its main loop: helpers, arrays, variables and their first values."""

from kernels.generated.operations import VARIABLE_KINDS, operations
from kernels.generated.program import Branch, Compute, Exchange, Program, walk

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


def helpers(program: Program) -> list[str]:
    """Lines before the kernel: headers, constants and functions."""
    wanted = needs(program)
    lines = ["#include <cuda_fp16.h>", ""] if "fp16" in wanted else []
    lines.append(HELPERS.format(mask=program.words - 1))
    return lines + [MUFU.format(function) for function in MUFU_NAMES if function in wanted]


def prologue(program: Program) -> list[str]:
    """Lines of the kernel before its main loop."""
    wanted = needs(program)
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
