"""A prediction beside a measurement of the same code and launch.

smsim simulates SM 0; ncu adds up every SM. A prediction is therefore scaled to the grid: SM 0's counts times (blocks of
the grid) / (blocks of SM 0), which is exact where every block does the same and 1 for a grid of one block. Cycles and
time are compared as they are: the simulated SM's beside the busiest SM's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

import numpy as np

from smsim.reasons import REASON_NAMES
from smsim.result import Result
from validation.identity import code_sha256
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
    """

    cycles: float
    time_us: float
    instructions: float
    stalls: Mapping[str, float]

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
    """

    case: str
    case_class: str
    cache: Cache
    predicted: Figures
    measured: Figures
    cycles_spread: float

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
        """Plain values for JSON: case, class, cache, predicted and measured {cycles, time_us, instructions, stalls},
        cycles_error, cycles_spread, time_error, instructions_exact, share_differences (points), stall_distance.
        """
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
    )


def predicted_figures(result: Result, grid_instructions: int | None = None) -> Figures:
    """A result scaled to the grid; ``grid_instructions`` is the exact count where every block was emulated."""
    scale = result.launch.num_blocks / len(result.setting.blocks)
    return Figures(
        cycles=result.cycles,
        time_us=result.time_us,
        instructions=result.instructions * scale if grid_instructions is None else grid_instructions,
        stalls={reason: count * scale for reason, count in result.stalls.items()},
    )


def compare(
    case: str, case_class: str, result: Result, measurement: Measurement, grid_instructions: int | None = None
) -> Comparison:
    """Lay a result beside the measurement of the same code, launch and cache mode.

    Raises:
        MeasurementError: the measurement is of other code or of another launch, its kernel failed or computed something
            else on the GPU, or it lacks a counter in the result's cache mode.
    """
    _refuse_other(case, result, measurement)
    cache: Cache = "warm" if result.setting.cache == "warm" else "cold"
    return Comparison(
        case=case,
        case_class=case_class,
        cache=cache,
        predicted=predicted_figures(result, grid_instructions),
        measured=measured_figures(measurement, cache),
        cycles_spread=measurement.spread(CYCLES, cache),
    )


def _refuse_other(case: str, result: Result, measurement: Measurement) -> None:
    if measurement.status != "ok":
        raise MeasurementError(f"{case}: on the GPU this launch was {measurement.status}: {measurement.message}")
    if code_sha256(result.program) != measurement.code_sha256:
        raise MeasurementError(
            f"{case}: the measurement is of another cubin (recorded {measurement.cubin_sha256[:12]}, simulated "
            f"{result.program.cubin_hash[:12]}, and their instructions differ); measure this one again"
        )
    launch = result.launch
    simulated = (launch.grid, launch.block, launch.dynamic_shared_bytes)
    recorded = (measurement.grid, measurement.block, measurement.dynamic_shared_bytes)
    if simulated != recorded:
        raise MeasurementError(f"{case}: the measurement is of launch {recorded}, simulated was {simulated}")


@dataclass(frozen=True)
class Spread:
    """How large a figure is over the cases of a class."""

    mean: float
    median: float
    percentile_90: float
    worst: float


@dataclass(frozen=True)
class Summary:
    """A class of cases in one cache mode: absolute cycle errors (relative to measured) and stall distances."""

    case_class: str
    cache: Cache
    cases: int
    cycles: Spread
    stalls: Spread
    instructions_exact: int


def summarise(comparisons: Sequence[Comparison]) -> list[Summary]:
    """One summary per class and cache mode, then one of all classes ("all") per cache mode."""
    groups: dict[tuple[str, Cache], list[Comparison]] = {}
    for comparison in comparisons:
        groups.setdefault((comparison.case_class, comparison.cache), []).append(comparison)
    for comparison in comparisons:
        groups.setdefault(("all", comparison.cache), []).append(comparison)
    return [
        Summary(
            case_class=case_class,
            cache=cache,
            cases=len(members),
            cycles=_spread([abs(member.cycles_error) for member in members]),
            stalls=_spread([member.stall_distance for member in members]),
            instructions_exact=sum(member.instructions_exact for member in members),
        )
        for (case_class, cache), members in groups.items()
    ]


def _spread(values: Sequence[float]) -> Spread:
    median, percentile_90 = np.percentile(values, [50.0, 90.0])
    return Spread(fmean(values), float(median), float(percentile_90), max(values))
