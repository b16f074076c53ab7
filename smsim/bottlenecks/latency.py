"""Latency: the longest warp alone on the SM, times the waves of blocks."""

from dataclasses import replace

from isa.trace import Trace
from isa.trace.history import count_instructions
from smsim import engines
from smsim.bottlenecks.bottleneck import Bottleneck
from smsim.counts import Counts
from smsim.machine import Machine
from smsim.occupancy import occupancy


def latency(trace: Trace, machine: Machine, cache: str, counts: Counts) -> Bottleneck:
    """How long the launch would take if no warp were in another's way.

    The warp that executes most instructions is simulated alone, with its stall counts, dependencies, misses and nothing
    to wait for at block barriers; that is exact. Where an SM runs more blocks than it holds, their waves follow one
    another, all as long as the first: exact where all blocks are alike. Lines of L1 that another warp would have
    brought are misses of its own here; no more than the cycles of the whole launch are said.
    """
    instructions = count_instructions(trace)
    longest = int(instructions.argmax())
    warp = trace.warps[longest : longest + 1].copy()
    block, first, accesses = (int(warp[name][0]) for name in ("block", "first_access", "num_accesses"))
    warp["block"], warp["first_access"] = 0, 0
    alone = replace(
        trace,
        blocks=trace.blocks[block : block + 1],
        warps=warp,
        accesses=trace.accesses[first : first + accesses],
    )
    once = engines.run(alone, machine, cache).cycles
    at_once = occupancy(trace.program, trace.launch, machine).blocks * counts.sms
    waves = -(-len(trace.blocks) // at_once)
    each = once + machine.launch.relaunch - machine.launch.first_block
    unit = "instructions of the longest warp" + (f", {waves} waves of blocks" if waves > 1 else "")
    return Bottleneck("latency", min(once + (waves - 1) * each, counts.cycles), int(instructions[longest]), unit)
