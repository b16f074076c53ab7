"""A generated program as plain values and back, for files: every node is a dictionary with its class under "is"."""

from dataclasses import fields
from typing import Any

from kernels.generated import program as nodes
from kernels.generated.program import Program
from kernels.generated.validity import problems

_CLASSES = {
    name: getattr(nodes, name)
    for name in ("Program", "Shape", "Compute", "Branch", "Switch", "Loop", "Exchange", "Take", "Barrier")
}


def to_plain(node: Any) -> Any:
    """The tree below a node, a Program for instance, as dictionaries, lists, strings and numbers."""
    if isinstance(node, tuple):
        return [to_plain(item) for item in node]
    if type(node).__name__ in _CLASSES:
        return {"is": type(node).__name__} | {f.name: to_plain(getattr(node, f.name)) for f in fields(node)}
    return node


def from_plain(plain: Any) -> Any:
    """What :func:`to_plain` was given; ValueError for anything else."""
    if isinstance(plain, list):
        return tuple(from_plain(item) for item in plain)
    if not isinstance(plain, dict):
        return plain
    values = {name: from_plain(value) for name, value in plain.items() if name != "is"}
    try:
        return _CLASSES[plain["is"]](**values)
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a node of a generated program: {error!r}") from None


def program_from_plain(plain: Any) -> Program:
    """A whole program; ValueError for anything else or for a program that breaks the rules of the grammar."""
    program = from_plain(plain)
    if not isinstance(program, Program):
        raise ValueError("not a generated program")
    found = problems(program)
    if found:
        raise ValueError(f"not a valid generated program: {found[0]}")
    return program
