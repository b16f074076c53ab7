"""Fences within the block behind what they fence: rounds that wait for each fence, and a clock behind each."""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .mio import KINDS, prepare
from .operations import Builder

ROUNDS = 15
LAUNCHES = (
    Launch("1"),
    *(smsp_warps(n) for n in (2, 3, 4, 6, 8)),
    Launch("2x4", 256, sum(3 << 4 * i for i in range(4))),
    *(sm_warps(n) for n in range(1, 9)),
)
FENCE = "MEMBAR.CTA"
_OWN = 58  # a global address: a line of each warp's own
_AT_ONE = 60  # a global address: one word for all lanes of a warp
_QUADS = 44  # a global address: four lines of each warp's own
_PAGE = 4096
_FIRST = 8
FENCED: dict[str, Builder] = {
    **KINDS,
    FENCE: lambda i: op(FENCE),
    "STG.32": lambda i: op("STG.32", 4, _OWN, 0, RZ),
    "STG.32 on": lambda i: op("STG.32", 4, _OWN, _PAGE * (i % 48), RZ),
    "STG.32 of one word": lambda i: op("STG.32", 4, _AT_ONE, 0, RZ),
    "STG.128": lambda i: op("STG.128", 4, _QUADS, 0, 40),
    "RED.ADD": lambda i: op("ATOMG.ADD", RZ, 4, _OWN, 0, RZ),
}
_STORES = ("STG.32", "STG.32 on", "STG.32 of one word", "STG.128")
_OTHERS = ("LDG.32", "STS.32", "LDS.32", "SHFL.BFLY", "ATOMS.ADD", "S2R.TID", "LDC", "RED.ADD")
_MIXES = (
    *(f"{name}+{FENCE}" for name in (*_STORES, *_OTHERS)),
    "STG.32+STG.32+MEMBAR.CTA",
    "STG.32+MEMBAR.CTA+MEMBAR.CTA",
    FENCE,
    "STG.32 on+STG.32 on+STG.32 on+STG.32 on+MEMBAR.CTA",
)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for mix in _MIXES:
        yield _rounds(mix)


def _rounds(mix: str) -> Experiment:
    region: list[Instruction] = [clock(_FIRST, stall=4)]
    *row, last = (FENCED[name] for name in mix.split("+"))
    for i in range(ROUNDS):
        region += [kind(i * len(row) + j).having(stall=2) for j, kind in enumerate(row)]
        region += [last(i).having(read=0, stall=6), clock(_FIRST + 1 + i, wait=1, stall=2)]
    return Experiment(
        f"fenced/rounds {mix}",
        [*region, op("NOP", wait=0x3F, stall=SAFE)],
        range(_FIRST, _FIRST + 1 + ROUNDS),
        [*prepare(), *own_lines()],
        LAUNCHES,
        registers=64,
        iterations=3,
        sync=True,
        kind="timeline",
    )


def own_lines() -> list[Instruction]:
    """Set the addresses of the stores."""
    return [
        op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
        op("LDC.64", _AT_ONE, DATA, write=0, stall=SAFE),
        op("LDC.64", _QUADS, DATA, write=0, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", _AT_ONE, 54, 128, _AT_ONE, wait=1, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", _QUADS, 54, 512, _QUADS, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", _OWN, 53, 4, _AT_ONE, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", _QUADS, 53, 16, _QUADS, stall=SAFE),
    ]
