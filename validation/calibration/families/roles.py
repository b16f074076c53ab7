"""Warps of two roles: most load, a clock read behind each load's barrier; the last ones do something else meanwhile.

A block barrier keeps the stores of the records away.
"""

from collections.abc import Sequence

from ..program import SAFE, Experiment, Launch, block_barrier, clock
from ..sass import RZ, Instruction, op
from .burst import from_on, lanes_apart
from .operations import GLOBAL, OPERATIONS

START = 8  # record: the region begins
BEGUN = START + 1  # record: behind the first load's barrier, or before the others' first instruction
LOADS = 5
STORED, STORER = 56, 1  # register: address of the others' lanes; predicate: this warp is one of them
WARPS = 32
# Log2 of the lanes in a group, bytes between groups, bytes between the lanes of a group.
Lanes = tuple[int, int, int]


def loads_of(operation: str, load_bytes: int, pause: Sequence[Instruction] = ()) -> list[Instruction]:
    """A warp's loads, so many bytes apart, each with a barrier of its own and the pause behind it."""
    load = OPERATIONS[operation](0)
    rows: list[Instruction] = []
    for i in range(LOADS):
        rows.append(load.having(operands={**load.operands, "d": 16 + 4 * i, "off": load_bytes * i}, write=i, stall=2))
        rows += pause
    return rows


def region_of(
    loads: Sequence[Instruction], turns: int, stores: Sequence[Instruction], ends: Sequence[Instruction]
) -> list[Instruction]:
    """What both do: the last warps wait for so many turns of 15 cycles before their stores.

    Args:
        loads: of most warps.
        turns: until the stores begin.
        stores: of the last warps, a clock read before and behind them: the records from ``BEGUN`` on.
        ends: read the clock for their other records.
    """
    return [
        clock(START, stall=4),
        op("BRA", "stores", guard=STORER, stall=5),
        *loads,
        *[clock(BEGUN + i, stall=2, wait=1 << i) for i in range(LOADS)],
        op("BRA", "join", stall=5),
        op("NOP", label="stores"),
        *[op("NOP", stall=SAFE)] * turns,
        clock(BEGUN, stall=2),
        *stores,
        clock(BEGUN + 1, stall=2),
        *ends,
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
        *block_barrier("all"),
    ]


def addresses(loader: Lanes, warp_bytes: int, storers: int, storer: Lanes, storer_bytes: int) -> list[Instruction]:
    """Instructions that set ``GLOBAL``, and ``STORED`` and ``STORER`` of the last warps, ``storers`` in number."""
    group, stride, inner = loader
    store_group, store_stride, store_inner = storer
    return [
        *lanes_apart(store_stride, store_group, store_inner, 0)[:-1],
        op("LOP3.IMM", 54, 54, 3, RZ, stall=SAFE),
        op("IADD3.IMM", 54, 54, 8, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", STORED, 54, storer_bytes, GLOBAL, stall=SAFE),
        *lanes_apart(stride, group, inner, warp_bytes),
        op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
        *from_on(STORER, WARPS - storers, 54, 54),
    ]


def roles(name: str, region: list[Instruction], address: list[Instruction], shared: int = 0) -> Experiment:
    """The experiment of one block of all warps, with so many bytes of shared memory."""
    return Experiment(
        name,
        region,
        range(START, BEGUN + LOADS),
        address,
        (Launch("1", 32 * WARPS, (1 << WARPS) - 1, shared=shared),),
        iterations=2,
        sync=True,
        kind="timeline",
    )
