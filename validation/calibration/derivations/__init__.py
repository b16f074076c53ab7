"""How values follow from recordings: small functions, each named in ``values.csv``.

A derivation takes a :class:`Question` and returns samples, one per repeat or program; the value is their median, its
spread the least and the greatest of them.
"""

from collections.abc import Callable, Mapping, Sequence

from . import bursts, chip, control, counters, device, front_end, l1, launches, mio, mixes, queues, rows, times
from .question import Question

Derivation = Callable[[Question], Sequence[float]]

DERIVATIONS: Mapping[str, Derivation] = {
    "cycles": times.cycles,
    "difference": times.difference,
    "growth": times.growth,
    "least_distance": times.least_distance,
    "forwarding": times.forwarding,
    "pairs": times.pairs,
    "spread_of_pairs": times.spread_of_pairs,
    "two_kinds_of_pairs": times.two_kinds_of_pairs,
    "burst_rate": bursts.burst_rate,
    "first_touch": times.first_touch,
    "between": times.between,
    "rate": rows.rate,
    "turn_of_each": rows.turn_of_each,
    "issue_of": queues.issue_of,
    "back_to_back": queues.back_to_back,
    "queue_depth": queues.queue_depth,
    "queue_latency": queues.queue_latency,
    "lsu_places": mio.lsu_places,
    "place_return": mio.place_return,
    "probe_growth": mio.probe_growth,
    "barrier_release": control.barrier_release,
    "line_bytes": front_end.line_bytes,
    "line_end": front_end.line_end,
    "fitting_lines": front_end.fitting_lines,
    "ways_missed": front_end.ways_missed,
    "buffered_lines": front_end.buffered_lines,
    "landing_miss": front_end.landing_miss,
    "busy_landing": front_end.busy_landing,
    "late_landing": front_end.late_landing,
    "cost_of_each": front_end.cost_of_each,
    "lines_ahead": front_end.lines_ahead,
    "prefetched_lines": front_end.prefetched_lines,
    "bytes_a_miss": front_end.bytes_a_miss,
    "lines_a_miss": front_end.lines_a_miss,
    "written": mixes.written,
    "unforwarded": mixes.unforwarded,
    "blocked_slot": mixes.blocked_slot,
    "clock_gap": mixes.clock_gap,
    "bytes_with_shared": l1.bytes_with_shared,
    "bytes_a_cycle": l1.bytes_a_cycle,
    "staying_lines": l1.staying_lines,
    "overtaken": l1.overtaken,
    "being_sent": l1.being_sent,
    "buffered_stores": l1.buffered_stores,
    "turnover": launches.turnover,
    "hidden_exit": launches.hidden_exit,
    "entry_interval": launches.entry_interval,
    "attribute": device.attribute,
    "granularity": device.granularity,
    "stream_rate": chip.stream_rate,
    "times_as_long": chip.times_as_long,
    "row_sectors": chip.row_sectors,
    "held_before_l2": chip.held_before_l2,
    "fetched_from_far": chip.fetched_from_far,
    "beyond": chip.beyond,
    "crowded": chip.crowded,
    "refresh": chip.refresh,
    "refresh_interval": chip.refresh_interval,
    "begin_interval": chip.begin_interval,
    "still_dirty": counters.still_dirty,
    "overhead": counters.overhead,
    "later_when_cold": counters.later_when_cold,
    "bytes_per": counters.bytes_per,
    "counter": counters.cycles,
}
