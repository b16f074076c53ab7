"""How values follow from recordings: small functions, each named in ``values.csv``.

A derivation takes a :class:`Question` and returns samples, one per repeat or program; the value is their median, its
spread the least and the greatest of them.
"""

from collections.abc import Callable, Mapping, Sequence

from . import control, counters, device, front_end, launches, queues, rows, times
from .question import Question

Derivation = Callable[[Question], Sequence[float]]

DERIVATIONS: Mapping[str, Derivation] = {
    "cycles": times.cycles,
    "difference": times.difference,
    "growth": times.growth,
    "least_distance": times.least_distance,
    "forwarding": times.forwarding,
    "pairs": times.pairs,
    "first_touch": times.first_touch,
    "between": times.between,
    "rate": rows.rate,
    "rate_difference": rows.rate_difference,
    "issue_of": queues.issue_of,
    "back_to_back": queues.back_to_back,
    "barrier_release": control.barrier_release,
    "line_bytes": front_end.line_bytes,
    "line_end": front_end.line_end,
    "fitting_lines": front_end.fitting_lines,
    "entry_interval": launches.entry_interval,
    "attribute": device.attribute,
    "granularity": device.granularity,
    "bytes_per": counters.bytes_per,
}
