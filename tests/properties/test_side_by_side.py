"""Rows of small numbers, compared all at once, against the same one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from smsim.rules.rule import entry
from smsim.rules.side_by_side import add_one_below, take_one_above, where_equal, where_largest
from smsim.state.l2 import L2_WAYS

ORDERS = st.permutations(range(L2_WAYS)).map(lambda order: np.array(order, np.uint8))
MARKS = st.lists(st.integers(0, (1 << 16) - 1), min_size=L2_WAYS, max_size=L2_WAYS).map(
    lambda marks: np.array(marks, np.uint16)
)


@entry
def equal(row, number):
    return where_equal(row, number)


@entry
def largest(row, ways):
    return where_largest(row, ways)


@entry
def count_below(row, number):
    add_one_below(row, number)


@entry
def count_above(row, number):
    take_one_above(row, number)


def mask(ways):
    return sum(1 << int(way) for way in ways)


@given(row=MARKS, way=st.integers(0, L2_WAYS - 1))
def test_a_mark_is_found_wherever_it_is(row, way):
    number = int(row[way])
    assert equal(row, number) == mask(np.flatnonzero(row == number))


@given(row=ORDERS, ways=st.integers(1, (1 << L2_WAYS) - 1))
def test_of_some_ways_the_one_that_was_used_longest_ago(row, ways):
    chosen = [way for way in range(L2_WAYS) if ways >> way & 1]
    assert largest(row, ways) == 1 << max(chosen, key=lambda way: row[way])


@given(row=ORDERS, number=st.integers(0, L2_WAYS))
def test_those_that_were_used_since_are_one_further(row, number):
    expected = [each + (each < number) for each in row.tolist()]
    count_below(row, number)
    assert row.tolist() == expected


@given(row=ORDERS, number=st.integers(0, L2_WAYS))
def test_those_that_were_used_before_are_one_nearer(row, number):
    expected = [each - (each > number) for each in row.tolist()]
    count_above(row, number)
    assert row.tolist() == expected
