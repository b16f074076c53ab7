"""The pipes behind an SMSP's dispatch port."""

from smsim.model import Model
from smsim.rules.rule import rule


@rule
def pipe_free(m: Model, smsp: int, pipe: int) -> int:
    """When the pipe takes its next instruction; "fma" stands for whichever of its heavy and lite halves is free first."""
    free = m.smsps[smsp]["pipe_free"]
    if pipe == m.params[0]["fma"]:
        return min(free[m.params[0]["fmaheavy"]], free[m.params[0]["fmalite"]])
    return free[pipe]


@rule
def occupy(m: Model, smsp: int, pipe: int, interval: int, now: int) -> None:
    """The pipe takes an instruction now and no other for ``interval`` cycles."""
    free = m.smsps[smsp]["pipe_free"]
    if pipe == m.params[0]["fma"]:
        # The lite half first: the heavy one is also wanted by what cannot go elsewhere.
        pipe = m.params[0]["fmalite"] if free[m.params[0]["fmalite"]] <= now else m.params[0]["fmaheavy"]
    free[pipe] = now + interval
