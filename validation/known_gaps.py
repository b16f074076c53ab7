"""``python -m validation.known_gaps COMPARE.json``: write known_gaps.csv anew.

COMPARE.json is what ``smsim compare --suite open --json COMPARE.json`` wrote. Each figure of each case that misses its
tolerance is listed under the number of the first rule of expectations.toml that explains it. What no rule explains is
reported and not listed, so that comparing goes on failing until an entry of DEVIATIONS.md says why.
"""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from isa.files import write_whole
from validation.compare import Comparison
from validation.compared_file import read_comparisons, run_on_file
from validation.expectations import (
    COLUMNS,
    KNOWN_GAPS,
    Expectations,
    Gap,
    Judgement,
    Verdict,
    judge,
    load_expectations,
)


def find_gaps(comparisons: Sequence[Comparison], expectations: Expectations) -> tuple[dict[Gap, int], list[Judgement]]:
    """What misses its tolerance: the gaps with the deviation that explains each, and those that none explains."""
    gaps: dict[Gap, int] = {}
    unexplained = []
    for comparison in comparisons:
        for judgement in judge(comparison, expectations, {}):
            if judgement.verdict is not Verdict.BROKEN:
                continue
            number = expectations.deviation(judgement.case, judgement.cache, judgement.figure)
            if number is None:
                unexplained.append(judgement)
            else:
                gaps[judgement.case, judgement.cache, judgement.figure] = number
    return gaps, unexplained


def to_csv(gaps: dict[Gap, int]) -> str:
    """The text of known_gaps.csv: sorted, so that it changes only where a gap opens or closes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(sorted((*gap, number) for gap, number in gaps.items()))
    return text.getvalue()


def main(path: Path, known_gaps: Path = KNOWN_GAPS) -> int:
    """Write the list; 1 when a gap is not explained."""
    comparisons = read_comparisons(path)
    gaps, unexplained = find_gaps(comparisons, load_expectations())
    write_whole(known_gaps, to_csv(gaps).encode())
    by_number = ", ".join(f"{count} of deviation {number}" for number, count in sorted(Counter(gaps.values()).items()))
    print(f"{known_gaps.name}: {len(gaps)} known gaps in {len(comparisons)} comparisons: {by_number or 'none'}")
    for judgement in unexplained:
        print(f"no rule explains: {judgement}")
    return int(bool(unexplained))


if __name__ == "__main__":
    run_on_file("known_gaps", __doc__, main)
