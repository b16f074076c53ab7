"""A launch leaves the same trace, the same arrays and the same errors whether its runs are replayed or not."""

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kernels
from isa.emulator import emulate, hot
from isa.errors import KernelError
from isa.launch import LaunchShape
from isa.trace import Trace
from kernels.generated.program import Program
from kernels.generated.strategy import programs
from tests.catalogue_programs import program_of
from tests.cuda import module_of
from tests.traces import differences
from tests.unit.kernels.generated.running import compiled, first_launch

ALWAYS, NEVER = 0, 1 << 40

few = settings(deadline=None, derandomize=True, database=None, max_examples=25, suppress_health_check=list(HealthCheck))

# Each kernel's arguments: an array of 1024 integers, an index far from it or not, and a count.
SOURCE = """
#define KERNEL(name, ...) extern "C" __global__ void name(int *x, int far, int n) { \\
    int t = threadIdx.x, v = x[t]; volatile int *p = x; __shared__ volatile int s[1024]; s[t] = v; \\
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { __VA_ARGS__ } \\
    x[t] = v; }
KERNEL(global_load, v += p[(v + i) & 1023];)
KERNEL(global_store, p[(t * 7 + i) & 1023] = v + i; v = p[t];)
KERNEL(shared_both, v += s[(v + t) & 1023]; s[t] = v;)
KERNEL(wide, int4 w = ((int4 *)x)[(v + i) & 255]; v += w.x + w.y * w.z; ((int4 *)x)[t] = w;)
KERNEL(narrow, ((signed char *)x)[(v + t) & 4095] = i; v += ((short *)x)[(t + i) & 2047];)
KERNEL(guarded, if (v & 1) v += p[t]; else v = v * 3 + i;)
KERNEL(parted, if ((v ^ t) & 2) { for (int j = 0; j < (v & 3); j++) v += p[j]; } else { p[t] = v++; })
KERNEL(meeting, s[t] = v; __syncthreads(); v += s[(t + 33) & 255]; __syncthreads();)
KERNEL(counted, s[t] = v; asm volatile("bar.sync 1, %0;" :: "r"((blockDim.x + 31) & ~31)); v += s[t ^ 32];)
KERNEL(voted, v += __syncthreads_count(v & 1); s[t] = v; __syncthreads(); v += s[(t + 40) & 255] & 7;)
KERNEL(leaving, if (t > 200 - 5 * i) return; s[t] = v; __syncthreads(); v += s[(t + 1) & 255];)
KERNEL(apart, if ((t >> 5 ^ v) & 1) v = v * 3 + p[t]; s[t] = v; __syncthreads(); v += s[t + 64 & 255]; __syncthreads();)
KERNEL(one_side, if (t & 64) { s[t] = v; __syncthreads(); } else { v += i; __syncthreads(); v += s[t + 64 & 255]; })
KERNEL(halves, asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(v) : "r"(i * 77), "r"(t)); v += p[v & 63];)
KERNEL(integers, v = min(max(v, -i), 700 + t); v += __dp4a(v, i, 3) ^ __dp2a_lo(v, i, t) ^ __brev(v) >> 9; p[t] = v;)
KERNEL(loops, for (int j = 0; j < (v & 7); j++) { if (p[(t + j) & 255] & 1) continue; v += j; if (v & 64) break; })
KERNEL(shuffled, v += __shfl_xor_sync(~0u, v, 1 + (i & 15)); p[(v & 31) + 32] = v;)
KERNEL(atomics, v += atomicAdd((int *)&s[v & 15], 1); atomicMax(x + (t & 63), v);)
KERNEL(timed, v += (int)clock() & 15; p[t] = v;)
KERNEL(floats, v = __float_as_int(__int_as_float(v) * 1.5f + p[t]); v ^= (int)(v * 0.25f) + (v >> (i & 31));)
KERNEL(doubles, v += (int)(1e-3 * v * p[t]) + (int)(((long long)v * i) >> 7);)
KERNEL(generic, const int *q = (v & 1) ? x + t : (const int *)s + t; v += *q + i;)
KERNEL(leaves, if (v++ > 400) break; v += p[t];)
KERNEL(beyond, v += p[i == 40 ? far : t];)
KERNEL(unaligned, v += *(int *)((char *)x + (i == 40 ? 2 : 4 * t));)
KERNEL(outside_shared, s[i == 40 && t == 5 ? far : t] = v;)
"""
NAMES = [line.split("(")[1].split(",")[0] for line in SOURCE.splitlines() if line.startswith("KERNEL")]
FAULTY = ("beyond", "unaligned", "outside_shared")


def outcome(launch: Callable[[list[Any]], Trace], arguments: list[Any], patience: int) -> tuple[Any, list[bytes]]:
    """The trace of a launch, or the error, and what it leaves in its arrays."""
    with mock.patch.object(hot, "PATIENCE", patience):
        try:
            result: Any = launch(arguments)
        except KernelError as error:
            result = str(error)
    return result, [np.asarray(argument).tobytes() for argument in arguments]


def check_same(launch: Callable[[list[Any]], Trace], arguments: Callable[[], list[Any]]) -> Any:
    """The outcome, which must be the same."""
    plain, arrays = outcome(launch, arguments(), NEVER)
    for patience in (ALWAYS, 3):
        replayed, replayed_arrays = outcome(launch, arguments(), patience)
        if isinstance(plain, Trace):
            assert differences(plain, replayed) == []
        else:
            assert replayed == plain
        assert replayed_arrays == arrays
    return plain


@pytest.mark.parametrize("name", NAMES)
@few
@given(st.sampled_from([32, 64, 96, 256, 40, 1]), st.integers(0, 60), st.integers(0, 2**32 - 1), st.booleans())
def test_a_loop_with_accesses(name: str, threads: int, times: int, seed: int, outputs: bool) -> None:
    program = module_of(SOURCE).program(name)
    values = np.random.default_rng(seed).integers(0, 600, 1024, np.int32)

    def launch(arguments: list[Any]) -> Trace:
        return emulate(program, LaunchShape((2, 1, 1), (threads, 1, 1)), arguments, outputs=outputs)

    result = check_same(launch, lambda: [values.copy(), np.int32(1 << 20), np.int32(times)])
    assert isinstance(result, str) == (name in FAULTY and times > 40 and (threads > 5 or name != "outside_shared"))


@few
@given(programs())
def test_any_program(program: Program) -> None:
    first = first_launch(program)
    shape = LaunchShape(first.grid, first.block)
    check_same(lambda arguments: emulate(compiled(program), shape, arguments), lambda: list(first.arguments()))


@pytest.mark.parametrize("name", kernels.names())
def test_a_kernel_of_the_catalogue(name: str) -> None:
    default = kernels.get(name).default
    shape = LaunchShape(default.grid, default.block, default.shared_mem)
    check_same(lambda arguments: emulate(program_of(name), shape, arguments), lambda: list(default.arguments()))


def test_the_limit_of_instructions_is_reached_at_the_same_place() -> None:
    program = module_of(SOURCE).program("global_load")
    for limit in (500, 501, 505, 510, 600):

        def launch(arguments: list[Any], limit: int = limit) -> Trace:
            return emulate(program, LaunchShape((1, 1, 1), (32, 1, 1)), arguments, max_instructions=limit)

        result = check_same(launch, lambda: [np.zeros(1024, np.int32), np.int32(0), np.int32(1000)])
        assert f"executed more than {limit} instructions" in result
