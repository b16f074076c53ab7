"""Blocks per SM against the CUDA programming guide's limits of compute capability 9.0."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isa.errors import LaunchError
from isa.launch import LaunchShape
from isa.program import Program
from smsim.machine import load
from smsim.occupancy import Occupancy, carve_out, occupancy

H100 = load("h100")
CARVE_OUTS = Path(__file__).with_name("carve_outs.csv")


def fits(program: Program, threads: int, *, registers: int = 16, static: int = 0, dynamic: int = 0) -> Occupancy:
    kernel = replace(program, num_regs=registers, static_shared_bytes=static)
    return occupancy(kernel, LaunchShape((1, 1, 1), (threads, 1, 1), dynamic), H100)


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks", "limiter"),
    [
        (32, 16, 0, 32, "blocks"),
        (256, 32, 0, 8, "warps"),
        (1024, 32, 0, 2, "warps"),
        (1024, 33, 0, 1, "registers"),  # 33 are handed out as 40: 40960 of 65536
        (256, 255, 0, 1, "registers"),  # 256 * 256
        (128, 255, 0, 2, "registers"),
        (96, 16, 0, 21, "warps"),
        (32, 80, 0, 24, "registers"),  # 6 warps of 2560 in each SMSP's 16384
        (96, 168, 0, 4, "registers"),  # 3 warps in each
        (33, 16, 0, 32, "blocks"),  # two warps each
        (256, 32, 48 * 1024, 4, "shared memory"),  # 49 KiB each with the reserved one, of 228
        (256, 32, 100 * 1024, 2, "shared memory"),
        (256, 32, 227 * 1024, 1, "shared memory"),
    ],
)
def test_blocks_per_sm(  # noqa: PLR0917  (a table's columns)
    program: Program, threads: int, registers: int, shared: int, blocks: int, limiter: str
) -> None:
    assert fits(program, threads, registers=registers, dynamic=shared) == Occupancy(blocks, limiter)


def test_static_and_dynamic_shared_memory_add_up(program: Program) -> None:
    assert fits(program, 256, static=60_000, dynamic=60_000) == fits(program, 256, dynamic=120_000)


def test_a_block_too_large_is_refused(program: Program) -> None:
    with pytest.raises(LaunchError, match="saxpy: a block of 1025 threads; 'h100' takes 1024"):
        fits(program, 1025)


def test_too_much_shared_memory_is_refused(program: Program) -> None:
    with pytest.raises(LaunchError, match=r"232449 bytes of shared memory \(1 static, 232448 dynamic\)"):
        fits(program, 32, static=1, dynamic=232_448)


def test_too_many_registers_are_refused(program: Program) -> None:
    with pytest.raises(LaunchError, match="not one block of 1024 threads fits on an SM: too few registers"):
        fits(program, 1024, registers=65)
    # 9 warps of 5632 registers are fewer than 65536, but an SMSP has room for 2, not for 3.
    with pytest.raises(LaunchError, match="not one block of 288 threads fits on an SM: too few registers"):
        fits(program, 288, registers=176)


def test_the_carve_out_is_the_recorded_one(program: Program) -> None:
    for shared, threads, registers, kilobytes in np.genfromtxt(CARVE_OUTS, int, delimiter=",", skip_header=3):
        kernel = replace(program, num_regs=int(registers), static_shared_bytes=int(shared))
        launch = LaunchShape((1, 1, 1), (int(threads), 1, 1))
        assert carve_out(kernel, launch, H100) == kilobytes * 1024, (shared, threads, registers)
