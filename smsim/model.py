"""Model: all that the rules see, one launch on one SM."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.errors import LaunchError
from isa.trace import Trace
from smsim.accesses import Accesses, build_accesses, constant_lines, local_lines
from smsim.code import build_code
from smsim.history import build_history, jumps
from smsim.in_lines import zeros
from smsim.interlock import awaits_operands, build_interlock, fills_barriers
from smsim.machine import Machine
from smsim.occupancy import carve_out, occupancy
from smsim.params import build_params
from smsim.part import WHOLE, Part
from smsim.reasons import Reason
from smsim.state.chip import (
    ASKED_PLACES,
    CHIP,
    FIRST_LOAD_SLICE,
    NUM_CPCS,
    NUM_DRAM_PAIRS,
    NUM_GPCS,
    NUM_SERVERS,
    PUSHED,
    SERVER,
)
from smsim.state.l1 import L1_WAY, l1_line, store_line
from smsim.state.l2 import L2_LINE, L2_SET, L2_WAYS, asked_line, l2_part
from smsim.state.queues import FILL, LATE_LDC, LOOKED_UP, QUEUED, SERVED
from smsim.state.sizes import (
    COUNTER_BITS,
    KEPT_COUNTS,
    MAX_DATA_QUEUE,
    MAX_L1_QUEUE,
    MAX_LDCS,
    NEVER,
    NUM_CODE_CACHES,
    NUM_CONSTANT_CACHES,
    NUM_GATES,
    NUM_QUEUES,
    NUM_SCOREBOARDS,
    NUM_SMSPS,
    STORE_LINES,
)
from smsim.state.sms import BLOCK, SM
from smsim.state.smsps import GATE, SMSP
from smsim.state.warps import COPIES, RESULT, WALKER, WARP, result_places
from smsim.unexecuted import add_unexecuted


@dataclass(frozen=True)
class Model:
    """One launch on one SM: what it executes, on what machine, and where it stands.

    What does not change: ``instructions``, ``registers`` and ``places`` (:mod:`smsim.code`), ``runs``, ``steps``,
    ``traced_warps`` and ``traced_blocks`` (:mod:`smsim.history`), ``accesses``, ``kinds`` and ``touches``
    (:mod:`smsim.accesses`), ``params`` (:mod:`smsim.params`, shape (1,)).

    What does (:mod:`smsim.state`): ``warps`` (warp slots; slot w is on SMSP w % 4), ``wakes`` and ``turns`` (SMSPs, the
    warps of each: when to look at the warp again; the cycle of its last issue), ``issue_counts`` (SMSPs, a ring of
    their last issues, bits of a counter: the warps that have it set then, bit mask of slot // 4), ``results`` (warp
    slots, places of registers), ``copies`` (warp slots; none where the code has none), ``producers`` (warp slots,
    barriers, places: when each of those that a barrier counts is done, NEVER for not known; no places where the code
    never fills them), ``gates`` (SMSPs, gates), ``smsps``, ``blocks``, ``sm`` (shape (1,)), ``queues`` (SMSPs, queues,
    depth), ``data_queue`` (places of the data stage's), ``fills`` (a ring of what waits for L2), ``lines`` (SMSPs,
    caches of code, lines of code: when the cache has it, -1 if not), ``line_places`` (SMSPs, caches of code, their
    places set by set, the oldest first: which line each holds, -1 for none), ``fetched`` (when the SM has each line of
    code, -1 for not asked), ``constants`` (the same of lines of constants, by each SMSP's cache of operands, LDC's and,
    in lines of its own, the GCC), ``constant_places`` (those caches but the GCC: as ``line_places``),
    ``constants_coming`` (these: until when they wait for the last lines), ``late_ldcs`` (LDCs that wait for lines),
    ``l1`` and ``l1_ways`` (sets, ways: L1's lines, and which they are), ``l1_again`` (sets: how many lines, the first
    ones of the order, were touched again), ``store_lines`` (a ring), ``dram_pairs`` (pairs of lines of DRAM's channels:
    when each can be read again for this SM).

    What the SMs that are simulated together share: ``chip`` (shape (1,)), ``servers``, ``l2`` (L2's lines, set by
    set), ``l2_sets``, ``l2_parts`` (by line), ``asked`` (by GPC: their last requests for lines), ``pushed`` (by CPC:
    how far stores have pushed back what goes to L2), ``shared`` (the lines that other SMs touch, too, ascending),
    ``brought`` (those that others touch before, ascending), ``stored`` (which accesses the launch before made to
    store), ``warp_cycles`` (SMSPs, instructions, reasons: counted for all of them).
    """

    instructions: np.ndarray
    registers: NDArray[np.int64]
    places: NDArray[np.int64]
    runs: np.ndarray
    steps: np.ndarray
    traced_warps: np.ndarray
    traced_blocks: np.ndarray
    accesses: np.ndarray
    kinds: np.ndarray
    touches: np.ndarray
    params: np.ndarray
    warps: np.ndarray
    wakes: NDArray[np.int64]
    turns: NDArray[np.int64]
    issue_counts: NDArray[np.int64]
    results: np.ndarray
    copies: np.ndarray
    producers: NDArray[np.int64]
    gates: np.ndarray
    smsps: np.ndarray
    blocks: np.ndarray
    sm: np.ndarray
    queues: np.ndarray
    data_queue: np.ndarray
    l1_queue: np.ndarray
    fills: np.ndarray
    lines: NDArray[np.int64]
    line_places: NDArray[np.int64]
    fetched: NDArray[np.int64]
    constants: NDArray[np.int64]
    constant_places: NDArray[np.int64]
    constants_coming: NDArray[np.int64]
    late_ldcs: np.ndarray
    l1: np.ndarray
    l1_ways: np.ndarray
    l1_again: NDArray[np.int64]
    store_lines: np.ndarray
    dram_pairs: NDArray[np.int64]
    chip: np.ndarray
    servers: np.ndarray
    l2: np.ndarray
    l2_sets: np.ndarray
    l2_parts: np.ndarray
    asked: np.ndarray
    pushed: np.ndarray
    shared: NDArray[np.int64]
    brought: NDArray[np.int64]
    stored: NDArray[np.bool_]
    warp_cycles: NDArray[np.int64]

    def arrays(self) -> Iterator[tuple[str, np.ndarray]]:
        """Every array with its name."""
        return ((each.name, getattr(self, each.name)) for each in fields(self))

    @cached_property
    def layout(self) -> str:
        """A digest of the types of the arrays."""
        return _digest(tuple((name, array.dtype, array.ndim) for name, array in self.arrays()))

    @cached_property
    def table(self) -> NDArray[np.intp]:
        """For machine code: the address of each array, behind all of these of each its shape and its strides."""
        arrays = [array for _, array in self.arrays()]
        words = [array.ctypes.data for array in arrays]
        for array in arrays:
            words += *array.shape, *array.strides
        return np.array(words, np.intp)

    @cached_property
    def address(self) -> int:
        """Where the table lies."""
        return int(self.table.ctypes.data)


@cache
def _digest(types: tuple[tuple[str, np.dtype[Any], int], ...]) -> str:
    """A word for them; to write out so many records takes a millisecond."""
    return hashlib.sha256(repr(types).encode()).hexdigest()[:16]


# Of some arrays the last dimensions, which never change, so that the compiler knows them.
LAST_DIMENSIONS = {
    "issue_counts": (KEPT_COUNTS, COUNTER_BITS),
    "gates": (NUM_GATES,),
    "warp_cycles": (len(Reason),),
}


def build_model(trace: Trace, machine: Machine, part: Part = WHOLE, sms: int = 1, *, cold: bool) -> Model:
    """Set an SM up for a trace; cold means that the SM's cache of code lacks it; the caches in front are empty.

    Raises LaunchError when a block does not fit on the SM or the trace holds no block, UnsupportedInstructionError for
    an instruction without timing.
    """
    if not len(trace.warps):
        raise LaunchError(f"{trace.program.name}: the trace holds no warp; trace at least one block")
    limits, l1 = machine.limits, machine.l1
    fits = occupancy(trace.program, trace.launch, machine)
    params = build_params(machine, carve_out(trace.program, trace.launch, machine), part, sms)
    l1_places = int(params[0]["l1_sets"]), l1.ways
    code = build_code(trace.program, machine)
    history = build_history(trace)
    forwarding, window = params[0]["forwarding"], int(params[0]["read_window"])
    interlock = build_interlock(code, jumps(history), forwarding, int(params[0]["register_file"]), window)
    for name, flags in interlock._asdict().items():
        code.instructions[name] = flags
    code.instructions["fills_barriers"] = fills_barriers(code.instructions, machine.mio.barrier_producers)
    counted = machine.mio.barrier_producers if code.instructions["fills_barriers"].any() else 0
    code.instructions["awaits_operands"] = awaits_operands(code.instructions)
    instructions = add_unexecuted(code.instructions, trace.program, machine)
    copies = code.instructions["is_copy"] | code.instructions["ends_group"] | code.instructions["awaits_groups"]
    accesses = build_accesses(trace, l1.line_bytes, l1.sector_bytes)
    params[0]["local_lines"] = local_lines(accesses)
    params[0]["barrier_places"] = counted
    block_slots = min(fits.blocks, -(-len(trace.blocks) // sms))
    slots = warp_slots(history.traced_blocks, block_slots, limits.warps)
    lines = int(code.instructions["line"].max()) + 1
    code_places = int((params[0]["code_sets"] * params[0]["code_ways"]).max())
    constant_places = machine.frontend.constant_sets * machine.frontend.constant_ways
    fetched = np.zeros(lines, np.int64)
    if cold:
        launch = machine.launch
        fetched[:] = launch.first_block + launch.first_instruction + launch.cold_code
        fetched[machine.frontend.launch_prefetch_lines :] = -1
        params[0]["gcc_miss"] = machine.frontend.cold_gcc_miss
        params[0]["gcc_prefetch_lines"] = machine.frontend.cold_gcc_prefetch_lines
        params[0]["module_constant_miss"] = machine.frontend.cold_module_constant_miss
    return Model(
        instructions,
        code.registers,
        code.places,
        *history,
        *accesses[:3],
        params=params,
        warps=_filled(slots * NUM_SMSPS, WARP, gate=-1),
        wakes=np.full((NUM_SMSPS, slots), NEVER),
        turns=np.zeros((NUM_SMSPS, slots), np.int64),
        issue_counts=np.zeros((NUM_SMSPS, KEPT_COUNTS, COUNTER_BITS), np.int64),
        results=zeros((slots * NUM_SMSPS, result_places(code.places.max(initial=-1) + 1)), RESULT),
        copies=np.zeros(slots * NUM_SMSPS * bool(copies.any()), COPIES),
        producers=np.zeros((slots * NUM_SMSPS, NUM_SCOREBOARDS, counted), np.int64),
        gates=np.zeros((NUM_SMSPS, NUM_GATES), GATE),
        smsps=_filled(NUM_SMSPS, SMSP, later=NEVER, issued_at=-NEVER, last_warp=-1, moving_warp=-1, landed=-NEVER),
        blocks=_filled(limits.blocks, BLOCK, trace_block=-1),
        sm=_filled(
            1,
            SM,
            places=-NEVER,
            adu_entered=-NEVER,
            fence_came=-NEVER,
            path_holder=-1,
            flush_begins=-NEVER,
            adu_row=-NEVER,
            store_order=np.arange(STORE_LINES),
            cpc=-1,
            block_slots=block_slots,
            constants_late=constants_late(machine, lines, cold),
        ),
        queues=np.zeros((NUM_SMSPS, NUM_QUEUES, params[0]["queue_depth"].max()), QUEUED),
        data_queue=np.zeros(MAX_DATA_QUEUE, SERVED),
        l1_queue=np.zeros(MAX_L1_QUEUE, LOOKED_UP),
        fills=np.zeros(machine.l1.pending_loads + 1, FILL),  # one to move others
        lines=np.full((NUM_SMSPS, NUM_CODE_CACHES, lines), -1),
        line_places=np.full((NUM_SMSPS, NUM_CODE_CACHES, code_places), -1),
        fetched=fetched,
        constants=np.full((NUM_CONSTANT_CACHES, _constant_lines(code.instructions, accesses, machine)), -1, np.int64),
        constant_places=np.full((NUM_SMSPS + 1, int(constant_places)), -1, np.int64),
        constants_coming=np.zeros((NUM_SMSPS + 1, machine.frontend.constant_misses), np.int64),
        late_ldcs=np.zeros(MAX_LDCS, LATE_LDC),
        l1=zeros(l1_places, l1_line(l1.line_bytes // l1.sector_bytes, l1.sector_bytes)),
        l1_ways=_filled(l1_places, L1_WAY, tag=-1, order=np.arange(l1.ways)),
        l1_again=np.zeros(l1_places[0], np.int64),
        store_lines=np.zeros(STORE_LINES, store_line(l1.line_bytes // l1.sector_bytes)),
        dram_pairs=np.zeros(NUM_DRAM_PAIRS, np.int64),
        chip=_filled(1, CHIP, sms=sms, row=-1),
        servers=np.zeros(NUM_SERVERS if sms > 1 else FIRST_LOAD_SLICE, SERVER),
        l2=_filled(part.l2_sets * L2_WAYS, L2_LINE, tag=-1),
        l2_sets=_filled(part.l2_sets, L2_SET, order=np.arange(L2_WAYS)[::-1]),
        l2_parts=np.zeros(part.l2_sets * L2_WAYS, l2_part(l1.line_bytes // l1.sector_bytes)),
        asked=_filled(
            (NUM_GPCS, ASKED_PLACES) if sms > 1 else (1, 1), asked_line(l1.line_bytes // l1.sector_bytes), line=-1
        ),
        pushed=np.zeros(NUM_CPCS if sms > 1 else 1, PUSHED),
        shared=part.shared,
        brought=part.brought,
        stored=np.zeros(len(accesses.accesses), np.bool_),
        warp_cycles=np.zeros((NUM_SMSPS, len(trace.program.instructions), len(Reason)), np.int64),
    )


def warp_slots(blocks: np.ndarray, block_slots: int, most: int) -> int:
    """The warp slots that an SMSP needs: the warps of a block come to the SMSPs in turn.

    Blocks of a multiple of four warps give each as many, so that none has more than its part of those that run at once.
    Of others an SMSP may get more than another: it has all that the SM has for it, or that the trace needs.
    """
    warps = blocks["end_warp"] - blocks["first_warp"]
    if not (warps % NUM_SMSPS).any():
        most = min(most, block_slots * int(warps.max()))
    return -(-min(most, int(warps.sum())) // NUM_SMSPS)


def _constant_lines(instructions: np.ndarray, accesses: Accesses, machine: Machine) -> int:
    """The lines of constants from bank 0 to the last one that the program touches."""
    indexed = constant_lines(accesses) * machine.l1.line_bytes // machine.frontend.constant_line_bytes
    return max(int(instructions["constant_line"].max()) + 1, int(indexed))


def constants_late(machine: Machine, lines: int, cold: bool) -> int:
    """Cycles by which a launch's first constants come later, in the mean: none where the L0 holds all of the code."""
    frontend = machine.frontend
    late = frontend.constants_behind_code * lines if lines > frontend.l0_lines else 0.0
    return round(late) + (frontend.constants_behind_long_code if cold and lines > frontend.long_code else 0)


def walkers(model: Model) -> np.ndarray:
    """Warps as many as run at once on all SMs, to walk through the trace without an SM."""
    blocks = min(len(model.traced_blocks), int(model.chip["sms"][0] * model.sm["block_slots"][0]))
    return np.zeros(blocks * int((model.traced_blocks["end_warp"] - model.traced_blocks["first_warp"]).max()), WALKER)


def _filled(shape: int | tuple[int, ...], dtype: np.dtype[np.void], **values: int | np.ndarray) -> np.ndarray:
    """Zeros, but for the fields named."""
    records = zeros(shape, dtype)
    for name, value in values.items():
        records[name] = value
    return records
