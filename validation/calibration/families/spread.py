"""Stores of many lines in turn with loads that L1 holds: rows of both, and when each load is back."""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, block_barrier, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .burst import burst, further_on, lanes_apart
from .operations import GLOBAL

OTHER = 56  # register pair with the loads' addresses
OTHERS = 1 << 20  # bytes from the stores' words to the loads'
STORES = 12
# label -> instruction, what sets the addresses, bytes from one store of a warp to its next and back
STORED: dict[str, tuple[str, Sequence[Instruction], int]] = {
    "STG.32 of 32 lines of one bank": ("STG.32", lanes_apart(128, 0, 0, 1 << 14), 4),
    "STG.128 at 32 words in a row": ("STG.128", lanes_apart(16, 0, 0, 1 << 14), 4096),
    "STG.32 of 32 lines of 32 banks": ("STG.32", lanes_apart(132, 0, 0, 1 << 14), 0),
}
LOADED: dict[str, tuple[str, Sequence[Instruction]]] = {
    "LDG.32 in a row": ("LDG.32", lanes_apart(4, 0, 0, 1 << 13)),
    "LDG.32 16 bytes apart": ("LDG.32", lanes_apart(16, 0, 0, 1 << 13)),
    "LDG.32 32 bytes apart": ("LDG.32", lanes_apart(32, 0, 0, 1 << 13)),
    "LDG.32 128 bytes apart": ("LDG.32", lanes_apart(128, 0, 0, 1 << 13)),
    "LDG.32 132 bytes apart": ("LDG.32", lanes_apart(132, 0, 0, 1 << 13)),
    "LDG.64 in a row": ("LDG.64", lanes_apart(8, 0, 0, 1 << 13)),
    "LDG.64 64 bytes apart": ("LDG.64", lanes_apart(64, 0, 0, 1 << 13)),
    "LDG.128 in a row": ("LDG.128", lanes_apart(16, 0, 0, 1 << 13)),
    "LDG.128 64 bytes apart": ("LDG.128", lanes_apart(64, 0, 0, 1 << 13)),
}
LOADS = (1, 3)  # behind each store
LAUNCHES = (smsp_warps(1), *(sm_warps(n) for n in (1, 2, 3, 6)))
TURNS, FIRST = 8, 64  # of a program whose loads' returns are noted, and the first register of these clocks
TURNS_OF = ("LDG.32 in a row", "LDG.32 16 bytes apart", "LDG.32 128 bytes apart", "LDG.128 in a row")
TURNS_LAUNCHES = (smsp_warps(1), smsp_warps(2), sm_warps(1), sm_warps(2))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family; "waited for": each store waits for the loads before it."""
    for stored, (store, store_addresses, further) in STORED.items():
        for loaded, (load, addresses) in LOADED.items():
            prepare = _addresses(store_addresses, addresses)
            for loads in LOADS:
                for waits in (False, True):
                    row: list[Instruction] = []
                    for turn in range(STORES):
                        row.append(op(store, 4, GLOBAL, further * (turn % 2), 40, stall=2, wait=int(waits)))
                        for i in range(loads):
                            row.append(op(load, 16 + 4 * ((turn * loads + i) % 6), 4, OTHER, write=0, stall=2))
                    waited = ", waited for" if waits else ""
                    name = f"spread/{stored}, {loads} {loaded}{waited}"
                    yield burst(name, row, prepare, launches=LAUNCHES)
    for loaded in TURNS_OF:
        yield _turns("STG.32 of 32 lines of one bank", loaded)


def _addresses(stores: Sequence[Instruction], loads: Sequence[Instruction]) -> list[Instruction]:
    return [*loads, *further_on(OTHER, OTHERS), *stores]


def _turns(stored: str, loaded: str) -> Experiment:
    """A store and a load that the next store waits for, a clock read as soon as the load is back."""
    store, store_addresses, further = STORED[stored]
    load, addresses = LOADED[loaded]
    row: list[Instruction] = []
    for turn in range(TURNS):
        row.append(op(store, 4, GLOBAL, further * (turn % 2), 40, stall=2, read=1, wait=2))
        row.append(op(load, 16 + 4 * (turn % 6), 4, OTHER, write=0, stall=2))
        row.append(clock(FIRST + turn, stall=4, wait=1))
    region = [
        *[op("NOP", stall=SAFE)] * 200,
        *block_barrier("begin"),
        *row,
        op("NOP", wait=0x3F, stall=SAFE),
        *block_barrier("all"),
    ]
    return Experiment(
        f"spread/turns of {stored} and {loaded}",
        region,
        range(FIRST, FIRST + TURNS),
        _addresses(store_addresses, addresses),
        TURNS_LAUNCHES,
        registers=128,
        iterations=3,
        sync=True,
        kind="timeline",
    )
