"""A fence within the block, and what other SMSPs send a few cycles before or after it: `passed`."""

from collections.abc import Iterator

import numpy as np
import pytest

from tests.validation.microbenchmarks import Prediction, predictions
from validation.calibration import bundle
from validation.calibration.families.fenced import FENCE

ALL = [one.name for one in bundle.family("passed")]
# Another SMSP's instruction that comes while the one behind a fence is on its path waits until that is in the LSU.
HELD_BACK = [f"passed/LDG.32+{FENCE}+LDG.32 beside {others}" for others in ("LDG.32", "LDS.32", FENCE)]


@pytest.mark.parametrize(
    ("launch", "within_a_cycle"), [("2", 0.95), ("3", 0.9), ("4", 0.88), ("same", 0.86), ("2 and same", 0.95)]
)
def test_most_are_done_when_the_gpus_are(launch: str, within_a_cycle: float) -> None:
    errors = np.concatenate([_errors(found) for found in predictions(ALL, [launch])])
    assert np.mean(errors <= 1) > within_a_cycle


def test_what_comes_while_the_path_is_held_for_what_is_behind_a_fence_waits_as_on_the_gpu() -> None:
    for found in predictions(HELD_BACK, ["2"]):
        assert _errors(found).max() <= 1, found


def _errors(found: Prediction) -> np.ndarray:
    """By how many cycles a clock behind what a warp does is off, where all warps began as on the GPU.

    Which of several SMSPs goes first does not matter.
    """
    (predicted_from, predicted), (recorded_from, recorded) = (
        _since_the_first(np.array(clocks)) for clocks in (found.predicted, found.recorded[-1])
    )
    same = (predicted_from == recorded_from).all(axis=0)
    return np.abs(np.sort(predicted[1:], axis=0) - np.sort(recorded[1:], axis=0))[:, same].ravel()


def _since_the_first(clocks: np.ndarray) -> Iterator[np.ndarray]:
    """When each warp begins and has done, since the first warp began; shape (warps, offsets)."""
    begins, ends = clocks[:, 0::2], clocks[:, 1::2]
    yield begins - begins[0]
    yield ends - begins[0]
