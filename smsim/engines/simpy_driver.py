"""The SimPy driver: SMSPs, the MIO and the block dispatcher are processes; the rules say what each does in a cycle.

It is the reference. Time is counted in ticks, several to a cycle, so that what happens within one cycle has an explicit
order: blocks are launched, the MIO's queues move, then SMSP 0 to 3 issue. A process sleeps until the cycle in which it
has something to do, or until another process gives it something: then its alarm rings.
"""

import math
from collections.abc import Generator
from typing import Any

import simpy

from isa.errors import MachineError
from isa.instruction import INSTRUCTION_BYTES
from isa.trace import Trace
from smsim.engines.announcer import Announcer, check_all_left
from smsim.model import Model
from smsim.policies import Candidate, Policy, policy_number
from smsim.rules.blocks import dispatch_blocks
from smsim.rules.constant_misses import misses_constants
from smsim.rules.dispatch import reached_at
from smsim.rules.issue import issue
from smsim.rules.mio import serve
from smsim.rules.rule import machine_code
from smsim.rules.select import select
from smsim.rules.smsp import look, next_look
from smsim.several import STRIDE, first_in, one_of
from smsim.state.sizes import NEVER, NUM_SMSPS

# Ticks of a cycle.
DISPATCH, MIO, FIRST_SMSP = 0, 1, 2
TICKS = FIRST_SMSP + NUM_SMSPS

Steps = Generator[simpy.Event, Any, None]


def run(trace: Trace, models: Model, policy: str | Policy, announcer: Announcer) -> None:
    """Simulate SMs (:mod:`smsim.several`) until every block has left them.

    Raises KernelError when warps are left that nothing can wake.
    """
    drivers = [SimpyDriver(trace, one_of(models, sm), policy, announcer) for sm in range(len(models.sm))]
    now = 0
    while len(drivers) > 1 and now < NEVER:
        now -= now % STRIDE
        for k in range(len(drivers)):
            driver = drivers[(first_in(now, len(drivers)) + k) % len(drivers)]
            if driver.due < now + STRIDE:
                driver.run_before(now + STRIDE)
        now = min(driver.due for driver in drivers)
    for driver in drivers:
        driver.run()


