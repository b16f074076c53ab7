"""When loads behind stores of several warps are back, beside the recorded ``draining``."""

from statistics import median

import pytest

from tests.validation.microbenchmarks import predictions

# What the rows show; program; how far the last load may be off, by launch.
ROWS = {
    "words of 4 lines": ("4 STG.32 side by side, 16 bytes a lane", {"1": 0.0, "2 SMSPs": 0.04, "4x1": 0.06}),
    "words of 8 lines": ("8 STG.32 side by side, 32 bytes a lane", {"1": 0.0, "3 SMSPs": 0.03, "4x1": 0.01}),
    "words of 16 lines": ("16 STG.32 side by side, 64 bytes a lane", {"2 SMSPs": 0.01, "4x1": 0.01, "4x4": 0.01}),
    "two words of 8 lines": ("4 STG.64 side by side, 32 bytes a lane", {"1": 0.0, "4x1": 0.02, "4x4": 0.045}),
    "four words of 8 lines": ("2 STG.128 side by side, 32 bytes a lane", {"1": 0.0, "4x1": 0.03, "4x2": 0.02}),
}


@pytest.mark.parametrize(("program", "tolerances"), ROWS.values(), ids=ROWS)
def test_the_last_load_is_back_when_the_gpus_is(program: str, tolerances: dict[str, float]) -> None:
    found = {one.launch: one for one in predictions([f"draining/{program}"], tolerances)}
    for launch, tolerance in tolerances.items():
        recorded = median(max(warp[-1] for warp in repeat) for repeat in found[launch].recorded)
        predicted = max(warp[-1] for warp in found[launch].predicted)
        assert predicted == pytest.approx(recorded, rel=tolerance, abs=1), launch
