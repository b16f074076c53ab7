"""``smsim compare``: predictions beside recorded measurements."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smsim.cli.options import Cache, Changes, Emulate, Json, MachineName, parse_changes
from smsim.cli.output import check_folders, show, step, tell_of_compiling, write

if TYPE_CHECKING:
    from validation.compare import Comparison

SUITES = ("catalogue",)


def compare(
    targets: Annotated[list[str] | None, typer.Argument(metavar="KERNEL...", help="Kernels of the catalogue.")] = None,
    *,
    suite: Annotated[
        str | None, typer.Option("--suite", metavar="NAME", help="All recorded kernels: catalogue.")
    ] = None,
    launch: Annotated[
        list[str] | None, typer.Option("--launch", metavar="NAME", help="Only these launches.", show_default=False)
    ] = None,
    cache: Annotated[
        Cache | None, typer.Option("--cache", help="Only warm or only cold caches.", show_default=False)
    ] = None,
    machine: MachineName = "h100",
    changes: Changes = None,
    gpu: Annotated[
        str, typer.Option("--gpu", metavar="NAME", help="Whose measurements: the name of their folder.")
    ] = "h100-80gb-hbm3",
    measurements: Annotated[
        Path | None,
        typer.Option("--measurements", metavar="FOLDER", help="Measurements other than smsim's own."),
    ] = None,
    emulate: Annotated[
        Emulate, typer.Option("--emulate", help="Run the simulated SM's blocks, or the whole grid.")
    ] = Emulate.sm,
    json_path: Json = None,
) -> None:
    """Lay predicted and measured cycles, time and stall reasons side by side.

    A kernel's launches each get a table; a suite gets a line per launch and a summary per class. Exit code 1 when a
    launch could not be compared.
    """
    import kernels as catalogue
    from isa.errors import LaunchError, SmsimError
    from smsim.machine import load
    from validation.measurement import CACHES, RECORDED, recorded_kernels
    from validation.predict import compare_kernel, recorded

    if suite is not None and suite not in SUITES:
        raise LaunchError(f"no suite {suite!r}; the suites are {', '.join(SUITES)}")
    if (suite is None) == (not targets):
        raise LaunchError("give kernels of the catalogue, or --suite catalogue")
    folder = measurements or RECORDED
    chosen = load(machine).replace(parse_changes(changes))
    caches = CACHES if cache is None else tuple(mode for mode in CACHES if mode == cache.value)
    known = recorded_kernels(folder, gpu)
    names = targets or [name for name in catalogue.names() if name in known]
    if not names:
        raise LaunchError(f"{folder} holds no measurements of the catalogue on {gpu}")
    check_folders((json_path,))
    tell_of_compiling()
    compared: list[Comparison] = []
    failures: list[SmsimError] = []
    for name in names:
        try:
            kernel = catalogue.get(name)
        except catalogue.UnknownKernelError as error:
            raise LaunchError(str(error)) from None
        file = recorded(kernel, folder, gpu)
        with step(f"Simulating {name}"):
            for outcome in compare_kernel(kernel, file, chosen, caches, launches=launch, emulate=emulate.value):
                if isinstance(outcome, SmsimError):
                    failures.append(outcome)
                else:
                    compared.append(outcome)
    _report(compared, suite is not None, json_path)
    for failure in failures:
        typer.echo(f"smsim: not compared: {failure}", err=True)
    if failures:
        raise typer.Exit(1 if compared else 2)


def _report(compared: list["Comparison"], as_suite: bool, json_path: Path | None) -> None:
    from validation.compare import summarise
    from validation.expectations import judge, load_expectations
    from validation.tables import case_table, judgement_table, suite_table, summary_table

    if json_path is None or str(json_path) != "-":
        if as_suite:
            expectations = load_expectations()
            judgements = [judgement for one in compared for judgement in judge(one, expectations)]
            for table in (suite_table(compared), judgement_table(judgements), summary_table(summarise(compared))):
                show(table)
                show("")
        else:
            for comparison in compared:
                show(case_table(comparison))
                show("")
    if json_path is not None:
        write(json_path, json.dumps([comparison.to_dict() for comparison in compared], indent=1) + "\n")
