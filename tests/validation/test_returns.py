"""A warp that branches back to a line that is there loses nothing to one that comes meanwhile."""

from tests.validation.microbenchmarks import predictions
from validation.calibration.bundle import family

SEVERAL = 3  # every third program


def test_clocks_are_as_recorded() -> None:
    names = [one.name for one in family("returns")][::SEVERAL]
    found = list(predictions(names))
    assert found
    for prediction in found:
        assert prediction.is_exact, f"{prediction.name}: {prediction.predicted}, recorded {prediction.recorded}"
