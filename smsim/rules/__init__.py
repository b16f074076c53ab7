"""The microarchitecture, written once: plain functions over a Model that both drivers call.

Every function here is in the subset of Python that Numba compiles, and runs compiled alone. A rule reads and writes the
State, never the clock: the driver passes the cycle, ``now``.
"""
