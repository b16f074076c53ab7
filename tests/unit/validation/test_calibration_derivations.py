"""Each derivation on a recording made by hand."""

from dataclasses import replace

import pytest

from validation.calibration.derivations import DERIVATIONS
from validation.calibration.errors import CalibrationError
from validation.calibration.registry import rules

from .calibration_recordings import recorded, rule, samples


def test_every_derivation_is_used_and_every_one_used_is_there():
    assert {rule.derivation for rule in rules().values()} | {"forwarding", "written"} == set(DERIVATIONS)


def test_cycles_are_the_elapsed_time_less_the_lead_of_each_repeat(tmp_path):
    recordings = recorded(tmp_path, "f", {"a": {"1": [30, 28, 29], "meta": {"lead": 8}}})
    assert samples(recordings, rule("cycles", "a")) == [20, 21, 22]
    assert samples(recordings, rule("cycles", "a", per="2")) == [10, 10.5, 11]


def test_a_difference_pairs_like_quantiles(tmp_path):
    recordings = recorded(tmp_path, "f", {"a": {"1": [31, 30]}, "b": {"1": [20, 25]}})
    assert samples(recordings, rule("difference", "a & b")) == [10, 6]
    assert samples(recordings, rule("difference", "a & b", less="p"), {"p": 4.0}.__getitem__) == [6, 2]


def test_growth_is_what_one_more_costs(tmp_path):
    recordings = recorded(tmp_path, "f", {"1 lines": {"1": [31]}, "32 lines": {"1": [93]}})
    assert samples(recordings, rule("growth", "{} lines", n="1,32")) == [2]


def test_a_rate_is_the_slope_between_the_shortest_and_the_longest_row_per_warp(tmp_path):
    programs = {f"row/{n}": {"4x2": [50 + 6 * n, 51 + 6 * n]} for n in (16, 32, 96)}
    recordings = recorded(tmp_path, "f", {**programs, "row/more/8": {"4x2": [1]}})
    assert samples(recordings, rule("rate", "row", "4x2")) == [3, 3]
    assert samples(recordings, rule("rate", "row", "4x2", per="4", less="0.5")) == [0.25, 0.25]
    recordings = recorded(tmp_path, "f", {f"row/{n}": {"1": [n * n]} for n in (16, 32, 96)})
    assert samples(recordings, rule("rate", "row", **{"from": "16", "to": "32", "times": "2"})) == [96]


def test_a_rate_needs_two_lengths(tmp_path):
    recordings = recorded(tmp_path, "f", {"row/16": {"1": [5]}})
    with pytest.raises(CalibrationError, match=r"row: a rate needs the row in two lengths, recorded: \[16\]"):
        samples(recordings, rule("rate", "row"))


def test_the_least_distance_is_the_first_after_the_last_old_value(tmp_path):
    meta = {"distances": [0, 1, 2, 3, 30]}
    programs = {
        "l/A/x": {"1": ["ooonn"], "meta": meta},
        "l/A/y": {"1": ["oonnn", "onnnn"], "meta": meta},
        "l/B/x": {"1": ["ooooo"], "meta": meta},
    }
    recordings = recorded(tmp_path, "f", programs)
    assert samples(recordings, rule("least_distance", "l/A/*")) == [3, 2]
    with pytest.raises(CalibrationError, match="l/B/x: the reader never saw the new value"):
        samples(recordings, rule("least_distance", "l/B/x"))


def test_forwarding_is_the_least_of_two_classes_beyond_the_writers_latency(tmp_path):
    meta = {"distances": [0, 1, 2, 3, 30]}
    recorded(tmp_path, "f", {"f/A/x": {"1": ["ooonn"], "meta": meta}, "f/A/same": {"1": ["ooooo"], "meta": meta}})
    recordings = recorded(tmp_path, "g", {"g/A/y": {"1": ["oonnn"], "meta": meta}})
    about = {"latency": "pipe", "families": "f,g"}
    for programs, beyond in (("{}/A/x", -1), ("{}/A/x & {}/A/y & {}/A/z", -2), ("{}/A/same & {}/A/x", -1)):
        assert samples(recordings, rule("forwarding", programs, **about), {"pipe": 4}.__getitem__) == [beyond]
    with pytest.raises(CalibrationError, match="no program of these two classes was recorded"):
        samples(recordings, rule("forwarding", "{}/B/x", **about), {"pipe": 4}.__getitem__)


