"""Condense what the runner wrote into a recording: a JSON file small enough to keep beside the code.

A recording holds the environment, the programs that failed, and per program and launch the lists that the analysis
works on: the elapsed cycles of each repeat, or the words themselves where they are no clocks.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

UNWRITTEN = 0xFFFFFFFF  # a record of a warp that took no part
SHOWN_ENTRIES = 64  # warps of a launch that the recording keeps


def condense(path: Path) -> dict[str, Any]:
    """Return the recording of one `.npz` file of the runner."""
    with np.load(path) as data:
        programs = json.loads(str(data["programs"]))
        recording: dict[str, Any] = json.loads(str(data["environment"]))
        failed = json.loads(str(data["failed"]))
        recording["failed"] = {programs[int(i)]["name"]: reason for i, reason in failed.items()}
        recording["programs"] = {
            program["name"]: {
                "kind": program["kind"],
                "meta": program["meta"],
                "launches": {
                    launch["label"]: condense_words(program["kind"], data[f"{i}_{n}"])
                    for n, launch in enumerate(program["launches"])
                    if f"{i}_{n}" in data
                },
            }
            for i, program in enumerate(programs)
        }
    return recording


def condense_words(kind: str, words: np.ndarray) -> list[Any]:
    """What a recording keeps of one launch's records, uint32 [repeat, warp, record], of a program of this kind."""
    condensed: list[Any] = _CONDENSE[kind](words)
    return condensed


def relative(clocks: np.ndarray) -> np.ndarray:
    """Return clocks [warp, record], which wrap at 32 bits, as cycles since the earliest of them."""
    signed = (clocks - clocks[0, 0]).astype(np.int32).astype(np.int64)
    since_first: np.ndarray = signed - signed.min()
    return since_first


# Each takes uint32 [repeat, warp, record], but what the driver answers is as runner.py's methods say.


def _elapsed(words: np.ndarray) -> list[Any]:
    """Cycles from the first clock of any warp to the last record of any warp, per repeat."""
    return [int(relative(repeat)[:, -1].max()) for repeat in words]


def _spans(words: np.ndarray) -> list[Any]:
    """Of each record the latest clock of any warp since the earliest clock of all, per repeat."""
    return [relative(repeat).max(axis=0).tolist() for repeat in words]


def _words(words: np.ndarray) -> list[Any]:
    """What each reader saw: `o` the old value (as the first record), `n` the new one (as the last), `x` another.

    One string, or one per repeat when the repeats differ.
    """
    seen = []
    for repeat in words[:, 0].tolist():
        old, new = repeat[0], repeat[-1]
        seen.append("".join("o" if word == old else "n" if word == new else "x" for word in repeat))
    return list(dict.fromkeys(seen))


def _timeline(words: np.ndarray) -> list[Any]:
    """Clocks of every warp since the earliest, of the last two repeats, or of one when they agree."""
    timelines = [relative(repeat).tolist() for repeat in words[-2:]]
    return timelines[: 1 if timelines[0] == timelines[-1] else 2]


def _first(words: np.ndarray) -> list[Any]:
    """Clocks of every warp since the earliest, of the first repeat: what it finds no launch of the program left."""
    return [relative(words[0]).tolist()]


def _entries(words: np.ndarray) -> list[Any]:
    """[SM, warp slot, entry, last clock] per warp of the SM that block 0 ran on, of the last two repeats."""
    repeats = []
    for repeat in words[-2:]:
        here = repeat[repeat[:, 2] == repeat[0, 2]][:SHOWN_ENTRIES]
        clocks = relative(here[:, [0, 3]])
        repeats.append([[int(w[2]), int(w[1]), int(a), int(b)] for w, (a, b) in zip(here, clocks, strict=True)])
    return repeats


def _path(words: np.ndarray) -> list[Any]:
    """Clocks of one warp since its first; None where the lane did not come by."""
    return [[int(word - repeat[0, 0]) if word else None for word in repeat[0]] for repeat in words[-2:]]


