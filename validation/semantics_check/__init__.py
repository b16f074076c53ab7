"""The emulator's arithmetic against a GPU: one kernel per operation, the same operands, the outputs recorded.

``prepare`` writes a folder with cubins, operands and ``record.py``, which needs only CuPy and a GPU and writes
``outputs.npz``; the recorded outputs are kept in ``h100.npz``, and a test compares the emulator with them.
"""
