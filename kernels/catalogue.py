"""All kernels, by name and by family."""

from kernels import (
    banks,
    chain,
    divergence,
    dot,
    indexing,
    matmul,
    multiply_add,
    pipeline,
    reduction,
    restrict,
    rsqrt,
    scale,
    scan,
    spill,
    stencil,
    vec_add,
)
from kernels.kernel import Kernel, suggestion


class UnknownKernelError(LookupError):
    """The catalogue has no kernel of that name; the message offers the closest names."""


FAMILIES = (
    chain,
    dot,
    scale,
    reduction,
    matmul,
    multiply_add,
    indexing,
    stencil,
    scan,
    rsqrt,
    pipeline,
    vec_add,
    banks,
    divergence,
    restrict,
    spill,
)
_KERNELS: dict[str, Kernel] = {kernel.name: kernel for family in FAMILIES for kernel in family.KERNELS}


def names() -> tuple[str, ...]:
    """The names of all kernels, family by family."""
    return tuple(_KERNELS)


def families() -> dict[str, tuple[str, ...]]:
    """The kernel names of each family."""
    grouped: dict[str, tuple[str, ...]] = {}
    for kernel in _KERNELS.values():
        grouped[kernel.family] = (*grouped.get(kernel.family, ()), kernel.name)
    return grouped


def get(name: str) -> Kernel:
    """The kernel of that name; UnknownKernelError when there is none."""
    if name not in _KERNELS:
        raise UnknownKernelError(f"no kernel '{name}' in the catalogue{suggestion(name, names())}")
    return _KERNELS[name]
