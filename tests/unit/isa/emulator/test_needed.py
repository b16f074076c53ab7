"""Traces without outputs: only what they need is executed, and nothing else about them changes."""

import re
from typing import Any

import numpy as np
import pytest

import kernels
from isa.emulator import emulate
from isa.emulator.needed import needed_for_trace
from isa.errors import KernelError, UnsupportedInstructionError
from isa.launch import LaunchShape
from isa.module import load_cubin, load_source
from isa.program import Program
from isa.semantics import registry
from tests.catalogue_programs import program_of
from tests.traces import differences
from validation.calibration.bundle import family
from validation.calibration.shell import KERNEL

SOURCE = """
extern "C" __global__ void counts(float *x, int n) {
    float a = x[threadIdx.x];
    #pragma unroll 1
    for (int i = 0; i < n; i++) a = a * 1.5f + 0.5f;
    x[threadIdx.x] = a;
}
extern "C" __global__ void stores(int *x) {
    __shared__ int places[32];
    int number = threadIdx.x * 3 % 32;
    places[threadIdx.x] = number;
    __syncwarp();
    x[places[31 - threadIdx.x]] = number * number;
}
extern "C" __global__ void passes(int *x) {
    int mine = threadIdx.x * 5 + 1;
    if (threadIdx.x & 1) mine *= 3;
    int theirs = __shfl_xor_sync(0xffffffff, mine, 7);
    for (int i = 0; i < theirs; i += 40) x[i % 32] += i;
}
extern "C" __global__ void misses(float *x, int n) {
    float a = 1;
    for (int i = 0; i < n; i++) a = a * 1.5f + 0.5f;
    x[n] = a;
}
"""


def program(name: str) -> Program:
    return load_source(SOURCE).program(name)


def needed_opcodes(program: Program) -> list[str]:
    needed = needed_for_trace(program)
    return [each.opcode for each in program.instructions if each.index in needed]


def both(name: str, *args: Any) -> list[str]:
    launch = LaunchShape((1, 1, 1), (32, 1, 1))
    whole, trace = (
        emulate(program(name), launch, [each.copy() if isinstance(each, np.ndarray) else each for each in args], **how)
        for how in ({}, {"outputs": False})
    )
    return differences(whole, trace)


def test_arithmetic_that_only_stores_see_is_left_out() -> None:
    opcodes = needed_opcodes(program("counts"))
    assert "FFMA" not in opcodes
    assert {"ISETP", "BRA", "LDG", "STG", "EXIT"} <= set(opcodes)
    assert both("counts", np.ones(32, np.float32), 20) == []


def test_what_is_stored_matters_where_it_is_loaded_as_an_address() -> None:
    code = program("stores")
    needed = needed_for_trace(code)
    (stored,) = (each.operands[1] for each in code.instructions if each.opcode == "STS")
    writers = [each.index for each in code.instructions if stored in each.writes]
    assert writers
    assert set(writers) <= needed
    assert both("stores", np.zeros(32, np.int32)) == []


def test_what_lanes_pass_on_is_needed_on_every_path() -> None:
    assert both("passes", np.zeros(32, np.int32)) == []


def test_all_is_needed_where_a_return_leads_to_where_no_call_is() -> None:
    walk = next(experiment for experiment in family("visits") if "places" in experiment.name)
    program = load_cubin(walk.cubin()).program(KERNEL)
    assert needed_for_trace(program) == frozenset(range(len(program.instructions)))


def test_arrays_stay_as_they_are() -> None:
    values = np.ones(32, np.float32)
    emulate(program("counts"), LaunchShape((1, 1, 1), (32, 1, 1)), [values, 3], outputs=False)
    assert (values == 1).all()


def test_an_illegal_access_is_found() -> None:
    messages = []
    for outputs in (True, False):
        with pytest.raises(KernelError, match="past the end") as error:
            emulate(program("misses"), LaunchShape((1, 1, 1), (32, 1, 1)), [np.ones(8, np.float32), 9], outputs=outputs)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_an_instruction_without_semantics_stops_even_if_it_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.load()
    monkeypatch.delitem(registry._semantics, "FFMA")
    with pytest.raises(UnsupportedInstructionError, match=re.escape("counts: at 0x")):
        emulate(program("counts"), LaunchShape((1, 1, 1), (32, 1, 1)), [np.ones(32, np.float32), 3], outputs=False)


@pytest.mark.parametrize("name", kernels.names())
def test_the_catalogues_traces_are_the_same(name: str) -> None:
    launch = kernels.get(name).default
    shape = LaunchShape(launch.grid, launch.block, launch.shared_mem)
    whole, trace = (emulate(program_of(name), shape, launch.arguments(), outputs=outputs) for outputs in (True, False))
    assert differences(whole, trace) == []
