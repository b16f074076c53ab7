"""The catalogue: CUDA C kernels with their launches and NumPy references.

``kernels.names()``, ``kernels.get("dot_ilp4")``, ``kernels.families()``. A family is a package beside this file: its
CUDA source and the declarations of its kernels. Generated kernels are found by name, too: those of
``kernels.generated.names()``, and those of any seed ("registers_seed17_1x128").
"""

from kernels import generated
from kernels.catalogue import UnknownKernelError, families, get, names
from kernels.kernel import Expected, Kernel, Launch, UnknownLaunchError

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
