"""``smsim calibrate``: measure a GPU's microbenchmarks, derive every value of the machine, write its file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smsim.cli.output import check_folders, step, write
from smsim.cli.output import show as print_table

if TYPE_CHECKING:
    from validation.calibration.check import Finding
    from validation.calibration.recordings import Recordings


MODES = ("--prepare-only", "--collect-only", "--check", "--predict", "--compiler", "--against", "--show", "--mine")


def calibrate(
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The machine file to write; its tables are written beside it.")
    ] = Path("h100.toml"),
    *,
    machine: Annotated[
        str,
        typer.Option("--machine", metavar="NAME|FILE", help="Compared with, and kept where nothing was measured."),
    ] = "h100",
    folder: Annotated[
        Path, typer.Option("--folder", metavar="FOLDER", help="Where programs, raw results and recordings lie.")
    ] = Path(".calibrate"),
    family: Annotated[
        list[str] | None,
        typer.Option("--family", metavar="NAME", help="Only these microbenchmarks.", show_default=False),
    ] = None,
    prepare_only: Annotated[
        bool, typer.Option("--prepare-only", help="Write the programs only, to be run on another machine.")
    ] = False,
    collect_only: Annotated[
        bool, typer.Option("--collect-only", help="Only turn raw results into recordings and a machine file.")
    ] = False,
    recordings: Annotated[
        Path | None,
        typer.Option("--recordings", metavar="FOLDER", help="Recordings to derive from, instead of measuring."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Derive all values from the kept recordings; compare; write nothing.")
    ] = False,
    predict: Annotated[
        bool, typer.Option("--predict", help="Simulate the microbenchmarks; compare with the kept recordings.")
    ] = False,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FOLDER", help="Does this second run confirm the kept recordings?"),
    ] = None,
    show: Annotated[str | None, typer.Option("--show", metavar="FAMILY", help="Print the kept recording.")] = None,
    compiler: Annotated[
        bool, typer.Option("--compiler", help="Print where ptxas's latencies and the measured ones disagree.")
    ] = False,
    mine: Annotated[
        Path | None,
        typer.Option("--mine", metavar="FILE", help="Read ptxas's latencies anew from many kernels; write the table."),
    ] = None,
) -> None:
    """Measure this machine's GPU and write its machine file.

    Without a GPU here, prepare, run elsewhere with CuPy, and collect:

    \b
    smsim calibrate --prepare-only
    python3 .calibrate/runner.py     (on the GPU machine)
    smsim calibrate --collect-only
    """
    from isa.errors import LaunchError
    from validation.calibration import check as checks
    from validation.calibration import job, tables
    from validation.calibration.recordings import RESULTS, Recordings

    chosen = (
        prepare_only,
        collect_only,
        check,
        predict,
        compiler,
        *(path is not None for path in (against, show, mine)),
    )
    if sum(chosen) > 1:
        raise LaunchError(f"give one of {', '.join(MODES)}")
    kept = Recordings(RESULTS if recordings is None else recordings)
    if show is not None:
        typer.echo("\n".join(tables.show(show, kept.recording(show))))
    elif check:
        from smsim.machine import load

        _conclude(checks.check(load(machine), kept))
    elif predict:
        _predict(machine, kept, family or ())
    elif against is not None:
        _conclude(checks.compare(kept, Recordings(against)))
    elif compiler or mine is not None:
        _compiler(mine, kept)
    else:
        if recordings is None:
            if not collect_only:
                if not prepare_only:
                    job.require_gpu(folder)
                with step("Preparing"):
                    job.prepare(folder, family or (), lambda path: typer.echo(f"smsim: wrote {path}", err=True))
                if prepare_only:
                    return
                job.run(folder)
            kept = Recordings(job.collect(folder))
        _write(target, machine, kept)


def _compiler(mine: Path | None, recordings: "Recordings") -> None:
    """Print the disagreements with ptxas, of the kept table or of one that is made anew and written."""
    from validation.calibration import compiler, report

    if mine is None:
        mined = compiler.mined_in(compiler.kept_table())
    else:
        check_folders([mine])
        with step("Compiling kernels"):
            mined = compiler.mine()
    rows = compiler.rows(mined, recordings)
    if mine is not None:
        write(mine, compiler.text(rows))
    print_table(report.compiler_table(rows))


def _predict(machine: str, recordings: "Recordings", families: Sequence[str]) -> None:
    """Print for each family how many of its launches are simulated to the cycle, and those that are furthest off."""
    from smsim.machine import load
    from validation.calibration import bundle, predict, report

    bundle.check_names(families)
    simulated = load(machine)
    for name in families or [known for known in recordings.families() if known in bundle.FAMILIES]:
        predictions = list(predict.predict_all(bundle.family(name), recordings.recording(name), simulated))
        if predictions:
            typer.echo(f"{name}: {predict.summary(predictions)}")
            print_table(report.predictions_table(predictions))


def _conclude(findings: "list[Finding]") -> None:
    """Print what does not agree, and exit with 1 when there is any."""
    from validation.calibration.check import Verdict
    from validation.calibration.report import summary, table

    off = [finding for finding in findings if finding.verdict is not Verdict.AGREES]
    if off:
        print_table(table(off))
    typer.echo(summary(findings))
    if off:
        raise typer.Exit(1)


def _write(target: Path, machine: str, recordings: "Recordings") -> None:
    """Derive, write the machine file, and print every value beside the one before."""
    from smsim.machine import load, path_of
    from validation.calibration import machine_file
    from validation.calibration.check import beside
    from validation.calibration.derive import Derivation
    from validation.calibration.report import summary, table

    derived, _ = Derivation(recordings).derive_all()
    before = load(machine)
    wanted = {path: value for path, value in derived.items() if path in {known for known, _, _ in before.values()}}
    files = machine_file.texts(path_of(machine), target.stem, wanted, recordings.environment())
    machine_file.write(target, files)
    findings = beside(before, recordings)
    print_table(table(findings))
    typer.echo(f"{summary(findings)}; written: {', '.join(str(target.parent / name) for name in files)}")
