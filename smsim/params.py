"""The numbers of a Machine that the rules use, flat, as Numba wants them."""

import numpy as np
from numpy.typing import NDArray

from smsim.machine import Machine, forwarding_readers

# Cycles and counts, named after their places in the machine description.
_INTEGERS = (
    "first_instruction",
    "warp_interval",
    "block_interval",
    "relaunch",
    "exit",
    "barrier_release",
    "line_instructions",
    "l0_miss",
    "l0_prefetch_lines",
    "l0_fill_interval",
    "icache_miss",
    "branch_taken",
    "branch_not_taken",
    "constant_miss",
    "fma",
    "fmaheavy",
    "fmalite",
    "xu",
    "queue_depth",
    "lg_queue_depth",
    "queue_latency",
    "lsu_interval",
    "wavefront_interval",
    "l1_sets",
    "tag_interval",
    "miss_latency",
    "sector_interval",
    "store_latency",
    "dram_latency",
)


def params_dtype(machine: Machine) -> np.dtype[np.void]:
    """The record's fields; ``forwarding[writer's class, reader's class]`` is in cycles beyond the writer's latency."""
    shape = (len(machine.forwarding), len(forwarding_readers(machine)))
    fields = [(name, np.int64) for name in _INTEGERS]
    return np.dtype([*fields, ("clock_mhz", np.float64), ("forwarding", np.int64, shape)], align=True)


def build_params(machine: Machine, shared_bytes_in_use: int) -> np.ndarray:
    """Flatten a machine into one record, shape (1,); what blocks take of the unified memory is missing in L1."""
    l1 = machine.l1
    pipes = list(machine.pipes)
    lines = max(l1.ways, (l1.bytes - shared_bytes_in_use) // l1.line_bytes)
    params = np.zeros(1, params_dtype(machine))
    values = {
        "first_instruction": machine.launch.first_instruction,
        "warp_interval": machine.launch.warp_interval,
        "block_interval": machine.launch.block_interval,
        "relaunch": machine.launch.relaunch,
        "exit": machine.launch.exit,
        "barrier_release": machine.launch.barrier_release,
        "line_instructions": max(1, machine.frontend.line_bytes // 16),
        "l0_miss": machine.frontend.l0_miss,
        "l0_prefetch_lines": machine.frontend.l0_prefetch_lines,
        "l0_fill_interval": machine.frontend.l0_fill_interval,
        "icache_miss": machine.frontend.icache_miss,
        "branch_taken": machine.frontend.branch_taken,
        "branch_not_taken": machine.frontend.branch_not_taken,
        "constant_miss": machine.frontend.constant_miss,
        "fma": pipes.index("fma"),
        "fmaheavy": pipes.index("fmaheavy"),
        "fmalite": pipes.index("fmalite"),
        "xu": pipes.index("xu"),
        "queue_depth": machine.mio.queue_depth,
        "lg_queue_depth": machine.mio.lg_queue_depth,
        "queue_latency": machine.mio.queue_latency,
        "lsu_interval": machine.mio.lsu_interval,
        "wavefront_interval": machine.shared.wavefront_interval,
        "l1_sets": max(1, lines // l1.ways),
        "tag_interval": l1.tag_interval,
        "miss_latency": l1.miss_latency,
        "sector_interval": l1.sector_interval,
        "store_latency": l1.store_latency,
        "dram_latency": machine.dram.latency,
        "clock_mhz": machine.clock_mhz,
        "forwarding": _forwarding(machine),
    }
    for name, value in values.items():
        params[0][name] = value
    return params


def _forwarding(machine: Machine) -> NDArray[np.int64]:
    """Cycles beyond the writer's latency, by latency class of the writer (rows) and of the reader."""
    readers = forwarding_readers(machine)
    return np.array([[row[reader] for reader in readers] for row in machine.forwarding.values()], np.int64)
