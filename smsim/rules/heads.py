"""The heads of an SMSP's queues."""

from smsim.model import Model
from smsim.rules.rule import rule


@rule
def head_of(m: Model, smsp: int, queue: int) -> tuple[int, int, int]:
    """Where in ``queues`` the head of a queue is."""
    return smsp, queue, m.smsps[smsp]["queue_head"][queue]
