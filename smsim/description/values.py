"""Values of a description by their path, such as ``pipes.fma.latency``."""

from collections.abc import Iterator
from typing import Any

from isa.errors import MachineError


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested dicts, with its path."""
    if isinstance(node, dict):
        for key, child in node.items():
            yield from leaves(child, f"{path}.{key}" if path else key)
    else:
        yield path, node


def number(path: str, given: float | str, *, integral: bool) -> float:
    """A number that a user gave for the value at ``path``; raises MachineError when it is none, or not a whole one."""
    try:
        given_number = float(given)
    except ValueError:
        raise MachineError(f"{path}={given}: not a number") from None
    if integral:
        if not given_number.is_integer():
            raise MachineError(f"{path}={given}: it must be a whole number")
        return int(given_number)
    return given_number


def put(tree: dict[str, Any], path: str, value: float) -> None:
    """Set a value of nested dicts; a key may itself contain dots (an operation's name does)."""
    for key in sorted(tree, key=len, reverse=True):
        if path == key:
            tree[key] = value
            return
        if path.startswith(f"{key}.") and isinstance(tree[key], dict):
            put(tree[key], path[len(key) + 1 :], value)
            return
    raise MachineError(f"no value {path!r}")
