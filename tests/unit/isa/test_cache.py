"""Results kept on disk."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from isa import cache, disassembly
from isa.cache import remembered
from isa.errors import CubinError
from isa.module import load_source


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache, "user_cache_path", lambda *_args, **_options: tmp_path / "caches")
    return tmp_path / "caches"


def counting(result: bytes) -> tuple[Callable[[], bytes], list[int]]:
    calls: list[int] = []

    def compute() -> bytes:
        calls.append(1)
        return result

    return compute, calls


def test_a_result_is_computed_once() -> None:
    compute, calls = counting(b"result")
    assert [remembered("kind", b"key", compute) for _ in range(3)] == [b"result"] * 3
    assert len(calls) == 1


def test_another_key_or_kind_has_its_own_result() -> None:
    assert remembered("kind", b"key", lambda: b"a") == b"a"
    assert remembered("kind", b"other", lambda: b"b") == b"b"
    assert remembered("other", b"key", lambda: b"c") == b"c"


@pytest.mark.parametrize("damage", [b"", b"not zlib", None])
def test_a_damaged_file_is_replaced(folder: Path, damage: bytes | None) -> None:
    compute, calls = counting(b"result" * 100)
    remembered("kind", b"key", compute)
    (path,) = (folder / "kind").iterdir()
    path.write_bytes(path.read_bytes()[:-5] if damage is None else damage)
    assert remembered("kind", b"key", compute) == b"result" * 100
    assert len(calls) == 2
    remembered("kind", b"key", compute)
    assert len(calls) == 2


def test_a_folder_that_cannot_be_made_is_done_without(folder: Path) -> None:
    folder.write_text("a file where the folder should be")
    compute, calls = counting(b"result")
    assert [remembered("kind", b"key", compute) for _ in range(2)] == [b"result"] * 2
    assert len(calls) == 2


def test_a_user_without_a_home_computes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cache, "user_cache_path", lambda *_args, **_options: Path("~/.cache"))
    monkeypatch.chdir(tmp_path)
    assert remembered("kind", b"key", lambda: b"result") == b"result"
    assert list(tmp_path.iterdir()) == []


def test_an_error_is_not_kept(folder: Path) -> None:
    def fail() -> bytes:
        raise CubinError("no")

    with pytest.raises(CubinError):
        remembered("kind", b"key", fail)
    assert not folder.exists()


def test_the_oldest_files_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_FILES", 10)
    for number in range(10):
        remembered("kind", b"%d" % number, lambda: b"old")
        for path in (folder / "kind").iterdir():
            os.utime(path, (1000, 1000))
    remembered("kind", b"new", lambda: b"new")
    assert len(list((folder / "kind").iterdir())) == 6
    compute, calls = counting(b"new")
    remembered("kind", b"new", compute)
    assert calls == []


def test_many_at_once(folder: Path) -> None:
    results: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: results.append(remembered("kind", b"key", lambda: b"result" * 1000)))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [b"result" * 1000] * 16
    assert len(list((folder / "kind").iterdir())) == 1


def test_a_cubin_is_disassembled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    module = load_source('extern "C" __global__ void store(int *x) { x[0] = 41; }')
    before = module.program("store")
    disassembly.disassemble.cache_clear()
    monkeypatch.setattr(disassembly, "_run", lambda *_: pytest.fail("nvdisasm was started again"))
    assert type(module)(module.cubin).program("store") == before
