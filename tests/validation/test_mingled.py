"""REDUX and MATCH beside what goes to the LSU: who takes an SMSP's path first, and the port that they share."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle

ROWS = [one.name for one in bundle.family("mingled") if one.name.startswith("mingled/issues")]
# Alternating with instructions of one register they lose a cycle a pair on the H100, and none here.
SINGLE = [f"{first}+{other}" for first in ("REDUX.SUM", "MATCH.ANY") for other in ("SHFL.BFLY", "LDS.32", "LDS.128")]
SINGLE += ["REDUX.SUM+REDUX.SUM+LDS.32", "MATCH.ANY+MATCH.ANY+LDS.32"]
SHARED_PORT = ["issues {}+SHFL.BFLY+SHFL.BFLY", "issues {}+SHFL.BFLY+SHFL.BFLY+SHFL.BFLY", "sides {}, SHFL.BFLY by 3"]
PORT_FREE = ["issues {}+LDS.32", "issues {}+LDS.32+LDS.32", "issues {}+S2R.TID", "sides {}, LDS.32 by 3"]


def test_rows_of_one_warp_issue_as_recorded() -> None:
    names = [name for name in ROWS if name.removeprefix("mingled/issues ") not in SINGLE]
    rows = list(predictions(names, ["1"]))
    assert len(rows) == len(names) == 35
    off = {row.name for row in rows if row.error != 0}
    assert all("MUFU" in name for name in off), off


@pytest.mark.parametrize("first", ["REDUX.SUM", "MATCH.ANY"])
def test_four_smsps_share_the_port_of_lanes(first: str) -> None:
    names = [f"mingled/{row.format(first)}" for row in (*SHARED_PORT, *PORT_FREE)]
    for row in predictions(names, ["4x4"]):
        recorded, predicted = np.median([pace(one) for one in row.recorded]), pace(row.predicted)
        assert predicted == pytest.approx(recorded, rel=0.06), row.name


def pace(clocks: NDArray[np.int64]) -> float:
    """Cycles of the SM for an instruction while all SMSPs issue: clocks of shape (warps, reads)."""
    issues = np.sort(np.asarray(clocks)[:, 1:].reshape(-1))
    first, last = int(0.2 * len(issues)), int(0.75 * len(issues))
    return float((issues[last] - issues[first]) / (last - first))