class SimpyDriver:
    """One SM under SimPy.

    Args:
        trace, model: what runs, and the SM set up for it.
        policy: a policy's name, or a function that is asked in every cycle in which a warp is eligible.
        announcer: told of every event.
    """

    def __init__(self, trace: Trace, model: Model, policy: str | Policy, announcer: Announcer) -> None:
        self._trace = trace
        self._model = model
        self._policy = policy
        self._policy_number = policy_number(policy) if isinstance(policy, str) else -1
        self._announcer = announcer
        self._environment = simpy.Environment()
        self._alarms = [self._environment.event() for _ in range(TICKS)]
        self._due = [0] * TICKS
        # By tick, the cycle in which its process has something to do: arrays of one element.
        wakes = (model.smsps["wake"][smsp : smsp + 1] for smsp in range(NUM_SMSPS))
        self._wakes = (model.sm["dispatch_wake"], model.sm["mio_wake"], *wakes)
        self._dispatch_blocks = machine_code(dispatch_blocks, model, 1)
        self._serve = machine_code(serve, model, 1)
        self._look = machine_code(look, model, 2)
        self._select = machine_code(select, model, 4)
        self._misses_constants = machine_code(misses_constants, model, 2)
        self._reached_at = machine_code(reached_at, model, 2)
        self._issue = machine_code(issue, model, 2)
        self._next_look = machine_code(next_look, model, 3)

        self._environment.process(self._block_dispatcher())
        self._environment.process(self._mio())
        for smsp in range(NUM_SMSPS):
            self._environment.process(self._smsp(smsp))

    def run(self) -> None:
        """Simulate until every block has left the SM.

        Raises KernelError when warps are left that nothing can wake.
        """
        self._environment.run()
        check_all_left(self._trace, self._model)

    def run_before(self, cycle: int) -> None:
        """Simulate to before a cycle."""
        while self._environment.peek() < cycle * TICKS:
            self._environment.step()

    @property
    def due(self) -> int:
        """The next cycle in which anything can happen; ``NEVER`` when nothing can any more."""
        ticks = self._environment.peek()
        return NEVER if ticks == math.inf else int(ticks) // TICKS

    def _block_dispatcher(self) -> Steps:
        model = self._model
        while True:
            launched = int(model.sm[0]["launched_blocks"])
            self._dispatch_blocks(model, self._cycle)
            if model.sm[0]["launched_blocks"] > launched:
                self._announcer.block_launched(self._cycle, int(model.sm[0]["last_block"]))
            self._ring()
            yield from self._sleep(DISPATCH)

    def _mio(self) -> Steps:
        while True:
            self._serve(self._model, self._cycle)
            self._ring()
            yield from self._sleep(MIO)

    def _smsp(self, smsp: int) -> Steps:
        while True:
            self._issue_slot(smsp)
            self._ring()
            yield from self._sleep(FIRST_SMSP + smsp)

    def _issue_slot(self, smsp: int) -> None:
        """What an SMSP does in one cycle."""
        model, now = self._model, self._cycle
        resident = self._resident(smsp)
        eligible = self._look(model, smsp, now)
        for w in sorted(resident - self._resident(smsp)):
            self._announcer.warp_exited(now, w)
        if eligible:
            w = (
                self._select(model, smsp, eligible, self._policy_number, now)
                if self._policy_number >= 0
                else self._ask(smsp, eligible)
            )
            if not self._misses_constants(model, w, now):
                if self._announcer.is_heard:
                    warp = model.warps[w]
                    reached = self._reached_at(model, smsp, now)
                    self._announcer.issue(
                        now, w, int(warp["trace_warp"]), int(warp["pc"]), int(warp["mask"]), reached=reached
                    )
                self._issue(model, w, now)
        self._next_look(model, smsp, eligible, now)

    def _ask(self, smsp: int, eligible: int) -> int:
        """The user's policy; what it returns must be one of its candidates."""
        assert callable(self._policy)
        warps, last = self._model.warps, self._model.smsps[smsp]["last_warp"]
        candidates = [
            Candidate(
                slot=w,
                launch_order=int(warps[w]["launch_order"]),
                pc=int(warps[w]["pc"]) * INSTRUCTION_BYTES,
                issued_last=w == last,
            )
            for w in range(smsp, len(warps), NUM_SMSPS)
            if eligible >> (w // NUM_SMSPS) & 1
        ]
        picked = self._policy(self._cycle, smsp, candidates)
        if picked not in candidates:
            raise MachineError(f"cycle {self._cycle}, SMSP {smsp}: the policy picked {picked!r}, not a candidate")
        return picked.slot

    def _resident(self, smsp: int) -> set[int]:
        if not self._announcer.is_heard:
            return set()
        resident = int(self._model.smsps[smsp]["resident"])
        return {w for w in range(smsp, len(self._model.warps), NUM_SMSPS) if resident >> w // NUM_SMSPS & 1}

    @property
    def _cycle(self) -> int:
        return int(self._environment.now) // TICKS

    def _wanted(self, tick: int) -> int:
        """The cycle in which the process of a tick has something to do."""
        return int(self._wakes[tick].item())

    def _ring(self) -> None:
        """Wake the processes that now have something to do before they meant to."""
        for tick in range(TICKS):
            if self._wanted(tick) < self._due[tick] and not self._alarms[tick].triggered:
                self._alarms[tick].succeed()

    def _sleep(self, tick: int) -> Steps:
        """Until the process's next cycle: never the current one again, since its tick has passed."""
        environment = self._environment
        first = self._cycle + 1
        while True:
            self._due[tick] = self._wanted(tick)
            self._alarms[tick] = environment.event()
            # A tick that is still ahead in this cycle may be used, one that has passed may not.
            earliest = max(first, -(-(int(environment.now) - tick) // TICKS))
            if self._due[tick] >= NEVER:
                yield self._alarms[tick]
                continue
            at = max(self._due[tick], earliest) * TICKS + tick
            if at == environment.now:
                return
            alarm = self._alarms[tick]
            yield environment.timeout(at - environment.now) | alarm
            if environment.now == at:
                return
