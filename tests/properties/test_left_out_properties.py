"""Traces are the same whether iterations are left out or not."""

from contextlib import AbstractContextManager
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from isa.emulator import batch, emulate, left_out
from isa.errors import KernelError
from isa.launch import LaunchShape
from isa.trace import Trace
from isa.trace.history import count_instructions
from kernels.generated.program import Program
from kernels.generated.strategy import programs
from tests.cuda import module_of
from tests.traces import differences
from tests.unit.kernels.generated.running import compiled, first_launch

# Each kernel's arguments: an array, and four integers; thread-dependent where the last is not 0.
SOURCE = """
#define KERNEL(name, ...) extern "C" __global__ void name(float *x, unsigned a, unsigned b, unsigned c, unsigned t) { \\
    unsigned i = a + threadIdx.x * t, j = b; float v = x[threadIdx.x]; \\
    __VA_ARGS__ \\
    x[threadIdx.x] = v + i + j; }
#define SLOW _Pragma("unroll 1")
KERNEL(less, SLOW for (; (int)i < (int)b; i += c) v = v * 1.5f + 1;)
KERNEL(unrolled, for (; (int)i < (int)b; i += c) v = v * 1.5f + 1;)
KERNEL(unsigned_less, SLOW for (; i < b; i += c) v = v * 1.5f + 1;)
KERNEL(down, SLOW do { i -= c; v = v * 1.5f + 1; } while ((int)i >= (int)b);)
KERNEL(different, SLOW for (; i != b; i += c) v = v * 1.5f + 1;)
KERNEL(equal, SLOW do { v = v * 1.5f + 1; i += c; } while (i == b || (i >> 4));)
KERNEL(closer, SLOW for (; i < j; i += c, j -= 2) v = v * 1.5f + 1;)
KERNEL(scaled, SLOW for (int k = 0; (int)(i * 3 + 7 - k * 5) < (int)b && k < 3000; k++) { i += c; v *= 1.5f; })
KERNEL(halfway, SLOW for (int k = 0; k < (int)b; k++) { if (k * 2 < (int)a) v *= 1.5f; else v += 2; i += c; })
KERNEL(multiplied, SLOW for (; i < b; i = i * 3 + c) v = v * 1.5f + 1;)
KERNEL(odd, SLOW for (; (int)i < (int)b; i += c) { if (i & 1) v = v * 1.5f + 1; else v = v * v + i; })
KERNEL(settles, float w = v; SLOW for (; (int)i < (int)b; i += c) { w *= 0.25f; if (w > 1e-20f) v += w * v; })
KERNEL(apart, if (threadIdx.x % 3) { SLOW for (; (int)i < (int)b; i += c) v = v * 1.5f + 1; })
KERNEL(nested, SLOW for (int k = 0; k < 5; k++) { SLOW for (i = a; (int)i < (int)b; i += c) v = v * 1.5f + k; })
KERNEL(timed, SLOW for (; (int)i < (int)b; i += c) v = v * 1.5f + 1; x[clock() % 4096 / 4] = v;)
KERNEL(bent, SLOW for (int k = 0; k < (int)b; k++) { i = (int)i < 500 ? i + c : i - c * 7; v *= 1.5f; })
extern "C" __global__ void waits(int *x, unsigned a) { while (a) if (a == 7) x[1]++; }
extern "C" __global__ void counts(int *x, unsigned a) {
    _Pragma("unroll 1") while (a) { a += 2; if (a == 6) x[0] = a; }
}
"""
NAMES = [line.split("(")[1].split(",")[0] for line in SOURCE.splitlines() if line.startswith("KERNEL")]
LIMIT = 20_000

# Around 0, and around the ends of the signed and of the unsigned integers.
ends = st.sampled_from([0, 0, 0, 2**31, 2**32 - 1])
integers = st.builds(lambda end, away: (end + away) % 2**32, ends, st.integers(-2000, 2000))
steps = st.integers(1, 40) | st.integers(2**28, 2**32 - 1) | st.integers(2**32 - 5, 2**32 - 1)
many = settings(
    max_examples=20, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


def leaving_nothing_out() -> AbstractContextManager[object]:
    return mock.patch.object(batch.Batch, "_leave_out_iterations")


def run(name: str, arguments: tuple[int, ...], warps: int = 1, limit: int = LIMIT) -> Trace:
    launch = LaunchShape((1, 1, 1), (32 * warps, 1, 1))
    values = [np.ones(1024, np.float32), *map(np.uint32, arguments)]
    return emulate(module_of(SOURCE).program(name), launch, values, max_instructions=limit, outputs=False)


@pytest.mark.parametrize("name", NAMES)
@many
@example((0, 1000, 3, 0), 1)
@example((5, 1500, 1, 2), 2)
@given(st.tuples(integers, integers, steps, st.integers(0, 3) | st.integers(2**32 - 3, 2**32 - 1)), st.integers(1, 2))
def test_a_trace_is_the_same(name: str, arguments: tuple[int, ...], warps: int) -> None:
    try:
        with leaving_nothing_out():
            whole = run(name, arguments, warps)
    except KernelError:
        return  # too long for a test, or a clock beyond the array
    assert differences(whole, run(name, arguments, warps)) == []


@settings(many, max_examples=15)
@given(programs())
def test_a_trace_of_any_program_is_the_same(program: Program) -> None:
    launch = first_launch(program)
    shape = LaunchShape(launch.grid, launch.block)
    for outputs in (True, False):
        with leaving_nothing_out():
            whole = emulate(compiled(program), shape, launch.arguments(), outputs=outputs)
        with mock.patch.object(left_out, "PATIENCE", 2):
            trace = emulate(compiled(program), shape, launch.arguments(), outputs=outputs)
        assert differences(whole, trace) == []


@pytest.mark.parametrize("name", ["less", "unrolled", "different", "closer", "halfway", "settles", "apart", "timed"])
def test_long_loops_take_no_time(name: str) -> None:
    shorter, longer = (count_instructions(run(name, (0, times, 1, 0), limit=5000)) for times in (10**6, 10**9))
    per_iteration, rest = np.divmod(longer - shorter, 10**9 - 10**6)
    if name == "closer":
        per_iteration, rest = np.divmod(longer - shorter, (10**9 - 10**6) // 3)
    assert (per_iteration > 2).all() or name == "unrolled"
    assert (rest == 0).all() or name == "unrolled"


def test_an_endless_wait_is_found() -> None:
    with pytest.raises(KernelError, match="endless loop: nothing changes"):
        run("waits", (3,))


def test_a_loop_that_comes_round_for_ever_is_given_up() -> None:
    with pytest.raises(KernelError, match="executed more than 20000 instructions"):
        run("counts", (1,))
