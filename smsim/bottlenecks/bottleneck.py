"""What one limit alone would make of a launch."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """One limit of a launch, as if everything else were free.

    Attributes:
        name: "issue_slots", "pipe_fma", ..., "l1_tags", ..., "latency".
        cycles: that the launch would take if this were its only limit.
        amount, unit: what the limit has to serve in that time: 31,775 "lines". Of what each SMSP has for itself, the
            SMSP that is busiest with it; of what each SM has for itself, an SM's mean.
    """

    name: str
    cycles: int
    amount: int
    unit: str
