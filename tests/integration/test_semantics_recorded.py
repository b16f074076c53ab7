"""The emulator gives what an H100 gave, for every operation of the semantics check, on 512 operand sets each."""

import numpy as np
import pytest

from validation.semantics_check import compare
from validation.semantics_check.operands import kind, operand_sets
from validation.semantics_check.prepare import FAMILIES


@pytest.mark.parametrize("family", FAMILIES)
def test_outputs_are_those_of_the_h100(family: str) -> None:
    theirs, operands = compare.recorded(), operand_sets()
    wrong = []
    for name, ours in compare.emulated(family).items():
        indices = compare.differences(name, ours, theirs[name])
        if indices.size:
            first = indices[0]
            values = ", ".join(f"{x:#x}" for x in operands[kind(name)][:, first])
            wrong.append(f"{name}({values}) = {ours[first]:#x}, H100: {theirs[name][first]:#x} ({indices.size} differ)")
    assert not wrong, "\n".join(wrong)


def test_fchk_sends_the_same_divisions_to_the_slow_path() -> None:
    ours, theirs = (
        np.unpackbits(bits).reshape(-1, 256, 256)
        for bits in (compare.emulated_division_check(), compare.recorded()["fchk"])
    )
    pairs = np.argwhere(ours != theirs)
    assert not len(pairs), f"{len(pairs)} pairs differ, the first (fractions, exponents): {pairs[:5].tolist()}"
