"""``smsim measure``: the same cubins on a GPU, into measurement files."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from smsim.cli.options import MEASURED, Define, Include, KernelName, Option, compile_options, parse_dim3
from smsim.cli.output import step


class Caches(StrEnum):
    """Caches before a profiled launch."""

    warm = "warm"
    cold = "cold"
    both = "both"


def measure(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="TARGET...", help="Kernels, a .cu file, a cubin, or a folder with a launches.toml."),
    ] = None,
    *,
    suite: Annotated[
        str | None, typer.Option("--suite", metavar="NAME", help="Measure all of it: open, catalogue, generated.")
    ] = None,
    generate: Annotated[
        list[str] | None,
        typer.Option(
            "--generate", metavar="PROFILE:SEEDS[:LAUNCH]", help="Random programs: registers:0-199, mixed:7:4x256."
        ),
    ] = None,
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
    ] = MEASURED,
    prepare_only: Annotated[
        bool, typer.Option("--prepare-only", help="Write the job only, to be measured on another machine.")
    ] = False,
    collect_only: Annotated[
        bool, typer.Option("--collect-only", help="Only turn raw results into measurement files.")
    ] = False,
    append: Annotated[
        bool, typer.Option("--append", help="Add runs to those recorded of the same code, instead of replacing them.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check/--no-check", help="Emulate a file's whole grid, and compare the outputs on the GPU with that."
        ),
    ] = True,
    repeats: Annotated[
        int, typer.Option("--repeats", help="Launches timed by clock64, and profiled per cache mode.", min=1)
    ] = 2,
    cache: Annotated[Caches, typer.Option("--cache", help="Profile with warm or cold caches only.")] = Caches.both,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", metavar="SECONDS", help="Start no launch after this long.")
    ] = None,
    samples: Annotated[
        bool, typer.Option("--samples/--no-samples", help="Collect ncu's warp samples of every instruction.")
    ] = True,
    counters: Annotated[
        bool, typer.Option("--counters/--no-counters", help="Collect ncu's counters, and samples.")
    ] = True,
    clocks_only: Annotated[
        bool, typer.Option("--clocks-only", help="Check outputs and read clock64, nothing else: thousands a minute.")
    ] = False,
    ncu_python: Annotated[
        Path | None,
        typer.Option("--ncu-python", metavar="FOLDER", help="Nsight Compute's extras/python, if it is not found."),
    ] = None,
) -> None:
    """Run kernels on this machine's GPU and record times and ncu's counters and samples.

    Without a GPU here, prepare, measure elsewhere with CuPy and ncu, and collect:

    \b
    smsim measure --suite catalogue --prepare-only
    python3 -m validation.measure_on_gpu .measure/job .measure/out     (on the GPU machine)
    smsim measure --collect-only
    """
    from isa.errors import LaunchError
    from smsim.cli.job import FileLaunch
    from smsim.cli.measuring import chosen_cases, collect_results, has_results, run_measuring, told
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
            what = (targets or [], suite, generate or [])
            cases = chosen_cases(*what, launches=launch, seed=seed, file_launch=file_launch, check=check)
            count = write_job(job, told(cases))
        typer.echo(f"smsim: {count} launches prepared in {job}", err=True)
    if prepare_only:
        return
    code = 0
    if not collect_only:
        options = ["--repeats", str(repeats), "--cache", cache.value]
        options += [] if time_limit is None else ["--time-limit", str(time_limit)]
        options += [] if ncu_python is None else ["--ncu-python", str(ncu_python)]
        switches = {"--no-samples": not samples, "--no-counters": not counters, "--clocks-only": clocks_only}
        code = run_measuring(job, out, options + [switch for switch, on in switches.items() if on])
        if code and not has_results(out):
            raise typer.Exit(code)
    collect_results(job, out, measurements, append)
    if code:
        raise typer.Exit(code)
