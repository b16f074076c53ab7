"""Bursts of loads that miss L1, alone and with stores between them: when the last data are there."""

from statistics import median

import numpy as np
import pytest

from tests.validation.microbenchmarks import predictions

# What the burst shows; family and program; launch; warps, the last ones, that store; how far the end may be off.
BURSTS = {
    "lines of all warps": ("arrivals/4 LDG.32", "4x8", 0, 0.07),
    "more lines than are on their way": ("arrivals/16 LDG.32", "4x8", 0, 0.08),
    "lines of an SMSP": ("arrivals/8 LDG.32", "8", 0, 0.03),
    "a store before data come": (
        "held_up/4 STG.32, a page apart by 1 beside LDG.32, 105 cycles later",
        "1",
        1,
        0.02,
    ),
    "stores while lines come": ("held_up/4 STG.32, a page apart by 1 beside LDG.32, 255 cycles later", "1", 1, 0.09),
    "stores of four SMSPs": ("held_up/4 STG.32, a page apart by 4 beside LDG.128, 360 cycles later", "1", 4, 0.06),
    "stores while sectors come": (
        "held_up/4 STG.32, a page apart by 1 beside LDG.32 of 8 lines, 660 cycles later",
        "1",
        1,
        0.02,
    ),
}


@pytest.mark.parametrize(("program", "launch", "storers", "tolerance"), BURSTS.values(), ids=BURSTS)
def test_the_last_data_are_there_when_the_gpus_are(program: str, launch: str, storers: int, tolerance: float) -> None:
    (found,) = predictions([program], [launch])
    recorded = median(_last(repeat, storers) for repeat in found.recorded)
    assert _last(found.predicted, storers) == pytest.approx(recorded, rel=tolerance), found.reason


def _last(clocks: list[list[int]], storers: int) -> int:
    """The last clock of those that load, from the first of all."""
    table = np.array(clocks)
    return int(table[: len(table) - storers].max() - table[:, 0].min())
