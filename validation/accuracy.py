"""``python -m validation.accuracy COMPARE.json``: the README's table of accuracy, in Markdown.

COMPARE.json is what ``smsim compare --suite open --json COMPARE.json`` wrote.
"""

from collections.abc import Sequence
from pathlib import Path

from validation.compare import Comparison
from validation.compared_file import read_comparisons, run_on_file
from validation.summary import summarise

HEADER = (
    "| Class | Caches | Launches | Cycles off, mean | median | 90th percentile | worst | Stall shares off, mean "
    "| worst | Instructions exact | clock64 exact, one warp per SMSP |",
    "|-|-|-|-|-|-|-|-|-|-|-|",
)


def accuracy_table(comparisons: Sequence[Comparison]) -> str:
    """One row per class and cache mode, then of all classes.

    Cycles are relative to the measured ones; the distance between stall shares is the total variation.
    """
    lines = list(HEADER)
    for one in summarise(comparisons):
        cycles, stalls = one.cycles, one.stalls
        clock = str(one.clock64_exact_alone) if one.clock64_exact_alone.of else ""
        lines.append(
            f"| {one.case_class} | {one.cache} | {one.cases} | {cycles.mean:.1%} | {cycles.median:.1%} | "
            f"{cycles.percentile_90:.1%} | {cycles.worst:.1%} | {stalls.mean:.1%} | {stalls.worst:.1%} | "
            f"{one.instructions_exact} | {clock} |"
        )
    return "\n".join(lines)


def main(path: Path) -> None:
    """Print the table of such a file."""
    print(accuracy_table(read_comparisons(path)))


if __name__ == "__main__":
    run_on_file("accuracy", __doc__, main)
