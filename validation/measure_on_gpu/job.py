"""The job folder: what to measure, written by ``validation.prepare`` and read on the GPU machine.

    job.json                {"format": 1, "cases": [...]}
    cubins/<sha256>.cubin   the machine code, loaded as it is
    arrays/<sha256>.npz     contents of array arguments, stored once however many cases use them

A case in job.json:
    {"case": "dot_ilp4/132x256", "kernel": "dot_ilp4", "launch": "132x256", "class": "dot", "function": "dot_ilp4",
     "cubin_sha256": "...", "code_sha256": "...", "grid": [132, 1, 1], "block": [256, 1, 1], "dynamic_shared_bytes": 0,
     "seed": 0, "arguments_sha256": "...", "arguments": null, "expected": [], "clock": null}
``arguments`` null: the catalogue's kernel and launch of those names, seeded with ``seed``, make them again on the GPU
machine (some are hundreds of MB); ``arguments_sha256`` proves that they are the same. Else they are listed. What is
expected of them after the launch is listed, too, unless the catalogue's kernel knows it:
    "arguments": [{"array": "<sha256>"}, {"scalar": 4096, "dtype": "int32"}],
    "expected": [{"argument": 0, "array": "<sha256>", "relative": 0.0, "absolute": 0.0}]
``clock`` is the index of the argument that receives clock64 cycles, one per warp.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import kernels
from kernels import Expected

FORMAT = 1
Argument = np.ndarray | np.generic


class MeasureError(Exception):
    """Measuring cannot go on; the message says why and what to do. What was measured so far is kept."""


@dataclass(frozen=True)
class Case:
    """One launch to measure; the fields are those of a case in job.json (see the module's docstring)."""

    case: str
    kernel: str
    launch: str
    case_class: str
    function: str
    cubin_sha256: str
    code_sha256: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int
    seed: int | None
    arguments_sha256: str
    arguments: tuple[dict[str, Any], ...] | None = None
    expected: tuple[dict[str, Any], ...] = ()
    clock: int | None = None

    @property
    def key(self) -> str:
        """Identifies exactly this launch of exactly this code: results are filed under it.

        The cubin's own digest is not part of it: it also depends on the line table.
        """
        fields = {name: value for name, value in case_to_json(self).items() if name != "cubin_sha256"}
        text = json.dumps(fields, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Job:
    """A job folder's cases, by the folder that holds them."""

    folder: Path
    cases: tuple[Case, ...] = field(default=())

    def cubin_path(self, case: Case) -> Path:
        """Where the case's cubin lies."""
        return self.folder / "cubins" / f"{case.cubin_sha256}.cubin"

    def array(self, sha256: str) -> np.ndarray:
        """Contents of a stored array."""
        path = self.folder / "arrays" / f"{sha256}.npz"
        try:
            with np.load(path, allow_pickle=False) as stored:
                array: np.ndarray = stored["array"]
        except (OSError, ValueError, KeyError) as error:
            raise MeasureError(f"{path}: cannot read this array of the job ({error}); prepare the job again") from error
        return array

    def arguments(self, case: Case) -> list[Argument]:
        """The arguments' initial values: an array for a pointer, a NumPy scalar for a value."""
        if case.arguments is None:
            arguments = kernels.get(case.kernel).launch(case.launch).arguments(case.seed or 0)
        else:
            arguments = [self._argument(description) for description in case.arguments]
        if arguments_sha256(arguments) != case.arguments_sha256:
            raise MeasureError(
                f"{case.case}: the arguments made here (NumPy {np.__version__}) are not those of the prepared job; "
                "prepare it again from the same sources"
            )
        return arguments

    def _argument(self, description: dict[str, Any]) -> Argument:
        if "array" in description:
            return self.array(description["array"])
        scalar: np.generic = np.dtype(description["dtype"]).type(description["scalar"])
        return scalar

    def expected(self, case: Case, arguments: list[Argument]) -> dict[int, Expected]:
        """What the arrays among ``arguments`` hold after the launch, by argument index."""
        if case.arguments is None and not case.expected:
            return kernels.get(case.kernel).launch(case.launch).expected(arguments)
        return {
            entry["argument"]: Expected(
                self.array(entry["array"]), entry["relative"], entry["absolute"], reason="as the job asks"
            )
            for entry in case.expected
        }


def arguments_sha256(arguments: list[Argument]) -> str:
    """Digest of types, shapes and contents, in order."""
    digest = hashlib.sha256()
    for value in arguments:
        array = np.asarray(value)
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def case_to_json(case: Case) -> dict[str, Any]:
    """The case as job.json holds it."""
    plain = asdict(case)
    plain["class"] = plain.pop("case_class")
    return plain


def case_from_json(plain: dict[str, Any]) -> Case:
    """The case that ``case_to_json`` wrote."""
    values = dict(plain)
    values["case_class"] = values.pop("class")
    for name in ("grid", "block", "arguments", "expected"):
        values[name] = None if values[name] is None else tuple(values[name])
    return Case(**values)


def load_job(folder: Path) -> Job:
    """Read a job folder; MeasureError when it is missing, damaged or of another format."""
    path = folder / "job.json"
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        if plain["format"] != FORMAT:
            raise MeasureError(f"{path}: format {plain['format']}, this version reads {FORMAT}; prepare the job again")
        cases = tuple(case_from_json(case) for case in plain["cases"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MeasureError(f"{path}: not a job folder that can be read ({error!r}); prepare the job again") from error
    job = Job(folder, cases)
    for case in {case.cubin_sha256: case for case in cases}.values():
        cubin = job.cubin_path(case)
        if not cubin.is_file():
            raise MeasureError(f"{cubin}: the cubin of {case.case} is missing; prepare the job again")
        if hashlib.sha256(cubin.read_bytes()).hexdigest() != case.cubin_sha256:
            raise MeasureError(f"{cubin}: the cubin of {case.case} is damaged; delete it and prepare the job again")
    return job
