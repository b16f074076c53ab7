"""The block dispatcher: where and when blocks start."""

import pytest

from smsim.testing import Launch, program

CODE = program().op("NOP", 15).op("NOP", 15).exit()


def test_the_first_instruction_comes_after_the_launch(run, machine):
    probe = run(CODE, machine)
    assert probe.launched_at() == machine.value("launch.first_block")
    assert probe.issued_at(0) == probe.launched_at() + machine.value("launch.first_instruction")


def test_warps_start_one_after_the_other_on_the_smsps_in_turn(run, machine):
    probe = run(Launch((CODE,), warps=8), machine)
    interval = machine.value("launch.warp_interval")
    first = [probe.issues(warp)[0] for warp in range(8)]
    assert [issue.smsp for issue in first] == [0, 1, 2, 3, 0, 1, 2, 3]
    assert [issue.cycle - first[0].cycle for issue in first] == [interval * warp for warp in range(8)]


def between_launches(probe, blocks: int) -> set[int]:
    return {probe.launched_at(block + 1) - probe.launched_at(block) for block in range(blocks - 1)}


def test_blocks_of_few_warps_start_a_cycle_later_for_each_further_warp(run, machine):
    probe = run(Launch((CODE,), warps=3, blocks=3), machine)
    assert between_launches(probe, 3) == {machine.value("launch.block_interval") + 2}


def test_a_block_starts_some_cycles_behind_the_last_of_many_warps(run, machine):
    probe = run(Launch((CODE,), warps=16, blocks=3), machine)
    last = 15 * machine.value("launch.warp_interval")
    assert between_launches(probe, 3) == {last + machine.value("launch.block_gap")}


def test_a_block_without_a_place_waits_for_the_end_of_another(run, machine):
    probe = run(Launch((CODE,), warps=2, blocks=3, shared_bytes=150_000), machine)
    for block in range(2):
        ended = max(probe.exited_at(warp, block) for warp in range(2))
        assert probe.launched_at(block + 1) == ended + machine.value("launch.relaunch")


def test_the_dispatcher_hears_of_one_blocks_end_at_a_time(run, machine):
    slow = machine.replace({"launch.dispatch_interval": 500})
    probe = run(Launch((CODE,), blocks=8), slow)
    assert probe.counts.last_answer == min(probe.exited_at(0, block) for block in range(8)) + 7 * 500


def test_a_place_is_free_once_the_dispatcher_has_heard_of_its_blocks_end(run, machine):
    slow = machine.replace({"launch.dispatch_interval": 500})
    probe = run(Launch((CODE,), blocks=4, shared_bytes=75_000), slow)
    ended = sorted(probe.exited_at(0, block) for block in range(3))
    assert probe.launched_at(3) == ended[0] + machine.value("launch.relaunch")
    four = run(Launch((CODE,), blocks=5, shared_bytes=75_000), slow)
    assert four.launched_at(4) == four.launched_at(3) + 500


def test_a_launch_before_leaves_the_code_in_l0(run, h100):
    ready_code = h100.replace({"launch.cold_code": 0})
    warm, cold = run(CODE, h100), run(CODE, ready_code, cache="cold")
    ready = h100.value("launch.first_block") + h100.value("launch.first_instruction")
    warm.assert_earliest_issue_at(0, ready, reason="no_instruction")
    cold.assert_issued_at(0, ready + h100.value("frontend.icc_miss"))


def test_a_launch_brings_the_start_of_its_code_to_the_sm(run, h100):
    ready_code = h100.replace({"launch.cold_code": 0})
    none = ready_code.replace({"frontend.launch_prefetch_lines": 0})
    slower = run(CODE, none, cache="cold").issued_at(0) - run(CODE, ready_code, cache="cold").issued_at(0)
    assert slower == h100.value("frontend.cold_gcc_miss")


def test_straight_code_comes_in_groups_of_lines(run, h100):
    probe = run(program().nops(30).exit(), h100, cache="cold")
    lines = 1 + int(h100.value("frontend.icc_prefetch_lines"))
    last = 8 * lines - 1
    assert all(probe.gap(number, number + 1) == 1 for number in range(last))
    assert probe.gap(last, last + 1) == h100.value("frontend.icc_fill_interval") - last


@pytest.mark.parametrize("lines", [3, 8])
def test_jumps_in_code_that_was_not_run_before_all_take_as_long(run, h100, lines):
    """Microbenchmarks ``first_launch/jumps * lines on``: 52 and 68 cycles each."""
    code, on = program(), 8 * lines - 1
    for _ in range(8):
        code = code.jump(on, 5)
    probe = run(code.exit(), h100, cache="cold")
    (gap,) = {probe.gap(number, number + 1) for number in range(3, 7)}
    if lines == 1 + int(h100.value("frontend.icc_prefetch_lines")):
        assert gap == h100.value("frontend.icc_fill_interval")
    else:
        landing = h100.value("frontend.branch_taken") + h100.value("frontend.l0_miss")
        assert gap == landing + h100.value("frontend.icc_miss")


def test_only_sets_of_l0_with_too_many_lines_miss(run, h100):
    alone = h100.replace({"frontend.icc_lines": 32, "frontend.icc_prefetch_lines": 0})

    def trip(lines, ways):
        body, machine = program().nops(8 * lines), alone.replace({"frontend.icc_ways": ways})
        five, six = (run(program().loop(times, body).exit(), machine).issued_at(-1) for times in (5, 6))
        return six - five

    fitting, too_long = 28, 33
    assert trip(fitting, ways=4) == trip(fitting, ways=32)
    rows = 8 * (too_long - fitting)
    assert trip(fitting, ways=4) + rows < trip(too_long, ways=4) < trip(too_long, ways=32)
