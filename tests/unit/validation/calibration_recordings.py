"""Recordings made by hand, for the tests of what is derived from them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from validation.calibration.derivations import DERIVATIONS
from validation.calibration.derivations.question import Question
from validation.calibration.recordings import Recordings
from validation.calibration.registry import Rule

GPU = "NVIDIA H100 80GB HBM3"


def recorded(folder: Path, family: str, programs: Mapping[str, Mapping[str, Any]], **environment: str) -> Recordings:
    """Write a family's recording; ``programs`` are launches by label, with the key "meta" for the program's numbers."""
    entries = {
        name: {
            "kind": "elapsed",
            "meta": launches.get("meta", {}),
            "launches": {label: repeats for label, repeats in launches.items() if label != "meta"},
        }
        for name, launches in programs.items()
    }
    recording = {"gpu": GPU, "driver": "580.0", "date": "2026-01-02", "failed": {}, "programs": entries} | environment
    (folder / f"{family}.json").write_text(json.dumps(recording))
    return Recordings(folder)


def rule(
    derivation: str, programs: str, launch: str = "1", *, family: str = "f", digits: int = 0, **arguments: str
) -> Rule:
    """A rule as a row of values.csv would give it."""
    return Rule("some.path", derivation, family, tuple(programs.split(" & ")), launch, arguments, digits)


def samples(recordings: Recordings, asked: Rule, values: Callable[[str], float] = {}.__getitem__) -> list[float]:
    """What a derivation answers."""
    return list(DERIVATIONS[asked.derivation](Question(asked, recordings, values)))
