"""The pipes behind an SMSP's dispatch port, and the two halves of the FMA pipe.

FFMA, FADD and FMUL go to either half; IMAD, VIADD and IMAD.WIDE to the heavy one; HFMA2 needs both at once. An
instruction whose guard is false in every lane occupies its pipe, too.
Seen on the H100: microbenchmarks ``throughput``, pairs of operations, and ``mixes``, quads.
"""

from smsim.model import Model
from smsim.rules.rule import rule


@rule
def pipe_free(m: Model, smsp: int, pipe: int) -> int:
    """When the pipe takes its next instruction."""
    p = m.params[0]
    free = m.smsps[smsp]["pipe_free"]
    if pipe == p["fma"]:
        return min(free[p["fmaheavy"]], free[p["fmalite"]])
    if pipe == p["fma_both"]:
        return max(free[p["fmaheavy"]], free[p["fmalite"]])
    if pipe == p["fma_wide"]:
        return free[p["fmaheavy"]]
    return free[pipe]


@rule
def occupy(m: Model, smsp: int, pipe: int, until: int, now: int) -> None:
    """The pipe takes an instruction now and no other before ``until``."""
    p = m.params[0]
    free = m.smsps[smsp]["pipe_free"]
    lite, heavy = p["fmalite"], p["fmaheavy"]
    if pipe == p["fma"]:
        # The lite half first: the heavy one is also wanted by what cannot go elsewhere.
        pipe = lite if free[lite] <= now else heavy
    if pipe == p["fma_wide"]:
        pipe = heavy
    if pipe == p["fma_both"]:
        free[heavy] = until
        free[lite] = until
    else:
        free[pipe] = until
