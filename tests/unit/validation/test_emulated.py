"""What the emulator says of the outputs that the GPU's are compared with."""

import numpy as np
import pytest

from isa.launch import LaunchShape
from isa.module import load_source
from validation.emulated import NotEmulatedError, emulated

SHAPE = LaunchShape((2, 1, 1), (32, 1, 1))
KERNEL = 'extern "C" __global__ void k(float* x, int* n) {{ int i = blockIdx.x * 32 + threadIdx.x; {} }}'


def outputs(body: str):
    program = load_source(KERNEL.format(body)).program("k")
    return emulated(program, SHAPE, [np.arange(64, dtype=np.float32), np.zeros(64, np.int32)])


def test_every_array_is_expected_bit_by_bit_whether_it_is_written_or_not():
    expected = outputs("atomicAdd(n + 1, i);")
    assert list(expected) == [0, 1]
    assert expected[1].values.tolist() == [0, sum(range(64)), *[0] * 62]
    assert expected[0].differs(np.arange(64, dtype=np.float32) + 1).all()


@pytest.mark.parametrize("body", ["x[i] = rsqrtf(x[i] + 1);", "atomicAdd(x, x[i]);"])
def test_special_functions_and_sums_in_any_order_have_a_tolerance(body):
    expected = outputs(body)[0]
    near = expected.values * np.float32(1 + 2**-12)
    assert not expected.differs(near).any()
    assert expected.differs(expected.values * np.float32(1.1) + 1).all()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("n[i] = clock();", "CLOCK"),
        ('asm("mov.u32 %0, %smid;" : "=r"(n[i]));', "SMID"),
        ("n[i] = atomicAdd(n, 1);", "ATOMG"),
        ("x[i + (1 << 20)] = 0;", "illegal"),
    ],
)
def test_what_hangs_on_chance_or_cannot_be_emulated_says_why(body, message):
    with pytest.raises(NotEmulatedError, match=message):
        outputs(body)
