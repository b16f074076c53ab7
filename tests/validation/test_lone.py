"""A lone warp: shared memory, shuffles, block barriers and the ADU, two at a time, to the cycle but for some."""

import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import stopwatches
from validation.calibration.bundle import family
from validation.calibration.recordings import Recordings

# Pieces that are not. S2R takes 2 cycles less for SR_TID; of other registers it does not wait for what goes to the LSU.
NOT_EXACT = {
    "behind SHFL.BFLY": 6,
    "behind ATOMS.ADD": 6,
    "before LDS.64": 6,
    "behind S2R.CTAID": 45,
    "behind S2R.TID": 69,
    "before S2R.TID": 69,
    "fenced STS.64 8-way": 25,
}
OTHERS = 4
KINDS = sorted({one.name.rpartition(" from ")[0] for one in family("lone")})


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_take_as_long_as_recorded(kind: str) -> None:
    machine, recorded = load("h100"), Recordings().recording("lone")["programs"]
    wrong = 0
    for experiment in [one for one in family("lone") if one.name.rpartition(" from ")[0] == kind]:
        measured = recorded[experiment.name]["launches"]["1"][0][0]
        here = stopwatches(experiment, machine)[0].tolist()
        wrong += sum(one != other for one, other in zip(measured, here, strict=True))
    assert wrong <= NOT_EXACT.get(kind.removeprefix("lone/"), OTHERS)
