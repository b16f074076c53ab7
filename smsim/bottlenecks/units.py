"""The units of an SM: how long each is busy with what the launch asks of it.

The rates are the machine's, as the rules use them (:mod:`smsim.rules`).
"""

from collections.abc import Iterator
from math import ceil

import numpy as np
from numpy.typing import NDArray

from smsim.bottlenecks.bottleneck import Bottleneck
from smsim.bottlenecks.work import Work
from smsim.code import ADU, BARRIER, FIXED, LG, MIO, XU
from smsim.machine import Machine
from smsim.port_reads import REUSING
from smsim.state.sizes import NUM_SLICES

_HALVES_OF_FMA = ("fma", "fmaheavy", "fmalite", "fma_both", "fma_wide")
_LSU = (MIO, LG)


def units(work: Work, machine: Machine, selected: NDArray[np.int64]) -> Iterator[Bottleneck]:
    """One after the other, those that nobody uses left out; ``selected``: issues, shape (SMSPs, instructions)."""
    found = (
        _issue_slots(selected),
        *_pipes(work, machine),
        _register_ports(work, selected),
        _lsu_path(work, machine),
        _adu(work),
        _l1_data(work),
        _l1_tags(work),
        _block_barriers(work, machine),
    )
    return (bottleneck for bottleneck in found if bottleneck.amount)


def _issue_slots(selected: NDArray[np.int64]) -> Bottleneck:
    """An SMSP issues one instruction a cycle."""
    issued = int(selected.sum(axis=1).max())
    return Bottleneck("issue_slots", issued, issued, "warp instructions")


def _pipes(work: Work, machine: Machine) -> Iterator[Bottleneck]:
    """Each pipe takes an instruction every so many cycles."""
    fixed, queued = work.only((FIXED,), work.executed), work.only((XU,), work.executed)
    for index, name in enumerate(machine.pipes):
        if name not in _HALVES_OF_FMA:
            taken = np.where(work.code["pipe"] == index, fixed + queued, 0)
            yield _of_pipe(name, work.busiest(taken * work.code["interval"]), work.busiest(taken))
    yield _fma_pipe(work, machine, fixed)


def _fma_pipe(work: Work, machine: Machine, fixed: NDArray[np.int64]) -> Bottleneck:
    """Two halves: some instructions go to either, some to the heavy or the lite one, some take both at once."""
    pipes = list(machine.pipes)
    taken = {name: np.where(work.code["pipe"] == pipes.index(name), fixed, 0) for name in _HALVES_OF_FMA}
    busy = {name: work.shares @ (amounts * work.code["interval"]) for name, amounts in taken.items()}
    either, heavy, lite = busy["fma"], busy["fmaheavy"], busy["fmalite"]
    one_half = np.maximum(np.maximum(heavy, lite), (either + heavy + lite) / 2)
    cycles = (busy["fma_both"] + busy["fma_wide"] + one_half).max()
    return _of_pipe("fma", float(cycles), work.busiest(sum(taken.values(), np.zeros_like(fixed))))


def _of_pipe(name: str, cycles: float, amount: float) -> Bottleneck:
    return Bottleneck(f"pipe_{name}", ceil(cycles), round(amount), "warp instructions")


def _register_ports(work: Work, selected: NDArray[np.int64]) -> Bottleneck:
    """A bank reads one register a cycle; what the reuse cache may spare is spared."""
    fixed = work.only((FIXED,), np.ones(len(work.code), np.int64))
    reads = int((selected @ (work.code["reads"][:, REUSING] * fixed[:, None])).max())
    return Bottleneck("register_ports", reads, reads, "reads of one bank")


def _lsu_path(work: Work, machine: Machine) -> Bottleneck:
    """The way of an SMSP to the LSU."""
    taken = work.only(_LSU, work.executed)
    conflicts = work.only(_LSU, work.conflicts) * machine.mio.conflict_interval
    cycles = work.busiest(taken * work.code["interval"] + conflicts)
    return Bottleneck("lsu_path", ceil(cycles), round(work.busiest(taken)), "warp instructions")


def _adu(work: Work) -> Bottleneck:
    """Indexed constants, votes, uniform special registers: an SMSP's way, and what the SM's four share."""
    taken = work.only((ADU,), work.executed)
    cycles = max(work.busiest(taken * work.code["interval"]), int((taken * work.code["sm_interval"]).sum()))
    return Bottleneck("adu", ceil(cycles), int(taken.sum()), "warp instructions of the SM")


def _l1_data(work: Work) -> Bottleneck:
    """The LSU and the data stage that the SMSPs share: one wavefront of 128 bytes a cycle."""
    taken = work.only(_LSU, work.executed) * work.code["sm_interval"]
    further = work.only(_LSU, work.wavefronts - work.accesses)
    wavefronts = int((taken + further).sum())
    return Bottleneck("l1_data", wavefronts, wavefronts, "wavefronts")


def _l1_tags(work: Work) -> Bottleneck:
    """The tag stage: a line a cycle in each of its slices."""
    lines = int(work.only((LG,), work.lines).sum())
    return Bottleneck("l1_tags", ceil(lines / NUM_SLICES), lines, "lines")


def _block_barriers(work: Work, machine: Machine) -> Bottleneck:
    """Arrivals of warps, one after the other."""
    arrivals = int(work.only((BARRIER,), work.executed).sum())
    return Bottleneck("block_barriers", arrivals * machine.barrier.arrival_interval, arrivals, "arrivals of warps")
