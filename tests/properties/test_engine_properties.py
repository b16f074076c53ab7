"""What every simulation obeys, on random programs, machines and policies."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from isa.control import NO_BARRIER
from smsim import engines
from smsim.machine import Machine, load
from smsim.policies import Candidate
from smsim.reasons import Reason
from smsim.testing import Launch, Probe, Routine, invariants, program, run, strategies

H100 = load("h100")

# The same examples every time: a change of the rules fails in CI or it does not.
few = settings(deadline=None, derandomize=True, max_examples=12)
some = settings(deadline=None, derandomize=True, max_examples=25)
# "auto" is the compiled driver, but for policies in Python.
drivers = st.sampled_from(("auto", "simpy"))
small = strategies.launches(max_warps=6, max_blocks=3)


def same(first: Probe, second: Probe) -> None:
    assert first.events == second.events
    assert first.counts.cycles == second.counts.cycles
    assert first.counts.memory == second.counts.memory
    np.testing.assert_array_equal(first.counts.warp_cycles, second.counts.warp_cycles)


@some
@given(small, strategies.machines(), strategies.policies, st.sampled_from(engines.CACHES), drivers)
def test_every_run_obeys_the_invariants(
    launch: Launch, machine: Machine, policy: strategies.AnyPolicy, cache: str, engine: str
) -> None:
    invariants.check(run(launch, machine, engine, policy=policy, cache=cache))


@settings(few, max_examples=5)
@given(strategies.launches(), strategies.policies)
def test_full_sms_obey_the_invariants(launch: Launch, policy: strategies.AnyPolicy) -> None:
    invariants.check(run(launch, policy=policy))


@few
@given(small, strategies.machines(), strategies.policies)
def test_the_same_input_gives_the_same_result(launch: Launch, machine: Machine, policy: strategies.AnyPolicy) -> None:
    same(run(launch, machine, policy=policy), run(launch, machine, policy=policy))


@few
@given(small, strategies.policies)
def test_listeners_change_nothing(launch: Launch, policy: strategies.AnyPolicy) -> None:
    heard = run(launch, policy=policy)
    alone = engines.run(launch.trace(), H100, policy=policy)
    same(heard, replace(heard, counts=alone))


@few
@given(small, strategies.policies, strategies.policies)
def test_policies_issue_the_same_instructions(
    launch: Launch, first: strategies.AnyPolicy, second: strategies.AnyPolicy
) -> None:
    issued = [run(launch, policy=policy).counts.warp_cycles[:, :, Reason.SELECTED] for policy in (first, second)]
    np.testing.assert_array_equal(issued[0].sum(axis=0), issued[1].sum(axis=0))


def oldest_first(cycle: int, smsp: int, candidates: Sequence[Candidate]) -> Candidate:
    return min(candidates, key=lambda candidate: candidate.launch_order)


def greedy_then_oldest(cycle: int, smsp: int, candidates: Sequence[Candidate]) -> Candidate:
    return next((c for c in candidates if c.issued_last), oldest_first(cycle, smsp, candidates))


class LooseRoundRobin:
    """The next slot behind the last one picked on the SMSP."""

    def __init__(self) -> None:
        self.last = [-1] * 4

    def __call__(self, cycle: int, smsp: int, candidates: Sequence[Candidate]) -> Candidate:
        behind = [c for c in candidates if c.slot > self.last[smsp]]
        picked = min(behind or candidates, key=lambda candidate: candidate.slot)
        self.last[smsp] = picked.slot
        return picked


@few
@given(strategies.launches(max_warps=12, max_blocks=2))
def test_policies_in_python_are_those_built_in(launch: Launch) -> None:
    same(run(launch, policy="oldest-first"), run(launch, policy=oldest_first))
    same(run(launch, policy="greedy-then-oldest"), run(launch, policy=greedy_then_oldest))
    same(run(launch, policy="loose-round-robin"), run(launch, policy=LooseRoundRobin()))


QUEUES = [(unit, template) for unit in strategies.QUEUED for template in strategies.TEMPLATES[unit]]


@some
@given(st.sampled_from([unit for unit in strategies.QUEUED if unit not in ("lg", "adu")]), st.data())
def test_results_of_one_queue_come_back_in_order(unit: str, data: st.DataObject) -> None:
    """Who waits for the last of them need not wait for those before it; only loads that hit L1 pass those that miss."""
    producers = [
        replace(op, control=replace(op.control, wait_mask=0, read_barrier=NO_BARRIER, write_barrier=min(number, 4)))
        for number, op in enumerate(data.draw(st.lists(strategies.ops((unit,)), min_size=2, max_size=5)))
        if op.lanes
    ]
    assume(len(producers) >= 2)
    last = producers[-1].control.write_barrier
    routine = program().then(*producers).mov(30, 1, stall=1, wait=[last]).mov(31, 1, wait=range(5)).exit()
    probe = run(routine)
    held = probe.stalls(len(producers) + 1)
    assert not {"long_scoreboard", "short_scoreboard"} & held.keys(), held


@settings(some, max_examples=40)
@given(strategies.routines(strategies.REGISTER_ONLY), strategies.slower(H100))
def test_a_raised_latency_never_speeds_up_one_warp(routine: Routine, slower: Machine) -> None:
    assert run(routine, slower).counts.cycles >= run(routine).counts.cycles
