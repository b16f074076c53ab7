"""Rough costs of a program's parts: they choose trip counts, and predict nothing."""

from typing import NamedTuple

from kernels.generated.operations import operations
from kernels.generated.program import Body, Branch, Compute, Exchange, Loop, Statement, bodies


class Cost(NamedTuple):
    """Cycles of one warp alone, cycles that each warp takes of the whole SM, and operations executed."""

    latency: int = 0
    sm_cycles: int = 0
    operations: int = 0

    def plus(self, other: "Cost") -> "Cost":
        """The cost of both."""
        return Cost(*(mine + others for mine, others in zip(self, other, strict=True)))

    def times(self, count: int) -> "Cost":
        """The cost of ``count`` rounds."""
        return Cost(*(count * mine for mine in self))


BRANCH, SWITCH, TRIP, BARRIER = Cost(20, 2, 3), Cost(40, 4, 6), Cost(12, 2, 3), Cost(30, 2, 1)
EXCHANGE, TAKE = Cost(100, 16, 12), Cost(30, 8, 6)


def cost(body: Body) -> Cost:
    """Of one pass; every side of a branch counts, and all trips of the loops inside."""
    total = Cost()
    for statement in body:
        total = total.plus(_own(statement))
        rounds = statement.trips if isinstance(statement, Loop) else 1
        for inner in bodies(statement):
            total = total.plus(cost(inner).times(rounds))
    return total


def _own(statement: Statement) -> Cost:
    match statement:
        case Compute():
            operation = operations()[statement.operation]
            return Cost(operation.latency, operation.sm_cycles, 2)
        case Branch():
            return BRANCH
        case Loop():
            return TRIP.times(statement.trips)
        case Exchange():
            return EXCHANGE.plus(TAKE.times(len(statement.takes)))
    return SWITCH if bodies(statement) else BARRIER
