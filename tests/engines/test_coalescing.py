"""Requests of a GPC's SMs for the same sectors of a line: which of them L2 answers together."""

import pytest

from smsim import engines
from smsim.gpcs import gpcs
from smsim.rules.coalescing import MOST
from smsim.testing import Launch, program, strided

LDG = "LDG.E R8, desc[UR4][R4.64]"
SECTORS, REQUESTS = (f"lts__t_{what}_srcunit_tex_op_read.sum" for what in ("sectors", "requests"))
LINE, SECTOR = 128, 32


def load(routine, address, stride=4, warp_stride=0):
    return routine.op(LDG, write=0, addresses=strided(stride, address), warp_stride=warp_stride)


def loading(blocks, lines=4):
    """Blocks of a warp that each load the same lines, one behind the other."""
    code = program()
    for line in range(lines):
        code = load(code, line * LINE).mov(20, 1, wait=[0])
    return Launch((code.exit(),), 1, blocks)


@pytest.fixture
def machine(h100):
    """With SMs that are all in step."""
    alike = {"l2.sm_spread": 0, "l2.way_spread": 0, "frontend.constants_of_others": 0, "dram.refresh": 0}
    return h100.replace(alike)


@pytest.mark.parametrize("cache", engines.CACHES)
@pytest.mark.parametrize("sms", [1, 2, 4, 5, 8])
def test_a_request_stands_for_some_of_a_gpc(machine, sms, cache):
    counts = engines.run(loading(sms).trace(), machine, cache, sms=sms)
    assert counts.memory[REQUESTS] == 4 * -(-sms // MOST)
    assert counts.memory[SECTORS] == counts.memory[REQUESTS] * LINE // SECTOR


@pytest.mark.parametrize("sms", [33, 132])
def test_each_gpc_asks_for_itself(machine, sms):
    counts = engines.run(loading(sms).trace(), machine, sms=sms)
    of_each = [int((gpcs(sms) == gpc).sum()) for gpc in range(8)]
    assert counts.memory[REQUESTS] == 4 * sum(-(-number // MOST) for number in of_each)


def test_blocks_go_to_gpcs_as_on_the_h100():
    """%smid of 33, 64 and 132 blocks of 128 to 1,024 threads, by ranges of blocks: how many of the GPCs have each."""
    assert "".join(map(str, gpcs(33))) == "0" * 8 + "6667770000111222333444555"
    assert "".join(map(str, gpcs(64))) == "0" * 8 + "66666667777777000011111111222222223333333344444445555555"
    assert [int((gpcs(132) == gpc).sum()) for gpc in range(8)] == [16, 16, 16, 16, 16, 16, 18, 18]


def behind(cycles, stride=4):
    """Two blocks: the second one's second warp loads the line of the first one's first so many cycles behind it."""
    far = 1 << 12
    first = load(program(), 4 * far, warp_stride=far)
    late = load(program().nops(cycles), far, stride, warp_stride=far)
    return Launch((first.exit(), late.exit()), 2, 2)


@pytest.mark.parametrize(("cycles", "cache", "requests"), [(40, "warm", 3), (80, "warm", 4), (120, "cold", 3)])
def test_a_request_waits_for_others_until_l2_answers(machine, cycles, cache, requests):
    assert engines.run(behind(cycles).trace(), machine, cache, sms=2).memory[REQUESTS] == requests


def test_a_request_for_other_sectors_is_another_one(machine):
    counts = engines.run(behind(40, stride=0).trace(), machine, sms=2)
    assert counts.memory[REQUESTS] == 4
    assert counts.memory[SECTORS] == 2 * LINE // SECTOR + 2


def test_both_drivers_agree(h100):
    trace = loading(12, lines=20).trace()
    simpy, compiled = (engines.run(trace, h100, "warm", engine, sms=12) for engine in ("simpy", "compiled"))
    assert simpy.cycles == compiled.cycles
    assert simpy.memory == compiled.memory
