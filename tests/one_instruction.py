"""Run one SASS instruction, given as text, on chosen register values."""

from dataclasses import dataclass, field

import numpy as np

from isa.decode import decode
from isa.disassembly import Line
from isa.emulator.lanes import WARP_SIZE, Lanes, RegisterFiles
from isa.semantics import registry


class NoConstants:
    """Constant banks that hold only zeros."""

    def word(self, bank: int, offset: int) -> np.uint32:
        return np.uint32(0)


@dataclass
class Warp:
    """Register values of one warp, the same in all lanes, or one per lane."""

    registers: dict[int, object] = field(default_factory=dict)
    predicates: dict[int, object] = field(default_factory=dict)
    uniform: dict[int, int] = field(default_factory=dict)
    uniform_predicates: dict[int, bool] = field(default_factory=dict)
    mask: np.ndarray | None = None

    def execute(self, text: str, immediate: int = 0) -> Lanes:
        """Run the instruction; ``immediate`` is its encoded 32-bit immediate, for floating-point ones."""
        name, _, operands = text.partition(" ")
        line = Line("", name, operands)
        instruction = decode("test", 0, line, immediate << 32, symbols={}, source=None)
        registry.load()
        execute = registry.lower(instruction, NoConstants())
        files = RegisterFiles(1)
        for index, values in self.registers.items():
            files.general[index, 0] = np.broadcast_to(np.asarray(values, np.uint32), WARP_SIZE)
        for index, values in self.predicates.items():
            files.predicate[index, 0] = np.broadcast_to(np.asarray(values, np.bool_), WARP_SIZE)
        for index, value in self.uniform.items():
            files.uniform[index, 0] = value
        for index, flag in self.uniform_predicates.items():
            files.uniform_predicate[index, 0] = flag
        lanes = Lanes(None, files, 0, 1)  # type: ignore[arg-type]  # arithmetic does not look at the batch
        lanes.mask = self.mask
        with np.errstate(all="ignore"):
            execute(lanes)
        return lanes


def result(text: str, *values: int, immediate: int = 0, **predicates: bool) -> int:
    """R0 after an instruction whose sources R1, R2, ... hold ``values`` and whose predicates are P1=..., P2=..."""
    warp = Warp(
        registers={i + 1: value for i, value in enumerate(values)},
        predicates={int(name[1:]): value for name, value in predicates.items()},
    )
    return int(warp.execute(text, immediate).register(0)[0, 0])


def predicate(text: str, *values: int, immediate: int = 0, index: int = 0, **predicates: bool) -> bool:
    """P0 (or ``index``) after an instruction, operands as in ``result``."""
    warp = Warp(
        registers={i + 1: value for i, value in enumerate(values)},
        predicates={int(name[1:]): value for name, value in predicates.items()},
    )
    return bool(warp.execute(text, immediate).predicate(index)[0, 0])
