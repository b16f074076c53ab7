"""Code that goes where a table in c[0x2] says: a switch of many cases, and calls of functions by their numbers."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, zeros

SOURCE = Path(__file__).with_name("tables.cu")
CASES, FUNCTIONS = 20, 4
SHAPES = ((1, 32, 1), (1, 32, 60), (1, 256, 2), (1, 256, 60))  # blocks, threads, steps
WORD = 1 << 32


def _jumps(blocks: int, threads: int, steps: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        return [rng.integers(0, CASES, steps + 1).astype(np.int32), zeros(threads, np.int32), np.int32(steps)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        code = np.asarray(arguments[0]).tolist()
        ends = [_run(code, start, steps) for start in range(threads)]
        return {1: Expected(np.array(ends, np.int32))}

    return linear(blocks, threads, make_args, reference, f"n{steps}")


def _run(code: list[int], total: int, steps: int) -> int:
    """What the kernel's machine makes of a thread's number."""
    for i in range(steps):
        total = _signed(_step(code, total, i))
    return total


def _step(code: list[int], total: int, i: int) -> int:
    bits, bit = total % WORD, 1 << i % 32
    match code[i]:
        case 0:
            return total * 3 + 1
        case 1:
            return total ^ i << 3
        case 2:
            return total - 7
        case 3:
            return (total >> 2) + code[i + 1]
        case 4:
            return total + bits.bit_count()
        case 5:
            return ~total
        case 6:
            return total * total
        case 7:
            return int(f"{bits:032b}"[::-1], 2)
        case 8:
            return min(total, 1 << 20)
        case 9:
            return max(total, -(1 << 20))
        case 10:
            return total << 5 ^ total
        case 11:
            return (total & 0xFF00FF) * 5
        case 12:
            return _permuted(bits, i)
        case 13:
            return abs(total)
        case 14:
            return total + 32 - bits.bit_length()
        case 15:
            return int(np.fmod(total, 1021))
        case 16:
            return total | bit
        case 17:
            return total & ~bit
        case 18:
            return (i << 32 | bits) << 7 >> 32
        case _:
            return total >> 1


def _permuted(bits: int, i: int) -> int:
    """``__byte_perm(bits, i, 0x1302)``."""
    octets = bits.to_bytes(4, "little") + i.to_bytes(4, "little")
    return int.from_bytes(bytes(octets[place] for place in (2, 0, 3, 1)), "little")


def _signed(value: int) -> int:
    return (value + WORD // 2) % WORD - WORD // 2


def _calls(blocks: int, threads: int, steps: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        return [rng.integers(0, FUNCTIONS, steps).astype(np.int32), zeros(threads), np.int32(steps)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        functions = (lambda x: x + x, lambda x: x * np.float32(0.5), lambda x: x * x, lambda x: x - np.float32(3))
        x: NDArray[np.float32] = np.arange(threads, dtype=np.float32) * np.float32(0.125)
        with np.errstate(all="ignore"):
            for which in np.asarray(arguments[0]):
                x = functions[which](x)
        return {1: Expected(x)}

    return linear(blocks, threads, make_args, reference, f"n{steps}")


KERNELS = (
    Kernel(
        name="jump_table",
        family="tables",
        source=SOURCE,
        entry="jump_table",
        description="a switch of 20 cases in a loop, the same for all threads",
        launches=tuple(_jumps(*shape) for shape in SHAPES),
    ),
    Kernel(
        name="function_table",
        family="tables",
        source=SOURCE,
        entry="function_table",
        description="calls of functions that a table of theirs names, the same for all threads",
        launches=tuple(_calls(*shape) for shape in SHAPES),
    ),
)
