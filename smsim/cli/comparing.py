"""The work of ``smsim compare``: simulate the cases, then tables, JSON and plot."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer

from isa.errors import LaunchError
from smsim.cli.output import progress, show, write
from smsim.machine import Machine, load
from validation.compare import Comparison
from validation.contrast import Contrast, contrast_case, contrast_cases
from validation.expectations import Judgement, judge, load_expectations, load_known_gaps
from validation.instruction_table import instruction_table
from validation.measurement import RECORDED, Cache
from validation.parallel import Case, Failure, run_cases
from validation.predict import Emulate, compare_case
from validation.selection import H100, recorded_of, select_cases
from validation.summary import summarise
from validation.tables import (
    case_table,
    contrast_table,
    judgement_line,
    judgement_table,
    suite_table,
    summary_lines,
    summary_table,
)


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line; ``suite`` is None when kernels were named."""

    suite: str | None
    kernels: tuple[str, ...]
    classes: tuple[str, ...]
    launches: tuple[str, ...]
    caches: tuple[Cache, ...]
    machine: Machine
    folder: Path
    gpu: str
    emulate: Emulate
    jobs: int | None
    instructions: bool
    json_path: Path | None
    plot_path: Path | None

    @property
    def title(self) -> str:
        """What is compared."""
        return ", ".join(self.kernels) if self.suite is None else f"suite {self.suite}"

    @property
    def with_tables(self) -> bool:
        """Whether stdout is for people."""
        return self.json_path is None or str(self.json_path) != "-"

    @property
    def is_judged(self) -> bool:
        """Whether the promises speak of these cases: they are made of the H100 as it is described and was measured."""
        described = self.folder == RECORDED and self.gpu == H100 and self.machine == load("h100")
        return self.suite is not None and described


def compare_recorded(request: Request) -> bool:
    """Compare recorded launches; whether anything is at fault.

    Raises:
        SmsimError: nothing could be compared.
    """
    if request.plot_path is not None:
        from validation.plot import check_plot

        check_plot(request.plot_path)
    names = request.kernels
    if request.suite is not None:
        names = tuple(recorded_of(names, request.folder, request.gpu))
    cases = select_cases(
        names,
        request.folder,
        request.gpu,
        classes=request.classes,
        launches=request.launches,
        caches=request.caches,
    )
    work = partial(compare_case, machine=request.machine, emulate=request.emulate)
    compared, failures = _run(work, cases, request)
    judgements: list[Judgement] = []
    if request.is_judged:
        expectations, known = load_expectations(), load_known_gaps()
        judgements = [one for comparison in compared for one in judge(comparison, expectations, known)]
    if request.with_tables:
        _show(request, compared, judgements)
    if request.plot_path is not None and compared:
        from validation.plot import plot

        plot(request.plot_path, compared, request.title, request.machine)
    faults = [one for one in judgements if one.verdict.is_fault]
    for fault in faults:
        typer.echo(f"smsim: {fault}", err=True)
    _tell_failures(failures, bool(compared))
    return bool(failures or faults)


def compare_machines(request: Request, second: Machine) -> bool:
    """Lay the predictions of two machines side by side; whether a launch could not be simulated.

    Raises:
        SmsimError: none could, or the request asks for what there is not with two machines.
    """
    for given, option in (
        (request.classes, "--class"),
        (request.instructions, "--instructions"),
        (request.plot_path, "--plot"),
    ):
        if given:
            raise LaunchError(f"--against shows two predictions side by side; leave out {option}")
    cases = contrast_cases(request.kernels, request.launches, request.caches, request.folder, request.gpu)
    work = partial(contrast_case, machines=(request.machine, second), emulate=request.emulate)
    contrasts: list[Contrast]
    contrasts, failures = _run(work, cases, request)
    if request.with_tables:
        for contrast in contrasts:
            show(contrast_table(contrast))
            show("")
    _tell_failures(failures, bool(contrasts))
    return bool(failures)


def _run(work: Callable[[Case], list[Any]], cases: Sequence[Case], request: Request) -> tuple[list[Any], list[Failure]]:
    """The results of all cases, written as JSON where that is asked for, and the cases that have none."""
    results: list[Any] = []
    failures: list[Failure] = []
    with progress("Comparing", len(cases)) as done, closing(run_cases(work, cases, request.jobs)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, Failure):
                failures.append(outcome)
            else:
                results += outcome
            done()
    if request.json_path is not None:
        write(request.json_path, json.dumps([result.to_dict() for result in results], indent=1) + "\n")
    return results, failures


def _show(request: Request, compared: Sequence[Comparison], judgements: Sequence[Judgement]) -> None:
    if request.suite is None:
        for comparison in compared:
            show(case_table(comparison))
            show("")
    else:
        summaries = summarise(compared)
        show(suite_table(compared))
        show("")
        if judgements:
            show(judgement_table(judgements))
            show("")
        show(summary_table(summaries))
        show("")
        for line in (*summary_lines(summaries), *([judgement_line(judgements)] if judgements else [])):
            show(line)
    if request.instructions:
        for comparison in compared:
            show(instruction_table(comparison))
            show("")


def _tell_failures(failures: Sequence[Failure], any_result: bool) -> None:
    """One line per case that has no result; exit code 2 when no case has one."""
    for failure in failures:
        typer.echo(f"smsim: not compared: {failure}", err=True)
    if failures and not any_result:
        raise typer.Exit(2)
