"""Between two loads that hit, the lines of one turn of a load that waited make their passes, as on the H100."""

import numpy as np
import pytest

from tests.validation.microbenchmarks import predictions

# Each load has 28 words of one bank that L1 holds, and four lines that it lacks and that are looked up in one turn.
ROW, LAUNCH = "misses/row of LDG.32 32-way, 4 of 32 lines", "4x2"
PASSES = 28 + 4
SMSPS = 4
LAST = slice(8, 20)  # of a row's loads


def test_loads_that_hit_and_turns_of_those_that_waited_go_by_turns() -> None:
    (row,) = predictions([ROW], [LAUNCH])
    for clocks in (row.predicted, *row.recorded):
        paces = np.diff(np.array(clocks))[:, LAST]
        assert np.median(paces[np.median(paces, axis=1) > SMSPS]) == pytest.approx(SMSPS * PASSES, abs=1)
