"""Two SMSPs' instructions of the MIO that come some cycles apart take as long as on the GPU: `met`."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.families.met import NAMES
from validation.calibration.families.passed import OFFSETS
from validation.calibration.recordings import H200

Took = tuple[int, int]  # cycles, of warp 0's instruction and the other one's
BOTH = 0.3  # share of the recorded ones that an outcome has which is the H200's, too


@cache
def _outcomes() -> dict[str, list[tuple[int, Took, Counter[Took]]]]:
    """By program: how much later the second one came, what both took here, and on the H200 when it was as late."""
    found = {}
    for one in predictions([each.name for each in bundle.family("met")], folder=H200):
        recorded = defaultdict(Counter)
        for repeat in one.recorded:
            for later, took in _pairs(repeat):
                recorded[later][took] += 1
        here = [(later, took, recorded[later]) for later, took in _pairs(one.predicted) if later in recorded]
        found[one.name.removeprefix("met/")] = here
    return found


def _pairs(clocks: Sequence[Sequence[int]]) -> list[tuple[int, Took]]:
    first, second = clocks
    pairs = [(2 * i, 2 * i + 1) for i in range(OFFSETS)]
    return [
        (second[before] - first[before], (first[behind] - first[before], second[behind] - second[before]))
        for before, behind in pairs
    ]


def _is_same(took: Took, recorded: Counter[Took]) -> bool:
    return recorded[took] >= BOTH * recorded.total()


@pytest.mark.parametrize("other", ["LDS.32", "SHFL.BFLY", "SHFL.IDX", "ATOMS.ADD", "LDS.128"])
def test_others_come_back_before_a_load_of_four_words_or_behind_it(other: str) -> None:
    for later, took, recorded in _outcomes()[f"LDS.128 beside {other}"]:
        if later >= 0:
            assert _is_same(took, recorded), (later, took, recorded)


@pytest.mark.parametrize("other", ["LDS.32", "SHFL.BFLY", "SHFL.IDX", "ATOMS.ADD"])
def test_what_makes_a_pass_between_many_does_not_wait_for_them(other: str) -> None:
    alone = max(took for later, (_, took), _ in _outcomes()[f"LDS.32 8-way beside {other}"] if later < -9)
    for later, took, recorded in _outcomes()[f"LDS.32 8-way beside {other}"]:
        if later >= 0:
            assert _is_same(took, recorded), (later, took, recorded)
            assert took[1] <= alone + 2


def test_s2r_takes_two_cycles_of_what_makes_its_passes() -> None:
    for many in ("LDS.128", "LDS.32 8-way"):
        for later, took, recorded in _outcomes()[f"{many} beside S2R.TID"]:
            if later != 0:
                assert _is_same(took, recorded), (later, took, recorded)


def test_most_take_as_long() -> None:
    same = [_is_same(took, recorded) for pairs in _outcomes().values() for _, took, recorded in pairs]
    assert len(_outcomes()) == len(NAMES) ** 2
    assert len(same) > 4800
    assert sum(same) >= 0.94 * len(same)
