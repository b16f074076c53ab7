from collections import Counter

import pytest

from kernels.generated.choices import SeededChoices, spread, weighted


def test_a_seed_gives_the_same_choices_on_every_version_of_python():
    choices = SeededChoices(7)
    assert [choices.integer(1, 100) for _ in range(8)] == [42, 20, 51, 84, 7, 10, 69, 13]
    assert "".join(choices.choice("abc") for _ in range(12)) == "bcacaaabbaaa"


def test_every_number_of_a_range_comes_up_and_no_other():
    choices = SeededChoices(0)
    assert {choices.integer(3, 7) for _ in range(200)} == {3, 4, 5, 6, 7}
    assert choices.integer(5, 5) == 5


def test_weights_are_shares():
    choices = SeededChoices(0)
    drawn = Counter(weighted(choices, {"rare": 1, "often": 9}) for _ in range(1000))
    assert 60 < drawn["rare"] < 140


def test_weights_that_sum_to_nothing_are_refused():
    with pytest.raises(ValueError, match="empty range"):
        weighted(SeededChoices(0), {"none": 0})


def test_small_numbers_are_as_likely_as_large_ones():
    choices = SeededChoices(0)
    drawn = [spread(choices, 5, 300) for _ in range(1000)]
    assert min(drawn) == 5
    assert max(drawn) <= 300
    assert 250 < sum(number < 32 for number in drawn) < 550
