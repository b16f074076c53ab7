"""Each derivation of what all SMs share on a recording made by hand."""

from .calibration_recordings import recorded, rule, samples


def test_a_streams_rate_is_what_a_turn_adds(tmp_path):
    programs = {f"s/{turns}": {"1": [100 + 50 * turns, 200 + 60 * turns]} for turns in (2, 7)}
    recordings = recorded(tmp_path, "f", programs)
    assert samples(recordings, rule("stream_rate", "s", **{"from": "2", "to": "7", "per": "10"})) == [5, 6]


def test_how_many_times_as_long_a_turn_takes(tmp_path):
    recordings = recorded(tmp_path, "f", {"a/4": {"1": [800]}, "b/8": {"1": [800]}})
    assert samples(recordings, rule("times_as_long", "a/4 & b/8")) == [2]


def test_sectors_that_share_a_row_take_less_of_its_time_each(tmp_path):
    programs = {f"s/{turns}": {"1": [1000 * turns]} for turns in (1, 3)}
    asked = rule("row_sectors", "s", **{"from": "1", "to": "3", "per": "100", "apart": "8", "row": "r"})
    assert samples(recorded(tmp_path, "f", programs), asked, {"r": 20.0}.__getitem__) == [16]


def test_only_loads_that_were_slower_the_first_time_came_from_far(tmp_path):
    recordings = recorded(tmp_path, "f", {"x": {"1": [[460, 290, 470], [280, 285, 290]]}})
    assert samples(recordings, rule("fetched_from_far", "x", least="90")) == [180, 180]


def test_of_what_a_set_gives_up_what_has_to_be_written_back_is_the_share_that_more_loads_push_out(tmp_path):
    early, late = 300, 700
    programs = {"w 8": {"1": [[early, early, early, late]]}, "w 16": {"1": [[early, late, late, late]]}}
    asked = rule("written_back_in_turn", "w 8 & w 16", late="520", places="1.5", stored="8", more="8")
    assert samples(recorded(tmp_path, "f", programs), asked) == [3]


def test_what_a_request_occupies_follows_from_how_much_longer_it_waits(tmp_path):
    recordings = recorded(tmp_path, "f", {"s": {"few": [1000], "many": [2000]}})
    asked = rule("crowded", "s", "few & many", interval="p", turns="1", sectors="1000")
    used = 1000 * 1.0 / 2000
    assert samples(recordings, asked, {"p": 1.0}.__getitem__) == [1000 * 2 * (1 - used) / used]


def test_the_interval_of_blocks_is_that_of_their_second_half(tmp_path):
    recordings = recorded(tmp_path, "f", {"d": {"1": [[1000, 2000]]}})
    assert samples(recordings, rule("begin_interval", "d"), {"gpu.clock_mhz": 2000}.__getitem__) == [1.0]
