"""What each profile draws from."""

from collections.abc import Mapping
from dataclasses import dataclass

ARITHMETIC = {
    "float": 6,
    "integer": 6,
    "logic": 4,
    "bits": 2,
    "convert": 2,
    "double": 2,
    "half": 2,
    "special": 3,
}
SHARED = {"shuffle": 4, "vote": 2, "shared_atomic": 2}
MEMORY = {"load": 6, "gather": 3, "store": 3, "store_wide": 2, "global_atomic": 1, "local": 2}


@dataclass(frozen=True)
class Profile:
    """Weights of what is drawn.

    Attributes:
        arithmetic: weights of the groups of operations of which a program takes one to four.
        special: the same for the groups that make the profile what it is; a program takes one to three.
        forms: weights of the statements that hold others, or wait.
        form_percent: the largest share of such statements that a program may have.
        sizes: operations in the main loop's body, least and most.
        conditions: the conditions that a branch may have.
    """

    arithmetic: Mapping[str, int]
    special: Mapping[str, int]
    forms: Mapping[str, int]
    form_percent: int
    sizes: tuple[int, int]
    conditions: tuple[str, ...]


UNIFORM = ("iteration", "parameter", "warp")
PARTING = ("lanes_below", "lanes_apart", "data", "less", "float_less")

PROFILES = {
    "registers": Profile(ARITHMETIC, {}, {"branch": 3, "loop": 1}, 10, (8, 300), UNIFORM + PARTING),
    "shared": Profile(
        ARITHMETIC,
        SHARED,
        {"exchange": 8, "barrier": 2, "loop": 1, "branch": 1},
        40,
        (6, 100),
        UNIFORM,
    ),
    "memory": Profile(ARITHMETIC, MEMORY, {"loop": 1, "branch": 1}, 8, (6, 100), UNIFORM + PARTING),
    "divergence": Profile(
        ARITHMETIC, {}, {"branch": 5, "lane_loop": 2, "switch": 2, "loop": 1}, 30, (10, 120), PARTING + UNIFORM
    ),
    "mixed": Profile(
        ARITHMETIC,
        SHARED | MEMORY,
        {"branch": 4, "exchange": 3, "lane_loop": 1, "switch": 1, "loop": 2, "barrier": 1},
        25,
        (10, 120),
        UNIFORM + PARTING,
    ),
}
