"""A damaged cubin is refused with a clear error, or read; it never ends in another exception."""

from contextlib import suppress
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from isa.compile import compile_source
from isa.cubin import read_cubin
from isa.errors import CubinError

CODE = """
__device__ int counter = 3;
__constant__ float table[4] = {1, 2, 3, 4};
extern "C" __global__ void k(float *o, int n) { o[n] = table[n]; atomicAdd(&counter, n); }
"""


@cache
def cubin() -> bytes:
    return compile_source(CODE)


@given(st.data())
def test_changed_bytes(data: st.DataObject) -> None:
    damaged = bytearray(cubin())
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with suppress(CubinError):
        read_cubin(bytes(damaged))


@given(st.data())
def test_a_cut_file(data: st.DataObject) -> None:
    with suppress(CubinError):
        read_cubin(cubin()[: data.draw(st.integers(0, len(cubin()) - 1))])
