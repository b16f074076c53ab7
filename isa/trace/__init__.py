"""Trace: what each warp executed and what its memory accesses touched."""

from isa.trace.model import Trace

__all__ = ["Trace"]
