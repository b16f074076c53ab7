"""Several recordings of the same thing made one."""

from collections import Counter
from collections.abc import Sequence

from validation.measurement import Samples


def merge_samples(parts: Sequence[Samples]) -> Samples:
    """The sum of samples of the same launch, taken at the same interval.

    ncu chooses the interval anew for every launch. Samples at another interval than most launches have weigh otherwise
    and are left out; between two that are equally frequent the shorter one counts.
    """
    launches: Counter[int] = Counter()
    for part in parts:
        launches[part.interval_cycles] += part.runs
    interval = max(launches, key=lambda cycles: (launches[cycles], -cycles))
    stalls: dict[str, Counter[int]] = {}
    for part in parts:
        if part.interval_cycles == interval:
            for reason, by_instruction in part.stalls.items():
                stalls.setdefault(reason, Counter()).update(by_instruction)
    return Samples(
        interval_cycles=interval,
        runs=launches[interval],
        stalls={reason: dict(sorted(counts.items())) for reason, counts in sorted(stalls.items())},
    )