def test_pairs_are_the_mean_over_all_warps_and_addresses_less_another_value(tmp_path):
    meta = {"lead": 4}
    programs = {"scan 0": {"1": [[270, 280], [276, 290]], "meta": meta}, "scan 1": {"1": [[274]], "meta": meta}}
    assert samples(recorded(tmp_path, "f", programs), rule("pairs", "scan *", less="hit"), {"hit": 30}.__getitem__) == [
        244
    ]


def test_the_spread_of_pairs_is_that_of_each_sm(tmp_path):
    near, far = (
        {"1": [[250, 260], [280, 290]], "meta": {"lead": 4}},
        {"1": [[300, 255], [330, 285]], "meta": {"lead": 4}},
    )
    assert samples(recorded(tmp_path, "f", {"scan 0": near, "scan 1": far}), rule("spread_of_pairs", "scan *")) == [50]


def test_a_first_touch_costs_more_than_a_later_one(tmp_path):
    programs = {"first": {"1": [[[0, 10, 20, 90]]]}, "later": {"1": [[[0, 10, 14, 24]]]}}
    recordings = recorded(tmp_path, "f", programs)
    assert samples(recordings, rule("first_touch", "first & later")) == [0, 60]
    assert samples(recordings, rule("first_touch", "first & later", skip="1")) == [60]


def test_between_two_clock_reads_of_a_timeline(tmp_path):
    recordings = recorded(tmp_path, "f", {"t": {"1": [[[0, 18, 22]], [[0, 19, 22]]]}})
    assert samples(recordings, rule("between", "t", first="0", second="1", lead="8")) == [10, 11]


def test_queues_take_some_back_to_back_and_then_wait(tmp_path):
    ends = {1: 5, 2: 6, 3: 18, 4: 26}
    recordings = recorded(tmp_path, "f", {f"q/{n}": {"1": [end]} for n, end in ends.items()})
    assert samples(recordings, rule("back_to_back", "q")) == [2]
    assert samples(recordings, rule("issue_of", "q", less="interval"), {"interval": 8}.__getitem__) == [5]


def test_a_barrier_lets_go_after_its_last_arrival(tmp_path):
    recordings = recorded(tmp_path, "f", {"b": {"2": [[[0, 474, 476], [448, 475, 477]]]}})
    asked = rule("barrier_release", "b", "2", lead="2", less="branch")
    assert samples(recordings, asked, {"branch": 10}.__getitem__) == [14, 15]


def test_lines_show_where_branch_targets_cost_more(tmp_path):
    costs = {place: 11 + place + 2 * (place % 8 == 3) for place in range(16)}
    recordings = recorded(tmp_path, "f", {f"BRA/{place}": {"1": [cost]} for place, cost in costs.items()})
    assert samples(recordings, rule("line_bytes", "BRA/{}")) == [128]
    assert samples(recordings, rule("line_end", "BRA/{}")) == [2, 2]


def test_a_cache_holds_the_longest_loop_that_runs_without_bubbles(tmp_path):
    recordings = recorded(tmp_path, "f", {f"r {n}": {"1": [n + 4 + 200 * (n > 1536)]} for n in (64, 1536, 2048)})
    asked = rule("fitting_lines", "r {}", more="7", plus="ahead")
    assert samples(recordings, asked, {"ahead": 2}.__getitem__) == [256]  # 193 lines and those ahead fit


def test_a_set_has_as_many_ways_as_lines_of_a_chain_miss_for_each_too_many(tmp_path):
    missed = 3 * 4  # 16 lines and 3 around the chain in a cache of 16, 4 to a set
    chains = {4: 90, 8: 178, 16: 354 + 48 * missed, 32: 2000}
    recordings = recorded(tmp_path, "f", {f"c {lines}": {"1": [cycles]} for lines, cycles in chains.items()})
    asked = rule("ways_missed", "c {}", more="3", lines="held", miss="cost")
    assert samples(recordings, asked, {"held": 16, "cost": 48}.__getitem__) == [4]


def test_what_each_costs_is_the_difference_of_two_chains(tmp_path):
    chains = {"far": {"1": [700, 710], "meta": {"count": 10}}, "near": {"1": [440], "meta": {"count": 20}}}
    assert samples(recorded(tmp_path, "f", chains), rule("cost_of_each", "far & near")) == [48, 49]


def test_lines_ahead_are_those_that_do_not_wait(tmp_path):
    island = [0, 8, 16, 24, 100, 108, 116, 150]  # the first island of four lines is left out
    recordings = recorded(tmp_path, "f", {"i": {"1": [[island]], "meta": {"lines": 4}}})
    assert samples(recordings, rule("lines_ahead", "i")) == [2]


