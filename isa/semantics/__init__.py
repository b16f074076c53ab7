"""Functional semantics of SASS, one module per family of opcodes."""
