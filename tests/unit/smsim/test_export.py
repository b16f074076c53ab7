import csv
import io
import json
import os
from pathlib import Path

import pytest

from isa.errors import SmsimError
from smsim.export.files import write_whole
from smsim.export.results import to_csv, to_json
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


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")
    write_whole(path, b"new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.json"]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SmsimError, match=r"cannot write .*missing.*No such file or directory"):
        write_whole(tmp_path / "missing" / "out.json", b"new")
    (tmp_path / "folder").mkdir()
    with pytest.raises(SmsimError, match="cannot write"):
        write_whole(tmp_path / "folder", b"new")
    assert os.listdir(tmp_path) == ["folder"]
