"""Which lines the L0 has, and when, is as on the H100 wherever a warp looks."""

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.bundle import family

# How the warp comes to its line and where a branch that is always taken stands: the share of the waits that are as on
# the H100. Some lose 2 or 3 cycles there as a line comes that leads elsewhere.
ENTRIES = {
    "miss, slot 0": 0.9,
    "miss, slot 3": 0.9,
    "hit": 0.9,
    "straight": 0.95,
}


@pytest.mark.parametrize(("entry", "as_found"), ENTRIES.items(), ids=ENTRIES)
def test_a_line_is_there_when_it_is_on_the_gpu(entry: str, as_found: float) -> None:
    names = [one.name for one in family("brought") if f", {entry}" in one.name]
    same = []
    for found in predictions(names):
        ((here,), (there,)) = found.predicted, found.recorded[-1]
        same += [b - a == d - c for a, b, c, d in zip(here, here[1:], there, there[1:], strict=False)]
    assert sum(same) >= as_found * len(same), sum(same) / len(same)
