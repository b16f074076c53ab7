"""Several recordings of the same thing made one."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from validation.measurement import CACHES, Cache, Clock64, Measurement, MeasurementError, Samples

_SAME_LAUNCH = ("function", "grid", "block", "dynamic_shared_bytes", "seed", "arguments_sha256", "code_sha256")


def add_runs(old: Measurement, new: Measurement) -> Measurement:
    """``old`` with the runs of a later recording; ``new`` alone when it is of other code or another launch.

    A recording that ``old`` holds already is not added again.

    Raises:
        MeasurementError: the kernel failed or computed something else in one of the two.
    """
    if any(getattr(old, name) != getattr(new, name) for name in _SAME_LAUNCH):
        return new
    if {environment["utc"] for environment in new.environments} & {one["utc"] for one in old.environments}:
        return old
    if old.status != "ok" or new.status != "ok":
        raise MeasurementError(
            f"{new.function} {new.launch}: was {old.status} before and is {new.status} now: runs of the two do not "
            "belong together; collect without --append to replace what is recorded"
        )
    runs = old.runs + new.runs
    first = len(old.environments)
    recordings = (*(old.recordings or [0] * len(old.runs)), *(first + n for n in new.recordings or [0] * len(new.runs)))
    order = sorted(range(len(runs)), key=lambda run: CACHES.index(runs[run]))  # stable: older runs first
    missing_old, missing_new = (None,) * len(old.runs), (None,) * len(new.runs)
    figures = {
        name: old.counters.get(name, missing_old) + new.counters.get(name, missing_new)
        for name in sorted({*old.counters, *new.counters})
    }
    return msgspec.structs.replace(
        old,
        repeated_with=(*old.repeated_with, *new.environments),
        recordings=tuple(recordings[run] for run in order),
        runs=tuple(runs[run] for run in order),
        counters={name: tuple(values[run] for run in order) for name, values in figures.items()},
        clock64=_add_clocks(old.clock64, new.clock64),
        samples=_add_samples(old.samples, new.samples),
    )


def _add_clocks(old: Clock64 | None, new: Clock64 | None) -> Clock64 | None:
    if old is None or new is None:
        return old or new
    return msgspec.structs.replace(old, again=(*old.again, new.first, *new.again))


def _add_samples(old: dict[Cache, Samples], new: dict[Cache, Samples]) -> dict[Cache, Samples]:
    parts = {cache: [both[cache] for both in (old, new) if cache in both] for cache in CACHES}
    return {cache: merge_samples(taken) for cache, taken in parts.items() if taken}


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
