"""``python -m validation.differential.found``: judge the kept programs anew and write which still differ.

Each file of ``found`` is the smallest program that a search reached, with the cycles that the GPU took for it. A
program stays when its gap has closed: it then keeps the gap from opening again.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from isa.files import write_whole
from kernels.generated.launches import make_kernel
from kernels.generated.program import Program
from kernels.generated.tree import program_from_plain
from smsim.machine import Machine, load
from validation.differential.sides import Sides, predict

FOLDER = Path(__file__).with_name("found")
TOLERANCE = 0.05


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    profile: str
    seed: int
    measured: tuple[tuple[int, ...], ...]
    open: bool
    program: dict[str, object]


@dataclass(frozen=True)
class Kept:
    """A program that was found.

    Attributes:
        path: its file; file: what that says. ``file.open`` is whether both sides differ by more than TOLERANCE.
    """

    path: Path
    file: _File

    @property
    def program(self) -> Program:
        """The program."""
        return program_from_plain(self.file.program)

    def sides(self, machine: Machine) -> Sides:
        """What the simulator says now beside what the GPU said then; SmsimError when it cannot run the program."""
        kernel = make_kernel(self.program, "found", family="random", description="found by differential testing")
        return Sides(predict(kernel, machine), self.file.measured)


def kept(folder: Path = FOLDER) -> Iterator[Kept]:
    """All programs that are kept, by name; ValueError names a damaged file."""
    for path in sorted(folder.glob("*.json")):
        try:
            yield Kept(path, msgspec.json.decode(path.read_bytes(), type=_File))
        except msgspec.DecodeError as error:
            raise ValueError(f"{path}: not a kept program: {error}") from None


def main() -> None:
    """Judge every kept program on the H100 and write its file."""
    machine = load("h100")
    for one in kept():
        sides = one.sides(machine)
        differs = sides.differ(TOLERANCE)
        print(f"{one.path.stem}: {sides.error:+.1%}, {'open' if differs else 'closed'}")
        plain = msgspec.to_builtins(msgspec.structs.replace(one.file, open=differs))
        write_whole(one.path, (json.dumps(plain) + "\n").encode())


if __name__ == "__main__":
    main()
