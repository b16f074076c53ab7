"""Operations that generated programs hold: their pipes, uniform operands of the XU, operands of the second pass."""

import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import predictions, stopwatches
from validation.calibration.bundle import family
from validation.calibration.families.uncommon import DISTANCES
from validation.calibration.recordings import Recordings

EXPERIMENTS = {one.name: one for one in family("uncommon")}
ROWS = [name for name in EXPERIMENTS if "+" in name]
LATE = [name for name in EXPERIMENTS if " by " in name]
LATENCIES = {"IMAD": 4, "FADD": 4, "MOV": 5, "IADD3": 5}  # to C of IMAD.WIDE and IMAD.HI
SECOND_PASS = 2
WRITTEN_APART = 2  # cycles from the other half's writer to this one's
# A uniform operand behind another instruction of the XU, at a distance that its queue does not see, is a cycle earlier.
FIRST_LATE = 9


def differences(name: str) -> list[int]:
    """Recorded less predicted cycles of a program's pieces."""
    recorded = Recordings().recording("uncommon")["programs"][name]["launches"]["1"][0][0]
    here = stopwatches(EXPERIMENTS[name], load("h100"))[0].tolist()
    return [a - b for a, b in zip(recorded, here, strict=True)]


@pytest.mark.parametrize("partner", ["FFMA", "IMAD", "IADD3", "HFMA2", "DADD"])
def test_rows_of_two_operations(partner: str) -> None:
    names = [name for name in ROWS if f"+{partner}/" in name]
    for prediction in predictions(names, ["1"]):
        assert prediction.is_exact, f"{prediction.name}: {prediction.predicted}, recorded {prediction.recorded}"


@pytest.mark.parametrize("name", LATE[::6])
def test_a_half_of_c_comes_in_time_for_its_pass(name: str) -> None:
    """At every distance from its writer, and of the other half's if there is one, that the latencies allow."""
    least = 0
    for earlier, written in enumerate(name.split(", ")[1:]):
        half, writer = written.split(" by ")
        least = max(least, LATENCIES[writer] - SECOND_PASS * (half == "R25") - WRITTEN_APART * earlier)
    assert not any(differences(name)[least - 1 :])


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if "XU" in name or ", FRND" in name or ", MUFU" in name])
def test_uniform_operands_of_the_xu(name: str) -> None:
    found = differences(name)
    if name.endswith("UR"):
        found = found[: 2 * DISTANCES.index(FIRST_LATE)]
    assert not any(found)
