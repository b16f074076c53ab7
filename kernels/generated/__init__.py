"""Random CUDA programs: a grammar, and a suite of programs whose launches are measured.

``kernels.generated.names()`` and ``get(name)`` are the suite; ``suite.csv`` says from which seeds. New programs come
from ``draw.draw_program`` (a seed) or ``strategy.programs`` (Hypothesis), as trees (``program.py``) that ``render.py``
turns into CUDA C and ``reductions.py`` makes smaller.
"""

from kernels.generated.seeds import from_name
from kernels.generated.suite import get, names

__all__ = ["from_name", "get", "names"]
