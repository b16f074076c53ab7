"""Which recorded launches are to be compared: by kernel, class, launch and cache mode."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from validation.measurement import (
    CACHES,
    Cache,
    Measurement,
    MeasurementError,
    MeasurementFile,
    gpu_folder,
    load,
    recorded_kernels,
)

H100 = gpu_folder("NVIDIA H100 80GB HBM3")


@dataclass(frozen=True)
class RecordedCase:
    """A recorded launch, and the cache modes in which to compare it.

    ``source`` is the folder whose launches.toml lists it; None for a kernel of the catalogue.
    """

    kernel: str
    case_class: str
    measurement: Measurement
    caches: tuple[Cache, ...]
    source: Path | None = None

    @property
    def name(self) -> str:
        """ "kernel/launch"."""
        return f"{self.kernel}/{self.measurement.launch}"


def recorded(kernel: str, folder: Path, gpu: str = H100) -> MeasurementFile:
    """What was measured of a kernel on the GPU with that folder name.

    Raises:
        MeasurementError: nothing was, or the file is damaged or of another GPU or kernel.
    """
    path = folder / gpu / f"{kernel}.json"
    file = load(path)
    if gpu_folder(file.gpu) != gpu:
        raise MeasurementError(
            f"{path}: measured on {file.gpu!r}, but {gpu} is asked for; measure there, or give --gpu"
        )
    if file.kernel != kernel:
        raise MeasurementError(f"{path}: holds measurements of {file.kernel!r}; restore it or measure again")
    return file


def recorded_of(suite: Collection[str], folder: Path, gpu: str = H100) -> list[str]:
    """The kernels of a suite of which something was recorded, in the suite's order.

    Raises:
        MeasurementError: nothing was; the message lists the GPUs that were measured.
    """
    known = set(recorded_kernels(folder, gpu))
    names = [name for name in suite if name in known]
    if not names:
        gpus = ", ".join(sorted(path.name for path in folder.glob("*/"))) or "none"
        raise MeasurementError(
            f"{folder} holds no measurements of these kernels on {gpu}; the GPUs measured are: {gpus}"
        )
    return names


def select_cases(
    kernels: Sequence[str],
    folder: Path,
    gpu: str = H100,
    *,
    classes: Sequence[str] = (),
    launches: Sequence[str] = (),
    caches: tuple[Cache, ...] = CACHES,
    source: Path | None = None,
) -> list[RecordedCase]:
    """The recorded launches of these kernels, in their order.

    Args:
        kernels: their names; each must have been recorded.
        folder, gpu: whose measurements.
        classes: keep the kernels of these classes; empty keeps all.
        launches: keep the launches that match one of these patterns, as of ``fnmatch``; empty keeps all.
        caches: in which cache modes to compare, those of them that were recorded.
        source: as of :class:`RecordedCase`.

    Raises:
        MeasurementError: as :func:`recorded`; a class or a pattern that fits nothing (the message lists what there is).
    """
    files = [recorded(kernel, folder, gpu) for kernel in kernels]
    known = sorted({file.case_class for file in files})
    for wanted in classes:
        if wanted not in known:
            raise MeasurementError(f"no class {wanted!r} was recorded; the classes are {', '.join(known)}")
    files = [file for file in files if not classes or file.case_class in classes]
    for pattern in launches:
        names = sorted({one.launch for file in files for one in file.launches})
        if not any(matching(name, [pattern]) for name in names):
            raise MeasurementError(f"no launch {pattern!r} was recorded; the launches are {', '.join(names)}")
    return [
        RecordedCase(file.kernel, file.case_class, measurement, _those_recorded(measurement, caches), source)
        for file in files
        for measurement in file.launches
        if matching(measurement.launch, launches)
    ]


def _those_recorded(measurement: Measurement, caches: tuple[Cache, ...]) -> tuple[Cache, ...]:
    """Of the cache modes those that were recorded; all if none was, so that comparing says what is missing."""
    return tuple(cache for cache in caches if cache in measurement.caches) or caches


def matching(launch: str, patterns: Sequence[str]) -> bool:
    """Whether the launch matches one of the patterns, or there are none."""
    return not patterns or any(fnmatchcase(launch, pattern) for pattern in patterns)