def test_lines_that_come_with_a_miss(tmp_path):
    recordings = recorded(tmp_path, "f", {"r/800": {"1": [4000]}})  # 40 cycles a line
    asked = rule("lines_a_miss", "r/800", miss="near,far")
    assert samples(recordings, asked, {"near": 40, "far": 80}.__getitem__) == [2]


QUEUE = {
    f"{name}/{n}": max(n, 7 + interval * (n - 10)) for name, interval in (("x", 2), ("y", 4)) for n in range(1, 25)
}


@pytest.mark.parametrize(("derivation", "value"), [("queue_depth", 9), ("queue_latency", 7)])
def test_a_queue_from_two_rows_that_leave_it_at_different_rates(tmp_path, derivation, value):
    recordings = recorded(tmp_path, "f", {name: {"1": [issue + 5]} for name, issue in QUEUE.items()})
    assert samples(recordings, rule(derivation, "x & y")) == [value + (derivation == "queue_latency") * -1]
    with pytest.raises(CalibrationError, match="both rows leave the queue every 2 cycles"):
        samples(recordings, rule(derivation, "x & x"))


def test_what_waits_for_dram_is_what_a_miss_takes_longer_than_the_next_load_of_its_line(tmp_path):
    recordings = recorded(tmp_path, "f", {"b": {"1": [[900, 300, 1000, 300, 1200, 400]]}})
    assert samples(recordings, rule("behind_front", "b", latency="l"), {"l": 300}.__getitem__) == [400]


def test_turnover_is_counted_from_exit(tmp_path):
    program = {"1": [[350, 400, 470], [340, 390, 460]], "meta": {"exit": 100}}
    recordings = recorded(tmp_path, "f", {"b": program})
    assert samples(recordings, rule("turnover", "b", less="a,b"), {"a": 4, "b": 6}.__getitem__) == [280, 290]


def test_what_a_store_hides_of_a_warps_end(tmp_path):
    programs = {
        "store": {"1": [[0, 420, 0]], "meta": {"exit": 102}},
        "nothing": {"1": [[0, 400, 0]], "meta": {"exit": 100}},
    }
    asked = rule("hidden_exit", "store & nothing", held="queue,store", stall="2")
    assert samples(recorded(tmp_path, "f", programs), asked, {"queue": 7, "store": 17}.__getitem__) == [4]


def test_l1_is_what_the_largest_walk_and_the_carveout_take_together(tmp_path):
    walks = {
        f"walk {n} KB": {"carveout 64 KB": [n * 45], "carveout 196 KB": [n * (90 if n > 60 else 45)]}
        for n in (32, 60, 64)
    }
    recordings = recorded(tmp_path, "f", walks)
    asked = rule("bytes_with_shared", "walk {} KB", "carveout {} KB", tolerance="0.02")
    assert samples(recordings, asked) == [256 << 10]


def test_what_a_group_of_sms_gets_is_its_part_of_what_all_do(tmp_path):
    streams = {"s/1": {"2 blocks": [[10, 20]]}, "s/3": {"2 blocks": [[30, 60]]}}
    asked = rule("group_interval", "s", "2 blocks", **{"from": "1", "to": "3", "per": "5", "groups": "3"})
    assert samples(recorded(tmp_path, "f", streams), asked) == [4]


def test_a_line_is_what_a_cycle_takes(tmp_path):
    rows = {f"r/{n}": {"4x1": [50 + 16 * n], "meta": {"count": n}} for n in (32, 96)}
    assert samples(recorded(tmp_path, "f", rows), rule("bytes_a_cycle", "r/32 & r/96", "4x1", span="512")) == [128]


def test_the_most_lines_that_stay_in_l1(tmp_path):
    recordings = recorded(tmp_path, "f", {"a 1": {"1": [[[31, 40]]]}, "a 2": {"1": [[[31, 270, 40]]]}})
    assert samples(recordings, rule("staying_lines", "a *")) == [2]
    with pytest.raises(CalibrationError, match="lose lines"):
        samples(recordings, rule("staying_lines", "a 2"))


def test_loads_that_wait_at_once_are_those_behind_which_a_probe_does(tmp_path):
    def launch(*probes):
        return {"1": [[[0, 500], [20, 20 + probe]] for probe in probes]}

    recordings = recorded(
        tmp_path,
        "f",
        {
            "f/6 of one": launch(35, 36),
            "f/8 of one": launch(35, 1100),
            "f/10 of one": launch(900, 1100),
            "f/5 of two": launch(35),
            "f/6 of two": launch(900),
        },
    )
    assert samples(recordings, rule("pending", "f/{} of one", turns="2")) == [20, 16]
    assert samples(recordings, rule("pending_further", "f/{} of one & f/{} of two")) == [0.5, 0.5]


