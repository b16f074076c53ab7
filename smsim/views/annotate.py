"""SASS with its stalls, instruction by instruction, each stretch under the CUDA line that it comes from.

saxpy.cu:4    y[i] = a * x[i] + y[i];
  0x00d0  LDG.E R4, desc[UR4][R2.64]   8   3.1%  wait 100%
  0x00e0  FFMA R9, R4, R5, R6          8  70.1%  long_scoreboard 100%
"""

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isa.instruction import SourceLine
from smsim.result import InstructionStalls, Result
from smsim.views.parts import dominating, percent, place

SourceLines = Mapping[str, list[str]]


def annotate(result: Result, sources: SourceLines) -> RenderableType:
    """Every instruction up to the last one reached.

    Args:
        result: the result.
        sources: the lines of the CUDA files, by the name that the line table uses; a file that is missing shows as
            its name and line alone.
    """
    rows = result.instruction_stalls
    last = max((index for index, row in enumerate(rows) if row.warp_cycles), default=-1)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Address", no_wrap=True)
    table.add_column("SASS")
    table.add_column("Issued", justify="right", no_wrap=True)
    table.add_column("Share", justify="right", no_wrap=True)
    table.add_column("Mostly", style="dim")
    line: SourceLine | None = None
    for row in rows[: last + 1]:
        if row.source != line and row.source is not None:
            line = row.source
            table.add_row("", Text(_line_text(line, sources), style="cyan"))
        table.add_row(*_cells(row, result.warp_cycles))
    return Group(Text("SASS with its stalls", style="bold"), table)


def _cells(row: InstructionStalls, total: int) -> tuple[str | Text, ...]:
    if not row.warp_cycles:
        return f"{row.address:#06x}", Text(row.text, style="dim")
    share = percent(row.warp_cycles / total)
    return f"{row.address:#06x}", Text(row.text), f"{row.issued:,}", share, dominating(row.stalls)


def _line_text(source: SourceLine, sources: SourceLines) -> str:
    lines = sources.get(source.file, [])
    code = lines[source.line - 1].strip() if 0 < source.line <= len(lines) else ""
    return f"{place(source)}  {code}".rstrip()
