"""Whatever program is drawn compiles, runs to its end, and computes the same in every run and grouping of warps."""

from hypothesis import HealthCheck, given, settings

from kernels.generated.program import Program
from kernels.generated.reductions import reductions
from kernels.generated.strategy import programs
from kernels.generated.validity import problems
from tests.unit.kernels.generated.running import outputs

few = settings(
    deadline=None, derandomize=True, database=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow]
)


@few
@given(programs())
def test_drawn_programs_compute_the_same_again(program: Program):
    assert problems(program) == []
    assert outputs(program) == outputs(program)


@settings(few, max_examples=5)
@given(programs("mixed", largest=10, max_warps=2))
def test_smaller_programs_run_too(program: Program):
    smaller = list(reductions(program))
    for one in smaller[:: len(smaller) // 3 + 1]:
        outputs(one)


@settings(few, max_examples=40)
@given(programs("registers", largest=20))
def test_the_number_of_operations_is_limited(program: Program):
    assert len(program.body) <= 20
