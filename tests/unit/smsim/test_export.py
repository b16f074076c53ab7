import csv
import io
import json

from smsim.export.results import to_csv, to_json
from smsim.export.timeline import Timeline
from smsim.listeners import BlockLaunched, Issue, WarpExited
from smsim.reasons import REASON_NAMES
from smsim.result import Result


def test_json_is_the_dictionary(result: Result) -> None:
    assert json.loads(to_json(result)) == result.to_dict()


def test_csv_has_a_row_per_instruction(result: Result) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(result))))
    assert [row["address"] for row in rows] == ["0x0000", "0x0010", "0x0020"]
    assert rows[1]["text"] == "FFMA R9, R4, R5, R6"
    assert rows[1]["line"] == "4"
    assert rows[1]["warp_cycles"] == str(sum(int(rows[1][reason]) for reason in REASON_NAMES)) == "82"
    assert rows[2]["file"] == ""


def test_the_timeline_has_an_event_per_issue(result: Result) -> None:
    timeline = Timeline(result.program)
    timeline(BlockLaunched(cycle=0, block=7))
    timeline(Issue(cycle=5, smsp=1, slot=3, block=7, warp=1, address=16, lanes=0xFFFF, reached=5))
    timeline(WarpExited(cycle=9, smsp=1, slot=3))
    events = json.loads(timeline.to_json())["traceEvents"]
    assert [event["name"] for event in events if event["ph"] == "M"] == ["process_name", "process_name"]
    (issue,) = [event for event in events if event["ph"] == "X"]
    assert (issue["name"], issue["ts"], issue["pid"], issue["tid"]) == ("FFMA R9, R4, R5, R6", 5, 1, 3)
    assert issue["args"] == {"address": "0x0010", "block": 7, "warp": 1, "lanes": "0x0000ffff"}
    assert [event["name"] for event in events if event["ph"] == "i"] == ["block 7 launched", "exit"]
