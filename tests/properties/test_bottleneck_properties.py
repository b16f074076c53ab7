"""No launch is faster than any of its units allows, on random programs and machines."""

from hypothesis import given, settings
from hypothesis import strategies as st

from smsim import engines
from smsim.bottlenecks.find import find_bottlenecks
from smsim.machine import Machine
from smsim.testing import Launch, strategies

# What goes on when the last warp has left: accesses that nobody waits for.
OUTLASTING = {"l1_tags", "l2_reads", "l2_writes"}


@settings(deadline=None, derandomize=True, max_examples=150)
@given(strategies.launches(max_warps=12, max_blocks=3), strategies.machines(), st.sampled_from(engines.CACHES))
def test_no_unit_is_busy_for_longer_than_the_launch_takes(launch: Launch, machine: Machine, cache: str) -> None:
    trace = launch.trace()
    counts = engines.run(trace, machine, cache)
    intervals = [pipe.interval for pipe in machine.pipes.values()]
    intervals += [operation.interval or 0 for operation in machine.operations.values()]
    for each in find_bottlenecks(trace, machine, cache, counts):
        # The last instruction may keep its pipe beyond the end.
        assert each.name in OUTLASTING or each.cycles <= counts.cycles + max(intervals), (each, counts.cycles)
