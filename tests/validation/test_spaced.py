"""Two instructions of the MIO, one some cycles behind the other, by one warp: `spaced`."""

from functools import cache

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.families.spaced import CLOCKS, DISTANCES, NAMES
from validation.calibration.recordings import H200

Done = tuple[int, ...]  # cycles from the first one's clock until each of both is done


@cache
def _done() -> dict[str, dict[int, tuple[Done, Done]]]:
    """By program and distance: predicted and recorded."""
    found = {}
    for one in predictions([each.name for each in bundle.family("spaced")], folder=H200):
        (here,), (there,) = one.predicted, one.recorded[0]
        found[one.name.removeprefix("spaced/")] = {
            distance: (_from_the_first(here, i), _from_the_first(there, i)) for i, distance in enumerate(DISTANCES)
        }
    return found


def _from_the_first(clocks: list[int], pair: int) -> Done:
    before, *behind = clocks[CLOCKS * pair : CLOCKS * (pair + 1)]
    return tuple(clock - before for clock in behind)


@pytest.mark.parametrize(
    ("first", "path"), [("SHFL.BFLY", 2), ("SHFL.IDX", 4), ("STS.32", 4), ("ATOMS.ADD", 4), ("LDS.32", 1)]
)
@pytest.mark.parametrize("second", ["SHFL.BFLY", "SHFL.IDX", "ATOMS.ADD"])
def test_what_comes_as_the_path_is_free_takes_it_a_cycle_later(first: str, path: int, second: str) -> None:
    done = _done()[f"{first}, {second}"]
    for as_it_is_free, a_cycle_later in zip(done[path], done[path + 1], strict=True):
        assert as_it_is_free[-1] == a_cycle_later[-1]
    for distance in range(1, path + 2):
        predicted, recorded = done[distance]
        assert predicted == recorded, distance


@pytest.mark.parametrize(("first", "path"), [("SHFL.BFLY", 2), ("SHFL.IDX", 4), ("STS.32", 4)])
def test_a_load_is_known_a_cycle_sooner_and_takes_it_at_once(first: str, path: int) -> None:
    done = _done()[f"{first}, LDS.32"]
    for predicted, recorded in (done[path + 1], done[path + 2]):
        assert predicted == recorded


def test_most_are_exact() -> None:
    all_pairs = [pair for done in _done().values() for pair in done.values()]
    assert len(all_pairs) == len(NAMES) ** 2 * len(DISTANCES)
    assert sum(predicted == recorded for predicted, recorded in all_pairs) >= 0.94 * len(all_pairs)
