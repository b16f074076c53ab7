"""A warp that lands while another one runs into a line, or has just landed, loses what it loses on the H100."""

import numpy as np

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.families.overtaken import LOOP

NAMES = [one.name for one in bundle.family("overtaken")]
LOOPS = [name for name in NAMES if f"stall {' '.join(map(str, LOOP))}" in name]


def exact(names: list[str]) -> float:
    """The share of programs both of whose warps read their first two clocks as on the H100, to the cycle."""
    same = [
        any(beginning(np.array(row.predicted)) == beginning(np.array(one)) for one in row.recorded)
        for row in predictions(names)
    ]
    assert len(same) == len(names)
    return float(np.mean(same))


def beginning(clocks: np.ndarray) -> list[list[int]]:
    """Clocks before each branch and at its target, from the first on: of clocks of shape (warps, 3)."""
    return (clocks[:, :2] - clocks[:, :2].min()).tolist()


def test_even_paces() -> None:
    assert exact([name for name in NAMES if name not in LOOPS]) >= 0.96


def test_beginnings_of_loops() -> None:
    assert exact(LOOPS) >= 0.87
