"""Predicted against measured, as a picture: cycles as points, stall shares as stacked bars, warm and cold apart.

A row per cache mode. Left, each launch is a point: measured cycles across, predicted cycles up, both logarithmic, one
colour per class, and a band of 10 % about the diagonal. Right, a pair of bars per launch, or per class where there are
more launches than can be told apart: the shares of the stall reasons, predicted above measured.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from isa.errors import LaunchError
from smsim.machine import Machine
from validation.compare import Comparison, Figures
from validation.contrast import machine_label
from validation.measurement import CACHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAND = 0.10
MOST_CASES = 16  # more pairs of bars than this are drawn per class
COLOURS = [f"C{number}" for number in (0, 1, 2, 3, 4, 5, 6, 8, 9)]  # matplotlib's cycle without its grey
MOST_REASONS = len(COLOURS)  # the rest is drawn as one, in grey
BAR = 0.38
OTHER = "other"
MARKERS = "os^Dv"


def check_plot(path: Path) -> None:
    """Before long work: the picture can be drawn.

    Raises:
        LaunchError: matplotlib is not installed, or the file is no PNG.
    """
    if path.suffix.lower() != ".png":
        raise LaunchError(f"--plot writes PNG: {path} must end in .png")
    if find_spec("matplotlib") is None:
        raise LaunchError("--plot needs matplotlib: uv sync --extra plot, or pip install matplotlib")


def plot(path: Path, comparisons: Sequence[Comparison], suite: str, machine: Machine) -> None:
    """Draw the comparisons, at least one, into a PNG file; ``suite`` is what they are called in the title."""
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.layout_engine import ConstrainedLayoutEngine  # noqa: PLC0415

    caches = [cache for cache in CACHES if any(one.cache == cache for one in comparisons)]
    groups = {cache: _bars([one for one in comparisons if one.cache == cache]) for cache in caches}
    height = max(5.0, 1.5 + 0.42 * max(len(bars) for bars in groups.values()))
    figure = Figure(figsize=(17, height * len(caches) + 1), layout=ConstrainedLayoutEngine(h_pad=0.15, w_pad=0.1))
    axes = figure.subplots(len(caches), 2, squeeze=False, width_ratios=(1, 1.15))
    classes = list(dict.fromkeys(one.case_class for one in comparisons))
    reasons = _largest_reasons([side for bars in groups.values() for pair in bars.values() for side in pair])
    for (points, shares), cache in zip(axes, caches, strict=True):
        members = [one for one in comparisons if one.cache == cache]
        _draw_cycles(points, members, classes)
        _draw_shares(shares, groups[cache], reasons)
        points.set_title(f"Cycles, {cache} caches ({len(members)} launches)")
        shares.set_title(f"Shares of warp-cycles, {cache} caches (upper bar predicted, lower measured)")
    launches = len({one.case for one in comparisons})
    modes = " and ".join(caches)
    figure.suptitle(f"smsim on {machine_label(machine)}: {suite}, {modes} caches, {launches} launches", fontsize=15)
    figure.savefig(path, dpi=110)


def _draw_cycles(axes: "Axes", comparisons: Sequence[Comparison], classes: Sequence[str]) -> None:
    from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter  # noqa: PLC0415

    cycles = [side.cycles for one in comparisons for side in (one.predicted, one.measured)]
    ends = [min(cycles) / 1.3, max(cycles) * 1.3]
    low, high = ([end * factor for end in ends] for factor in (1 - BAND, 1 + BAND))
    axes.fill_between(ends, low, high, color="0.9", linewidth=0, label=f"within {BAND:.0%}")
    axes.plot(ends, ends, color="0.5", linewidth=0.8)
    for number, name in enumerate(classes):
        members = [one for one in comparisons if one.case_class == name]
        axes.scatter(
            [one.measured.cycles for one in members],
            [one.predicted.cycles for one in members],
            s=26,
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number // len(COLOURS) % len(MARKERS)],
            linewidths=0,
            alpha=0.8,
            label=f"{name} ({len(members)})",
        )
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, aspect="equal", anchor="N")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(EngFormatter(sep=""))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("measured cycles (sm__cycles_active.max)")
    axes.set_ylabel("predicted cycles")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False, fontsize=9)


def _bars(comparisons: Sequence[Comparison]) -> dict[str, tuple[Mapping[str, float], Mapping[str, float]]]:
    """Predicted and measured shares of each launch, or the mean over the launches of each class."""
    if len(comparisons) <= MOST_CASES:
        return {one.case: (one.predicted.shares, one.measured.shares) for one in comparisons}
    classes: dict[str, list[Comparison]] = {}
    for one in comparisons:
        classes.setdefault(one.case_class, []).append(one)
    return {
        f"{name} ({len(members)})": (
            _mean([one.predicted for one in members]),
            _mean([one.measured for one in members]),
        )
        for name, members in classes.items()
    }


def _mean(sides: Sequence[Figures]) -> dict[str, float]:
    shares = [side.shares for side in sides]
    return {reason: sum(one[reason] for one in shares) / len(shares) for reason in shares[0]}


def _largest_reasons(shares: Sequence[Mapping[str, float]]) -> list[str]:
    total = {reason: sum(one[reason] for one in shares) for reason in shares[0]}
    return sorted((reason for reason in total if total[reason]), key=lambda reason: -total[reason])[:MOST_REASONS]


def _draw_shares(
    axes: "Axes", bars: Mapping[str, tuple[Mapping[str, float], Mapping[str, float]]], reasons: Sequence[str]
) -> None:
    for side, (offset, alpha) in enumerate(((-BAR / 2, 1.0), (BAR / 2, 0.65))):
        places = [row + offset for row in range(len(bars))]
        left = [0.0] * len(bars)
        for number, reason in enumerate((*reasons, OTHER)):
            widths = [100 * _share(pair[side], reason, reasons) for pair in bars.values()]
            colour = "0.6" if reason == OTHER else COLOURS[number]
            axes.barh(places, widths, BAR * 0.92, left, label="" if side else reason, color=colour, alpha=alpha)
            left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.set_yticks(range(len(bars)), list(bars))
    axes.set(xlim=(0, 100), ylim=(len(bars) - 0.5, -0.5), xlabel="% of warp-cycles")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False, fontsize=9)


def _share(shares: Mapping[str, float], reason: str, shown: Sequence[str]) -> float:
    return shares[reason] if reason != OTHER else 1.0 - sum(shares[name] for name in shown)
