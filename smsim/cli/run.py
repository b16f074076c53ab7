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
)
from smsim.cli.output import show, step, write

if TYPE_CHECKING:
    from smsim.cli.job import Job
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
    emulate: Annotated[
        Emulate, typer.Option("--emulate", help="Run the simulated SM's blocks, or the whole grid.")
    ] = Emulate.sm,
    check: Annotated[bool, typer.Option("--check", help="Compare the outputs with NumPy (catalogue kernels).")] = False,
    top: Annotated[int, typer.Option("--top", metavar="N", min=0, help="How many instructions to list.")] = 10,
    source: Annotated[bool, typer.Option("--source", help="List all SASS with stalls and source lines.")] = False,
    json_path: Json = None,
    csv_path: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the stalls per instruction as CSV.")
    ] = None,
    trace_path: Annotated[Path | None, typer.Option("--trace-out", metavar="FILE", help="Save the trace.")] = None,
) -> None:
    """Report a kernel's cycles and where its warps stalled.

    TARGET is a kernel of the catalogue (smsim kernels), or a file, which needs its launch:

    \b
    smsim run dot_ilp4
    smsim run my.cu --kernel saxpy --grid 132 --block 256 \\
        --arg "f32[33792]=random" --arg "f32[33792]=zeros" --arg i32=33792
    """
    from smsim.cli.job import FileLaunch, choose_kernel, load_module, make_job
    from smsim.export.results import to_csv, to_json
    from smsim.machine import load
    from smsim.simulation import simulate

    file_launch = FileLaunch(
        grid=None if grid is None else parse_dim3(grid, "--grid"),
        block=None if block is None else parse_dim3(block, "--block"),
        arguments=arg or [],
        shared_mem=shared_mem,
    )
    chosen = load(machine).replace(parse_changes(changes))
    with step("Compiling"):
        module = load_module(target, compile_options(include, define, option))
        function = choose_kernel(module, target, kernel)
    job = make_job(function, target, launch, file_launch)
    if check and not job.expected:
        raise typer.BadParameter("--check needs a kernel of the catalogue")
    with step(f"Running {function.name}"):
        trace = function.trace(
            job.grid,
            job.block,
            job.arguments,
            shared_mem=job.shared_mem,
            machine=chosen,
            emulate=Emulate.all if check else emulate,
        )
    if trace_path is not None:
        trace.save(trace_path)
    with step(f"Simulating {function.name}"):
        result = simulate(trace, chosen, cache, engine)
    if json_path is None or str(json_path) != "-":
        _show(result, top, source)
    if json_path is not None:
        write(json_path, to_json(result))
    if csv_path is not None:
        write(csv_path, to_csv(result))
    if check:
        _check_outputs(job)


def _show(result: "Result", top: int, source: bool) -> None:
    from smsim.views.annotate import annotate
    from smsim.views.report import report

    show(report(result, top))
    if source:
        show("")
        show(annotate(result, _source_lines(result)))


def _source_lines(result: "Result") -> dict[str, list[str]]:
    """The CUDA files that the line table names, where they can be read."""
    lines = {}
    for name in {row.source.file for row in result.instruction_stalls if row.source}:
        path = Path(name)
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
    typer.echo(f"smsim: outputs match the NumPy reference ({len(job.expected)} arrays)", err=True)
