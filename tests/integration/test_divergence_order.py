"""The parts of a diverged warp run in the order in which they ran on an H100.

``recorded/divergence_order.json`` holds what the kernels of ``recorded/divergence_order.cu`` gave there, launched with
one warp and ``x[i] = i``: by kernel and place the ticket that each lane drew, -1 for lanes that did not pass.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cuda import run

RECORDED = Path(__file__).parent / "recorded"
SOURCE = (RECORDED / "divergence_order.cu").read_text()
TICKETS: dict[str, dict[str, list[int]]] = json.loads((RECORDED / "divergence_order.json").read_text())
PLACES = 10


@pytest.mark.parametrize("kernel", TICKETS)
def test_tickets_are_those_of_the_h100(kernel: str) -> None:
    tickets = np.full((PLACES, 32), -1, np.int32)
    run(SOURCE, kernel, 1, 32, tickets, np.arange(32, dtype=np.int32))
    passed = {str(place): row.tolist() for place, row in enumerate(tickets) if row.max() >= 0}
    assert passed == TICKETS[kernel]
