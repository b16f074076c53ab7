"""Pieces that several views share: numbers, dominating reasons, bars."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.text import Text

from isa.instruction import SourceLine
from isa.launch import Dim3
from smsim.reasons import Reason

BAR_WIDTH = 16


@dataclass(frozen=True, slots=True)
class ShareBar:
    """A bar for a share between 0 and 1; ASCII where the terminal has nothing better."""

    share: float
    width: int = BAR_WIDTH

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(self.width, self.width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield Text(("#" if options.ascii_only else "█") * round(self.share * self.width))


def percent(share: float) -> str:
    """A share as "12.3%"."""
    return f"{100 * share:.1f}%"


def dim3(shape: Dim3) -> str:
    """A grid or block as it is written in a launch, trailing ones left out: "132" or "16,16"."""
    x, y, z = shape
    if z != 1:
        return f"{x},{y},{z}"
    return f"{x},{y}" if y != 1 else f"{x}"


def place(source: SourceLine | None) -> str:
    """A source line as "file:line", the file without its folders; "" when there is none."""
    if source is None:
        return ""
    return f"{PurePath(source.file).name}:{source.line}"


def dominating(stalls: Mapping[str, float], count: int = 2) -> str:
    """The largest reasons other than ``selected``, each with its share of them: "long_scoreboard 97%, wait 2%".

    Reasons of less than half a percent are left out.
    """
    waiting = {reason: cycles for reason, cycles in stalls.items() if reason != Reason.SELECTED.counter and cycles}
    total = sum(waiting.values())
    largest = sorted(waiting, key=lambda reason: -waiting[reason])[:count]
    return ", ".join(
        f"{reason} {100 * waiting[reason] / total:.0f}%" for reason in largest if waiting[reason] >= total / 200
    )