def test_stores_that_a_fence_does_not_wait_for_are_those_that_its_time_does_not_account_for(tmp_path):
    recordings = recorded(tmp_path, "f", {"b": {"4x2": [[0, 312, 400]], "meta": {"count": 16}}})
    assert samples(recordings, rule("buffered_stores", "b", "4x2", packets="4")) == [28]
    asked = rule("buffered_stores", "b", "4x2", packets="4", less="i")
    assert samples(recordings, asked, {"i": 21.0}.__getitem__) == [7]


def test_a_launch_has_fetched_the_lines_that_come_in_time(tmp_path):
    recordings = recorded(tmp_path, "f", {"p": {"1": [[[0, 50, 100, 150, 450, 900]], [[0, 50, 100, 150, 300]]]}})
    assert samples(recordings, rule("prefetched_lines", "p", lines="8", before="2")) == [26, 26]


def test_a_line_of_constants_lies_between_two_misses(tmp_path):
    recordings = recorded(tmp_path, "f", {"c": {"1": [[[69, 10, 10, 10, 69, 10, 10, 10, 69]]]}})
    assert samples(recordings, rule("bytes_a_miss", "c", apart="16")) == [64, 64]


def test_warps_enter_one_after_the_other(tmp_path):
    entries = [[124, 7, 2, 90], [124, 8, 0, 80], [124, 9, 5, 99]]
    assert samples(recorded(tmp_path, "f", {"e": {"32": [entries]}}), rule("entry_interval", "e", "32")) == [2, 3]


def test_attributes_are_scaled(tmp_path):
    recordings = recorded(tmp_path, "f", {"d": {"ClockRate": [1980000]}})
    assert samples(recordings, rule("attribute", "d", "ClockRate", per="1000")) == [1980]


@pytest.mark.parametrize(("unit", "reserved"), [(128, 1024), (256, 0), (512, 1024)])
def test_granularity_is_the_unit_in_which_blocks_get_memory(tmp_path, unit, reserved):
    total, sweep = 233472, []
    for amount in range(0, 232449, 16):
        taken = -(-(amount + reserved) // unit) * unit
        fits = min(32, total // taken if taken else 32)
        if sweep and sweep[-1][2] == fits:
            sweep.pop()
        sweep.append([32, amount, fits])
    recordings = recorded(tmp_path, "f", {"s": {"32": list(sweep)}})
    asked = rule("granularity", "s", "32", column="1", plus="reserved")
    assert samples(recordings, asked, {"reserved": reserved}.__getitem__) == [unit]


def test_granularity_of_registers_comes_from_a_program_for_each_number(tmp_path):
    programs = {}
    for registers in range(32, 256):
        per_warp = -(-registers * 32 // 256) * 256
        programs[f"r/{registers}"] = {"128": [[registers, 0, min(16, 65536 // (4 * per_warp))]]}
    asked = rule("granularity", "r/*", "128", column="0", times="32")
    assert samples(recorded(tmp_path, "f", programs), asked) == [256]
    few = recorded(tmp_path, "f", {"r/32": {"128": [[32, 0, 16]]}})
    with pytest.raises(CalibrationError, match="shows 0 changes of the number of blocks, too few"):
        samples(few, asked)


def test_counters_of_a_kernel_give_bytes_per_part(tmp_path):
    recordings = recorded(tmp_path, "f", {"a": {"1": [1]}})
    sector = rules()["l1.sector_bytes"]
    assert set(samples(recordings, sector)) == {32}
    drain = rule("counter", "chain_imad_ilp1/1x32 smsp__warps_issue_stalled_drain.sum", "warm", family="measurements")
    assert set(samples(recordings, drain)) == {23}
    left = replace(drain, arguments={"plus": "1", "less": "queue", "per": "2", "of": "all"})
    assert set(samples(recordings, left, {"queue": 4, "all": 30}.__getitem__)) == {20}
    with pytest.raises(CalibrationError, match=r"'vec_add_x1' is not KERNEL/LAUNCH COUNTER"):
        samples(recordings, rule("bytes_per", "vec_add_x1 & vec_add_x1", bytes="128"))


def test_an_argument_must_be_a_number(tmp_path):
    recordings = recorded(tmp_path, "f", {"a": {"1": [1]}})
    with pytest.raises(CalibrationError, match=r"values.csv: some.path: argument 'per' must be a number, not 'x'"):
        samples(recordings, rule("cycles", "a", per="x"))
