"""clock64() differences from issue cycles."""

from dataclasses import replace

from smsim.listeners import BlockLaunched, Issue
from tests.unit.validation.comparisons import PROGRAM
from validation.clock import ClockComparison, ClockReads, compare_clocks
from validation.measurement import Clock64

CLOCK, OTHER = PROGRAM.instructions
TIMED = replace(PROGRAM, instructions=(replace(CLOCK, opcode="CS2R", text="CS2R R2, SR_CLOCKLO"), OTHER))
MEASURED = Clock64(warps=2, min=30, median=35.0, max=40, first=(30, 40))


def reads(*cycles_and_warps: tuple[int, int], block: int = 0, address: int = 0) -> ClockReads:
    listener = ClockReads(TIMED)
    listener(BlockLaunched(cycle=0, block=0))
    for cycle, warp in cycles_and_warps:
        listener(Issue(cycle, smsp=0, slot=0, block=block, warp=warp, address=address, lanes=1, reached=cycle))
    return listener


def test_differences_are_in_warp_order():
    assert reads((10, 1), (12, 0), (42, 0), (50, 1)).differences() == (30, 40)


def test_other_blocks_and_instructions_do_not_count():
    assert reads((10, 0), (20, 0), block=132).differences() is None
    assert reads((10, 0), (20, 0), address=16).differences() is None


def test_anything_but_two_reads_is_no_difference():
    assert reads((10, 0)).differences() is None
    assert reads((10, 0), (20, 0), (30, 0)).differences() is None


def test_exact_means_every_warp():
    same = compare_clocks((30, 40), MEASURED, num_blocks=1)
    assert same == ClockComparison((30, 40), (30, 40), one_warp_per_smsp=True)
    assert same.exact
    other = compare_clocks((30, 41), MEASURED, num_blocks=2)
    assert (other.exact, str(other.warps_exact), other.one_warp_per_smsp) == (False, "1 of 2", False)


def test_what_has_no_counterpart_is_not_compared():
    assert compare_clocks(None, MEASURED, 1) is None
    assert compare_clocks((30, 40), None, 1) is None
    assert compare_clocks((30, 40, 50), MEASURED, 1) is None
