"""Programs that differential testing found: what still differs from the GPU is known, what agrees stays so."""

import pytest

from smsim.machine import load
from validation.differential.found import TOLERANCE, kept


@pytest.mark.parametrize("found", list(kept()), ids=lambda found: found.path.stem)
def test_a_found_program_differs_as_far_as_is_known(found):
    sides = found.sides(load("h100"))
    assert sides.differ(TOLERANCE) == found.file.open, (
        f"{found.path.name}: {sides.error:+.1%}; python -m validation.differential.found writes which differ"
    )
