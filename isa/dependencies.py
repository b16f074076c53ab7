"""Which instruction waits for which through a register, and how far apart the program's stall counts keep them."""

from collections import deque
from dataclasses import dataclass
from enum import Enum

from isa.control_flow import Block
from isa.instruction import Instruction
from isa.operand import Register
from isa.program import Program


class Hazard(Enum):
    """Read after write, or write after write."""

    RAW = "raw"
    WAW = "waw"


@dataclass(frozen=True, slots=True)
class Dependency:
    """``second`` reads or writes what ``first`` wrote.

    Attributes:
        first, second: indices of the instructions.
        register: what they share.
        hazard: whether ``second`` reads or writes it.
        distance: cycles from the issue of ``first`` to that of ``second``, by the stall counts alone, on the shortest
            way.
        inside: both stand in one block, ``first`` before ``second``, with no way around in between.
    """

    first: int
    second: int
    register: Register
    hazard: Hazard
    distance: int
    inside: bool


# Register -> index of an instruction that may have written it last -> cycles since its issue.
_State = dict[Register, dict[int, int]]


def find_dependencies(program: Program, blocks: tuple[Block, ...], horizon: int) -> list[Dependency]:
    """Every dependency of which the two instructions issue less than ``horizon`` cycles apart.

    A guarded write does not end the life of what was there before.
    """
    entries: list[_State] = [{} for _ in blocks]
    waiting = deque(range(len(blocks)))
    while waiting:
        number = waiting.popleft()
        state = _walk(program.instructions, blocks[number], entries[number], horizon, [])
        for successor in blocks[number].successors:
            if _merge(entries[successor], state) and successor not in waiting:
                waiting.append(successor)
    found: list[Dependency] = []
    for block, entry in zip(blocks, entries, strict=True):
        _walk(program.instructions, block, entry, horizon, found)
    return found


def _walk(
    instructions: tuple[Instruction, ...], block: Block, entry: _State, horizon: int, found: list[Dependency]
) -> _State:
    """Go through a block: note its dependencies in ``found`` and return the state at its end."""
    issued: _State = {register: {i: -age for i, age in ages.items()} for register, ages in entry.items()}
    inside: dict[Register, set[int]] = {}
    time = 0
    for instruction in instructions[block.start : block.stop]:
        for hazard, registers in ((Hazard.RAW, instruction.reads), (Hazard.WAW, instruction.writes)):
            for register in registers:
                for first, issue in issued.get(register, {}).items():
                    if time - issue < horizon:
                        local = first in inside.get(register, ())
                        found.append(Dependency(first, instruction.index, register, hazard, time - issue, local))
        for register in instruction.writes:
            if instruction.guard is None:
                issued[register] = {}
                inside[register] = set()
            issued.setdefault(register, {})[instruction.index] = time
            inside.setdefault(register, set()).add(instruction.index)
        time += instruction.control.stall
    return {
        register: {first: time - issue for first, issue in issues.items() if time - issue < horizon}
        for register, issues in issued.items()
    }


def _merge(entry: _State, state: _State) -> bool:
    """Put the shorter ages of ``state`` into ``entry``; whether anything changed."""
    changed = False
    for register, ages in state.items():
        known = entry.setdefault(register, {})
        for first, age in ages.items():
            if age < known.get(first, age + 1):
                known[first] = age
                changed = True
    return changed
