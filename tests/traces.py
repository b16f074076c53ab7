"""Comparing traces in tests."""

from dataclasses import fields

from isa.trace import Trace


def differences(one: Trace, other: Trace) -> list[str]:
    """The names of the arrays in which two traces of one launch differ."""
    names = [field.name for field in fields(Trace) if field.name not in ("program", "launch")]
    return [name for name in names if getattr(one, name).tobytes() != getattr(other, name).tobytes()]
