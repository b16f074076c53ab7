"""``smsim compare``: predictions beside recorded measurements."""

from pathlib import Path
from typing import Annotated

import typer

from smsim.cli.options import MEASURED, Cache, Changes, Emulate, Json, MachineName, parse_changes
from smsim.cli.output import check_folders, tell_of_compiling


def compare(
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TARGET...", help="Kernels of the catalogue, generated ones, or a folder with a launches.toml."
        ),
    ] = None,
    *,
    suite: Annotated[
        str | None,
        typer.Option("--suite", metavar="NAME", help="All recorded kernels: open, or catalogue, or generated."),
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option("--class", metavar="NAME", help="Only kernels of this class.", show_default=False),
    ] = None,
    launch: Annotated[
        list[str] | None,
        typer.Option("--launch", metavar="PATTERN", help="Only launches like this: 1x32, 1x*.", show_default=False),
    ] = None,
    cache: Annotated[
        Cache | None, typer.Option("--cache", help="Only warm or only cold caches.", show_default=False)
    ] = None,
    machine: MachineName = "h100",
    changes: Changes = None,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="NAME|FILE", help="A second machine: both predictions side by side."),
    ] = None,
    gpu: Annotated[
        str, typer.Option("--gpu", metavar="NAME", help="Whose measurements: the name of their folder.")
    ] = "h100-80gb-hbm3",
    measurements: Annotated[
        Path | None,
        typer.Option(
            "--measurements",
            metavar="FOLDER",
            help="Measurements other than smsim's own, or than ./measurements for a folder.",
            show_default=False,
        ),
    ] = None,
    emulate: Annotated[
        Emulate, typer.Option("--emulate", help="Run the simulated SM's blocks, or the whole grid.")
    ] = Emulate.sm,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, help="Processes.", show_default="one per core")
    ] = None,
    instructions: Annotated[
        bool, typer.Option("--instructions", help="List every SASS instruction beside ncu's samples.")
    ] = False,
    json_path: Json = None,
    plot_path: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE.png", help="Draw predicted against measured.")
    ] = None,
) -> None:
    """Lay predicted and measured cycles, time and stall reasons side by side.

    A kernel's launches each get a table; a suite, or a folder that smsim measure has measured, gets a line per launch
    and a summary per class; a suite is judged by what is promised of each case. Exit code 1 when a promise is broken,
    a known gap has closed, or a launch could not be compared.

    \b
    smsim compare dot_ilp4 --launch "1x*" --cache warm --instructions
    smsim compare --suite open --json compare.json --plot compare.png
    smsim compare dot_ilp4 --against h100 --set pipes.fma.latency=6
    smsim compare my_kernels
    """
    from isa.errors import LaunchError
    from smsim.cli.comparing import Request, compare_machines, compare_recorded
    from smsim.machine import load
    from validation.measurement import CACHES, RECORDED
    from validation.suites import kernel_names

    if (suite is None) == (not targets):
        raise LaunchError("give kernels, a folder with a launches.toml, or --suite open, catalogue or generated")
    source = _folder(targets or [])
    named = _known(targets or []) if source is None else []
    request = Request(
        suite=suite,
        kernels=tuple(named) if suite is None else kernel_names(suite),
        source=source,
        classes=tuple(classes or ()),
        launches=tuple(launch or ()),
        caches=CACHES if cache is None else tuple(mode for mode in CACHES if mode == cache.value),
        machine=load(machine).replace(parse_changes(changes)),
        folder=measurements or (RECORDED if source is None else MEASURED),
        gpu=gpu,
        emulate=emulate.value,
        jobs=jobs,
        instructions=instructions,
        json_path=json_path,
        plot_path=plot_path,
    )
    check_folders((json_path, plot_path))
    second = None if against is None else load(against)
    tell_of_compiling()
    if compare_recorded(request) if second is None else compare_machines(request, second):
        raise typer.Exit(1)


def _folder(targets: list[str]) -> Path | None:
    """The folder that is asked for; a file cannot be compared by itself.

    Raises:
        LaunchError: it is not the only thing asked for, or a file.
    """
    from isa.errors import LaunchError
    from smsim.cli.job import is_file

    folders = [target for target in targets if Path(target).is_dir()]
    if folders and len(targets) > 1:
        raise LaunchError(f"compare the folder {folders[0]} by itself")
    for target in targets:
        if not folders and is_file(target):
            raise LaunchError(f"{target}: list a file's launches in a launches.toml beside it, and compare the folder")
    return Path(folders[0]) if folders else None


def _known(names: list[str]) -> list[str]:
    import kernels as catalogue
    from isa.errors import LaunchError

    try:
        return [catalogue.get(name).name for name in names]
    except catalogue.UnknownKernelError as error:
        raise LaunchError(str(error)) from None
