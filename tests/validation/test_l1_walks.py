"""Walks over about as many lines as L1 has room for, round and round, miss about as often as on the H100.

Which lines stay hangs on the set at which the hand that frees lines stands, so every run on the H100 takes its time.
"""

from tests.validation.microbenchmarks import predictions

SIZES = range(228, 257, 4)  # KB, of an L1 of 248
BEYOND = 0.03  # the shortest and the longest recorded run


def test_a_walk_takes_about_as_long_as_recorded() -> None:
    for one in predictions([f"l1/walk {size} KB" for size in SIZES], ["0 KB shared"]):
        least, most = min(one.recorded) * (1 - BEYOND), max(one.recorded) * (1 + BEYOND)
        assert least <= one.predicted <= most, f"{one.name}: {one.predicted}, recorded {one.recorded}"
