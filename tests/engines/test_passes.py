"""Passes of loads that wait for L2: those of the lines that were looked up together, then those of the next."""

import pytest

from smsim.testing import program, strided

LDG, LDG64 = "LDG.E R8, desc[UR4][R4.64]", "LDG.E.64 R8, desc[UR4][R4.64]"
# ncu's wavefronts on an H100 of a load that misses, by the bytes between its lanes, each in a line of its own.
WAVEFRONTS = {
    LDG: {128: 32, 132: 8, 256: 32, 260: 8, 1024: 32},
    LDG64: {128: 32, 264: 8, 1024: 32},
}
ANOTHER = strided(0, 1 << 20)


@pytest.mark.parametrize("load", WAVEFRONTS)
def test_a_load_comes_behind_the_passes_of_one_that_missed_before(run, machine, load):
    at_once = ("l1.sector_interval", "l1.store_packet_interval")
    machine = machine.replace({"l1.miss_spread": 0, **dict.fromkeys(at_once, 0.0001)})

    def comes(stride):
        routine = program().op(load, 2, write=1, addresses=strided(stride)).op(LDG, 2, write=0, addresses=ANOTHER)
        return run(routine.mov(20, 1, wait=[0]).exit(), machine).gap(1, 2)

    fewest = min(WAVEFRONTS[load], key=WAVEFRONTS[load].__getitem__)
    for stride, wavefronts in WAVEFRONTS[load].items():
        assert comes(stride) - comes(fewest) == wavefronts - WAVEFRONTS[load][fewest]


def test_words_that_are_there_make_their_passes_in_a_row_of_their_own(run, machine):
    """A load of one pass that hits comes behind one of 32 words of a bank, of which some are there, at once."""

    def comes(held):
        routine = program().op(LDG, write=0, addresses=ANOTHER)
        routine = routine.op(LDG, write=1, addresses=strided(128)[:held] + strided(128)[:1] * (32 - held))
        routine = routine.mov(20, 15, wait=[0, 1]).op(LDG, 2, write=1, addresses=strided(128))
        return run(routine.op(LDG, 2, write=0, addresses=ANOTHER).mov(20, 1, wait=[0]).exit(), machine).gap(4, 5)

    assert comes(16) == comes(8)
