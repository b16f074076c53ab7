"""What the values of a description must satisfy before anything is simulated with them."""

from typing import Any

import msgspec

from isa.errors import MachineError
from smsim.description.sections import NAMED_PIPES, UNITS, Description
from smsim.description.values import leaves

LARGEST = 10**9
MOST_SECTORS = 32  # of a line of L1
# Sizes of what is simulated, and the largest that make sense: an SMSP's warps are the bits of one word.
MOST_WAITING = 64  # places of the queue in front of L1, and lines behind it
MOST_PENDING = 1024  # loads and atomics that wait for L2
MOST_ATOMIC_PACKETS = 1024  # of atomics on their way to L2
_SIZES = {
    "register_file.read_window": 1024,
    "gpu.num_sms": LARGEST,
    "gpu.clock_mhz": LARGEST,
    "limits.warps": 240,
    "limits.blocks": 1024,
    "limits.register_unit": LARGEST,
    "limits.shared_unit": LARGEST,
    "frontend.line_bytes": LARGEST,
    "frontend.l0_lines": 1 << 20,
    "frontend.icc_lines": 1 << 20,
    "frontend.icc_ways": 1 << 20,
    "frontend.constant_line_bytes": LARGEST,
    "frontend.module_constant_bytes": LARGEST,
    "frontend.constant_sets": 1024,
    "frontend.constant_ways": 1024,
    "frontend.constant_misses": 1024,
    "mio.xu_queue_depth": 1024,
    "mio.mio_queue_depth": 1024,
    "mio.lsu_places": 32,
    "mio.barrier_producers": 1024,
    "mio.adu_queue_depth": 1024,
    "dram.row_sectors": LARGEST,
    "dram.refresh_interval": LARGEST,
    "l1.line_bytes": LARGEST,
    "l1.sector_bytes": 62,  # a number's bits stand for them
    "l1.ways": 1024,
    "l1.store_queue_wavefronts": MOST_WAITING,
    "l1.store_queue_lines": MOST_WAITING,
    "l1.store_placing_lines": MOST_WAITING,
    "l1.pending_turns": LARGEST,
    "l1.pending_loads": MOST_PENDING,
    "l1.atomic_packets": MOST_ATOMIC_PACKETS,
    "l1.own_atomic_packets": MOST_ATOMIC_PACKETS,
    "l1.overtaken": MOST_WAITING,
}


def validated(tree: dict[str, Any], where: str) -> Description:
    """The description made of nested dicts of values.

    Raises MachineError, which names the value and ``where`` it stands, when one is missing, unknown or does not fit.
    """
    try:
        description = msgspec.convert(tree, Description)
    except msgspec.ValidationError as error:
        raise MachineError(f"{where}: {error}") from None
    _check_ranges(description, where)
    _check_operations(description, where)
    _check_pipes(description, where)
    return description


def _check_ranges(description: Description, where: str) -> None:
    for path, value in leaves(msgspec.to_builtins(description)):
        lowest = -LARGEST if path.startswith("forwarding.") else 0
        if isinstance(value, int | float) and not lowest <= value <= LARGEST:
            raise MachineError(f"{where}: {path} is {value}; it must lie in {lowest} to {LARGEST}")
    for path, most in _SIZES.items():
        node: Any = description
        for key in path.split("."):
            node = getattr(node, key)
        if not 1 <= node <= most:
            raise MachineError(f"{where}: {path} is {node}; it must lie in 1 to {most}")
    sectors, rest = divmod(description.l1.line_bytes, description.l1.sector_bytes)
    if rest or not 1 <= sectors <= MOST_SECTORS:
        raise MachineError(
            f"{where}: l1.line_bytes is {description.l1.line_bytes}; it must be 1 to {MOST_SECTORS} times "
            f"l1.sector_bytes, {description.l1.sector_bytes}"
        )


def _check_operations(description: Description, where: str) -> None:
    for name, operation in description.operations.items():
        if operation.unit not in UNITS:
            raise MachineError(
                f"{where}: operations.{name}.unit is {operation.unit!r}; the units are {', '.join(UNITS)}"
            )
        if operation.pipe and operation.pipe not in description.pipes:
            known = ", ".join(description.pipes)
            raise MachineError(f"{where}: operations.{name}.pipe is {operation.pipe!r}; the pipes are {known}")


def _check_pipes(description: Description, where: str) -> None:
    missing = set(NAMED_PIPES) - set(description.pipes)
    if missing:
        raise MachineError(f"{where}: pipes.{min(missing)} is missing")
    for name, pipe in description.pipes.items():
        if pipe.interval < 1 or pipe.latency < 1:
            raise MachineError(f"{where}: pipes.{name}: interval and latency must be at least 1")
