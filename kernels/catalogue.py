"""All kernels, by name and by family: the written ones, and by name the generated ones too."""

from kernels import (
    adds,
    async_copy,
    banks,
    chain,
    divergence,
    dot,
    fence,
    in_place,
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
    streams,
    strided,
    tables,
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
    in_place,
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
    streams,
    strided,
    async_copy,
    fence,
    adds,
    tables,
)
_KERNELS: dict[str, Kernel] = {kernel.name: kernel for family in FAMILIES for kernel in family.KERNELS}


def names() -> tuple[str, ...]:
    """The names of all written kernels, family by family; ``kernels.generated.names()`` are the others."""
    return tuple(_KERNELS)


def families() -> dict[str, tuple[str, ...]]:
    """The names of the written kernels of each family."""
    grouped: dict[str, tuple[str, ...]] = {}
    for kernel in _KERNELS.values():
        grouped[kernel.family] = (*grouped.get(kernel.family, ()), kernel.name)
    return grouped


def get(name: str) -> Kernel:
    """The kernel of that name, written, generated or of a seed; UnknownKernelError when there is none."""
    if name in _KERNELS:
        return _KERNELS[name]
    from kernels import generated  # noqa: PLC0415  (takes a while to load)

    if name in generated.names():
        return generated.get(name)
    drawn = generated.from_name(name)
    if drawn is not None:
        return drawn
    known = (*names(), *generated.names())
    raise UnknownKernelError(f"no kernel '{name}' in the catalogue{suggestion(name, known)}")
