"""``smsim differential``: random programs on the simulator and on this machine's GPU; what differs is shrunk."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smsim.cli.options import Changes, MachineName, parse_changes
from smsim.cli.output import show

if TYPE_CHECKING:
    from validation.differential.search import Tried


def differential(
    profile: Annotated[str, typer.Argument(metavar="PROFILE", help="What is drawn: registers, shared, ...")],
    *,
    seeds: Annotated[str, typer.Option("--seeds", metavar="FIRST-LAST", help="The seeds to draw from.")] = "0-99",
    warps: Annotated[int, typer.Option("--warps", min=1, max=32, help="Warps of the one block.")] = 4,
    largest: Annotated[int, typer.Option("--largest", min=1, help="Operations in the main loop, at most.")] = 24,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0.0, help="Relative difference of the cycles that is let pass.")
    ] = 0.05,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="Try nothing new after this long.")
    ] = 3600.0,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Processes; one per core by default.")] = None,
    folder: Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="Where what is found is kept.")] = Path(
        ".differential"
    ),
    machine: MachineName = "h100",
    changes: Changes = None,
) -> None:
    """Run random programs here and on the GPU; shrink those whose cycles or outputs differ.

    Each program's main loop is timed by clock64() in every warp. Needs a GPU and CuPy. Exit code 1 when something
    differs.
    """
    from isa.errors import LaunchError
    from isa.files import make_folder
    from kernels.generated.profiles import PROFILES
    from kernels.generated.program import Shape
    from smsim.machine import load
    from validation.differential.bench import Worker
    from validation.differential.search import Task, keep
    from validation.measure_on_gpu.device import import_cupy
    from validation.measure_on_gpu.job import MeasureError
    from validation.parallel import Failure, run_cases

    if profile not in PROFILES:
        raise LaunchError(f"no profile {profile!r}; the profiles are {', '.join(sorted(PROFILES))}")
    replaced = parse_changes(changes)
    load(machine).replace(replaced)  # a bad value ends here, not in every process
    try:
        import_cupy()
    except MeasureError as error:
        raise LaunchError(str(error)) from None
    make_folder(folder)
    shape, deadline = Shape(1, 32 * warps), time.time() + time_limit
    tasks = [Task(profile, seed, shape, largest, tolerance, deadline) for seed in _seeds(seeds)]
    differing = tried = 0
    for outcome in run_cases(Worker(machine, tuple(replaced.items())), tasks, jobs):
        if isinstance(outcome, Failure):
            typer.echo(f"smsim: not tried: {outcome}", err=True)
            continue
        tried += outcome.error is not None
        if outcome.found is not None:
            differing += 1
            show(f"{_line(outcome)}: {keep(outcome.found, folder)}")
    show(f"{tried} of {len(tasks)} programs tried, {differing} differ by more than {tolerance:.1%}")
    if differing:
        raise typer.Exit(1)


def _line(outcome: "Tried") -> str:
    found = outcome.found
    assert found is not None
    if found.smallest.wrong:
        return f"{outcome.name}: outputs differ: {found.smallest.wrong}"
    cycles = f"{max(found.smallest.predicted)} cycles predicted, {max(found.smallest.measured[0])} measured"
    return f"{outcome.name}: {found.drawn.error:+.1%} as drawn, {found.smallest.error:+.1%} smallest ({cycles})"


def _seeds(text: str) -> range:
    """ "3-9" is 3 to 9; LaunchError for anything else."""
    from isa.errors import LaunchError

    first, dash, last = text.partition("-")
    if not (first.isdecimal() and (last.isdecimal() or not dash)):
        raise LaunchError(f"--seeds {text}: give a seed, or the first and the last as 0-99")
    return range(int(first), int(last or first) + 1)
