"""A prediction beside a measurement of the same code and launch.

smsim simulates all SMs, or one of a large grid; ncu adds up every SM. A prediction is therefore scaled to the grid:
counts times (blocks of the grid) / (blocks simulated), which is exact where every block does the same and 1 for a grid
of one block. Cycles and time are compared as they are: those of the simulated SMs' busiest beside the busiest SM's.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

from smsim.events import COUNTERS
from smsim.reasons import REASON_NAMES
from smsim.result import Result
from validation.clock import ClockComparison, compare_clocks
from validation.identity import code_sha256
from validation.instructions import InstructionComparison, compare_instructions
from validation.measurement import Cache, Measurement, MeasurementError

CYCLES = "sm__cycles_active.max"
INSTRUCTIONS = "smsp__inst_executed.sum"
TIME = "gpu__time_duration.sum"  # ns
STALLS = {reason: f"smsp__warps_issue_stalled_{reason}.sum" for reason in REASON_NAMES}


@dataclass(frozen=True)
class Figures:
    """One side of a comparison.

    Attributes:
        cycles: of the busiest SM.
        time_us: the kernel's duration in microseconds.
        instructions: warp instructions executed by the whole grid.
        stalls: warp-cycles of the whole grid by reason, ``selected`` included.
        memory: what caches and DRAM counted for the whole grid, under ncu's names, as far as it was recorded.
    """

    cycles: float
    time_us: float
    instructions: float
    stalls: Mapping[str, float]
    memory: Mapping[str, float] = field(default_factory=dict)

    @property
    def shares(self) -> dict[str, float]:
        """``stalls`` as shares of all warp-cycles; all 0 when there are none."""
        total = sum(self.stalls.values())
        return {reason: count / total if total else 0.0 for reason, count in self.stalls.items()}


@dataclass(frozen=True)
class Comparison:
    """A case, predicted and measured.

    Attributes:
        case: "kernel/launch"; case_class: its family; cache: "warm" or "cold".
        predicted, measured: the figures; the measured ones are means over the runs.
        cycles_spread: largest minus smallest measured cycles, relative to their mean.
        clock64: the clock64() differences, for a kernel that records them; measured with warm caches only.
        instructions: per SASS instruction, where ncu's samples were recorded.
    """

    case: str
    case_class: str
    cache: Cache
    predicted: Figures
    measured: Figures
    cycles_spread: float
    clock64: ClockComparison | None = None
    instructions: InstructionComparison | None = None

    @property
    def cycles_error(self) -> float:
        """(predicted - measured) / measured cycles."""
        return self.predicted.cycles / self.measured.cycles - 1.0

    @property
    def time_error(self) -> float:
        """(predicted - measured) / measured time."""
        return self.predicted.time_us / self.measured.time_us - 1.0

    @property
    def instructions_exact(self) -> bool:
        """Whether the instructions executed are the same to the last one."""
        return self.predicted.instructions == self.measured.instructions

    @property
    def share_differences(self) -> dict[str, float]:
        """Predicted minus measured share by reason, in percentage points."""
        measured = self.measured.shares
        return {reason: 100.0 * (share - measured[reason]) for reason, share in self.predicted.shares.items()}

    @property
    def stall_distance(self) -> float:
        """Total-variation distance between the two distributions of warp-cycles: 0 alike, 1 nothing in common."""
        return sum(abs(points) for points in self.share_differences.values()) / 200.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: case, class, cache, predicted and measured {cycles, time_us, instructions, stalls,
        memory}, cycles_error, cycles_spread, time_error, instructions_exact, share_differences (points),
        stall_distance; clock64 {predicted, measured, one_warp_per_smsp, exact} or null; hottest and instructions as
        :class:`~validation.instructions.InstructionComparison` gives them, or null.
        """
        clock, instructions = self.clock64, self.instructions
        return {
            "case": self.case,
            "class": self.case_class,
            "cache": self.cache,
            "predicted": asdict(self.predicted),
            "measured": asdict(self.measured),
            "cycles_error": self.cycles_error,
            "cycles_spread": self.cycles_spread,
            "time_error": self.time_error,
            "instructions_exact": self.instructions_exact,
            "share_differences": self.share_differences,
            "stall_distance": self.stall_distance,
            "clock64": None if clock is None else {**asdict(clock), "exact": clock.exact},
            "hottest": None if instructions is None else instructions.hottest_to_dict(),
            "instructions": None if instructions is None else instructions.to_list(),
        }


