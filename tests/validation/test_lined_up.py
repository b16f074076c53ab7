"""Reads of CTAID go with LDC and S2UR through the ADU, those of TID with shuffles, as on the H100: to the cycle."""

from tests.validation.microbenchmarks import predictions
from validation.calibration.families.lined_up import MIXES

WITH_CTAID = [mix for mix in MIXES if "CTAID" in mix and "MATCH" not in mix and "LDS" not in mix]


def test_rows_issue_as_recorded() -> None:
    names = [f"lined_up/issues {mix}" for mix in WITH_CTAID]
    rows = list(predictions(names, ["1", "2x1", "4x1"]))
    assert len(rows) == 3 * len(names)
    assert [(row.name, row.launch, row.error) for row in rows if row.error > 3] == []
