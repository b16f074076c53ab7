"""How many blocks of a launch fit on one SM, and what limits them."""

from dataclasses import dataclass

from isa.errors import LaunchError
from isa.launch import LaunchShape
from isa.program import Program
from smsim.machine import Machine
from smsim.state.sizes import NUM_SMSPS

KILOBYTE = 1024
# What the driver sets aside as shared memory, in KB: the capacities of compute capability 9.0 in the CUDA programming
# guide. More than half of the SM's only where blocks could not be resident otherwise.
CARVE_OUTS = (8, 16, 32, 64, 100, 132, 164, 196, 228)
LARGEST_SPARE = 132
WARPS_WITH_ROOM = 32  # a block and others of a warp each, so many warps together, get room for their shared memory


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
    shared = _shared_bytes(program, launch, machine)
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


def carve_out(program: Program, launch: LaunchShape, machine: Machine) -> int:
    """Bytes that L1 lacks: what the driver sets aside as shared memory for the launch.

    Room for one block where only one fits, else for twice the blocks that fit, but for no more than leave 32 warps with
    one block; as many where none asks for shared memory.
    Seen on the H100: ncu's ``launch__shared_mem_config_size`` of every measured launch.

    Raises LaunchError when not even one block fits.
    """
    blocks = occupancy(program, launch, machine).blocks
    shared = _shared_bytes(program, launch, machine)
    with_room = WARPS_WITH_ROOM - launch.warps_per_block
    wanted = blocks * shared
    if blocks > 1 and program.static_shared_bytes + launch.dynamic_shared_bytes == 0:
        wanted = with_room * shared
    elif blocks > 1:
        spare = min(2 * blocks, with_room) * shared
        wanted = max(wanted, min(spare, LARGEST_SPARE * KILOBYTE))
    return next((size * KILOBYTE for size in CARVE_OUTS if size * KILOBYTE >= wanted), wanted)


def _shared_bytes(program: Program, launch: LaunchShape, machine: Machine) -> int:
    """Shared memory that a block takes, what the system keeps of it included."""
    limits = machine.limits
    asked = program.static_shared_bytes + launch.dynamic_shared_bytes
    return _round_up(asked + limits.shared_reserved_bytes, limits.shared_unit)


def _fit_registers(per_thread: int, warps: int, machine: Machine) -> int:
    """Blocks whose registers fit: each SMSP has a quarter of them and gives them to whole warps (cuda_occupancy.h)."""
    limits = machine.limits
    per_warp = _round_up(per_thread * 32, limits.register_unit)
    if not per_warp:
        return int(limits.blocks)
    return int(limits.registers // NUM_SMSPS // per_warp * NUM_SMSPS // warps)


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
