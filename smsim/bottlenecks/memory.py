"""Beyond L1: an SM's ports from and to L2, and what all SMs share, L2 and DRAM."""

from collections.abc import Iterator, Mapping
from math import ceil

from smsim.bottlenecks.bottleneck import Bottleneck
from smsim.bottlenecks.work import Work
from smsim.code import LG
from smsim.events import COUNTERS, Event
from smsim.machine import Machine


def ports(work: Work, machine: Machine, memory: Mapping[str, int]) -> Iterator[Bottleneck]:
    """The SMs' ports: what the run's counters say was moved; limits that nothing went through are left out."""
    loaded = memory[COUNTERS[Event.L2_READ_SECTORS]]
    atomics = int(work.only((LG,), work.sectors)[work.code["is_atomic"]].sum())
    times = loaded / max(1, work.sectors_loaded)
    again = f", those of loads {times:.1f} times each" if times >= 1.05 else ""
    rates = (
        ("l2_reads", loaded + atomics, machine.l1.sector_interval, f"sectors{again}"),
        ("l2_writes", _stored(work, memory), machine.l1.store_packet_interval, "packets"),
    )
    for name, amount, interval, unit in rates:
        if amount:
            yield Bottleneck(name, ceil(amount * interval), amount, unit)


def shared(work: Work, machine: Machine, memory: Mapping[str, int], share: float) -> Iterator[Bottleneck]:
    """L2 and DRAM, of which the SMs that were simulated have a share, as they have of the grid's blocks."""
    l2, dram = machine.l2, machine.dram
    sectors = memory[COUNTERS[Event.L2_READ_SECTORS]]
    requests = memory[COUNTERS[Event.L2_READ_REQUESTS]]
    loads = max(sectors * l2.read_interval, requests * l2.request_interval)
    stored = _stored(work, memory)
    read, written = (
        memory[COUNTERS[event]] // machine.l1.sector_bytes
        for event in (Event.DRAM_BYTES_READ, Event.DRAM_BYTES_WRITTEN)
    )
    times = (
        ("l2", max(loads, stored * l2.store_interval), sectors + stored, "sectors loaded, packets stored"),
        ("dram", read * dram.read_interval + written * dram.write_interval, read + written, "sectors"),
    )
    for name, cycles, amount, unit in times:
        if amount:
            yield Bottleneck(name, ceil(cycles / share), amount, unit)


def _stored(work: Work, memory: Mapping[str, int]) -> int:
    """Packets that stores send; where lines gather what several store, as many fewer as sectors leave."""
    packets, sectors = work.only((LG,), work.packets), work.only((LG,), work.sectors)
    stores, reductions = (work.code["is_store"] & (work.code["is_atomic"] == atomic) for atomic in (False, True))
    left = memory[COUNTERS[Event.L2_WRITE_SECTORS]] / max(1, int(sectors[stores].sum()))
    return ceil(int(packets[stores].sum()) * min(1.0, left)) + int(packets[reductions].sum())
