"""Which recorded launches are compared."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from validation import selection
from validation.measurement import CACHES


@dataclass
class File:
    """As much of a measurement file as selecting reads."""

    kernel: str
    case_class: str
    launches: list[Any]


@pytest.mark.parametrize(
    ("recorded", "asked", "compared"),
    [(CACHES, CACHES, CACHES), (("warm",), CACHES, ("warm",)), (("warm",), ("cold",), ("cold",))],
)
def test_cache_modes_that_were_not_recorded_are_left_out_unless_asked_for(
    monkeypatch: pytest.MonkeyPatch, recorded: Any, asked: Any, compared: Any
) -> None:
    file = File("dot", "dot", [SimpleNamespace(launch="1x32", caches=recorded)])
    monkeypatch.setattr(selection, "recorded", lambda *_: file)
    (case,) = selection.select_cases(["dot"], Path(), caches=asked)
    assert case.caches == compared
