"""The numbers of a Machine that the rules use, flat, as Numba wants them."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from isa.instruction import INSTRUCTION_BYTES
from smsim.description.sections import NAMED_PIPES
from smsim.gpcs import cpc_interval
from smsim.machine import Machine, forwarding_readers
from smsim.part import WHOLE, Part
from smsim.state.chip import NUM_L2_SLICES
from smsim.state.l2 import L2_WAYS
from smsim.state.sizes import FREE_LINES, NUM_CODE_CACHES, NUM_QUEUES, NUM_SLICES

# Cycles and counts, named after their places in the machine description.
_INTEGERS = (
    "first_block",
    "first_instruction",
    "warp_interval",
    "block_interval",
    "block_gap",
    "relaunch",
    "exit_resolving",
    "exit",
    "line_instructions",
    "l0_miss",
    "l0_rate",
    "l0_ahead",
    "l0_behind",
    "l0_second",
    "l0_followed",
    "l0_followed_on",
    "icc_miss",
    "icc_prefetch_lines",
    "icc_fill_interval",
    "gcc_miss",
    "gcc_prefetch_lines",
    "branch_taken",
    "landing_busy",
    "landing_wait",
    "landing_interval",
    "branch_line_end",
    "branch_started",
    "branch_resolved",
    "branch_diverged",
    "exit_diverged",
    "branch_switched",
    "branch_searched",
    "exit_switched",
    "exit_searched",
    "lanes_named",
    "mask_named",
    "constant_miss",
    "constant_line_bytes",
    "constant_sets",
    "constant_ways",
    "constant_interval",
    "constants_of_others",
    "module_constant_bytes",
    "module_constant_miss",
    "ldc_miss",
    "ldc_fill",
    "read_window",
    "fp64_slot",
    "register_file",
    "conflict_interval",
    "match_latency",
    "lsu_places",
    "place_return",
    "barrier_release",
    "l1_sets",
    "l1_room",
    "local_lines",
    "barrier_places",
    "store_queue_wavefronts",
    "store_queue_lines",
    "store_placing_lines",
    "atomic_packets",
    "own_atomic_packets",
    "slice_packets",
    "overtaken",
    "overtaken_lines",
    "pending_turns",
    "pending_loads",
    "store_sent",
    "store_idle",
    "miss_latency",
    "miss_spread",
    "far_atomic",
    "store_latency",
    "flush_interval",
    "flush_gathers",
    "group_latency",
    "group_interval",
    "group_passed",
    "far_latency",
    *("coalescing_window", "sm_spread", "way_spread"),
    "l2_sets",
    "l2_dirty_ways",
    "l2_dirty_turn",
    "l2_partial_ways",
    "line_sectors",
    "sector_bytes",
    "fill_sectors",
    "pair_interval",
    "row_sectors",
    "dram_latency",
    "dram_ahead",
    "refresh",
    "refresh_interval",
    "refresh_turn",
    *NAMED_PIPES,
)
_REALS = (
    *("clock_mhz", "sector_interval", "sector_lag", "store_packet_interval", "same_address"),
    *("sharers", "dispatch_interval", "pending_further"),
    *("l2_read_interval", "l2_request_interval", "l2_write_interval", "l2_store_interval", "l2_service"),
    *("slice_interval", "link_interval", "cpc_request_interval", "cpc_store_interval"),
    *("atomic_interval", "returned_atomic_interval", "whole_atomic_interval", "float_atomic_interval"),
    *("dram_read_interval", "dram_row_interval", "dram_write_interval", "dram_fill_interval"),
    *("dram_service", "turnaround"),
)


def params_dtype(machine: Machine) -> np.dtype[np.void]:
    """The record's fields; ``forwarding[writer's class, reader's class]`` is in cycles beyond the writer's latency."""
    shape = (len(machine.forwarding), len(forwarding_readers(machine)))
    return np.dtype(
        [
            *((name, np.int64) for name in _INTEGERS),
            *((name, np.float64) for name in _REALS),
            ("queue_depth", np.int64, NUM_QUEUES),  # by XU_QUEUE, MIO_QUEUE, ADU_QUEUE
            ("code_sets", np.int64, NUM_CODE_CACHES),  # by L0, ICC
            ("code_ways", np.int64, NUM_CODE_CACHES),
            ("forwarding", np.int64, shape),
        ],
        align=True,
    )


def build_params(machine: Machine, carve_out_bytes: int, part: Part = WHOLE, sms: int = 1) -> np.ndarray:
    """Flatten a machine into one record, shape (1,); what is set aside as shared memory is missing in L1.

    What all SMs share, and what only some of them are simulated of, is slowed down to their ``part`` of it.
    """
    l1, mio, l2, dram = machine.l1, machine.mio, machine.l2, machine.dram
    pipes = list(machine.pipes)
    icc_ways = min(machine.frontend.icc_ways, machine.frontend.icc_lines)
    cpc_store_interval = cpc_interval(sms, l2.cpc_least_interval, l2.cpc_store_interval)
    params = np.zeros(1, params_dtype(machine))
    values = {
        **msgspec.structs.asdict(machine.launch),
        **msgspec.structs.asdict(machine.frontend),
        **msgspec.structs.asdict(machine.register_file),
        **msgspec.structs.asdict(l1),
        **{
            name: pipes.index(name)
            for name in ("alu", "fma", "fmaheavy", "fmalite", "fma_both", "fma_wide", "fp64", "uniform", "xu")
        },
        "constants_of_others": _of_others(machine, part),
        "register_file": forwarding_readers(machine).index("register_file"),
        "clock_mhz": machine.clock_mhz,
        "line_instructions": max(1, machine.frontend.line_bytes // INSTRUCTION_BYTES),
        "conflict_interval": mio.conflict_interval,
        "match_latency": mio.match_latency,
        "lsu_places": mio.lsu_places,
        "place_return": mio.place_return,
        "barrier_release": machine.barrier.release,
        "l1_sets": max(1, l1.bytes // l1.line_bytes // l1.ways),
        "local_lines": 0,
        "barrier_places": 0,
        "l1_room": max(l1.ways, (l1.bytes - carve_out_bytes) // l1.line_bytes // NUM_SLICES - FREE_LINES),
        "dispatch_interval": machine.launch.dispatch_interval / part.work,
        "l2_read_interval": l2.read_interval / part.work,
        "l2_request_interval": l2.request_interval / part.work * sms,
        "l2_write_interval": l2.write_interval / part.work,
        "l2_store_interval": l2.store_interval / part.work * sms,
        "slice_interval": l2.request_interval * NUM_L2_SLICES,
        "link_interval": l2.link_interval,
        "cpc_request_interval": l2.cpc_request_interval * cpc_store_interval / l2.cpc_store_interval,
        "cpc_store_interval": cpc_store_interval,
        "far_latency": l2.far_latency,
        "coalescing_window": l2.coalescing_window,
        "sm_spread": l2.sm_spread,
        "way_spread": l2.way_spread,
        "l2_sets": part.l2_sets,
        "l2_dirty_ways": max(1, round(L2_WAYS * l2.dirty_bytes / l2.bytes)),
        "l2_dirty_turn": l2.dirty_turn,
        "l2_partial_ways": max(1, round(L2_WAYS * l2.partial_bytes / l2.bytes)),
        "line_sectors": l1.line_bytes // l1.sector_bytes,
        "fill_sectors": l2.fill_sectors,
        "pair_interval": dram.pair_interval,
        "row_sectors": dram.row_sectors,
        "dram_latency": dram.latency,
        "dram_ahead": dram.ahead,
        "refresh": dram.refresh,
        "refresh_interval": dram.refresh_interval,
        "refresh_turn": dram.refresh_turn,
        "dram_read_interval": dram.read_interval / part.work,
        "dram_row_interval": dram.row_interval / part.work,
        "dram_write_interval": dram.write_interval / part.work,
        "dram_fill_interval": dram.fill_interval / part.work,
        "dram_service": dram.service,
        "l2_service": l2.service,
        "atomic_interval": l2.atomic_interval,
        "returned_atomic_interval": l2.returned_atomic_interval,
        "whole_atomic_interval": l2.whole_atomic_interval,
        "float_atomic_interval": l2.float_atomic_interval,
        "sharers": 1.0 / part.work,
        "turnaround": dram.turnaround / part.work,
        "queue_depth": (mio.xu_queue_depth, mio.mio_queue_depth, mio.adu_queue_depth),
        "code_sets": (1, machine.frontend.icc_lines // icc_ways),
        "code_ways": (machine.frontend.l0_lines, icc_ways),
        "forwarding": forwarding_table(machine),
    }
    for name in params.dtype.names or ():
        params[0][name] = values[name]
    return params


def _of_others(machine: Machine, part: Part) -> int:
    """What other SMs' constants take of the GCC between two lines of one SM: as much as SMs have blocks."""
    others = machine.frontend.constants_of_others * (part.busy - 1) / max(1, machine.num_sms - 1)
    return round(float(others))


def forwarding_table(machine: Machine) -> NDArray[np.int64]:
    """Cycles beyond the writer's latency, by latency class of the writer (rows) and of the reader."""
    readers = forwarding_readers(machine)
    return np.array([[row.get(reader, 0) for reader in readers] for row in machine.forwarding.values()], np.int64)
