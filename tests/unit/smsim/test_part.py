"""What part of the GPU some blocks of a launch are."""

import numpy as np
import pytest

import smsim
from smsim.machine import load
from smsim.part import part_of
from smsim.state.l2 import L2_WAYS

SOURCE = """
extern "C" __global__ void own(float *out, int stride) {
    out[blockIdx.x * stride + threadIdx.x] = 1;
}
extern "C" __global__ void same(float *out, int stride) {
    out[threadIdx.x] = 1;
}
extern "C" __global__ void gather(const float *table, float *out, int lines) {
    float sum = 0;
    for (int line = 0; line < lines; ++line) {
        sum += table[(line * 32 + blockIdx.x + threadIdx.x) % (lines * 32)];
    }
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}
"""
WARP_LINES = 1
BLOCKS = 264


@pytest.fixture(scope="module")
def module():
    return smsim.RawModule(code=SOURCE)


def part(module, name, blocks=(0, 132), stride=32, **options):
    out = np.zeros(BLOCKS * stride, np.float32)
    machine = load("h100")
    trace = module.get_function(name).trace((BLOCKS,), (32,), (out, np.int32(stride)), machine=machine, **options)
    return part_of(trace, blocks, machine)


def test_blocks_with_memory_of_their_own_touch_it_first(module):
    own = part(module, "own")
    assert own.work == 2 / BLOCKS
    assert not len(own.shared)
    assert not len(own.brought)


def test_what_all_blocks_touch_one_of_them_touches_first(module):
    same = part(module, "same")
    assert len(same.shared) == WARP_LINES
    assert not len(same.brought)  # the line is stored to, not read


def test_what_all_blocks_read_other_sms_bring_but_for_the_part_s_share(module):
    lines = 1024
    table, out = np.zeros(32 * lines, np.float32), np.zeros(32 * BLOCKS, np.float32)
    machine = load("h100")
    trace = module.get_function("gather").trace((BLOCKS,), (32,), (table, out, np.int32(lines)), machine=machine)
    gathered = part_of(trace, (0, 132), machine)
    first = lines - len(gathered.brought)
    assert first == pytest.approx(lines * 2 / BLOCKS, abs=2)


def test_the_part_does_not_depend_on_what_else_was_traced(module):
    few, every = (part(module, "own", emulate=emulate) for emulate in ("sm", "all"))
    assert few[:2] == every[:2]


def test_l2_is_divided_by_what_is_touched(module):
    machine = load("h100")
    lines = machine.value("l2.bytes") // machine.value("l1.line_bytes")
    all_of_it = part(module, "own", blocks=tuple(range(BLOCKS)), emulate="all")
    assert all_of_it.work == 1
    assert all_of_it.l2_sets * L2_WAYS == pytest.approx(lines, rel=0.01)
