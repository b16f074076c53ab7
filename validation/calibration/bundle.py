"""Write the programs of every family as bundles: zips of cubins with a manifest, for runner.py to run."""

import json
import zipfile
from collections.abc import Iterable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from .errors import CalibrationError
from .program import Experiment
from .verify import differences

FAMILIES = (
    "device",
    "latency",
    "throughput",
    "variable",
    "order",
    "memory",
    "contention",
    "control",
    "caches",
    "l2_bandwidth",
    "gpu_bandwidth",
    "partitions",
    "backlog",
    "given_up",
    "gpu_atomics",
    "gpu_stores",
    "sm_groups",
    "walks",
    "blocks",
    "stores",
    "l1",
    "tags",
    "hinted",
    "constants",
    "module_constants",
    "indexed",
    "crowded",
    "rare",
    "reads",
    "ports",
    "forwarding",
    "fetch",
    "ahead",
    "paused",
    "landing",
    "branches",
    "groups",
    "mio",
    "atoms",
    "barriers",
    "lanes",
    "turns",
    "yields",
    "ages",
    "entries",
    "released",
    "room",
    "partial_hits",
    "rounds",
    "tiles",
    "fenced",
    "compiled",
    "mixes",
    "without_lanes",
    "atomics",
    "reducing",
    "scattered",
    "stored",
    "draining",
    "delayed",
    "doubled",
    "sweeps",
    "other_banks",
    "spaced",
    "met",
    "following",
    "queued",
    "lacking",
    "pending",
    "together",
    "local",
    "merging",
    "between",
    "behind",
    "port_turns",
    "partly",
    "validity",
    "homes",
    "filling",
    "admitted",
    "circling",
    "convoys",
    "overtaken",
    "endings",
    "touched",
    "switched_off",
    "ports_of_results",
    "trips",
    "stopped",
    "probed",
    "started",
    "missed",
    "found",
    "mingled",
    "collided",
    "lined_up",
    "parts",
    "fills",
    "arrivals",
    "distances",
    "gathers",
    "held_up",
    "misses",
    "beside",
    "coalesced",
    "collisions",
    "written",
    "paced",
    "slips",
    "crossing",
    "cold_code",
    "first_launch",
    "outstanding",
    "begun",
    "awaited",
    "targets",
    "reused",
    "prologues",
    "beginnings",
    "neighbours",
    "uncommon",
    "visits",
    "streams",
    "strolls",
    "jumped_over",
    "brought",
    "resumed",
    "refresh",
    "parted",
    "exclusive",
    "copies",
    "fences",
    "flushes",
    "alongside",
    "alternating",
    "stacked",
    "interleaved",
    "gathered",
    "displaced",
    "passing",
    "spread",
    "answers",
    "crossed",
    "columns",
    "same_sectors",
    "reaching",
    "voted",
    "in_turn",
    "paired",
    "passed",
    "lone",
    "returns",
    "barred",
    "halves",
    "wide_beside_fp64",
)


def check_names(names: Iterable[str]) -> None:
    """Refuse names that are no family's.

    Raises:
        CalibrationError: there is one.
    """
    if unknown := [name for name in names if name not in FAMILIES]:
        raise CalibrationError(f"no family {unknown[0]!r}; the families are {', '.join(FAMILIES)}")


def family(name: str) -> list[Experiment]:
    """Return all experiments of a family.

    Raises:
        ValueError: two experiments have the same name.
    """
    experiments: list[Experiment] = list(import_module(f".families.{name}", __package__).experiments())
    names = {experiment.name for experiment in experiments}
    if len(names) != len(experiments):
        raise ValueError(f"family {name} has two experiments of one name")
    return experiments


def write(name: str, folder: Path) -> Path:
    """Verify a family's programs, write them as `<name>.zip` into the folder and return its path.

    Raises:
        ValueError: an instruction disassembles otherwise than it was meant.
    """
    experiments = family(name)
    wrong = differences(experiment.program() for experiment in experiments)
    if wrong:
        raise ValueError(f"family {name}: {len(wrong)} instructions read otherwise than meant, first {wrong[0]}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        for index, experiment in enumerate(experiments):
            archive.writestr(f"{index}.cubin", experiment.cubin())
        archive.writestr("manifest.json", json.dumps({"family": name, "programs": _manifest(experiments)}))
    return path


def _manifest(experiments: Iterable[Experiment]) -> list[dict[str, object]]:
    return [
        {
            "name": experiment.name,
            "file": f"{index}.cubin",
            "kind": experiment.kind,
            "records": len(experiment.records),
            "launches": [asdict(launch) for launch in experiment.launches],
            "meta": experiment.meta,
        }
        for index, experiment in enumerate(experiments)
    ]
