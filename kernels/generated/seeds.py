"""Generated kernels by seed. Beyond the suite, the name says what they are drawn from.

"registers_seed17_1x128" is what seed 17 draws of the profile "registers" for one block of 128 threads.
"""

import re
from dataclasses import dataclass

from kernels.generated.choices import SeededChoices
from kernels.generated.draw import draw_program
from kernels.generated.launches import make_kernel
from kernels.generated.profiles import PROFILES
from kernels.generated.program import Program, Shape
from kernels.kernel import Kernel

_NAME = re.compile(r"(?P<profile>[a-z]+)_seed(?P<seed>\d+)_(?P<blocks>\d+)x(?P<threads>\d+)")


@dataclass(frozen=True)
class Seed:
    """What a generated kernel comes of.

    Attributes:
        name: the kernel's.
        profile: a key of PROFILES.
        seed: of the choices.
        shapes: the launches.
    """

    name: str
    profile: str
    seed: int
    shapes: tuple[Shape, ...]

    def program(self) -> Program:
        """What the seed draws."""
        return draw_program(SeededChoices(self.seed), self.profile, self.shapes)

    def kernel(self) -> Kernel:
        """The program as a kernel; its family is "random_" and the profile."""
        return make_kernel(
            self.program(),
            self.name,
            family=f"random_{self.profile}",
            description=f"random program of the profile {self.profile}, seed {self.seed}",
        )


def seed_name(profile: str, seed: int, shape: Shape) -> str:
    """The name of what a seed draws."""
    return f"{profile}_seed{seed}_{shape.name}"


def from_name(name: str) -> Kernel | None:
    """The kernel of a name that ``seed_name`` gave; None for any other name."""
    found = _NAME.fullmatch(name)
    if found is None or found["profile"] not in PROFILES:
        return None
    shape = Shape(int(found["blocks"]), int(found["threads"]))
    return Seed(name, found["profile"], int(found["seed"]), (shape,)).kernel()
