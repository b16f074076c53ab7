"""Result: the simulated SMs' counts under Nsight Compute's names.

A result covers the SMs that were simulated: mostly SM 0 alone, which gets blocks 0, num_sms, 2 * num_sms, ... of the
grid (:mod:`smsim.dispatch`). ncu's ``.sum`` covers every SM of the GPU: the two agree as they stand when the whole grid
fits on the simulated SMs, and per block otherwise. ``sm__cycles_active.max`` is the busiest SM's in both, and no SM
gets more blocks than SM 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from isa.instruction import Instruction, SourceLine
from isa.launch import LaunchShape
from isa.program import Program
from smsim.bottlenecks.bottleneck import Bottleneck
from smsim.counts import Counts
from smsim.ncu_metrics import named_metrics
from smsim.reasons import REASON_NAMES, Reason

SCHEMA = "smsim.result/1"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a result was obtained with.

    Attributes:
        machine: the machine's name, e.g. "h100".
        overrides: values changed from the machine's own, by path, e.g. ``{"pipes.fma.latency": 6}``.
        clock_mhz: the SM clock that turns cycles into time.
        max_warps: warps that an SM holds at most.
        cache: "warm" or "cold".
        engine: "auto", "simpy" or "compiled": what was asked for; the counts do not depend on it.
        blocks: linear ids of the blocks that were simulated.
        sms: SMs that were simulated.
        overhead_us: what a launch takes besides the cycles of its SMs.
    """

    machine: str
    overrides: Mapping[str, Any]
    clock_mhz: float
    max_warps: int
    cache: str
    engine: str
    blocks: tuple[int, ...]
    sms: int = 1
    overhead_us: float = 0.0


@dataclass(frozen=True, slots=True)
class InstructionStalls:
    """One SASS instruction and the warp-cycles spent in front of it.

    Attributes:
        address: byte offset in the kernel's code.
        text: the instruction as nvdisasm prints it.
        source: the CUDA line it comes from, when the cubin has a line table.
        issued: times that it issued (warp instructions).
        stalls: warp-cycles by reason while it was the next instruction of a warp; every reason, zeros included;
            ``selected`` equals ``issued``.
    """

    address: int
    text: str
    source: SourceLine | None
    issued: int
    stalls: dict[str, int]

    @property
    def warp_cycles(self) -> int:
        """All warp-cycles in front of this instruction."""
        return sum(self.stalls.values())


