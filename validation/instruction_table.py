"""One case, instruction by instruction.

dot_ilp4/1x256_n65536, warm: 2,118 samples, one per 32 cycles of an SM
Address  SASS                    Source     Predicted  Measured      Predicted for    Measured for
0x0750   FFMA R7, R28, R18, R7   dot.cu:30      12.4%  12.9% ±1.4    long_scoreboard  long_scoreboard
Hottest instruction: 0x0750 predicted, 0x0750 measured: agrees
"""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from smsim.views.parts import dominating, percent
from validation.compare import Comparison
from validation.instructions import InstructionComparison, InstructionFigures

OUTSIDE = "!"  # marks a predicted share that sampling does not explain


def instruction_table(comparison: Comparison) -> RenderableType:
    """Every instruction that either side stalled at: shares, the sampling error (95 %), the main reasons."""
    title = f"{comparison.case}, {comparison.cache}"
    compared = comparison.instructions
    if compared is None:
        return Text(f"{title}: no samples were recorded; smsim measure records them")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("Address", no_wrap=True)
    table.add_column("SASS")
    table.add_column("Source", no_wrap=True)
    for name in ("Predicted", "Measured"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("", "Predicted for", "Measured for"):
        table.add_column(name, no_wrap=True)
    for one in compared.instructions:
        if one.predicted or one.samples:
            table.add_row(*_cells(compared, one))
    samples = f"{compared.num_samples:,} samples, one per {compared.interval_cycles:,} cycles of an SM"
    return Group(Text(f"{title}: {samples}", style="bold"), table, Text(_hottest(compared)))


def _cells(compared: InstructionComparison, one: InstructionFigures) -> tuple[str | Text, ...]:
    low, high = compared.measured_range(one)
    predicted, measured = compared.predicted_share(one), compared.measured_share(one)
    return (
        f"{one.address:#06x}",
        Text(one.text),
        one.source,
        percent(predicted),
        f"{percent(measured)} ±{100 * (high - low) / 2:.1f}",
        "" if low <= predicted <= high else OUTSIDE,
        dominating(one.predicted, count=1),
        dominating(one.samples, count=1),
    )


def _hottest(compared: InstructionComparison) -> str:
    predicted, measured = compared.hottest_predicted.address, compared.hottest_measured.address
    if compared.hottest_agrees:
        verdict = "agrees"
    elif compared.hottest_within_error:
        verdict = "differs, within the sampling error"
    else:
        verdict = "differs"
    return f"Hottest instruction: {predicted:#06x} predicted, {measured:#06x} measured: {verdict}"
