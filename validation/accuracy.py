"""``python -m validation.accuracy COMPARE.json``: the README's table of accuracy, in Markdown.

COMPARE.json is what ``smsim compare --suite catalogue --json COMPARE.json`` wrote.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from statistics import fmean, median
from typing import Any

import kernels

HEADER = (
    "| Grid | Caches | Launches | Cycles off, mean | median | worst | Stall shares off, mean | Instructions exact |",
    "|-|-|-|-|-|-|-|-|",
)
ONE_BLOCK = "one block"
SEVERAL_BLOCKS = "several blocks"


def accuracy_table(cases: Iterable[Mapping[str, Any]]) -> str:
    """One row per kind of launch (a single block, or several) and cache mode.

    Args:
        cases: as :meth:`validation.compare.Comparison.to_dict` gives them. Cycles are relative to the measured ones;
            the distance between stall shares is the total variation.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for case in cases:
        kernel, _, launch = case["case"].partition("/")
        kind = ONE_BLOCK if prod(kernels.get(kernel).launch(launch).grid) == 1 else SEVERAL_BLOCKS
        groups.setdefault((kind, case["cache"]), []).append(case)
    lines = list(HEADER)
    for (kind, cache), members in sorted(groups.items(), key=lambda group: group[0]):
        cycles = [abs(member["cycles_error"]) for member in members]
        exact = sum(member["instructions_exact"] for member in members)
        lines.append(
            f"| {kind} | {cache} | {len(members)} | {fmean(cycles):.1%} | {median(cycles):.1%} | {max(cycles):.1%} | "
            f"{fmean(member['stall_distance'] for member in members):.1%} | {exact} of {len(members)} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(accuracy_table(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
