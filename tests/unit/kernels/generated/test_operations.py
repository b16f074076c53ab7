import re
from string import Formatter

import pytest

from kernels.generated.declarations import DATA, MUFU_NAMES
from kernels.generated.operations import CONDITION, LITERALS, NOTHING, VARIABLE_KINDS, group, operations, simplest
from kernels.generated.profiles import PROFILES

DECLARED = {"", "fp16", "in2", "in4", "local", "counts", "tickets", "bins", *MUFU_NAMES, *DATA}


@pytest.mark.parametrize("name", operations())
def test_a_row_is_consistent(name: str):
    operation = operations()[name]
    assert operation.result in (*VARIABLE_KINDS, NOTHING, CONDITION)
    assert set(operation.sources) <= {*VARIABLE_KINDS, *LITERALS}
    assert operation.level in ("lane", "block")
    assert operation.needs in DECLARED
    assert operation.latency > 0
    assert operation.sm_cycles > 0
    used = {field for _, field, _, _ in Formatter().parse(operation.expression) if field is not None}
    assert used == {str(number) for number in range(len(operation.sources))}


@pytest.mark.parametrize("name", operations())
def test_approximate_values_stay_among_themselves(name: str):
    operation = operations()[name]
    assert "a" not in operation.sources or operation.result == "a"
    approximate = re.search(r"_\(\{0\}\)|__expf|__logf|rsqrtf|__fdividef|__fdiv_rn", operation.expression)
    assert not approximate or operation.result == "a"


@pytest.mark.parametrize("name", operations())
def test_the_old_value_of_what_is_written_is_read(name: str):
    operation = operations()[name]
    assert operation.result in (NOTHING, CONDITION) or operation.sources[0] == operation.result


def test_the_simplest_operation_of_a_kind_reads_that_kind_only():
    assert [simplest(kind).name for kind in VARIABLE_KINDS] == ["iadd3", "fadd", "dadd", "hadd2", "rsqrt"]


def test_profiles_name_what_there_is():
    for profile in PROFILES.values():
        assert all(group(name) for name in {**profile.arithmetic, **profile.special})
        assert all(operations()[name].result == CONDITION for name in profile.conditions)
