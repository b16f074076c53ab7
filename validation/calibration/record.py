"""Condense what the runner wrote into a recording: a JSON file small enough to keep beside the code.

A recording holds the environment, the programs that failed, and per program and launch the lists that the analysis
works on: the elapsed cycles of each repeat, or the words themselves where they are no clocks.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

WORDS = ("latency/",)  # programs whose records are results, not clocks
TIMELINES = ("order/",)  # every record is a clock
ENTRIES = ("launch/",)  # clock at entry, warp slot, SM, clock at exit, global timer
SHOWN_WARPS = 64  # of a launch timeline


def condense(path: Path) -> dict[str, Any]:
    """Return the recording of one `.npz` file of the runner."""
    with np.load(path) as data:
        programs = json.loads(str(data["programs"]))
        recording: dict[str, Any] = json.loads(str(data["environment"]))
        failed = json.loads(str(data["failed"]))
        recording["failed"] = {programs[int(i)]["name"]: reason for i, reason in failed.items()}
        recording["programs"] = {
            program["name"]: {
                "meta": program["meta"],
                "launches": {
                    launch["label"]: _condensed(program["name"], data[f"{i}_{n}"])
                    for n, launch in enumerate(program["launches"])
                    if f"{i}_{n}" in data
                },
            }
            for i, program in enumerate(programs)
        }
    return recording


def _condensed(name: str, words: np.ndarray) -> list[Any]:
    """Condense uint32 [repeat, warp, record]."""
    if name.startswith(WORDS):
        return [int(word) for word in words[-1, 0]] if (words == words[-1]).all() else words[:, 0].tolist()
    if name.startswith(TIMELINES):
        return [relative(repeat).tolist() for repeat in words[-3:]]
    if name.startswith(ENTRIES):
        return [_entry(repeat) for repeat in words[-2:]]
    return [int(relative(repeat)[:, -1].max()) for repeat in words]


def relative(clocks: np.ndarray) -> np.ndarray:
    """Return clocks [warp, record], which wrap at 32 bits, as cycles since the earliest of them."""
    signed = (clocks - clocks[0, 0]).astype(np.int32).astype(np.int64)
    return signed - signed.min()


def _entry(words: np.ndarray) -> list[list[int]]:
    """Return [SM, warp slot, entry, exit] per warp of the SM that block 0 ran on, clocks since the first entry."""
    here = words[words[:, 2] == words[0, 2]][:SHOWN_WARPS]
    clocks = relative(here[:, [0, 3]])
    return [[int(sm), int(slot), int(a), int(b)] for (_, slot, sm, _, _), (a, b) in zip(here, clocks, strict=True)]


def write(source: Path, folder: Path) -> Path:
    """Condense `source` into `<folder>/<family>.json` and return that path."""
    recording = condense(source)
    programs = recording.pop("programs")
    lines = [f"{json.dumps(name)}: {json.dumps(entry, separators=(',', ':'))}" for name, entry in programs.items()]
    head = json.dumps(recording, indent=1).removesuffix("\n}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{source.stem}.json"
    path.write_text(head + ',\n "programs": {\n  ' + ",\n  ".join(lines) + "\n }\n}\n")
    return path


def read(path: Path) -> dict[str, Any]:
    """Return a recording."""
    recording: dict[str, Any] = json.loads(path.read_text())
    return recording
