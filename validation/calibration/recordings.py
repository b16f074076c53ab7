"""The recordings of a folder, read when they are asked for: what derivations look programs up in."""

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from .errors import CalibrationError

RESULTS = Path(__file__).parent / "results"
H200 = RESULTS / "h200"  # of a GPU with the same SMs, but another L2 and DRAM: families that say nothing of these
KEYS = ("gpu", "driver", "date", "programs")


class Recordings:
    """The recordings in a folder, one JSON file per family (see record.py for what they hold)."""

    def __init__(self, folder: Path = RESULTS) -> None:
        self.folder = folder
        self._read: dict[str, dict[str, Any]] = {}

    def families(self) -> list[str]:
        """The families that were recorded."""
        return sorted(path.stem for path in self.folder.glob("*.json"))

    def recording(self, family: str) -> dict[str, Any]:
        """A family's recording.

        Raises:
            CalibrationError: there is none, or the file is damaged.
        """
        if family not in self._read:
            self._read[family] = _load(self.folder / f"{family}.json")
        return self._read[family]

    def programs(self, family: str, pattern: str) -> dict[str, Mapping[str, Any]]:
        """The programs of a family whose names match; ``*`` stands for any text.

        Raises:
            CalibrationError: there is none.
        """
        recorded = self.recording(family)["programs"]
        if pattern in recorded:
            return {pattern: recorded[pattern]}
        found = {name: program for name, program in recorded.items() if fnmatchcase(name, pattern)}
        if not found:
            raise CalibrationError(f"{self.folder / family}.json: no program {pattern!r} was recorded")
        return found

    def launches(self, family: str, name: str, launch: str) -> list[Any]:
        """What one program recorded under one launch: a list over its repeats.

        Raises:
            CalibrationError: there is no such program, or it was not launched so, or it failed.
        """
        launches = self.programs(family, name)[name]["launches"]
        if not launches.get(launch):
            known = ", ".join(launches) or "none"
            raise CalibrationError(f"{self.folder / family}.json: {name!r} has no launch {launch!r}; recorded: {known}")
        repeats: list[Any] = launches[launch]
        return repeats

    def gpus(self) -> set[str]:
        """The GPUs that the recordings are of."""
        return {self.recording(family)["gpu"] for family in self.families()}

    def environment(self) -> dict[str, str]:
        """GPU and driver that all recordings are of.

        Raises:
            CalibrationError: there are no recordings, or of two GPUs or drivers.
        """
        found = {}
        for key in ("gpu", "driver"):
            values = {self.recording(family)[key] for family in self.families()}
            if len(values) != 1:
                said = f"of several {key}s: {', '.join(sorted(values))}" if values else "missing"
                raise CalibrationError(f"the recordings in {self.folder} are {said}; record all on one machine")
            found[key] = values.pop()
        return found


def _load(path: Path) -> dict[str, Any]:
    try:
        recording: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CalibrationError(f"{path}: {error.strerror}; smsim calibrate records it") from None
    except ValueError as error:
        raise CalibrationError(f"{path}: damaged recording: {error}; record it again with smsim calibrate") from None
    missing = [key for key in KEYS if not isinstance(recording, dict) or key not in recording]
    if missing:
        raise CalibrationError(f"{path}: damaged recording: no {missing[0]!r}; record it again with smsim calibrate")
    return recording
