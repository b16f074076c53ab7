"""Per SASS instruction: predicted warp-cycles beside the warp samples of ncu's source view.

A sample says at which instruction, and for which reason, one resident warp stood. The samples of a launch share its
measured warp-cycles: each stands for (warp-cycles measured) / (samples). How far a share of the samples may be from the
true one by chance is its Wilson interval at 95 %, which has a width at 0 samples too. Samples are taken at a fixed
interval: on code that repeats with that interval they are not independent, and the range is too narrow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import hypot, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from smsim.reasons import REASON_NAMES, Reason
from smsim.result import Result
from smsim.views.parts import place
from validation.measurement import MeasurementError, Samples

DEVIATIONS_95 = NormalDist().inv_cdf(0.975)  # standard deviations on each side of the mean
RESAMPLED = 200  # pairs of profiles that are drawn
SELECTED = Reason.SELECTED.counter


@dataclass(frozen=True)
class InstructionFigures:
    """One instruction: ``predicted`` warp-cycles of the whole grid and measured ``samples``, by reason, no zeros."""

    address: int
    text: str
    source: str
    predicted: Mapping[str, float]
    samples: Mapping[str, int]


@dataclass(frozen=True)
class InstructionComparison:
    """Every instruction of a kernel, in address order.

    Attributes:
        instructions: their figures.
        warp_cycles: measured of the whole grid, which all samples together stand for.
        interval_cycles: cycles between two samples of one SM.
    """

    instructions: tuple[InstructionFigures, ...]
    warp_cycles: float
    interval_cycles: int

    @cached_property
    def num_samples(self) -> int:
        """All samples."""
        return sum(sum(one.samples.values()) for one in self.instructions)

    @cached_property
    def predicted_warp_cycles(self) -> float:
        """All predicted warp-cycles."""
        return sum(sum(one.predicted.values()) for one in self.instructions)

    @property
    def warp_cycles_per_sample(self) -> float:
        """What one sample stands for."""
        return self.warp_cycles / self.num_samples

    def predicted_share(self, one: InstructionFigures) -> float:
        """The instruction's share of all predicted warp-cycles."""
        return sum(one.predicted.values()) / self.predicted_warp_cycles

    def measured_share(self, one: InstructionFigures) -> float:
        """The instruction's share of all samples."""
        return sum(one.samples.values()) / self.num_samples

    def measured_range(self, one: InstructionFigures) -> tuple[float, float]:
        """Between which shares the true one lies, with 95 % confidence."""
        return wilson(sum(one.samples.values()), self.num_samples)

    @property
    def hottest_predicted(self) -> InstructionFigures:
        """The one with the most predicted stalls, ``selected`` left out; the first of equals."""
        return max(self.instructions, key=lambda one: waiting(one.predicted))

    @property
    def hottest_measured(self) -> InstructionFigures:
        """The one with the most samples, ``selected`` left out; the first of equals."""
        return max(self.instructions, key=lambda one: waiting(one.samples))

    @property
    def hottest_agrees(self) -> bool:
        """Whether both sides have the same hottest instruction."""
        return self.hottest_predicted.address == self.hottest_measured.address

    @property
    def hottest_within_error(self) -> bool:
        """Whether the samples cannot tell the predicted hottest instruction from the measured one (at 95 %)."""
        most, predicted = waiting(self.hottest_measured.samples), waiting(self.hottest_predicted.samples)
        return most - predicted <= DEVIATIONS_95 * hypot(sqrt(most), sqrt(predicted))

    @property
    def hottest_repeats(self) -> float:
        """How often (0 to 1) two profiles with as many samples of these shares have the same hottest instruction."""
        samples = np.array([waiting(one.samples) for one in self.instructions])
        if not samples.any():
            return 1.0
        draws = np.random.default_rng(0).multinomial(samples.sum(), samples / samples.sum(), size=(2, RESAMPLED))
        first, second = draws.argmax(axis=2)
        return float(np.mean(first == second))

    def to_list(self) -> list[dict[str, Any]]:
        """Plain values for JSON, one object per instruction: address, text, source ("file:line"), predicted and
        measured warp-cycles by reason, samples, and the range of measured shares at 95 %.
        """
        scale = self.warp_cycles_per_sample
        return [
            {
                "address": one.address,
                "text": one.text,
                "source": one.source,
                "predicted": dict(one.predicted),
                "measured": {reason: count * scale for reason, count in one.samples.items()},
                "samples": sum(one.samples.values()),
                "predicted_share": self.predicted_share(one),
                "measured_share": self.measured_share(one),
                "measured_share_range": list(self.measured_range(one)),
            }
            for one in self.instructions
        ]

    def hottest_to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: the addresses of the hottest instructions, and whether they agree."""
        return {
            "predicted": self.hottest_predicted.address,
            "measured": self.hottest_measured.address,
            "agrees": self.hottest_agrees,
            "within_error": self.hottest_within_error,
        }


def compare_instructions(
    result: Result, samples: Samples | None, scale: float, warp_cycles: float
) -> InstructionComparison | None:
    """Lay the stalls of each instruction beside its samples; None without samples.

    Args:
        result: the prediction, of the same code.
        samples: of the same launch and cache mode.
        scale: from the simulated SM to the grid.
        warp_cycles: measured of the whole grid.

    Raises:
        MeasurementError: the samples name an instruction or a reason that there is not.
    """
    if samples is None or not any(any(counts.values()) for counts in samples.stalls.values()):
        return None
    rows = result.instruction_stalls
    by_instruction: list[dict[str, int]] = [{} for _ in rows]
    for reason, counts in samples.stalls.items():
        if reason not in REASON_NAMES:
            raise MeasurementError(f"samples of an unknown stall reason {reason!r} were recorded; measure again")
        for index, count in counts.items():
            if not 0 <= index < len(rows):
                raise MeasurementError(
                    f"samples of instruction {index} were recorded, but the kernel has {len(rows)}; measure again"
                )
            if count:
                by_instruction[index][reason] = count
    return InstructionComparison(
        instructions=tuple(
            InstructionFigures(
                address=row.address,
                text=row.text,
                source=place(row.source),
                predicted={reason: count * scale for reason, count in row.stalls.items() if count},
                samples=measured,
            )
            for row, measured in zip(rows, by_instruction, strict=True)
        ),
        warp_cycles=warp_cycles,
        interval_cycles=samples.interval_cycles,
    )


def waiting(stalls: Mapping[str, float]) -> float:
    """All but ``selected``."""
    return sum(stalls.values()) - stalls.get(SELECTED, 0)


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The Wilson score interval of a share at 95 %."""
    z2 = DEVIATIONS_95**2
    share = successes / trials
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = DEVIATIONS_95 / (1 + z2 / trials) * sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    return max(0.0, centre - half), min(1.0, centre + half)
