"""``smsim run``: the main job, from CUDA C to a stall breakdown."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smsim.cli.options import (
    Cache,
    Changes,
    Define,
    Emulate,
    Engine,
    Include,
    Json,
    KernelName,
    MachineName,
    Option,
    Target,
    compile_options,
    parse_changes,
    parse_dim3,
    parse_sms,
)
from smsim.cli.output import check_folders, show, step, tell_of_compiling, write

if TYPE_CHECKING:
    from isa.trace import Trace
    from smsim.cli.job import FileLaunch, Job
    from smsim.dispatch import SMs
    from smsim.machine import Machine
    from smsim.result import Result


def run(
    target: Target,
    *,
    kernel: KernelName = None,
    launch: Annotated[
        str | None, typer.Option("--launch", metavar="NAME", help="Which launch of a catalogue kernel.")
    ] = None,
    grid: Annotated[str | None, typer.Option("--grid", metavar="X[,Y[,Z]]", help="Blocks, for a file.")] = None,
    block: Annotated[
        str | None, typer.Option("--block", metavar="X[,Y[,Z]]", help="Threads per block, for a file.")
    ] = None,
    arg: Annotated[
        list[str] | None,
        typer.Option(
            "--arg",
            metavar="TYPE[SHAPE]=FILL",
            help="One per parameter, in order: f32[4096]=random, i32=4096, f64[8,8]=@matrix.npy.",
            show_default=False,
        ),
    ] = None,
    shared_mem: Annotated[
        int | None, typer.Option("--shared-mem", metavar="BYTES", min=0, help="Dynamic shared memory, for a file.")
    ] = None,
    include: Include = None,
    define: Define = None,
    option: Option = None,
    machine: MachineName = "h100",
    changes: Changes = None,
    cache: Annotated[Cache, typer.Option("--cache", help="As the second launch of two, or the first.")] = Cache.warm,
    engine: Annotated[Engine, typer.Option("--engine", help="The driver; the result is the same.")] = Engine.auto,
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="NAME", help="How an SMSP picks a warp: see smsim.policies.")
    ] = None,
    emulate: Annotated[
        Emulate, typer.Option("--emulate", help="Run the simulated SMs' blocks, or the whole grid.")
    ] = Emulate.sm,
    sms: Annotated[
        str,
        typer.Option(
            "--sms",
            metavar="N|all|auto",
            help="SMs to simulate together; auto: one, or more where it cannot stand for all.",
        ),
    ] = "auto",
    max_instructions: Annotated[
        int, typer.Option("--max-instructions", metavar="N", min=1, help="More are taken for an endless loop.")
    ] = 20_000_000,
    check: Annotated[bool, typer.Option("--check", help="Compare the outputs with NumPy (catalogue kernels).")] = False,
    top: Annotated[int, typer.Option("--top", metavar="N", min=0, help="How many instructions to list.")] = 10,
    source: Annotated[bool, typer.Option("--source", help="List all SASS with stalls and source lines.")] = False,
    bottlenecks: Annotated[
        bool, typer.Option("--bottlenecks", help="List for each limit the cycles it would take alone.")
    ] = False,
    json_path: Json = None,
    csv_path: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the stalls per instruction as CSV.")
    ] = None,
    timeline_path: Annotated[
        Path | None, typer.Option("--timeline", metavar="FILE", help="Write every issue, for chrome://tracing.")
    ] = None,
    trace_path: Annotated[
        Path | None, typer.Option("--trace-out", metavar="FILE.trace", help="Save the trace, which can be run again.")
    ] = None,
) -> None:
    """Report a kernel's cycles and where its warps stalled.

    TARGET is a kernel of the catalogue (smsim kernels), a saved trace, or a file, which needs its launch:

    \b
    smsim run dot_ilp4
    smsim run my.cu --kernel saxpy --grid 132 --block 256 \\
        --arg "f32[33792]=random" --arg "f32[33792]=zeros" --arg i32=33792
    """
    from smsim.cli.job import FileLaunch, is_trace
    from smsim.export.results import to_csv, to_json
    from smsim.export.timeline import Timeline
    from smsim.machine import load
    from smsim.simulation import simulate

    file_launch = FileLaunch(
        kernel=kernel,
        options=compile_options(include, define, option),
        grid=None if grid is None else parse_dim3(grid, "--grid"),
        block=None if block is None else parse_dim3(block, "--block"),
        arguments=tuple(arg or ()),
        shared_mem=shared_mem,
    )
    chosen = load(machine).replace(parse_changes(changes))
    count = parse_sms(sms, chosen.num_sms)
    check_folders((json_path, csv_path, timeline_path, trace_path))
    if trace_path is not None and not is_trace(str(trace_path)):
        raise typer.BadParameter(f"{trace_path}: a trace's name ends in .trace", param_hint="--trace-out")
    job = None if is_trace(target) else _compile(target, launch, file_launch)
    if check and (job is None or not job.expected):
        raise typer.BadParameter("--check needs a kernel of the catalogue")
    if job is None:
        trace = _load_trace(target, launch, file_launch)
    else:
        trace = _emulate(job, chosen, Emulate.all if check else emulate, count, max_instructions, check)
    if trace_path is not None:
        trace.save(trace_path)
    timeline = Timeline(trace.program) if timeline_path else None
    listeners = [timeline] if timeline else []
    tell_of_compiling()
    with step(f"Simulating {trace.program.name}"):
        result = simulate(trace, chosen, cache.value, engine.value, policy=policy, listeners=listeners, sms=count)
    if json_path is None or str(json_path) != "-":
        if job is not None and job.title:
            show(job.title)
        _show(result, top, bottlenecks)
        if source:
            _show_source(result, job.source if job else None)
    if json_path is not None:
        write(json_path, to_json(result))
    if csv_path is not None:
        write(csv_path, to_csv(result))
    if timeline_path is not None and timeline is not None:
        write(timeline_path, timeline.to_json())
    if check and job is not None:
        _check_outputs(job)


def _compile(target: str, launch: str | None, file_launch: "FileLaunch") -> "Job":
    from smsim.cli.job import make_job

    with step("Compiling"):
        return make_job(target, launch, file_launch)


def _emulate(  # noqa: PLR0917
    job: "Job", machine: "Machine", emulate: Emulate, sms: "SMs", max_instructions: int, outputs: bool
) -> "Trace":
    with step(f"Running {job.function.name}"):
        return job.function.trace(
            job.grid,
            job.block,
            job.arguments,
            shared_mem=job.shared_mem,
            machine=machine,
            emulate=emulate.value,
            sms=sms,
            max_instructions=max_instructions,
            outputs=outputs,
        )


def _load_trace(target: str, launch: str | None, file_launch: "FileLaunch") -> "Trace":
    from isa.trace import Trace

    given = [*file_launch.given, *(["--launch"] if launch else [])]
    if given:
        raise typer.BadParameter(
            f"{target} is a trace, which holds its kernel and launch: leave out {' and '.join(given)}"
        )
    return Trace.load(Path(target))


def _show(result: "Result", top: int, with_bottlenecks: bool) -> None:
    from smsim.views.bottlenecks import bottlenecks
    from smsim.views.report import report

    show(report(result, top))
    if with_bottlenecks:
        show("")
        show(bottlenecks(result))


def _show_source(result: "Result", path: Path | None) -> None:
    from smsim.views.annotate import annotate

    show("")
    show(annotate(result, _source_lines(result, path)))


def _source_lines(result: "Result", source: Path | None) -> dict[str, list[str]]:
    """The CUDA files that the line table names, where they can be read.

    The table has the kernel's own file by the name it was compiled under, the catalogue's without folders.
    """
    lines = {}
    for name in {row.source.file for row in result.instruction_stalls if row.source}:
        path = source if source and Path(name).name == source.name else Path(name)
        if path.is_file():
            lines[name] = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines


def _check_outputs(job: "Job") -> None:
    """Say on stderr whether the outputs are what NumPy computes; exit with 1 when they are not."""
    wrong = False
    for index, expected in job.expected.items():
        differs = expected.differs(job.arguments[index])
        if differs.any():
            wrong = True
            place = tuple(int(axis[0]) for axis in differs.nonzero())
            got, wanted = job.arguments[index][place], expected.values[place]
            where = ",".join(map(str, place))
            message = f"output {index}: {int(differs.sum())} of {differs.size} elements differ from the NumPy reference"
            typer.echo(f"smsim: {message}; the first, [{where}], is {got}, not {wanted}", err=True)
    if wrong:
        raise typer.Exit(1)
    arrays = f"{len(job.expected)} array{'s' * (len(job.expected) != 1)}"
    typer.echo(f"smsim: outputs match the NumPy reference ({arrays})", err=True)
