"""First touches of constants by a lone warp, behind a stop of issue and beside others: `touched`."""

from tests.validation.microbenchmarks import predictions
from validation.calibration.families.touched import NAMES, PACES, STOPPED
from validation.calibration.recordings import H200


def test_a_lone_warp_has_each_to_the_cycle() -> None:
    rows = [*(f"stopped {behind}" for behind in STOPPED), *(f"paced {pace}" for pace in PACES), "beside rows"]
    names = [f"touched/{name}{' ' if row == 'beside rows' else ', '}{row}" for name in NAMES for row in rows]
    found = list(predictions(names, ["1"], folder=H200))
    assert len(found) == len(names)
    assert [one.name for one in found if not one.is_exact] == []
