import os
from pathlib import Path

import pytest

from isa.errors import SmsimError
from isa.files import make_folder, write_whole


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


def test_a_folder_is_made_with_those_above_it(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(SmsimError, match=r"cannot make the folder .*file/b: Not a directory"):
        make_folder(tmp_path / "file" / "b")
