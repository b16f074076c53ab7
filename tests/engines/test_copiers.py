"""Which SMs copy back, before each of ncu's passes, what a launch has stored: those that were seen to on the H100."""

import pytest

from smsim.rules.copiers import copier_side

SMS = 132
# Of arrays of so many KB, which KB came from an SM near the partition of the launch's own (.), and which from one near
# the other (x). Those between, whose home is near the launch's SM, are not seen.
SEEN = (
    (2, ".."),
    (4, "...x"),
    (8, "    ..xx"),
    (12, "    ..xx.x.x"),
    (16, "......xx.x.xxx.."),
    (24, "    ..xx..xx    xxxx...."),
    (32, "    ..xx...xxx..    xxxxxx......"),
    (64, "    ..xx....xxxx    ........xxxxxxxxxxxxxxxxxxxx    ............"),
    (128, "......xx        xxxxxxxx" + 8 * " " + "........" + 3 * (8 * " " + "xxxxxxxx")),
)


def sides(kilobytes):
    return "".join(".x"[copier_side.py_func(number, kilobytes, SMS)] for number in range(kilobytes))


@pytest.mark.parametrize(("kilobytes", "seen"), SEEN)
def test_blocks_of_a_copy_go_to_gpcs_in_turn(kilobytes, seen):
    predicted = sides(kilobytes)
    assert all(one in (" ", other) for one, other in zip(seen, predicted, strict=False)), predicted


def test_a_wave_of_blocks_is_like_the_first():
    assert sides(2 * SMS) == 2 * sides(SMS)


@pytest.mark.parametrize("kilobytes", [24, 31, 60, 61, 100, 132])
def test_both_sides_have_about_half(kilobytes):
    assert abs(sides(kilobytes).count("x") - kilobytes / 2) <= max(2, 0.1 * kilobytes)
