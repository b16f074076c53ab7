"""ptxas's fixed latencies beside the measured ones: the table ``compiler_latencies.csv``, and how it is made.

A row: register file (R general, P predicate, UR uniform, UP uniform predicate), latency classes of the writer and of
the reader ("guard": a predicate that guards), then the cycles that isa/compiler_latencies.csv has, the least ones mined
from kernels now and in how many reads, the measured ones, and what does not fit.
"""

import csv
import io
import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import NamedTuple

from isa.reschedule import GUARD, compiler_latencies

from . import mining
from .analyse import least_distance
from .errors import CalibrationError
from .mining import WIDE, Pair
from .recordings import Recordings

TABLE = "compiler_latencies.csv"
COLUMNS = ("file", "writer", "reader", "kept", "mined", "reads", "measured", "disagreement")
# The predicates of the recording "latency": writers and readers by latency class; uniform ones were not measured.
PREDICATE_WRITERS = {
    "alu": ("ISETP", "FSETP", "LOP3.P", "IADD3.CO"),
    "disp_64": ("VOTE.ALL",),
    "redirected_fp64": ("DSETP",),
}
PREDICATE_READERS = {GUARD: ("guard *",), "alu": ("SEL", "FSEL", "IADD3.X"), "disp_64": ("VOTE.ANY",)}
UNIFORM = ("udp", "umov", "uldc", "voteu", "r2ur")  # writers of uniform registers


class Row(NamedTuple):
    """A pair of classes; see the module's docstring. Cycles are None where they are not known."""

    pair: Pair
    kept: int | None
    mined: tuple[int | None, int]  # cycles, reads
    measured: int | None

    @property
    def disagreement(self) -> str:
        """What does not fit; empty when all does."""
        mined, _ = self.mined
        if self.kept is not None and mined is not None and mined < self.kept:
            return "ptxas keeps less than isa/compiler_latencies.csv says"
        known = mined if self.kept is None else self.kept
        if known is None or self.measured is None or known == self.measured:
            return ""
        return "ptxas keeps more than needed" if known > self.measured else "ptxas keeps less than needed"


def mine() -> dict[Pair, tuple[int, int]]:
    """Mine the whole corpus, about a minute: the least cycles and the number of reads of each pair."""
    return {pair: (min(counts), counts.total()) for pair, counts in mining.mine(mining.corpus()).items()}


def rows(mined: Mapping[Pair, tuple[int, int]], recordings: Recordings) -> list[Row]:
    """All pairs that any of the three sources knows; ``mined`` gives cycles and number of reads."""
    kept = {
        (file.value, *pair): cycles
        for file, table in compiler_latencies().raw.items()
        for pair, cycles in table.items()
    }
    measured = _measured(recordings)
    return [
        Row(pair, kept.get(pair), mined.get(pair, (None, 0)), measured.get(pair))
        for pair in sorted({*kept, *mined, *measured})
    ]


def text(table: list[Row]) -> str:
    """The table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([*row.pair, row.kept, *row.mined, row.measured, row.disagreement] for row in table)
    return out.getvalue()


def kept_table() -> str:
    """The table beside this file."""
    return files(__package__).joinpath(TABLE).read_text(encoding="utf-8")


def mined_in(table: str) -> dict[Pair, tuple[int, int]]:
    """What was mined, from a table's text.

    Raises:
        CalibrationError: it is damaged.
    """
    try:
        return {
            (row["file"], row["writer"], row["reader"]): (int(row["mined"]), int(row["reads"]))
            for row in csv.DictReader(table.splitlines())
            if row["mined"]
        }
    except (KeyError, ValueError) as error:
        raise CalibrationError(f"{TABLE}: damaged: {error}; smsim calibrate --mine writes it") from None


def _measured(recordings: Recordings) -> dict[Pair, int]:
    """The least issue distance of any program of two classes, by the recording "latency"."""
    classes = tomllib.loads(files(__package__).joinpath("forwarding.toml").read_text(encoding="utf-8"))
    readers = {name: tuple(patterns) for name, patterns in classes["readers"].items()}
    found: dict[Pair, int] = {}
    for writer, about in classes["writers"].items():
        file = "UR" if writer in UNIFORM else "R"
        # IMAD.WIDE's low word comes early; ptxas's distances are those of the high word.
        names = [name for name in about["programs"] if writer != WIDE or not name.endswith(".lo")]
        _add(found, recordings, (file, writer), names, readers)
    for writer, programs in PREDICATE_WRITERS.items():
        _add(found, recordings, ("P", writer), programs, PREDICATE_READERS)
    return found


def _add(
    found: dict[Pair, int],
    recordings: Recordings,
    of: tuple[str, str],
    writers: Sequence[str],
    readers: Mapping[str, tuple[str, ...]],
) -> None:
    programs = recordings.recording("latency")["programs"]
    for reader, patterns in readers.items():
        distances = [
            least_distance(program)
            for name, program in programs.items()
            if name.split("/")[1] in writers and any(fnmatchcase(name.split("/", 2)[2], text) for text in patterns)
        ]
        known = [distance for distance in distances if distance is not None]
        if known:
            found[*of, reader] = min(known)
