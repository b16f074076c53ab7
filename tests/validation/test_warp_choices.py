"""Which warp goes on behind a yield or a wait: whole orders of choices, as the H100 made them."""

from smsim.machine import load
from validation.calibration.families import yields
from validation.calibration.predict import predicted_clocks, program_of
from validation.calibration.recordings import Recordings

LAST = 40  # choices before the first warp is through
REGULAR = ("every", "free", "waits")


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