def measured_figures(measurement: Measurement, cache: Cache) -> Figures:
    """The recorded figures, each the mean over its runs.

    Raises:
        MeasurementError: a counter that the comparison needs was not recorded in that cache mode.
    """
    return Figures(
        cycles=measurement.mean(CYCLES, cache),
        time_us=measurement.mean(TIME, cache) / 1000.0,
        instructions=measurement.mean(INSTRUCTIONS, cache),
        stalls={reason: measurement.mean(counter, cache) for reason, counter in STALLS.items()},
        memory={name: fmean(runs) for name in COUNTERS.values() if (runs := measurement.figures(name, cache))},
    )


def predicted_figures(result: Result, grid_instructions: float | None = None) -> Figures:
    """A result scaled to the grid; ``grid_instructions`` is the exact count where every block was emulated."""
    scale = _scale(result)
    if grid_instructions is None:  # multiplied first: the quotient is exact then
        grid_instructions = result.instructions * result.launch.num_blocks / len(result.setting.blocks)
    return Figures(
        cycles=result.cycles,
        time_us=result.time_us,
        instructions=grid_instructions,
        stalls={reason: count * scale for reason, count in result.stalls.items()},
        memory=result.counts.grid_memory(scale),
    )


def compare(
    case: str,
    case_class: str,
    result: Result,
    measurement: Measurement,
    *,
    grid_instructions: int | None = None,
    clock_cycles: tuple[int, ...] | None = None,
) -> Comparison:
    """Lay a result beside the measurement of the same code, launch and cache mode.

    Args:
        case, case_class: as in :class:`Comparison`.
        result: the prediction.
        measurement: what was recorded.
        grid_instructions: warp instructions of the whole grid, where every block was emulated.
        clock_cycles: predicted clock64() differences of block 0's warps.

    Raises:
        MeasurementError: the measurement is of other code or of another launch, its kernel failed or computed something
            else on the GPU, or it lacks a counter in the result's cache mode.
    """
    refuse_other(result, measurement)
    cache: Cache = "warm" if result.setting.cache == "warm" else "cold"
    measured = measured_figures(measurement, cache)
    return Comparison(
        case=case,
        case_class=case_class,
        cache=cache,
        predicted=predicted_figures(result, grid_instructions),
        measured=measured,
        cycles_spread=measurement.spread(CYCLES, cache),
        clock64=compare_clocks(clock_cycles, measurement.clock64, len(result.setting.blocks)),
        instructions=compare_instructions(
            result, measurement.samples.get(cache), _scale(result), sum(measured.stalls.values())
        ),
    )


def _scale(result: Result) -> float:
    """From SM 0's blocks to the grid's."""
    return result.launch.num_blocks / len(result.setting.blocks)


def refuse_other(result: Result, measurement: Measurement) -> None:
    """Raise MeasurementError when the measurement failed, or is not of the result's code and launch."""
    if measurement.status != "ok":
        hint = "; if that is as it should be, measure it with --no-check" if measurement.status == "wrong" else ""
        raise MeasurementError(f"on the GPU this launch was {measurement.status}: {measurement.message}{hint}")
    if code_sha256(result.program) != measurement.code_sha256:
        raise MeasurementError(
            f"the measurement is of another cubin (recorded {measurement.cubin_sha256[:12]}, simulated "
            f"{result.program.cubin_hash[:12]}, and their instructions differ); measure this one again"
        )
    launch = result.launch
    simulated = (launch.grid, launch.block, launch.dynamic_shared_bytes)
    recorded = (measurement.grid, measurement.block, measurement.dynamic_shared_bytes)
    if simulated != recorded:
        raise MeasurementError(f"the measurement is of launch {recorded}, simulated was {simulated}")
