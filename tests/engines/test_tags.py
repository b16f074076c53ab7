"""The tag stage and the data stage of L1: how long loads of several lines take."""

import pytest

from smsim.testing import program, strided

LDG = "LDG.E R8, desc[UR4][R4.64]"
LINE = 128


@pytest.fixture
def held(run, machine):
    """Cycles of a load beyond those of one line, when L1 holds all of it."""

    def of(addresses, empty=False):
        code = program()
        for place in range(2):
            if place and empty:
                code = code.op("CCTL.IVALL", 15)
            code = code.op(LDG, write=0, addresses=addresses).mov(20, 15, wait=[0])
        probe = run(code.exit(), machine)
        first = 3 if empty else 2
        return probe.gap(first, first + 1) - machine.value("operations.LDG.latency")

    return of


def test_four_lines_a_cycle(held):
    assert held(strided(LINE + 4)) == 32 // 4 - 1


def test_lines_three_apart_meet_in_a_slice(held):
    assert held(strided(3 * LINE + 4)) == 11 - 1


def test_words_of_one_bank_come_one_after_the_other(held, machine):
    assert held(strided(LINE)) == 32 // 4 - 1 + 31 * machine.value("mio.conflict_interval")


def test_an_emptied_l1_misses(held, machine):
    slowest = machine.value("l1.miss_latency") + machine.value("l1.miss_spread") / 2
    assert slowest - machine.value("l1.miss_spread") <= held(strided(0), empty=True) <= slowest


def test_a_hit_passes_a_miss(run, machine):
    code = program().op(LDG, write=0, addresses=strided(0)).mov(20, 1, wait=[0])
    code = code.op(LDG, 2, write=0, addresses=strided(0, 65536)).op(LDG, 2, write=1, addresses=strided(0))
    probe = run(code.mov(21, 1, wait=[1]).exit(), machine)
    hit = machine.value("operations.LDG.latency")
    assert probe.gap(3, 4) <= hit + machine.value("operations.LDG.interval")


def test_what_misses_makes_its_passes_when_it_has_come(run, machine):
    code = program().op(LDG, write=0, addresses=strided(LINE)).op(LDG, 2, write=0, addresses=strided(LINE, 65536))
    code = code.mov(20, 1, wait=[0]).op("CCTL.IVALL", 15)
    code = code.op(LDG, 2, write=0, addresses=strided(LINE)).op(LDG, 2, write=1, addresses=strided(0, 131072))
    probe = run(code.mov(21, 1, wait=[1]).exit(), machine)
    # The 32 passes of the load before it are still to come when it goes to L2: behind them it comes back.
    alone = machine.value("operations.LDG.latency") + machine.value("l1.miss_latency")
    assert probe.gap(5, 6) >= alone + 32 - machine.value("l1.miss_spread")


def test_an_atomic_takes_longer_where_its_home_is_far(run, machine):
    pages = [
        run(
            program()
            .op("ATOMG.E.ADD.STRONG.GPU PT, R8, desc[UR4][R4.64], R9", write=0, addresses=strided(0, 4096 * page))
            .mov(20, 1, wait=[0])
            .exit(),
            machine.replace({"l1.miss_spread": 0}),
        ).gap(0, 1)
        for page in range(8)
    ]
    assert max(pages) - min(pages) == machine.value("l1.far_atomic")
