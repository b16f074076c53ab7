"""Tables for people: findings (value, what it was, what the recordings give, spread, verdict), and ptxas's latencies.

Value                Old  New  Spread  Samples  Verdict  From
pipes.xu.latency      17   17       0        7  agrees   variable: variable/MUFU.RCP/write
"""

from collections import Counter
from collections.abc import Sequence

from rich.table import Table

from .check import Finding, Verdict
from .compiler import Row
from .predict import Prediction


def table(findings: Sequence[Finding]) -> Table:
    """One line per value."""
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    shown.add_column("Value", no_wrap=True)
    for heading in ("Old", "New", "Spread", "Samples"):
        shown.add_column(heading, justify="right", no_wrap=True)
    shown.add_column("Verdict", no_wrap=True)
    shown.add_column("From", style="dim")
    for finding in findings:
        new = finding.new
        figures = ("", "", "") if new is None else (f"{new.value:g}", f"{new.spread:.3g}", str(new.samples))
        origin = finding.reason if new is None else new.rule.source
        shown.add_row(finding.path, f"{finding.old:g}", *figures, finding.verdict, origin)
    return shown


def summary(findings: Sequence[Finding]) -> str:
    """How many values there are of each verdict."""
    counts = Counter(finding.verdict for finding in findings)
    return f"{len(findings)} values: " + ", ".join(
        f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict]
    )


def predictions_table(predictions: Sequence[Prediction], rows: int = 5) -> Table:
    """The launches that are predicted worst, those that could not be simulated first, beside their first repeat."""
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("Microbenchmark", "Launch"):
        shown.add_column(heading, no_wrap=True)
    for heading in ("Off by", "Predicted", "Recorded"):
        shown.add_column(heading, justify="right", max_width=40, no_wrap=True)
    off = [prediction for prediction in predictions if not prediction.is_exact]
    for prediction in sorted(off, key=lambda prediction: prediction.error, reverse=True)[:rows]:
        outcome = prediction.reason if prediction.predicted is None else str(prediction.predicted)
        shown.add_row(prediction.name, prediction.launch, f"{prediction.error:g}", outcome, str(prediction.recorded[0]))
    return shown


def compiler_table(rows: Sequence[Row]) -> Table:
    """The pairs of classes in which ptxas's latencies do not fit what was measured."""
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("File", "Writer", "Reader"):
        shown.add_column(heading, no_wrap=True)
    for heading in ("Kept", "Mined", "Reads", "Measured"):
        shown.add_column(heading, justify="right", no_wrap=True)
    shown.add_column("Disagreement", style="dim")
    for row in rows:
        if row.disagreement:
            figures = (row.kept, *row.mined, row.measured)
            shown.add_row(*row.pair, *("" if figure is None else str(figure) for figure in figures), row.disagreement)
    return shown
