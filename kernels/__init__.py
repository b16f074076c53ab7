"""The catalogue: CUDA C kernels with their launches and NumPy references.

``kernels.names()``, ``kernels.get("dot_ilp4")``, ``kernels.families()``. A family is a package beside this file: its
CUDA source and the declarations of its kernels. Generated kernels are found by name, too: those of
``kernels.generated.names()``, and those of any seed ("registers_seed17_1x128").
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kernels.catalogue import UnknownKernelError, families, get, names
from kernels.kernel import Expected, Kernel, Launch, UnknownLaunchError

if TYPE_CHECKING:
    from kernels import generated

__all__ = [
    "Expected",
    "Kernel",
    "Launch",
    "UnknownKernelError",
    "UnknownLaunchError",
    "families",
    "generated",
    "get",
    "names",
]


def __getattr__(name: str) -> Any:
    """Generated kernels load when they are asked for."""
    if name != "generated":
        raise AttributeError(f"module 'kernels' has no attribute {name!r}")
    return import_module("kernels.generated")
