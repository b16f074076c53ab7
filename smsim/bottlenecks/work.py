"""What a launch asks of the units, counted from its trace."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isa.trace import Trace
from isa.trace.history import AT_ONCE, accessing_instructions, count_executions, parts_of
from isa.trace.model import Space
from smsim.accesses import build_accesses
from smsim.code import LG, build_code
from smsim.machine import Machine
from smsim.reasons import Reason
from smsim.touched_lines import TouchedLines

PerInstruction = NDArray[np.int64]


class Work(NamedTuple):
    """Sums over the warps of an SM, by SASS instruction, each of shape (instructions,).

    ``code``: the program's records (:data:`smsim.code.INSTRUCTION`). ``executed``: executions with a lane active;
    ``accesses``: those that touch memory; ``wavefronts``: passes of these through the data stage, ``conflicts`` those
    that bank conflicts and atomics of one word cost; ``lines``, ``sectors``: of L1; ``packets``: to L2, if each store
    goes alone. ``shares``, shape (SMSPs, instructions): of each instruction's issues, the part on each SMSP.
    ``sectors_loaded``: different sectors that loads touch, a number.
    """

    code: np.ndarray
    executed: PerInstruction
    accesses: PerInstruction
    wavefronts: PerInstruction
    conflicts: PerInstruction
    lines: PerInstruction
    sectors: PerInstruction
    packets: PerInstruction
    shares: NDArray[np.float64]
    sectors_loaded: int

    def busiest(self, amounts: PerInstruction) -> float:
        """The largest part that an SMSP has of what the instructions ask for."""
        return float((self.shares @ amounts).max())

    def only(self, units: tuple[int, ...], amounts: PerInstruction) -> PerInstruction:
        """The amounts of the instructions that go to one of the units, and 0 for the others."""
        return np.where(np.isin(self.code["unit"], units), amounts, 0)


def tally(trace: Trace, machine: Machine, warp_cycles: NDArray[np.int64]) -> Work:
    """Count what the trace asks for; ``warp_cycles`` of its run say which SMSP issued how much."""
    code = build_code(trace.program, machine).instructions
    accesses, kinds, touches, _ = build_accesses(trace, machine.l1.line_bytes, machine.l1.sector_bytes)
    touched = np.concatenate([[0], np.cumsum((touches["bytes"] != 0).sum(axis=1))])
    sectors = touched[kinds["end_touch"]] - touched[kinds["first_touch"]]
    partly = ((touches["bytes"] != 0) & (touches["bytes"] != (1 << machine.l1.sector_bytes) - 1)).any(axis=1)
    parts = np.concatenate([[0], np.cumsum(partly)])
    in_part = parts[kinds["end_touch"]] - parts[kinds["first_touch"]]
    lines = kinds["end_touch"] - kinds["first_touch"]
    of_kinds = {
        "wavefronts": kinds["wavefronts"],
        "conflicts": (kinds["wavefronts"] - kinds["least_wavefronts"]) * (kinds["space"] == Space.SHARED),
        "same_word": (kinds["lanes_per_word"] - 1) * (kinds["space"] == Space.SHARED),
        "lines": lines,
        "sectors": sectors,
        "packets": sectors + in_part,
    }
    made = np.zeros(len(code), np.int64)
    totals = {name: np.zeros(len(code), np.int64) for name in of_kinds}
    loads, loaded = _loads(code), TouchedLines()
    starts, deltas = np.append(kinds["first_touch"], kinds["end_touch"][-1:]), np.ascontiguousarray(touches["delta"])
    masks = (touches["bytes"] != 0) @ (1 << np.arange(touches["bytes"].shape[1]))
    for by, some in _accesses_by_instruction(trace, accesses, kinds):
        made += np.bincount(by, minlength=len(code))
        for name, of_kind in of_kinds.items():
            totals[name] += np.bincount(by, weights=of_kind[some["kind"]], minlength=len(code)).astype(np.int64)
        own = some[loads[by]]
        loaded.add(own["line"], own["kind"], starts, deltas, masks)
    conflicts, selected = totals["conflicts"], warp_cycles[:, :, Reason.SELECTED]
    return Work(
        code=code,
        executed=count_executions(trace),
        accesses=made,
        wavefronts=totals["wavefronts"],
        conflicts=np.where(code["is_atomic"], np.maximum(conflicts, totals["same_word"]), conflicts),
        lines=totals["lines"],
        sectors=totals["sectors"],
        packets=totals["packets"],
        shares=selected / np.maximum(selected.sum(axis=0), 1),
        sectors_loaded=loaded.count,
    )


def _loads(code: np.ndarray) -> NDArray[np.bool_]:
    """Of each instruction, whether L1 serves it."""
    loads: NDArray[np.bool_] = (code["unit"] == LG) & ~code["is_store"] & ~code["is_atomic"]
    return loads


def _accesses_by_instruction(
    trace: Trace, accesses: np.ndarray, kinds: np.ndarray
) -> Iterator[tuple[NDArray[np.int64], np.ndarray]]:
    """Every access of the trace's warps, and the instruction of each, some at a time.

    A line of local memory names its warp, too.
    """
    streams = {int(stream): accessing_instructions(trace, stream) for stream in np.unique(trace.warps["stream"])}
    first = 0
    for warps in parts_of(trace.warps):
        for start in range(0, warps["num_accesses"].max(), AT_ONCE):
            by, found = [], []
            for number, warp in enumerate(warps, first + 1):
                own = accesses[warp["first_access"] :][start : min(warp["num_accesses"], start + AT_ONCE)].copy()
                own["line"] |= np.where(kinds["space"][own["kind"]] == Space.LOCAL, number << 40, 0)
                by.append(streams[int(warp["stream"])][start : start + AT_ONCE])
                found.append(own)
            yield np.concatenate(by).astype(np.int64), np.concatenate(found)
        first += len(warps)
