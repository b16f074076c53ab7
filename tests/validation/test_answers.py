"""Loads that come from L2 while other SMSPs store and reduce in row: which wait for a pause, by their banks."""

import pytest

from tests.validation.microbenchmarks import predictions

REDUCTIONS, STORES = "REDG.ADD at a word of each warp", "STG.32 of 32 lines of one bank"
OF_THEIR_BANK = ("at one word", "at 8 words", "of 4 lines of 8 banks")
OF_OTHERS = ("at one word of bank 5", "at 8 words from bank 16 on")
ROW = 14  # accesses of each of three warps
LATE = 0.1  # of what a kept out load takes on the H100: the last of its row is as far off


@pytest.mark.parametrize("loads", [1, 2])
@pytest.mark.parametrize("of", OF_THEIR_BANK)
def test_reductions_at_a_word_keep_loads_of_its_bank_out_until_all_are_done(of: str, loads: int) -> None:
    predicted, recorded = _back(REDUCTIONS, f"{loads} LDG.32.GPU {of}")
    assert predicted == pytest.approx(recorded, rel=LATE)


@pytest.mark.parametrize("of", OF_THEIR_BANK)
def test_so_do_stores_of_many_lines_in_a_bank(of: str) -> None:
    predicted, recorded = _back(STORES, f"1 LDG.32.GPU {of}")
    assert min(predicted, recorded) > ROW * 3 * 32


@pytest.mark.parametrize("row", [REDUCTIONS, STORES])
@pytest.mark.parametrize("of", OF_OTHERS)
def test_loads_of_other_banks_are_back_long_before(row: str, of: str) -> None:
    predicted, recorded = _back(row, f"1 LDG.32.GPU {of}")
    assert max(predicted, recorded) < ROW * 3 * 32


def _back(row: str, loads: str) -> tuple[int, int]:
    """When the loading warp has its data, predicted and as late as it was on the H100."""
    (found,) = predictions([f"answers/{row}, {loads}"])
    return found.predicted[-1][-1], max(launch[-1][-1] for launch in found.recorded)
