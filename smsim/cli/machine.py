"""``smsim machine``: every value of a machine, with its unit, the microbenchmark, its spread and its date."""

import json
from typing import Annotated

import typer
from rich.table import Table

from isa.errors import MachineError
from smsim.cli.options import Changes, Json, parse_changes
from smsim.cli.output import show, write


def machine(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A machine's name or its TOML file.")] = "h100",
    under: Annotated[
        str, typer.Option("--under", metavar="PREFIX", help="Only values whose path starts so, e.g. pipes.fma.")
    ] = "",
    changes: Changes = None,
    json_path: Json = None,
) -> None:
    """Show a machine's values, which --set can change."""
    from smsim.description.files import Provenance
    from smsim.machine import load

    chosen = load(name).replace(parse_changes(changes))
    values = [row for row in chosen.values() if row[0].startswith(under)]
    if not values:
        raise MachineError(f"machine {chosen.name!r} has no value under {under!r} (all: smsim machine {name})")
    if json_path is None or str(json_path) != "-":
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("Path", no_wrap=True)
        table.add_column("Value", justify="right", no_wrap=True)
        table.add_column("Spread", justify="right", no_wrap=True)
        table.add_column("Unit", no_wrap=True)
        table.add_column("Recorded", no_wrap=True)
        table.add_column("Source", style="dim")
        for path, value, recorded in values:
            origin = Provenance(recorded.unit, "set by the user") if path in chosen.changed else recorded
            spread = "" if origin.spread is None else f"{origin.spread:g}"
            table.add_row(path, f"{value:g}", spread, origin.unit, origin.date or "", origin.source)
        show(table)
    if json_path is not None:
        entries = {
            path: {
                "value": value,
                "unit": origin.unit,
                "spread": origin.spread,
                "date": origin.date,
                "source": origin.source,
            }
            for path, value, origin in values
        }
        document = {
            "machine": chosen.name,
            "measured": {"gpu": chosen.measured.gpu, "driver": chosen.measured.driver},
            "changed": dict(chosen.changed),
            "values": entries,
        }
        write(json_path, json.dumps(document, indent=1) + "\n")
