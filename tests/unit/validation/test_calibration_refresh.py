"""When banks of DRAM are refreshed follows from loads of the same lines, again and again."""

import pytest

from .calibration_recordings import recorded, rule, samples

INTERVAL, LENGTH, STEP, STEPS = 3500, 400, 80, 3
USUAL, PAUSE, TIMES = 600, 190, 40  # cycles of a load, cycles between two, loads


def line(begin: int, refreshed: int) -> list[int]:
    """Clocks before and behind each load of a line whose bank's refresh ends so many cycles into each interval."""
    clocks, now = [], begin
    for _ in range(TIMES):
        until_over = (refreshed - now) % INTERVAL
        end = now + USUAL + (until_over if until_over < LENGTH else 0)
        clocks += [now, end]
        now = end + PAUSE
    return clocks


@pytest.fixture
def recordings(tmp_path):
    timeline = [line(7 * warp, 500 + STEP * warp) for warp in range(12)]
    return recorded(tmp_path, "f", {"x": {"1": [timeline]}})


def test_a_refresh_ends_once_in_an_interval(recordings):
    assert samples(recordings, rule("refresh_interval", "x", late="100")) == [pytest.approx(INTERVAL, abs=2)]


def test_no_load_is_later_than_a_refresh_takes(recordings):
    asked = rule("refresh", "x", late="100", near="30", interval="p")
    (length,) = samples(recordings, asked, {"p": INTERVAL}.__getitem__)
    assert LENGTH - 40 < length <= LENGTH


def test_banks_are_refreshed_some_steps_apart(recordings):
    asked = rule("refresh_turn", "x", late="100", steps=str(STEPS), interval="p")
    assert samples(recordings, asked, {"p": INTERVAL}.__getitem__) == [pytest.approx(STEPS * STEP, abs=1)]