def _scan(words: np.ndarray) -> list[Any]:
    """Per warp the cycles between the two clocks of each pair, the median over the repeats."""
    pairs = (words[:, :, 1::2] - words[:, :, 0::2]).astype(np.int64)
    middle: list[Any] = np.median(pairs, axis=0).astype(int).tolist()
    return middle


def _cycles(words: np.ndarray) -> list[Any]:
    """The records [warp][record], which are cycles already, per repeat."""
    tables: list[Any] = words.astype(np.int32).tolist()
    return tables


def _means(words: np.ndarray) -> list[Any]:
    """Of each record, in cycles, the mean and the most of all warps, per repeat but the first."""
    return [[repeat.mean(axis=0).round(1).tolist(), repeat.max(axis=0).tolist()] for repeat in words[1:]]


def _turnover(words: np.ndarray) -> list[Any]:
    """Cycles from the last clock of a block to the entry of the next one on its SM, per repeat: [least, median, most].

    For blocks of one warp that have an SM for themselves; records as in `_entries`.
    """
    summaries = []
    for repeat in words:
        gaps: list[int] = []
        for sm in np.unique(repeat[:, 2]):
            here = relative(repeat[repeat[:, 2] == sm][:, [0, 3]])
            here = here[np.argsort(here[:, 0])]
            gaps += (here[1:, 0] - here[:-1, 1]).tolist()
        summaries.append([min(gaps), float(np.median(gaps)), max(gaps)])
    return summaries


def _chip(words: np.ndarray) -> list[Any]:
    """Cycles from an SM's first start to its last end, those of the slowest SM, per repeat.

    Records are start, end, SM. The first repeat is left out: what it finds in L2 another program left.
    """
    return [max(of_sms) for of_sms in _sms(words)]


def _sms(words: np.ndarray) -> list[Any]:
    """The same of each SM, by its number."""
    repeats = []
    for repeat in words[1:]:
        here = (relative(repeat[repeat[:, 2] == sm][:, :2]) for sm in np.unique(repeat[:, 2]))
        repeats.append([int(clocks[:, 1].max() - clocks[:, 0].min()) for clocks in here])
    return repeats


def _starts(words: np.ndarray) -> list[Any]:
    """Nanoseconds in which the second half of the warps began, and how many these are, per repeat.

    The fourth record is the global timer at the start.
    """
    halves = []
    for repeat in words:
        begun = np.sort(relative(repeat[:, 3:4])[:, 0])
        later = begun[len(begun) // 2 :]
        halves.append([int(later[-1] - later[0]), len(later) - 1])
    return halves


def _single(words: np.ndarray) -> list[Any]:
    """Cycles of each pair of clocks, of the one warp that took part; a repeat in which none did is left out."""
    repeats = [repeat[repeat[:, 0] != UNWRITTEN] for repeat in words]
    pairs = [(repeat[0, 1:-1:2] - repeat[0, :-1:2]).astype(np.int64).tolist() for repeat in repeats if len(repeat)]
    return pairs


def _attribute(value: np.ndarray) -> list[Any]:
    """The number that the driver answered."""
    return [int(value[0])]


def _blocks(rows: np.ndarray) -> list[Any]:
    """[registers, shared bytes, blocks]: the most that each number of blocks can ask for."""
    last = [*np.flatnonzero(np.diff(rows[:, 2])), len(rows) - 1]
    most: list[Any] = rows[last].tolist()
    return most


_CONDENSE = {
    "elapsed": _elapsed,
    "spans": _spans,
    "words": _words,
    "timeline": _timeline,
    "first": _first,
    "entries": _entries,
    "path": _path,
    "scan": _scan,
    "cycles": _cycles,
    "means": _means,
    "turnover": _turnover,
    "chip": _chip,
    "sms": _sms,
    "starts": _starts,
    "single": _single,
    "attribute": _attribute,
    "blocks": _blocks,
}


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
