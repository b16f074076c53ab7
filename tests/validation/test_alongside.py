"""The XU and the uniform datapath beside what waits at the dispatcher: every piece to the cycle, but for a few."""

import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import stopwatches
from validation.calibration.bundle import family
from validation.calibration.recordings import Recordings

# Pieces that are not: sources that are read before they are there, for which nothing waits on the H100; rows of R2UR,
# and of UISETP and USEL, of which one reads the other's result too early; one FADD beside a result of the XU.
NOT_EXACT = {"behind": 18, "queued": 3, "ports": 0, "off": 1, "uniform": 14}
KINDS = sorted({one.name.rpartition(" from ")[0] for one in family("alongside")})


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_take_as_long_as_recorded(kind: str) -> None:
    machine, recorded = load("h100"), Recordings().recording("alongside")["programs"]
    wrong = 0
    for experiment in [one for one in family("alongside") if one.name.rpartition(" from ")[0] == kind]:
        measured = recorded[experiment.name]["launches"]["1"][0][0]
        here = stopwatches(experiment, machine)[0].tolist()
        wrong += sum(one != other for one, other in zip(measured, here, strict=True))
    assert wrong <= NOT_EXACT[kind.removeprefix("alongside/").split()[0]]
