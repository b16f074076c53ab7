"""Gathers by a lone warp, of lines whose words lie in one bank or in banks of their own: `gathers`."""

from functools import cache
from statistics import fmean

import pytest

from tests.validation.microbenchmarks import beside_h200
from validation.calibration.families.gathers import WIDTHS

OFF, WORST = 2.5, 11  # cycles: in the mean of an operation's gathers, and of one


@cache
def _waits() -> dict[str, tuple[float, float]]:
    """By name, the cycles from a gather's issue to its end in the mean of its places: predicted, recorded."""
    return beside_h200("gathers", _wait)


def _wait(clocks: list[list[int]]) -> float:
    (warp,) = clocks
    return fmean(end - begin for begin, end in zip(warp[::2], warp[1::2], strict=True))


def _behind_one_line(name: str) -> tuple[float, float]:
    """How much longer than a line in one bank, of the same width, a gather takes: predicted, recorded."""
    alone = _waits()[f"{name.partition(' ')[0]} of 1 lines, one bank"]
    predicted, recorded = _waits()[name]
    return predicted - alone[0], recorded - alone[1]


@pytest.mark.parametrize("operation", WIDTHS)
def test_gathers_take_as_much_longer_than_a_single_line_as_on_the_gpu(operation: str) -> None:
    names = [name for name in _waits() if name.startswith(f"{operation} ")]
    off = [abs(predicted - recorded) for predicted, recorded in map(_behind_one_line, names)]
    assert len(off) == 20
    assert fmean(off) < OFF
    assert max(off) < WORST


@pytest.mark.parametrize(("operation", "groups"), [("LDG.64", 2), ("LDG.128", 4)])
def test_lines_that_all_groups_of_lanes_share_come_once_and_make_a_pass_a_cycle_for_each(
    operation: str, groups: int
) -> None:
    shared = _behind_one_line(f"{operation} of 8 lines in turn, one bank")
    apart = _behind_one_line(f"{operation} of 8 lines, one bank")
    further = 8 * groups - 8  # passes
    for one, other in zip(shared, apart, strict=True):
        assert one - other == pytest.approx(further, abs=2)