@dataclass(frozen=True)
class Result:
    """What smsim predicts for one launch, counted on one SM (see the module's docstring for what that covers).

    ``find_bottlenecks`` is called when :attr:`bottlenecks` is asked for; by default there are none.
    """

    program: Program
    launch: LaunchShape
    setting: Setting
    counts: Counts
    find_bottlenecks: Callable[[], tuple[Bottleneck, ...]] = field(default=tuple, repr=False, compare=False)

    @property
    def kernel(self) -> str:
        """The kernel's (mangled) name."""
        return self.program.name

    @property
    def cycles(self) -> int:
        """Cycles from the first block's launch to the last warp's exit, as ``sm__cycles_active.max``."""
        return int(self.counts.cycles)

    @property
    def time_us(self) -> float:
        """Microseconds of the launch, its overhead included, as ``gpu__time_duration.sum``."""
        counts = self.counts.alone
        return max(counts.cycles, counts.last_answer) / self.setting.clock_mhz + self.setting.overhead_us

    @property
    def instructions(self) -> int:
        """Warp instructions executed, as ``smsp__inst_executed.sum``."""
        return self.stalls[Reason.SELECTED.counter]

    @cached_property
    def stalls(self) -> dict[str, int]:
        """Warp-cycles by reason, every reason of :class:`~smsim.reasons.Reason` in its order, ``selected`` included."""
        totals = self.counts.warp_cycles.sum(axis=(0, 1))
        return dict(zip(REASON_NAMES, (int(total) for total in totals), strict=True))

    @property
    def warp_cycles(self) -> int:
        """Warp-cycles resident: the sum of ``stalls``, as ``smsp__warps_active.sum``."""
        return sum(self.stalls.values())

    @cached_property
    def stall_shares(self) -> dict[str, float]:
        """``stalls`` as shares of all resident warp-cycles; they sum to 1."""
        total = self.warp_cycles
        return {reason: count / total for reason, count in self.stalls.items()}

    @cached_property
    def smsp_stalls(self) -> tuple[dict[str, int], ...]:
        """``stalls`` of each of the four SMSPs."""
        totals = self.counts.warp_cycles.sum(axis=1)
        return tuple(dict(zip(REASON_NAMES, map(int, row), strict=True)) for row in totals)

    @cached_property
    def metrics(self) -> dict[str, int | float]:
        """The counts by ncu's metric names; :mod:`smsim.ncu_metrics` says which and how each is defined."""
        return named_metrics(self.program, self.counts, self.setting.max_warps)

    @cached_property
    def instruction_stalls(self) -> tuple[InstructionStalls, ...]:
        """``stalls`` per SASS instruction, in address order, instructions that were never reached included."""
        totals: np.ndarray = self.counts.warp_cycles.sum(axis=0)
        return tuple(
            _instruction_stalls(instruction, row)
            for instruction, row in zip(self.program.instructions, totals, strict=True)
        )

    @cached_property
    def bottlenecks(self) -> tuple[Bottleneck, ...]:
        """For each limit of the launch the cycles it would take if that were the only one; the one that binds first.

        :mod:`smsim.bottlenecks` says how they are found.
        """
        return self.find_bottlenecks()

    def to_dict(self) -> dict[str, Any]:
        """The result as plain Python values, ready for JSON.

        The layout is stable for a given ``schema``: ``schema``, ``kernel``, ``cubin_hash``, ``launch`` {grid, block,
        dynamic_shared_bytes}, ``resources`` {num_regs, static_shared_bytes, local_bytes}, ``setting`` {machine,
        overrides, clock_mhz, max_warps, cache, engine, blocks}, ``cycles``, ``time_us``, ``instructions``,
        ``stalls`` and ``stall_shares`` by reason, ``smsp_stalls`` (four of them), ``metrics`` by ncu's name,
        ``bottlenecks`` [{name, cycles, amount, unit}], the one that binds first,
        ``instruction_stalls`` [{address, text, file, line, issued, stalls}] where stalls holds the reasons that are
        not zero and file and line are null without a line table.
        """
        setting = self.setting
        return {
            "schema": SCHEMA,
            "kernel": self.kernel,
            "cubin_hash": self.program.cubin_hash,
            "launch": {
                "grid": list(self.launch.grid),
                "block": list(self.launch.block),
                "dynamic_shared_bytes": self.launch.dynamic_shared_bytes,
            },
            "resources": {
                "num_regs": self.program.num_regs,
                "static_shared_bytes": self.program.static_shared_bytes,
                "local_bytes": self.program.local_bytes,
            },
            "setting": {
                "machine": setting.machine,
                "overrides": dict(setting.overrides),
                "clock_mhz": setting.clock_mhz,
                "max_warps": setting.max_warps,
                "cache": setting.cache,
                "engine": setting.engine,
                "blocks": list(setting.blocks),
            },
            "cycles": self.cycles,
            "time_us": self.time_us,
            "instructions": self.instructions,
            "stalls": self.stalls,
            "stall_shares": self.stall_shares,
            "smsp_stalls": list(self.smsp_stalls),
            "metrics": self.metrics,
            "bottlenecks": [asdict(bottleneck) for bottleneck in self.bottlenecks],
            "instruction_stalls": [
                {
                    "address": row.address,
                    "text": row.text,
                    "file": row.source.file if row.source else None,
                    "line": row.source.line if row.source else None,
                    "issued": row.issued,
                    "stalls": {reason: count for reason, count in row.stalls.items() if count},
                }
                for row in self.instruction_stalls
            ],
        }


def _instruction_stalls(instruction: Instruction, counts: np.ndarray) -> InstructionStalls:
    stalls = dict(zip(REASON_NAMES, map(int, counts), strict=True))
    return InstructionStalls(
        address=instruction.address,
        text=instruction.text,
        source=instruction.source,
        issued=stalls[Reason.SELECTED.counter],
        stalls=stalls,
    )
