"""The main report.

saxpy <<<132; 256>>> on h100, SM 0: 1 of 132 blocks
1755 MHz, warm caches, 16 registers, 0 B shared

  Cycles            1,204  Instructions          208
  Time            0.69 us  IPC                  0.17
  Issue slots busy   4.3%  Achieved occupancy  12.1%
  Bound by latency, 96.2% of the cycles; L1 tag stage 13.5%; pipe fma 5.1%

Where the warps were: 9,302 warp-cycles
  Reason           Share  Warp-cycles  Per issue
  long_scoreboard  78.3%        7,283      35.01  ███████████████████  result of L1TEX: global, local memory
  wait             12.0%        1,116       5.37  ███                  fixed-latency dependency: the stall count

Hottest instructions
  Address  SASS                        Source      Share  Issued  Mostly
  0x00f0   FFMA R9, R4, c[0x0][0x210]  saxpy.cu:4  70.1%       8  long_scoreboard 100%
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from smsim.reasons import Reason
from smsim.result import Result
from smsim.views.bottlenecks import limits
from smsim.views.meanings import MEANINGS
from smsim.views.parts import ShareBar, dim3, dominating, percent, place

WIDTH_FOR_MEANINGS = 116


def report(result: Result, top: int = 10) -> RenderableType:
    """The header, the totals, the stalls by reason and the ``top`` instructions with the most warp-cycles."""
    parts: list[RenderableType] = [header(result), Text(), _totals(result)]
    if result.bottlenecks:
        parts.append(Padding(limits(result), (0, 0, 0, 2)))
    parts += [Text(), _StallTable(result)]
    if top > 0:
        parts += [Text(), *_hottest(result, top)]
    return Group(*parts)


def header(result: Result) -> Text:
    """What ran on which machine, its resources, and what was changed."""
    setting, program, launch = result.setting, result.program, result.launch
    shared = program.static_shared_bytes + launch.dynamic_shared_bytes
    text = Text()
    text.append(result.kernel, style="bold")
    text.append(f" <<<{dim3(launch.grid)}; {dim3(launch.block)}>>> on {setting.machine}")
    first = setting.blocks[0]
    sms = f"SM {first}" if setting.sms == 1 else f"SMs {first} to {first + setting.sms - 1}"
    text.append(f", {sms}: {len(setting.blocks):,} of {launch.num_blocks:,} blocks")
    for path, value in setting.overrides.items():
        text.append(f"\nwith {path} = {value}", style="yellow")
    facts = f"{setting.clock_mhz:g} MHz, {setting.cache} caches, {program.num_regs} registers, {shared:,} B shared"
    if program.local_bytes:
        facts += f", {program.local_bytes:,} B local"
    text.append(f"\n{facts}", style="dim")
    return text


def _totals(result: Result) -> RenderableType:
    metrics = result.metrics
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for _ in range(2):
        table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
    ipc = metrics["sm__inst_executed.avg.per_cycle_active"]
    issue = metrics["smsp__issue_active.avg.pct_of_peak_sustained_active"]
    occupancy = metrics["sm__warps_active.avg.pct_of_peak_sustained_active"]
    table.add_row("Cycles", f"{result.cycles:,}", "Instructions", f"{result.instructions:,}")
    table.add_row("Time", f"{result.time_us:,.2f} us", "IPC", f"{ipc:.2f}")
    table.add_row("Issue slots busy", f"{issue:.1f}%", "Achieved occupancy", f"{occupancy:.1f}%")
    return Padding(table, (0, 0, 0, 2), expand=False)


@dataclass(frozen=True, slots=True)
class _StallTable:
    """Warp-cycles by reason; the reasons' meanings where the terminal is wide enough."""

    result: Result

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        result = self.result
        with_meanings = options.max_width >= WIDTH_FOR_MEANINGS
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("Reason", no_wrap=True)
        for title in ("Share", "Warp-cycles", "Per issue"):
            table.add_column(title, justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
        if with_meanings:
            table.add_column("", style="dim")
        for reason in sorted(Reason, key=lambda reason: (-result.stalls[reason.counter], reason)):
            name, count = reason.counter, result.stalls[reason.counter]
            if not count:
                continue
            share = result.stall_shares[name]
            per_issue = result.metrics[f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio"]
            meaning = [MEANINGS[reason]] if with_meanings else []
            table.add_row(name, percent(share), f"{count:,}", f"{per_issue:.2f}", ShareBar(share), *meaning)
        yield Text(f"Where the warps were: {result.warp_cycles:,} warp-cycles", style="bold")
        yield Padding(table, (0, 0, 0, 2), expand=False)


def _hottest(result: Result, top: int) -> list[RenderableType]:
    rows = sorted(result.instruction_stalls, key=lambda row: (-row.warp_cycles, row.address))
    rows = [row for row in rows[:top] if row.warp_cycles]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Address", no_wrap=True)
    table.add_column("SASS")
    with_source = any(row.source for row in rows)
    if with_source:
        table.add_column("Source", no_wrap=True)
    table.add_column("Share", justify="right", no_wrap=True)
    table.add_column("Issued", justify="right", no_wrap=True)
    table.add_column("Mostly", style="dim")
    for row in rows:
        source = [place(row.source)] if with_source else []
        share = percent(row.warp_cycles / result.warp_cycles)
        issued = f"{row.issued:,}"
        table.add_row(f"{row.address:#06x}", Text(row.text), *source, share, issued, dominating(row.stalls))
    return [Text("Hottest instructions", style="bold"), Padding(table, (0, 0, 0, 2), expand=False)]
