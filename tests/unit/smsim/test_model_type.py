"""Machine code gets a Model as a pointer to a table of its arrays."""

from dataclasses import replace

import pytest

from smsim.machine import load
from smsim.model import Model, build_model
from smsim.rules.model_type import type_of
from smsim.rules.smsp import next_look
from smsim.state.sizes import NEVER
from smsim.testing import Launch, program


def build(**changes: float) -> Model:
    trace = Launch((program().exit(),)).trace()
    return build_model(
        trace, load("h100").replace({path.replace("__", "."): new for path, new in changes.items()}), cold=False
    )


@pytest.fixture
def model() -> Model:
    return build()


def test_models_with_the_same_kinds_of_arrays_are_of_one_type(model: Model) -> None:
    assert type_of(model) is type_of(build(l1__ways=2))


def test_models_with_other_records_are_of_another_type(model: Model) -> None:
    assert type_of(model) != type_of(build(l1__line_bytes=64))


def test_the_table_says_where_each_array_lies(model: Model) -> None:
    arrays = [array for _, array in model.arrays()]
    words = model.table.tolist()
    addresses, words = words[: len(arrays)], words[len(arrays) :]
    assert addresses == [array.ctypes.data for array in arrays]
    for array in arrays:
        first, words = words[: 2 * array.ndim], words[2 * array.ndim :]
        assert first == [*array.shape, *array.strides]
    assert words == []


def test_a_rule_writes_to_the_arrays_of_the_model_that_it_is_given(model: Model) -> None:
    other = replace(model, smsps=model.smsps.copy())
    other.smsps["later"][1] = 7
    next_look(other, 1, 0, 3)
    assert other.smsps["wake"].tolist() == [0, 7, 0, 0]
    next_look(model, 1, 0, 3)
    assert model.smsps["wake"].tolist() == [0, NEVER, 0, 0]
