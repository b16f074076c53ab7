"""Beyond L1: the SM's ports from and to L2."""

from collections.abc import Iterator, Mapping
from math import ceil

from smsim.bottlenecks.bottleneck import Bottleneck
from smsim.bottlenecks.work import Work
from smsim.code import LG
from smsim.events import COUNTERS, Event
from smsim.machine import Machine


def beyond_l1(work: Work, machine: Machine, memory: Mapping[str, int]) -> Iterator[Bottleneck]:
    """What the run's counters of memory say was moved; limits that nothing went through are left out."""
    loaded = memory[COUNTERS[Event.L2_READ_SECTORS]]
    atomics = int(work.only((LG,), work.sectors)[work.code["is_atomic"]].sum())
    stored = int(work.only((LG,), work.packets)[work.code["is_store"]].sum())
    times = loaded / max(1, work.sectors_loaded)
    again = f", those of loads {times:.1f} times each" if times >= 1.05 else ""
    rates = (
        ("l2_reads", loaded + atomics, machine.l1.sector_interval, f"sectors{again}"),
        ("l2_writes", stored, machine.l1.store_packet_interval, "packets"),
    )
    for name, amount, interval, unit in rates:
        if amount:
            yield Bottleneck(name, ceil(amount * interval), amount, unit)
