"""Counts under ncu's metric names, with ncu's definitions, for the simulated SMs alone.

Written from Nsight Compute's metric reference. ``.sum`` adds their SMSPs, where ncu adds every SM of the GPU.
``smsp__warps_issue_stalled_<reason>.sum`` includes ``selected``, as ncu's does. Peaks count the SMSPs that had a warp,
since ncu divides by active cycles. Counters of caches and memory, and of pipes whose split the driver decides, come
from :class:`~smsim.counts.Counts` under ncu's names and pass through unchanged; what a launch with cold caches reads
from DRAM for itself, once for all SMs, is among them.
"""

from collections import Counter

import numpy as np

from isa.program import Program
from smsim.counts import Counts
from smsim.reasons import REASON_NAMES, Reason


def named_metrics(program: Program, counts: Counts, max_warps: int) -> dict[str, int | float]:
    """All metrics of the simulated SMs; ``max_warps`` is what one can hold (the peak of ``sm__warps_active``)."""
    by_reason = counts.warp_cycles.sum(axis=(0, 1))
    warps_active = int(by_reason.sum())
    issued = int(by_reason[Reason.SELECTED])
    cycles = int(counts.cycles)
    sm_cycles = cycles * counts.sms
    active_smsps = counts.sms * int(np.count_nonzero(counts.warp_cycles.sum(axis=(1, 2))))
    metrics: dict[str, int | float] = {
        "sm__cycles_active.max": cycles,
        "smsp__inst_executed.sum": issued,
        "smsp__inst_issued.sum": issued,
        "smsp__issue_active.sum": issued,
        "smsp__thread_inst_executed.sum": int(counts.thread_instructions),
        "smsp__warps_active.sum": warps_active,
        "sm__inst_executed.avg.per_cycle_active": _ratio(issued, sm_cycles),
        "smsp__issue_active.avg.pct_of_peak_sustained_active": 100.0 * _ratio(issued, cycles * active_smsps),
        "sm__warps_active.avg.pct_of_peak_sustained_active": 100.0 * _ratio(warps_active, sm_cycles * max_warps),
        "smsp__average_warp_latency_per_inst_issued.ratio": _ratio(warps_active, issued),
        "smsp__thread_inst_executed_per_inst_executed.ratio": _ratio(counts.thread_instructions, issued),
    }
    for reason, count in zip(REASON_NAMES, by_reason, strict=True):
        metrics[f"smsp__warps_issue_stalled_{reason}.sum"] = int(count)
    for reason, count in zip(REASON_NAMES, by_reason, strict=True):
        metrics[f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"] = _ratio(count, issued)
    metrics.update(_pipe_instructions(program, counts))
    metrics.update((name, int(value)) for name, value in counts.grid_memory().items())
    return metrics


def _pipe_instructions(program: Program, counts: Counts) -> dict[str, int]:
    """``smsp__inst_executed_pipe_<pipe>.sum`` by the pipe that the opcode table gives."""
    per_instruction = counts.warp_cycles[:, :, Reason.SELECTED].sum(axis=0)
    pipes: Counter[str] = Counter()
    for instruction, issued in zip(program.instructions, per_instruction, strict=True):
        pipes[instruction.pipe] += int(issued)
    return {f"smsp__inst_executed_pipe_{pipe}.sum": count for pipe, count in sorted(pipes.items()) if count}


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else 0.0
