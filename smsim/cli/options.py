"""Options that several commands share, and how their text is read."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isa.launch import Dim3

if TYPE_CHECKING:
    from smsim.dispatch import SMs

MEASURED = Path("measurements")  # where a user's measurement files lie


class Cache(StrEnum):
    """Caches before the launch."""

    warm = "warm"
    cold = "cold"


class Engine(StrEnum):
    """The driver of the rules."""

    auto = "auto"
    simpy = "simpy"
    compiled = "compiled"


class Emulate(StrEnum):
    """Blocks to run for their outputs."""

    sm = "sm"
    all = "all"


def parse_dim3(text: str, option: str) -> Dim3:
    """ "X", "X,Y" or "X,Y,Z" as (x, y, z)."""
    parts = [part.strip() for part in text.split(",")]
    if not 1 <= len(parts) <= 3 or not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise typer.BadParameter(f"{text!r} is not X, X,Y or X,Y,Z with positive whole numbers", param_hint=option)
    x, y, z = (int(part) for part in (*parts, "1", "1")[:3])
    return x, y, z


def parse_changes(texts: list[str] | None) -> dict[str, str]:
    """``path=value`` texts as a dictionary."""
    changes = {}
    for text in texts or ():
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise typer.BadParameter(f"{text!r} is not PATH=VALUE, such as pipes.fma.latency=6", param_hint="--set")
        changes[path.strip()] = value.strip()
    return changes


def parse_sms(text: str, num_sms: int) -> "SMs":
    """A number of SMs, "all" that the machine has, or "auto"."""
    if text == "auto":
        return "auto"
    if text == "all":
        return num_sms
    if not text.isdigit() or not 1 <= int(text) <= num_sms:
        raise typer.BadParameter(f"{text!r} is not 1 to {num_sms}, all or auto", param_hint="--sms")
    return int(text)


def compile_options(include: list[Path] | None, define: list[str] | None, option: list[str] | None) -> tuple[str, ...]:
    """NVRTC's options from ``-I``, ``-D`` and ``--option``."""
    return (*(f"-I{path}" for path in include or ()), *(f"-D{name}" for name in define or ()), *(option or ()))


Target = Annotated[str, typer.Argument(metavar="TARGET", help="A kernel of the catalogue, a .cu file or a cubin.")]
KernelName = Annotated[
    str | None, typer.Option("--kernel", metavar="NAME", help="Which kernel of a file, when there are several.")
]
Include = Annotated[
    list[Path] | None, typer.Option("-I", metavar="FOLDER", help="Look for headers there.", show_default=False)
]
Define = Annotated[
    list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro.", show_default=False)
]
Option = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="OPTION", help="Any other NVRTC option: --option=--use_fast_math.", show_default=False
    ),
]
MachineName = Annotated[str, typer.Option("--machine", metavar="NAME|FILE", help="A machine, or its TOML file.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change a value of the machine.", show_default=False),
]
Json = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write JSON to FILE; - for stdout, instead of the table."),
]
