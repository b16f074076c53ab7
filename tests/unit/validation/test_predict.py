"""Simulating what was recorded."""

import numpy as np

from isa.emulator import emulate
from isa.launch import LaunchShape
from isa.module import load_source
from validation.predict import trace_instructions

LOOP = """
extern "C" __global__ void count(int* out, int n) {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n + threadIdx.x / 32; ++i) sum += i * i;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


def instructions(warps: int, n: int, blocks: int = 1) -> int:
    program = load_source(LOOP).program("count")
    out = np.zeros(blocks * warps * 32, np.int32)
    launch = LaunchShape((blocks, 1, 1), (warps * 32, 1, 1))
    return trace_instructions(emulate(program, launch, [out, np.int32(n)]))


def test_instructions_are_counted_per_warp_and_block():
    first, second = instructions(1, 10), instructions(2, 10)
    assert second > 2 * first  # the second warp loops once more
    assert instructions(2, 10, blocks=3) == 3 * second


def test_every_turn_of_a_loop_counts():
    per_turn = instructions(1, 11) - instructions(1, 10)
    assert per_turn > 0
    assert instructions(1, 1010) - instructions(1, 10) == 1000 * per_turn
