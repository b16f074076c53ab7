"""Machine code on disk is used while the digest of its sources is the same, and only then."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest

from isa.compiled import compiled, has_machine_code, keep_machine_code, source_digest

SOURCE = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], int]:
    path = tmp_path / "adding.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("adding", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "adding", module)
    spec.loader.exec_module(module)
    return module.add  # type: ignore[no-any-return]


def jit(function: Callable[..., Any], digest: str) -> Any:
    dispatcher: Any = numba.njit(function)
    keep_machine_code(dispatcher, digest)
    return dispatcher


def test_nothing_is_kept_before_the_first_call(add: Callable[[int, int], int]) -> None:
    assert not has_machine_code(jit(add, "first"))


def test_the_machine_code_is_kept(add: Callable[[int, int], int]) -> None:
    assert jit(add, "first")(1, 2) == 3
    again = jit(add, "first")
    assert has_machine_code(again)
    assert again(1, 2) == 3
    assert sum(again.stats.cache_hits.values()) == 1


def test_another_digest_compiles_anew(add: Callable[[int, int], int]) -> None:
    jit(add, "first")(1, 2)
    changed = jit(add, "second")
    assert not has_machine_code(changed)
    assert changed(1, 2) == 3
    assert sum(changed.stats.cache_hits.values()) == 0


def test_a_process_that_comes_between_index_and_machine_code_finds_none_of_old_sources(
    add: Callable[[int, int], int],
) -> None:
    jit(add, "first")(1, 2)
    written: list[str] = []
    second = jit(add, "second")
    file = second._cache._cache_file
    save_index, save_data = file._save_index, file._save_data

    def index(overloads: dict[Any, str]) -> None:
        written.append("index")
        save_index(overloads)

    def data(name: str, content: Any) -> None:
        assert not Path(file._data_path(name)).exists()
        written.append("machine code")
        save_data(name, content)

    file._save_index, file._save_data = index, data
    second(1, 2)
    assert written == ["machine code", "index"]


def test_machine_code_of_old_sources_is_removed(add: Callable[[int, int], int]) -> None:
    for digest in ("first", "second", "second"):
        adding = jit(add, digest)
        adding(1, 2)
        adding(1.0, 2.0)
    folder = Path(adding._cache._cache_file._cache_path)
    assert len(list(folder.glob("adding.add-*.nbc"))) == 2  # of whole numbers, of fractions


def test_a_digest_depends_on_every_file(tmp_path: Path) -> None:
    paths = [tmp_path / "a.py", tmp_path / "b.py"]
    for path in paths:
        path.write_text("x = 1\n")
    before = source_digest(paths)
    assert source_digest(reversed(paths)) == before
    paths[1].write_text("x = 2\n")
    assert source_digest(paths) != before


def test_a_function_takes_its_one_signature() -> None:
    @compiled("int64(int64)")
    def double(x: int) -> int:
        return 2 * x

    assert double(21) == 42
    with pytest.raises(TypeError):
        double("x")  # type: ignore[arg-type]
