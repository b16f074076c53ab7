"""Every kernel of the catalogue, compiled and emulated, gives what NumPy gives."""

import numpy as np
import pytest

import kernels
from isa.emulator import emulate
from isa.launch import LaunchShape
from tests.catalogue_programs import program_of

# Default launches are one block. These add several blocks, remainders, and other paths.
FURTHER = [
    ("chain_ffma_ilp4", "1x1024"),
    ("chain_imad_ilp8", "1x128"),
    ("dot_ilp4", "1x1024_n66560"),
    ("dot_serial", "1x1024_n66560"),
    ("sum_reduction_ilp1", "1x1024_n66560"),
    ("sum_reduction_ilp4", "1x1024_n66560"),
    ("scale_float4_fma", "132x1024"),
    ("matmul_naive", "8x8_16x16_k128"),
    ("matmul_unrolled", "8x8_16x16_k128"),
    ("index_stride", "1x132_256_rows1056"),
    ("stencil_unrolled", "132x1024_n135168"),
    ("pipeline", "two_warps"),
    ("banks_spread", "1x256"),
    ("divergent_10_20", "1x128_converged"),
    ("divergent_nested", "1x128_converged"),
    ("loads_plain", "132x1024"),
]


@pytest.mark.parametrize(
    ("name", "launch_name"), [(name, kernels.get(name).default.name) for name in kernels.names()] + FURTHER
)
def test_the_output_is_numpys(name: str, launch_name: str):
    kernel = kernels.get(name)
    launch = kernel.launch(launch_name)
    before, arguments = launch.arguments(), launch.arguments()

    emulate(program_of(name), LaunchShape(launch.grid, launch.block, launch.shared_mem), arguments)

    expected = launch.expected(before)
    for index, argument in enumerate(arguments):
        if index in expected:
            wrong = np.flatnonzero(expected[index].differs(argument))
            assert not len(wrong), (
                f"argument {index}: {len(wrong)} of {argument.size} differ, first at {wrong[0]}: "
                f"{argument[wrong[0]]!r}, expected {expected[index].values[wrong[0]]!r}"
            )
        elif index != kernel.cycles_argument:
            assert np.array_equal(argument, before[index]), f"argument {index} was changed"
