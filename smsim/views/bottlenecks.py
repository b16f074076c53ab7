"""What limits a launch.

Bottlenecks: the cycles that each would take if it were the only limit
  Limit                 Cycles   Share
  L1 tag stage       1,048,640   99.9%  ████████████████  1,048,640 lines
  L2 to L1             275,667   26.3%  ████              1,017,220 sectors
  issue slots          172,352   16.4%  ███               172,352 warp instructions
"""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from smsim.result import Result
from smsim.views.parts import ShareBar, percent

# What is not a pipe.
LABELS = {
    "issue_slots": "issue slots",
    "register_ports": "register-file ports",
    "lsu_path": "way to the LSU",
    "adu": "ADU",
    "l1_data": "L1 data stage",
    "l1_tags": "L1 tag stage",
    "l2_reads": "L2 to L1",
    "l2_writes": "stores to L2",
    "l2": "L2",
    "dram": "DRAM",
    "block_barriers": "block barriers",
    "latency": "latency",
}


def limits(result: Result, count: int = 3) -> Text:
    """The ``count`` limits that come closest to the launch's cycles: "Bound by latency, 99.4% of the cycles; ..."."""
    labels = [_label(each.name) for each in result.bottlenecks[:count]]
    shares = [percent(each.cycles / result.cycles) for each in result.bottlenecks[:count]]
    others = (f"; {label} {share}" for label, share in zip(labels[1:], shares[1:], strict=True))
    return Text(f"Bound by {labels[0]}, {shares[0]} of the cycles{''.join(others)}")


def bottlenecks(result: Result) -> RenderableType:
    """Every limit, the one that binds first."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Limit", no_wrap=True)
    table.add_column("Cycles", justify="right", no_wrap=True)
    table.add_column("Share", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("", style="dim")
    for each in result.bottlenecks:
        share = each.cycles / result.cycles
        amount = f"{each.amount:,} {each.unit}"
        table.add_row(_label(each.name), f"{each.cycles:,}", percent(share), ShareBar(share), amount)
    title = Text("Bottlenecks: the cycles that each would take if it were the only limit", style="bold")
    return Group(title, Padding(table, (0, 0, 0, 2), expand=False))


def _label(name: str) -> str:
    return LABELS.get(name) or f"pipe {name.removeprefix('pipe_')}"
