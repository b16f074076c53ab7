"""Generated programs as a Hypothesis strategy; the only file of ``kernels`` that needs Hypothesis."""

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

from kernels.generated.draw import draw_program
from kernels.generated.profiles import PROFILES
from kernels.generated.program import Program, Shape

T = TypeVar("T")


class DrawnChoices:
    """Choices that Hypothesis makes, and shrinks to the simplest."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``."""
        return self._draw(st.integers(low, high))

    def choice(self, options: Sequence[T]) -> T:
        """One of ``options``."""
        return self._draw(st.sampled_from(options))


@st.composite
def programs(
    draw: st.DrawFn, profile: str | None = None, *, largest: int = 24, max_warps: int = 4, max_blocks: int = 1
) -> Program:
    """Programs of a profile (of any by default) with up to ``largest`` operations in their main loop."""
    name = profile or draw(st.sampled_from(sorted(PROFILES)))
    shape = Shape(draw(st.integers(1, max_blocks)), 32 * draw(st.integers(1, max_warps)))
    return draw_program(DrawnChoices(draw), name, (shape,), largest)
