from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from isa.module import Module, load_source

SOURCES = Path(__file__).parent / "sources"
OPTIONS = ("--std=c++17", "--device-int128")


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Module]:
    """Loads a source of the corpus by name; each is compiled once per session."""

    @cache
    def load(name: str) -> Module:
        return load_source((SOURCES / f"{name}.cu").read_text(), OPTIONS, f"{name}.cu")

    return load


@pytest.fixture(params=sorted(path.stem for path in SOURCES.glob("*.cu")))
def source_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)
