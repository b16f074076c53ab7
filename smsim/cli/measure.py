"""``smsim measure``: the same cubins on a GPU, into measurement files."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smsim.cli.options import Define, Include, KernelName, Option, compile_options, parse_dim3
from smsim.cli.output import step

if TYPE_CHECKING:
    from smsim.cli.job import FileLaunch
    from validation.prepare import Prepared

SUITES = ("catalogue",)


def measure(
    targets: Annotated[
        list[str] | None, typer.Argument(metavar="TARGET...", help="Kernels of the catalogue, a .cu file or a cubin.")
    ] = None,
    *,
    suite: Annotated[str | None, typer.Option("--suite", metavar="NAME", help="Measure all of it: catalogue.")] = None,
    launch: Annotated[
        list[str] | None,
        typer.Option("--launch", metavar="NAME", help="Only these launches.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="For the arguments of catalogue kernels.", min=0)] = 0,
    kernel: KernelName = None,
    grid: Annotated[str | None, typer.Option("--grid", metavar="X[,Y[,Z]]", help="Blocks, for a file.")] = None,
    block: Annotated[
        str | None, typer.Option("--block", metavar="X[,Y[,Z]]", help="Threads per block, for a file.")
    ] = None,
    arg: Annotated[
        list[str] | None,
        typer.Option("--arg", metavar="TYPE[SHAPE]=FILL", help="One per parameter, in order.", show_default=False),
    ] = None,
    shared_mem: Annotated[
        int | None, typer.Option("--shared-mem", metavar="BYTES", min=0, help="Dynamic shared memory, for a file.")
    ] = None,
    include: Include = None,
    define: Define = None,
    option: Option = None,
    folder: Annotated[
        Path, typer.Option("--folder", metavar="FOLDER", help="Where the job and the raw results lie.")
    ] = Path(".measure"),
    measurements: Annotated[
        Path, typer.Option("--measurements", metavar="FOLDER", help="Where measurement files are written.")
    ] = Path("measurements"),
    prepare_only: Annotated[
        bool, typer.Option("--prepare-only", help="Write the job only, to be measured on another machine.")
    ] = False,
    collect_only: Annotated[
        bool, typer.Option("--collect-only", help="Only turn raw results into measurement files.")
    ] = False,
    repeats: Annotated[int, typer.Option("--repeats", help="Profiled launches per cache mode.", min=1)] = 2,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", metavar="SECONDS", help="Start no launch after this long.")
    ] = None,
    counters: Annotated[bool, typer.Option("--counters/--no-counters", help="Collect ncu's counters.")] = True,
) -> None:
    """Run kernels on this machine's GPU and record times and ncu's counters.

    Without a GPU here, prepare, measure elsewhere with CuPy and ncu, and collect:

    \b
    smsim measure --suite catalogue --prepare-only
    python3 -m validation.measure_on_gpu .measure/job .measure/out     (on the GPU machine)
    smsim measure --collect-only
    """
    from isa.errors import LaunchError
    from smsim.cli.job import FileLaunch, is_file
    from validation.prepare import write_job

    job, out = folder / "job", folder / "out"
    if prepare_only and collect_only:
        raise LaunchError("give --prepare-only or --collect-only, not both")
    if not collect_only:
        file_launch = FileLaunch(
            kernel=kernel,
            options=compile_options(include, define, option),
            grid=None if grid is None else parse_dim3(grid, "--grid"),
            block=None if block is None else parse_dim3(block, "--block"),
            arguments=tuple(arg or ()),
            shared_mem=shared_mem,
        )
        with step("Preparing"):
            if targets and len(targets) == 1 and is_file(targets[0]):
                cases: Iterable[Prepared] = [_file_case(targets[0], file_launch)]
            else:
                cases = _catalogue_cases(targets or [], suite, launch, seed)
            count = write_job(job, cases)
        typer.echo(f"smsim: {count} launches prepared in {job}", err=True)
    if prepare_only:
        return
    code = 0 if collect_only else _run(job, out, repeats, time_limit, counters)
    _collect(job, out, measurements)
    if code:
        raise typer.Exit(code)


def _catalogue_cases(
    names: list[str], suite: str | None, launches: list[str] | None, seed: int
) -> Iterable["Prepared"]:
    """The launches of the kernels named, or of the suite."""
    import kernels as catalogue
    from isa.errors import LaunchError
    from validation.prepare import catalogue_cases

    if suite is not None and suite not in SUITES:
        raise LaunchError(f"no suite {suite!r}; the suites are {', '.join(SUITES)}")
    if (suite is None) == (not names):
        raise LaunchError("give kernels of the catalogue, a file, or --suite catalogue")
    try:
        return list(catalogue_cases([catalogue.get(name) for name in names or catalogue.names()], launches, seed))
    except (catalogue.UnknownKernelError, catalogue.UnknownLaunchError) as error:
        raise LaunchError(str(error)) from None


def _file_case(target: str, launch: "FileLaunch") -> "Prepared":
    """The launch of a user's file."""
    from isa.launch import LaunchShape
    from smsim.cli.job import make_job
    from validation.prepare import user_case

    job = make_job(target, None, launch)
    shape = LaunchShape(job.grid, job.block, job.shared_mem)
    return user_case(job.module, job.function.name, shape, job.arguments)


def _run(job: Path, out: Path, repeats: int, time_limit: float | None, counters: bool) -> int:
    """Measure in a process of its own, whose output is passed through; its exit code."""
    command = [sys.executable, "-m", "validation.measure_on_gpu", str(job), str(out), "--repeats", str(repeats)]
    command += [] if time_limit is None else ["--time-limit", str(time_limit)]
    command += [] if counters else ["--no-counters"]
    return subprocess.run(command, check=False).returncode


def _collect(job: Path, out: Path, measurements: Path) -> None:
    from isa.errors import LaunchError
    from validation.collect import collect
    from validation.measure_on_gpu.job import MeasureError

    try:
        paths = collect(job, out, measurements)
    except MeasureError as error:
        raise LaunchError(str(error)) from None
    typer.echo(f"smsim: {len(paths)} measurement files written in {measurements}", err=True)
