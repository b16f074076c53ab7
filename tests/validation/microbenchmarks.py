"""Microbenchmarks on the H100 that is shipped, predicted beside what was recorded of them."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

import numpy as np
from numpy.typing import NDArray

from isa.program import Program
from smsim.listeners import Event, Issue
from smsim.machine import Machine, load
from smsim.simulation import simulate
from validation.calibration import bundle
from validation.calibration.predict import Prediction, predict_all, predicted_clocks, program_of, trace_of
from validation.calibration.program import Experiment, Launch
from validation.calibration.recordings import H200, RESULTS, Recordings
from validation.clock import clock_reads


def predictions(
    names: Collection[str], launches: Collection[str] | None = None, folder: Path = RESULTS
) -> Iterator[Prediction]:
    """Each launch of these programs of one family, "family/name", or only the launches with these labels.

    Beside those recorded in that folder.
    """
    (family,) = {name.partition("/")[0] for name in names}
    experiments = [
        replace(one, launches=[launch for launch in one.launches if launches is None or launch.label in launches])
        for one in bundle.family(family)
        if one.name in names
    ]
    return predict_all(experiments, Recordings(folder).recording(family), load("h100"))


def beside_h200(family: str, figure: Callable[[list[list[int]]], float]) -> dict[str, tuple[float, float]]:
    """A figure of the clocks of each program of a family, by its name there: predicted, and the H200's median."""
    found = predictions([one.name for one in bundle.family(family)], folder=H200)
    return {
        one.name.removeprefix(f"{family}/"): (figure(one.predicted), median(map(figure, one.recorded))) for one in found
    }


def longest_wait(clocks: list[list[int]]) -> int:
    """The most cycles for which a warp waits for its load: its clocks are a start, the load's, and that of its data."""
    return max(back - asked for _, asked, back in clocks)


def done(burst: Prediction) -> float:
    """When a burst was done on the GPU, the median of its repeats."""
    return median(repeat[-1] for repeat in burst.recorded)


def span_error(found: Prediction) -> float:
    """How far off the cycles from the first warp's first clock to the last one's last are, to the nearest repeat."""
    predicted, *recorded = (
        max(warp[-1] for warp in clocks) - min(warp[0] for warp in clocks)
        for clocks in (found.predicted, *found.recorded)
    )
    return min(abs(predicted / cycles - 1) for cycles in recorded)


def cycles_off(found: Prediction) -> float:
    """By how many cycles all clocks, counted from the first one, are off in the mean, to the nearest repeat."""
    predicted, *recorded = (np.array(clocks) - np.min(clocks) for clocks in (found.predicted, *found.recorded))
    return float(min(np.abs(predicted - repeat).mean() for repeat in recorded))


def pace(clocks: list[list[int]], settled: int = 0) -> float:
    """The cycles from one of a warp's clocks to its next, from the ``settled`` one on, in the mean of the warps."""
    return mean((row[-1] - row[settled]) / (len(row) - 1 - settled) for row in clocks)


def clocks_of_lane(experiment: Experiment, folder: Path = RESULTS) -> tuple[list[int], list[int | None]]:
    """The clocks of a program of one launch and one warp, predicted and of the first repeat recorded in that folder.

    Those that lane 0 did not read are 0, or None.
    """
    (launch,) = experiment.launches
    family = experiment.name.partition("/")[0]
    recorded = Recordings(folder).recording(family)["programs"][experiment.name]["launches"][launch.label][0]
    (clocks,) = predicted_clocks(program_of(experiment), experiment, launch, load("h100")).astype(int).tolist()
    return clocks, recorded


def clock_times(program: Program, launch: Launch, machine: Machine) -> list[list[int]]:
    """When each warp of a launch of one block reads the clock, in order; all of its warps take part."""
    (times,) = clock_times_of_blocks(program, launch, machine)
    return times


def clock_times_of_blocks(program: Program, launch: Launch, machine: Machine) -> list[list[list[int]]]:
    """The same of each block of SM 0, in their order."""
    clocks = {instruction.address for instruction in clock_reads(program)}
    reads: dict[int, list[list[int]]] = defaultdict(lambda: [[] for _ in range(launch.threads // 32)])

    def note(event: Event) -> None:
        if isinstance(event, Issue) and event.address in clocks:
            reads[event.block][event.warp].append(event.reached)

    cache = "cold" if launch.flush else "warm"
    simulate(trace_of(program, launch, machine, "sm"), machine, cache, listeners=[note])
    return [times for _, times in sorted(reads.items())]


def stopwatches(experiment: Experiment, machine: Machine) -> NDArray[np.int64]:
    """The cycles between each two clock reads in the last pass through the region: int64, shape (warps, pieces).

    Of the experiment's first launch, of one block, all of whose warps take part.
    """
    reads = clock_times(program_of(experiment), experiment.launches[0], machine)
    pieces = np.diff(np.array(reads).reshape(len(reads), -1, 2))[:, :, 0]
    return pieces[:, -len(experiment.records) :]


def stopwatch_errors(experiment: Experiment, folder: Path = RESULTS) -> list[int]:
    """Recorded less predicted cycles of the pieces of a program of one launch and one warp."""
    family = experiment.name.partition("/")[0]
    measured = Recordings(folder).launches(family, experiment.name, "1")[0][0]
    here = stopwatches(experiment, load("h100"))[0].tolist()
    return [a - b for a, b in zip(measured, here, strict=True)]


def errors_in_turn(name: str, folder: Path = RESULTS) -> list[int]:
    """The same of all programs that time a list of pieces, so many each: those called ``name from ...``."""
    programs = [one for one in bundle.family(name.partition("/")[0]) if one.name.startswith(f"{name} from ")]
    return [cycles for one in programs for cycles in stopwatch_errors(one, folder)]
