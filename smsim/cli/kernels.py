"""``smsim kernels``: the catalogue."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from smsim.cli.options import Json
from smsim.cli.output import show, write

if TYPE_CHECKING:
    from kernels import Kernel


def kernels(
    family: Annotated[str | None, typer.Argument(metavar="FAMILY", help="Only this family.")] = None,
    json_path: Json = None,
) -> None:
    """List the catalogue: kernels and their launches, the default one first."""
    import kernels as catalogue

    families = catalogue.families()
    if family is not None and family not in families:
        raise typer.BadParameter(f"no family {family!r}; the families are {', '.join(families)}")
    names = catalogue.names() if family is None else families[family]
    chosen = [catalogue.get(name) for name in names]
    if json_path is None or str(json_path) != "-":
        show(_table(chosen))
    if json_path is not None:
        write(json_path, json.dumps([_entry(kernel) for kernel in chosen], indent=1) + "\n")


def _table(chosen: list["Kernel"]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Kernel", no_wrap=True, style="bold")
    table.add_column("What it is")
    table.add_column("Launches", style="dim")
    for kernel in chosen:
        table.add_row(kernel.name, kernel.description, " ".join(launch.name for launch in kernel.launches))
    return table


def _entry(kernel: "Kernel") -> dict[str, object]:
    return {
        "name": kernel.name,
        "family": kernel.family,
        "description": kernel.description,
        "options": list(kernel.options),
        "launches": [
            {
                "name": launch.name,
                "grid": list(launch.grid),
                "block": list(launch.block),
                "dynamic_shared_bytes": launch.shared_mem,
            }
            for launch in kernel.launches
        ],
    }
