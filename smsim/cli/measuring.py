"""The work of ``smsim measure``: what to prepare, the process that measures, and what it gave."""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import typer

import kernels
from isa.errors import LaunchError
from isa.launch import LaunchShape
from kernels import Kernel
from kernels.generated.profiles import PROFILES
from kernels.generated.program import Shape
from kernels.generated.seeds import from_name, seed_name
from smsim.cli.job import FileLaunch, is_file, make_job
from validation.collect import collect
from validation.launches import folder_cases
from validation.measure_on_gpu.job import MeasureError
from validation.measure_on_gpu.results import FILE_NAME
from validation.measurement import load
from validation.noise import noise
from validation.prepare import Prepared, catalogue_cases, user_case
from validation.suites import kernel_names

_SEEDS = re.compile(r"(?P<profile>\w+):(?P<first>\d+)(?:-(?P<last>\d+))?(?::(?P<blocks>\d+)x(?P<threads>\d+))?")
_DEFAULT_SHAPE = ("1", "128")


def chosen_cases(
    targets: Sequence[str],
    suite: str | None,
    generate: Sequence[str],
    *,
    launches: Sequence[str] | None,
    seed: int,
    file_launch: FileLaunch,
    check: bool,
) -> Iterable[Prepared]:
    """The launches that the options ask for; ``check`` is for those of files and folders.

    Raises:
        SmsimError: they ask for none, for several kinds of things at once, or for something that is not there.
    """
    if bool(targets) + (suite is not None) + bool(generate) != 1:
        raise LaunchError(
            "give kernels, a file, a folder with a launches.toml, --suite open, catalogue or generated, or --generate"
        )
    if len(targets) == 1 and Path(targets[0]).is_dir():
        return folder_cases(Path(targets[0]), check=check)
    if len(targets) == 1 and is_file(targets[0]):
        return [_file_case(targets[0], file_launch, check)]
    if generate:
        return catalogue_cases(_seeded(generate), None, seed)
    try:
        found = [kernels.get(name) for name in targets or kernel_names(suite or "")]
        return list(catalogue_cases(found, launches, seed))
    except (kernels.UnknownKernelError, kernels.UnknownLaunchError) as error:
        raise LaunchError(str(error)) from None


def _seeded(texts: Sequence[str]) -> Iterator[Kernel]:
    """The generated kernels of texts such as "registers:0-199" or "mixed:7:4x256"."""
    for text in texts:
        found = _SEEDS.fullmatch(text)
        if found is None or found["profile"] not in PROFILES:
            raise LaunchError(
                f"--generate {text!r} is not PROFILE:SEED or PROFILE:FIRST-LAST, with :BLOCKSxTHREADS or without; the "
                f"profiles are {', '.join(PROFILES)}"
            )
        first, last = int(found["first"]), int(found["last"] or found["first"])
        shape = Shape(int(found["blocks"] or _DEFAULT_SHAPE[0]), int(found["threads"] or _DEFAULT_SHAPE[1]))
        for seed in range(first, last + 1):
            kernel = from_name(seed_name(found["profile"], seed, shape))
            if kernel is not None:
                yield kernel


def _file_case(target: str, launch: FileLaunch, check: bool) -> Prepared:
    """The launch of a user's file."""
    job = make_job(target, None, launch)
    shape = LaunchShape(job.grid, job.block, job.shared_mem)
    return user_case(job.module, job.function.name, shape, job.arguments, check=check)


def told(prepared: Iterable[Prepared]) -> Iterator[Prepared]:
    """The launches, having said of which the outputs will not be compared."""
    for each in prepared:
        if each.unchecked:
            typer.echo(f"smsim: outputs of {each.case.case} will not be compared: {each.unchecked}", err=True)
        yield each


def run_measuring(job: Path, out: Path, options: Sequence[str]) -> int:
    """Measure in a process of its own, whose output is passed through; its exit code."""
    command = [sys.executable, "-m", "validation.measure_on_gpu", str(job), str(out), *options]
    return subprocess.run(command, check=False).returncode


def has_results(out: Path) -> bool:
    """Whether something was measured."""
    return (out / FILE_NAME).is_file()


def collect_results(job: Path, out: Path, measurements: Path, append: bool) -> None:
    """Turn raw results into measurement files, and say which launches failed and how far the others' runs differ.

    Raises:
        SmsimError: there are none of this job, or they cannot be read.
    """
    try:
        paths = collect(job, out, measurements, append=append)
    except MeasureError as error:
        raise LaunchError(str(error)) from None
    typer.echo(f"smsim: {len(paths)} measurement files written in {measurements}", err=True)
    files = [load(path) for path in paths]
    for file in files:
        for launch in file.launches:
            if launch.status != "ok":
                typer.echo(f"smsim: {file.kernel}/{launch.launch} {launch.status}: {launch.message}", err=True)
    for one in noise(files):
        typer.echo(f"smsim: cycles, {one}", err=True)
