"""The way of results back from the LSU's data stage to the register files: one in a cycle, of all four SMSPs.

Those of an instruction that brings several registers follow each other, and no other's come between. What was begun
later may come back sooner. Loads through L1 wait for those of the data stage.
Seen on an H200: microbenchmarks ``met``, loads of four words and in eight passes beside others.
"""

from smsim.model import Model
from smsim.rules.bits import first_free
from smsim.rules.rule import rule
from smsim.state.sizes import NUM_RETURNS


@rule
def await_return(m: Model, done: int, results: int) -> int:
    """When the last of so many results in a row is back that could be then; they have the way for themselves."""
    done = behind_returns(m, done, results)
    taken_from, taken_until = m.sm[0]["returns_from"], m.sm[0]["returns_until"]
    oldest = first_free(taken_until)
    taken_from[oldest], taken_until[oldest] = done + 1 - results, done + 1
    return done


@rule
def behind_returns(m: Model, done: int, results: int) -> int:
    """When the last of so many results in a row can be back that could be then, with those on their way."""
    taken_from, taken_until = m.sm[0]["returns_from"], m.sm[0]["returns_until"]
    place = 0
    while place < NUM_RETURNS:
        if done + 1 - results < taken_until[place] and done + 1 > taken_from[place]:
            done, place = taken_until[place] + results - 1, 0
        else:
            place += 1
    return done


@rule
def delay_returns(m: Model, cycles: int, done: int) -> None:
    """What would begin to go back then or later, does so many cycles later."""
    for place in range(NUM_RETURNS):
        if m.sm[0]["returns_from"][place] >= done:
            m.sm[0]["returns_from"][place] += cycles
            m.sm[0]["returns_until"][place] += cycles
