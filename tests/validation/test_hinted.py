"""Cache hints predicted: which lines L1 gives up, beside what an H200 kept (microbenchmarks ``hinted``)."""

import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import stopwatches
from validation.calibration.bundle import family
from validation.calibration.families.hinted import OTHER_LINES, PROBES
from validation.calibration.program import Experiment
from validation.calibration.recordings import H200, Recordings

HELD = 100  # cycles: a load that takes longer has missed
EXPERIMENTS = {one.name.removeprefix("hinted/"): one for one in family("hinted")}
RECORDED = Recordings(H200).recording("hinted")["programs"]
ROWS = sorted({name.split(", row")[0] for name in EXPERIMENTS if ", row" in name})
# The most probes of a kind of rows that may hit or miss otherwise. What is not kept takes the place of a line of a full
# set here while it is on its way.
MOST_OTHERWISE = {"LDG.32, LDG.32.LU": 0.07, "LDG.32, LDG.32.NA": 0.07, "LDG.32, STG.32.NA": 0.035}
ELSE_OTHERWISE = 0.032
HITS_OTHERWISE = 7  # of 40 words, one of four lines in each of L1's sets


def hits(experiment: Experiment) -> tuple[list[bool], list[bool]]:
    """Which probes hit, recorded and predicted."""
    recorded = RECORDED[experiment.name]["launches"]["1"][0][0]
    predicted = stopwatches(experiment, load("h100"))[0].tolist()
    return [cycles < HELD for cycles in recorded], [cycles < HELD for cycles in predicted]


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if "row" not in name and "other lines" not in name])
def test_what_a_hint_does_to_a_line(name: str) -> None:
    recorded, predicted = hits(EXPERIMENTS[name])
    assert predicted == recorded


@pytest.mark.parametrize("kind", ROWS)
def test_rows_of_accesses_with_a_hint_and_without(kind: str) -> None:
    pairs = [hits(one) for name, one in EXPERIMENTS.items() if name.startswith(f"{kind}, row")]
    otherwise = sum(a != b for recorded, predicted in pairs for a, b in zip(recorded, predicted, strict=True))
    assert otherwise <= MOST_OTHERWISE.get(kind, ELSE_OTHERWISE) * PROBES * len(pairs)


@pytest.mark.parametrize(
    "done", [name.split(", then")[0] for name in EXPERIMENTS if name.endswith("then 0 other lines")]
)
def test_words_of_local_memory_read_for_the_last_time_go_first(done: str) -> None:
    """Of three thousand lines more some of those that were touched once are there still on the H200, none here."""
    for count in OTHER_LINES[:-1]:
        recorded, predicted = hits(EXPERIMENTS[f"{done}, then {count} other lines"])
        assert sum(predicted) == pytest.approx(sum(recorded), abs=HITS_OTHERWISE)
