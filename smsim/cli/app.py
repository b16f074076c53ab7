"""The application and its commands."""

from importlib.metadata import version
from typing import Annotated

import typer

from smsim.cli.calibrate import calibrate
from smsim.cli.compare import compare
from smsim.cli.differential import differential
from smsim.cli.disasm import disasm
from smsim.cli.kernels import kernels
from smsim.cli.machine import machine
from smsim.cli.measure import measure
from smsim.cli.run import run

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"smsim {version('smsim')}")
        raise typer.Exit


@app.callback()
def _smsim(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Predict where a CUDA kernel's warps stall on an H100, without a GPU."""


for command in (run, kernels, compare, measure, calibrate, differential, disasm, machine):
    app.command()(command)
