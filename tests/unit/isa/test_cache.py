"""Results kept on disk."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from isa import cache, compile, disassembly
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


def test_a_source_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    code = 'extern "C" __global__ void store(int *x) { x[0] = N; }'
    first, second = (compile.compile_source(code, (f"-DN={n}",)) for n in (41, 42))
    assert first != second
    monkeypatch.setattr(compile, "_compile", lambda *_: pytest.fail("the source was compiled again"))
    assert compile.compile_source(code, ("-DN=41",)) == first


def test_a_source_that_includes_a_file_is_compiled_each_time(tmp_path: Path) -> None:
    header = tmp_path / "mine.h"
    code = '#include "mine.h"\nextern "C" __global__ void store(int *x) { x[0] = N; }'
    cubins = []
    for number in (41, 42):
        header.write_text(f"#define N {number}\n")
        cubins.append(compile.compile_source(code, (f"-I{tmp_path}",)))
    assert cubins[0] != cubins[1]


def test_ufuncs_that_several_processes_compiled_stay_apart(tmp_path: Path) -> None:
    program = (
        "import sys, numpy as np; from isa.semantics.mufu_ufuncs import special32;"
        "four = np.full(3, 4, np.float32).view(np.uint32);"
        "print(*(special32(name)(four).view(np.float32)[2] for name in sys.argv[1:]))"
    )

    def special(*names: str) -> str:
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
        command = [sys.executable, "-c", program, *names]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    assert [special("RCP"), special("RSQ")] == ["0.25", "0.5"]
    assert len(list((tmp_path / "smsim" / "ufuncs").iterdir())) == 2
    assert special("RSQ", "RCP", "RSQ") == "0.5 0.25 0.5"
    assert len(list((tmp_path / "smsim" / "ufuncs").iterdir())) == 2
