"""Which warp goes on behind a yield, a wait, a barrier or a branch: whole orders of choices, as the H100 made them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smsim.machine import load
from validation.calibration import bundle
from validation.calibration.families import touched, yields
from validation.calibration.predict import predicted_clocks, program_of
from validation.calibration.program import Launch
from validation.calibration.record import relative
from validation.calibration.recordings import H200, Recordings

LAST = 40  # choices before the first warp is through
REGULAR = ("every", "free", "waits")
MOST_IN_ORDER = 0.87


def order(clocks: list[list[int]]) -> str:
    """A letter for each group of a row, of the warp that ran it, until the first warp is through."""
    groups = sorted((time, warp, group) for warp, times in enumerate(clocks) for group, time in enumerate(times))
    through = next(place for place, (_, _, group) in enumerate(groups) if group == len(clocks[0]) - 1)
    return "".join(chr(ord("A") + warp) for _, warp, _ in groups[: through + 1])


def test_rows_of_yields_and_waits_settle_into_the_recorded_orders() -> None:
    # Where a row ends up may depend on the counters of issues that it begins with, which are not known.
    recording = Recordings().recording("yields")["programs"]
    machine, found = load("h100"), []
    for experiment in yields.experiments():
        if experiment.name.removeprefix("yields/").split()[0] not in REGULAR:
            continue
        program = program_of(experiment)
        for launch in experiment.launches:
            predicted = order(predicted_clocks(program, experiment, launch, machine).tolist())
            recorded = recording[experiment.name]["launches"][launch.label]
            found.append(any(order(repeat)[-LAST:] in predicted for repeat in recorded))
    assert sum(found) >= 0.75 * len(found), f"{sum(found)} of {len(found)}"


def of_family(family: str, chosen: Callable[[str], bool]) -> Iterator[tuple[str, Launch, NDArray[np.int64], list[Any]]]:
    """Name, launch, predicted clocks and those of each recorded repeat, of the programs that are chosen by name."""
    recording = Recordings().recording(family)["programs"]
    machine = load("h100")
    for experiment in bundle.family(family):
        if chosen(experiment.name):
            program = program_of(experiment)
            for launch in experiment.launches:
                predicted = relative(predicted_clocks(program, experiment, launch, machine))
                yield experiment.name, launch, predicted, recording[experiment.name]["launches"][launch.label]


def test_behind_a_block_barrier_the_youngest_warps_go_first_and_keep_their_turns_across_branches() -> None:
    rows = of_family("crossing", lambda name: "sections of 5 lines" in name and "pauses" not in name)
    for name, launch, predicted, recorded in rows:
        if launch.label == "8":
            continue
        errors = [np.abs(np.sort(predicted, axis=0) - np.sort(repeat, axis=0)).max() for repeat in recorded]
        assert min(errors) <= 1, f"{name}, {launch.label}: {predicted.tolist()}, recorded {recorded}"


def test_warps_on_a_busy_pipe_run_in_pairs_from_the_youngest() -> None:
    loops = ("58 IMAD, branch in slot 0", "61 HFMA2, branch in slot 5")
    rows = of_family("crossing", lambda name: name.endswith(loops))
    for name, launch, predicted, recorded in rows:
        if launch.label not in {"1", "2", "3", "4"}:
            continue
        # Which of two goes into the loop first differs from launch to launch.
        ends = np.sort(predicted[:, 1])
        errors = [np.abs(ends / np.sort(np.array(repeat)[:, 1]) - 1).max() for repeat in recorded]
        assert min(errors) < 0.1, f"{name}, {launch.label}: {predicted.tolist()}, recorded {recorded}"


def test_warps_that_miss_constants_take_a_cycle_each() -> None:
    """So do those that an LDC misses for: both go into the first touch as far apart."""
    for name, launch, predicted, recorded in of_family("constants", lambda name: name.endswith("warps together")):
        if launch.label != "8":
            continue
        apart = [np.diff(np.sort(clocks[:, 0])) for clocks in (predicted, *map(np.array, recorded))]
        assert all((one == apart[0]).all() for one in apart[1:]), f"{name}: {apart}"


def test_of_two_warps_that_wait_for_constants_the_one_that_has_issued_less_goes_first() -> None:
    same = []
    for experiment in bundle.family("touched"):
        if "paced" not in experiment.name:
            continue
        (launch,) = [one for one in experiment.launches if one.label == "2"]
        here = answered(predicted_clocks(program_of(experiment), experiment, launch, load("h100")))
        runs = Recordings(H200).launches("touched", experiment.name, "2")
        same.append(max(sum(np.equal(here, answered(np.array(run)))) for run in runs))
    assert len(same) == len(touched.NAMES) * len(touched.PACES)
    assert sum(same) >= MOST_IN_ORDER * len(same) * touched.LINES


def answered(clocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each touch, before and behind which two warps read the clock, which of them goes on first."""
    return clocks[:, 1::2].argmin(axis=0)
