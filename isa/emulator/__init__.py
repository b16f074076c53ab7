"""Functional execution of SASS, vectorised over lanes and over the warps that stand at the same instruction."""

from isa.emulator.run import DEFAULT_MAX_INSTRUCTIONS, emulate

__all__ = ["DEFAULT_MAX_INSTRUCTIONS", "emulate"]
