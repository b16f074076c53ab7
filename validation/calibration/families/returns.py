"""A warp that branches back to a line that is there while a line beyond its branch comes: what that costs, by when.

A warp runs straight on into a line, waits some cycles there and branches back two lines, to each slot. The second line
behind the one that it leaves is on its way then. Records, for each wait: clocks in the line that it leaves and where it
lands.
"""

from collections.abc import Iterator
from itertools import product

from ..program import LINE, SAFE, Experiment, clock, up_to
from ..sass import RZ, Instruction, op
from .stopwatch import REGISTERS
from .streams import FIRST, NOT, gone_round

PLACES = 17
LINES = 11  # of a place
LANDED, LEFT = 2, 4  # lines of a place
AGAIN, ONE = 2, 40  # whether the warp has been there; a register that is 1
SLOTS = range(7)
LEAVING = (2, 5, 7)  # slots of the branch


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for slot, leaving, back in product(SLOTS, LEAVING, (2, 1)):
        region = [op("MOV.IMM", ONE, 1, stall=SAFE), op("BRA", "place0", stall=5)]
        region += up_to(region, 0)
        for place, wait in enumerate(range(leaving + 1, leaving + 1 + PLACES)):
            region += _place(place, wait, slot, leaving, back)
        region.append(op("NOP", stall=SAFE, label=f"place{PLACES}"))
        name = f"returns/to slot {slot}, {back} lines back, from slot {leaving}"
        yield gone_round(name, region, range(FIRST, FIRST + 2 * PLACES), registers=REGISTERS)


def _place(place: int, wait: int, slot: int, leaving: int, back: int) -> list[Instruction]:
    """A warp runs straight on, waits and goes back; the next time it goes on to the next place."""
    code = [op("NOP")] * (LINES * LINE)
    for at in range(LEFT * LINE):
        code[at] = op("NOP", stall=8)
    code[0] = op("ISETP", AGAIN, RZ, RZ, stall=SAFE, label=f"place{place}")
    landed = (LEFT - back) * LINE + slot
    code[landed] = clock(FIRST + 2 * place + 1, stall=2, label=f"again{place}")
    code[landed + 1] = op("BRA", f"place{place + 1}", guard=AGAIN, stall=SAFE)
    left = LEFT * LINE
    spare = leaving - 2  # NOPs
    first = min(SAFE, wait - 1 - spare)
    code[left : left + leaving + 1] = [
        clock(FIRST + 2 * place, stall=first),
        op("ISETP", AGAIN, RZ, ONE, stall=wait - first - spare),
        *[op("NOP")] * spare,
        op("BRA", f"again{place}", guard=~NOT, stall=5),
    ]
    return code
