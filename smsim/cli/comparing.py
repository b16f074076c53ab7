"""The work of ``smsim compare``: simulate the cases, then tables, JSON and plot."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer

import kernels
from isa.errors import LaunchError
from smsim.cli.output import progress, show, write
from smsim.machine import Machine, load
from validation.compare import Comparison
from validation.contrast import Contrast, contrast_case, contrast_cases
from validation.expectations import Judgement, judge, load_expectations, load_known_gaps
from validation.instruction_table import instruction_table
from validation.launches import listed_launches
from validation.measurement import RECORDED, Cache
from validation.parallel import Case, Failure, run_cases
from validation.predict import Emulate, compare_case
from validation.selection import H100, RecordedCase, matching, recorded_of, select_cases
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
    """What was asked for on the command line.

    ``suite`` is None when kernels were named, or ``source``, a folder with a launches.toml; ``kernels`` is empty then.
    """

    suite: str | None
    kernels: tuple[str, ...]
    source: Path | None
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
        if self.source is not None:
            return str(self.source)
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
    cases, unmeasured = _recorded_cases(request)
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
    failures += unmeasured
    _tell_failures(failures, bool(compared))
    return bool(failures or faults)


def _recorded_cases(request: Request) -> tuple[list[RecordedCase], list[Failure]]:
    """What is to be compared, and those launches of a folder that were not measured."""
    names = request.kernels
    launches: set[str] | None = None
    if request.source is not None:
        listed = list(listed_launches(request.source))
        launches = {one.name for one in listed if matching(one.launch, request.launches)}
        names = tuple(dict.fromkeys(one.kernel for one in listed))
    if request.suite is not None or request.source is not None:
        names = tuple(recorded_of(names, request.folder, request.gpu))
    cases = select_cases(
        names,
        request.folder,
        request.gpu,
        classes=request.classes,
        launches=request.launches,
        caches=request.caches,
        source=request.source,
    )
    if launches is None:
        return cases, []
    cases = [case for case in cases if case.name in launches]
    missing = sorted(launches - {case.name for case in cases})
    return cases, [Failure(name, f"not measured; smsim measure {request.source}") for name in missing]


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
    if request.source is not None:
        launches = [(one.kernel, one.launch) for one in listed_launches(request.source)]
    else:
        launches = [(name, launch.name) for name in request.kernels for launch in kernels.get(name).launches]
    cases = contrast_cases(
        launches, request.launches, request.caches, request.folder, request.gpu, source=request.source
    )
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
    if request.suite is None and request.source is None:
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
