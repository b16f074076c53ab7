"""Launches that an H100 refuses (CUDA C++ Programming Guide, technical specifications for compute capability 9.0)."""

from isa.errors import LaunchError
from isa.launch import LaunchShape
from isa.program import Program

MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_THREADS = 1024
MAX_SHARED_BYTES = 227 * 1024
REGISTERS_PER_SM = 65536


def check_launch(program: Program, launch: LaunchShape) -> None:
    """Refuse a launch that the hardware would.

    Raises:
        LaunchError: a dimension is out of range, or the block needs more threads, registers or shared memory than
            there are.
    """
    for name, values, limits in (("grid", launch.grid, MAX_GRID), ("block", launch.block, MAX_BLOCK)):
        for axis, value, limit in zip("xyz", values, limits, strict=True):
            if not 1 <= value <= limit:
                raise LaunchError(f"{program.name}: {name}.{axis} is {value}; it must be 1 to {limit}")
    threads = launch.threads_per_block
    if threads > MAX_THREADS:
        raise LaunchError(f"{program.name}: {threads} threads per block; at most {MAX_THREADS}")
    if threads > program.max_threads:
        raise LaunchError(
            f"{program.name}: {threads} threads per block, but __launch_bounds__ promises at most {program.max_threads}"
        )
    if launch.dynamic_shared_bytes < 0:
        raise LaunchError(f"{program.name}: {launch.dynamic_shared_bytes} bytes of dynamic shared memory")
    shared = program.static_shared_bytes + launch.dynamic_shared_bytes
    if shared > MAX_SHARED_BYTES:
        raise LaunchError(
            f"{program.name}: {shared} bytes of shared memory per block ({program.static_shared_bytes} static + "
            f"{launch.dynamic_shared_bytes} dynamic); at most {MAX_SHARED_BYTES}"
        )
    # Registers are handed out per warp in units of 256.
    registers = launch.warps_per_block * (-(-program.num_regs * 32 // 256) * 256)
    if registers > REGISTERS_PER_SM:
        raise LaunchError(
            f"{program.name}: {threads} threads with {program.num_regs} registers each need {registers} registers; "
            f"an SM has {REGISTERS_PER_SM}; use smaller blocks or __launch_bounds__"
        )
