"""Several SMs over one L2 and DRAM: both drivers agree, and the SMs do what one does for all."""

import numpy as np
import pytest

from isa.errors import MachineError
from smsim import engines, model
from smsim.testing import Launch, program, strided

LDG, STG = "LDG.E R8, desc[UR4][R4.64]", "STG.E desc[UR4][R4.64], R8"
RED = "REDG.E.ADD.S32.STRONG.GPU desc[UR4][R4.64], R8"


def streaming(blocks):
    """Blocks that copy memory of their own."""
    code = program()
    for number in range(4):
        code = code.op(LDG, write=0, addresses=strided(4, number * 65536), warp_stride=128)
    return Launch((code.op(STG, wait=[0], addresses=strided(4, 1 << 20), warp_stride=128).exit(),), 2, blocks)


def gathering(blocks):
    """Blocks whose warps load a line a lane, more together than an L1 of 64 KB has, and store what came from DRAM."""
    code = program()
    for number in range(3):
        code = code.op(LDG, write=0, addresses=strided(256, 4 * number), warp_stride=8192).mov(20, 1, wait=[0])
    return Launch((code.op(STG, addresses=strided(4, 1 << 26), warp_stride=128).exit(),), 16, blocks)


def reading_again(blocks):
    """Blocks that load the same lines again and again, with other loads, stores, and L1 emptied, now and then."""
    code = program()
    for number in range(90):
        code = code.op(LDG, write=0, addresses=strided(4, number % 12 * 65536))
        if number % 3 == 2:
            code = code.mov(20, 1, wait=[0])
        if number % 20 == 17:
            code = code.op(STG, addresses=strided(4, 65536))
        if number % 40 == 13:
            code = code.op(LDG, write=0, addresses=strided(64, number << 14), warp_stride=2048)
        if number == 70:
            code = code.op("CCTL.IVALL", 5)
    return Launch((code.exit(),), 6, blocks)


@pytest.mark.parametrize("launch", [streaming(40), gathering(4), reading_again(8)])
@pytest.mark.parametrize("cache", engines.CACHES)
def test_both_drivers_agree(h100, cache, launch):
    trace, h100 = launch.trace(), h100.replace({"l1.bytes": 1 << 16})
    simpy, compiled = (engines.run(trace, h100, cache, engine, sms=2) for engine in ("simpy", "compiled"))
    assert simpy.cycles == compiled.cycles
    assert simpy.memory == compiled.memory
    np.testing.assert_array_equal(simpy.warp_cycles, compiled.warp_cycles)


def test_the_blocks_are_shared_out(h100):
    launch = streaming(300)
    one, four = (engines.run(launch.trace(), h100, sms=sms) for sms in (1, 4))
    assert four.warp_cycles[..., 0].sum() == one.warp_cycles[..., 0].sum()
    stored = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
    assert four.memory[stored] == one.memory[stored] > 0
    assert one.cycles / 4 < four.cycles < one.cycles / 2


def test_a_block_for_each_sm_takes_as_long_as_one_block(h100):
    one = engines.run(streaming(1).trace(), h100)
    many = engines.run(streaming(5).trace(), h100, sms=5)
    assert many.cycles == pytest.approx(one.cycles, rel=0.1)


def test_one_dispatcher_hears_of_all_blocks(h100):
    interval, blocks = 10, 400
    slow = h100.replace({"launch.dispatch_interval": interval})
    counts = engines.run(Launch((program().exit(),), 1, blocks).trace(), slow, sms=8)
    assert counts.last_answer == pytest.approx(blocks * interval, rel=0.05)


def test_listeners_hear_one_sm(h100):
    with pytest.raises(MachineError, match="listeners hear one SM"):
        engines.run(streaming(2).trace(), h100, listeners=[print], sms=2)


def test_what_sms_store_does_not_wait_for_what_others_will_store(h100):
    """Each SM's port says when its stores leave, far ahead; L2 is shared by cycles, not by who asked first."""
    code = program()
    for number in range(16):
        code = code.op(STG, addresses=strided(32, number << 14), warp_stride=1024)
    launch = Launch((code.exit(),), 4, 8)
    one = engines.run(Launch((code.exit(),), 4, 1).trace(), h100)
    many = engines.run(launch.trace(), h100, sms=8)
    assert many.cycles == pytest.approx(one.cycles, rel=0.1)


@pytest.mark.parametrize(("apart", "at_once"), [(512, 1), (256, 2)])
def test_so_many_packets_of_each_sm_wait_at_a_slice(h100, apart, at_once):
    """Lines half a kilobyte apart share one. Catalogue kernels ``add_line`` and ``add_lines``."""
    interval, sms, number, sectors = 100, 2, 12, 4
    code = program()
    for i in range(number):
        code = code.op(RED, addresses=strided(4, i % 2 * apart))
    trace = Launch((code.exit(),), 1, sms).trace()
    slow = h100.replace({"l2.whole_atomic_interval": interval})
    few, many = (
        engines.run(trace, slow.replace({"l1.slice_packets": places, "l1.own_atomic_packets": places}), sms=sms)
        for places in (8, number * sectors)
    )
    assert few.cycles == pytest.approx((number * sectors / at_once - 8) * sms * interval, rel=0.1)
    assert many.cycles < 2 * interval
    assert few.last_answer == many.last_answer


@pytest.mark.parametrize(("warps", "slots"), [(4, 3), (8, 6), (6, 16)])
def test_an_sm_has_the_warp_slots_that_its_blocks_need(h100, monkeypatch, warps, slots):
    code = program().op(LDG, write=0, addresses=strided(4), warp_stride=128).mov(20, 1, wait=[0]).exit()
    trace = Launch((code, program().exit()), warps, 60, shared_bytes=70_000).trace()
    as_needed = engines.run(trace, h100, sms=2)
    assert model.build_model(trace, h100, sms=2, cold=False).wakes.shape[1] == slots
    monkeypatch.setattr(model, "warp_slots", lambda *_: 16)
    all_of_them = engines.run(trace, h100, sms=2)
    np.testing.assert_array_equal(as_needed.warp_cycles, all_of_them.warp_cycles)
    assert as_needed.cycles == all_of_them.cycles
