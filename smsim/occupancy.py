"""How many blocks of a launch fit on one SM, and what limits them."""

from dataclasses import dataclass

from isa.errors import LaunchError
from isa.launch import LaunchShape
from isa.program import Program
from smsim.machine import Machine
from smsim.state import NUM_SMSPS

KILOBYTE = 1024
# What the driver sets aside as shared memory, in KB: the capacities of compute capability 9.0 in the CUDA programming
# guide. It takes the least that leaves the most blocks on an SM (microbenchmark ``l1``: walks beside shared memory).
CARVE_OUTS = (8, 16, 32, 64, 100, 132, 164, 196, 228)


@dataclass(frozen=True)
class Occupancy:
    """Blocks that an SM holds at once, and the resource that runs out first ("warps", "registers", ...)."""

    blocks: int
    limiter: str


def occupancy(program: Program, launch: LaunchShape, machine: Machine) -> Occupancy:
    """Blocks per SM, after the CUDA programming guide's resource limits of compute capability 9.0.

    Raises LaunchError when not even one block fits.
    """
    limits = machine.limits
    threads = launch.threads_per_block
    if threads > limits.threads_per_block:
        raise LaunchError(
            f"{program.name}: a block of {threads} threads; {machine.name!r} takes {limits.threads_per_block}"
        )
    warps = launch.warps_per_block
    asked = program.static_shared_bytes + launch.dynamic_shared_bytes
    if asked > limits.shared_bytes_per_block:
        raise LaunchError(
            f"{program.name}: a block asks for {asked} bytes of shared memory ({program.static_shared_bytes} static, "
            f"{launch.dynamic_shared_bytes} dynamic); {machine.name!r} gives a block {limits.shared_bytes_per_block}"
        )
    shared = _round_up(asked + limits.shared_reserved_bytes, limits.shared_unit)
    fits = {
        "blocks": limits.blocks,
        "warps": limits.warps // warps,
        "threads": limits.threads // threads,
        "registers": _fit_registers(program.num_regs, warps, machine),
        "shared memory": limits.shared_bytes // shared,
    }
    limiter = min(fits, key=lambda resource: fits[resource])
    if fits[limiter] < 1:
        raise LaunchError(f"{program.name}: not one block of {threads} threads fits on an SM: too few {limiter}")
    return Occupancy(fits[limiter], limiter)


def carve_out(shared_bytes: int) -> int:
    """Bytes that L1 lacks when the blocks on an SM need so many of shared memory, those reserved included."""
    return next((size * KILOBYTE for size in CARVE_OUTS if size * KILOBYTE >= shared_bytes), shared_bytes)


def _fit_registers(per_thread: int, warps: int, machine: Machine) -> int:
    """Blocks whose registers fit: each SMSP has a quarter of them and gives them to whole warps (cuda_occupancy.h)."""
    limits = machine.limits
    per_warp = _round_up(per_thread * 32, limits.register_unit)
    if not per_warp:
        return int(limits.blocks)
    return int(limits.registers // NUM_SMSPS // per_warp * NUM_SMSPS // warps)


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
