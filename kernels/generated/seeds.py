"""Generated kernels beyond the suite: the name says what they are drawn from.

"registers_seed17_1x128" is what seed 17 draws of the profile "registers" for one block of 128 threads.
"""

import re

from kernels.generated.choices import SeededChoices
from kernels.generated.draw import draw_program
from kernels.generated.launches import make_kernel
from kernels.generated.profiles import PROFILES
from kernels.generated.program import Shape
from kernels.kernel import Kernel

_NAME = re.compile(r"(?P<profile>[a-z]+)_seed(?P<seed>\d+)_(?P<blocks>\d+)x(?P<threads>\d+)")


def seed_name(profile: str, seed: int, shape: Shape) -> str:
    """The name of what a seed draws."""
    return f"{profile}_seed{seed}_{shape.name}"


def from_name(name: str) -> Kernel | None:
    """The kernel of a name that ``seed_name`` gave; None for any other name."""
    found = _NAME.fullmatch(name)
    if found is None or found["profile"] not in PROFILES:
        return None
    profile, seed = found["profile"], int(found["seed"])
    shape = Shape(int(found["blocks"]), int(found["threads"]))
    return make_kernel(
        draw_program(SeededChoices(seed), profile, (shape,)),
        name,
        family=f"random_{profile}",
        description=f"random program of the profile {profile}, seed {seed}",
    )
