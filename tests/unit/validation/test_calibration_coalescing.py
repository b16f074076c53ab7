"""Which loads L2 answers together, and how far it is, follows from loads of the same lines some cycles apart."""

import numpy as np
import pytest

from smsim.gpcs import gpcs

from .calibration_recordings import recorded, rule, samples

SMS, LINES, REPEATS, WINDOW = 132, 40, 4, 70
LATENCY = 280


@pytest.fixture
def further():
    """By how much longer each SM's way is, evenly spread over 20 cycles in each GPC."""
    gpc = gpcs(SMS)
    place = np.array([np.count_nonzero(gpc[:sm] == gpc[sm]) for sm in range(SMS)])
    return np.round(20 * place / (np.bincount(gpc)[gpc] - 1))


@pytest.fixture
def recordings(tmp_path, further):
    """Each SM asks for each line some cycles behind the others of its GPC, at random."""
    random, repeats = np.random.default_rng(0), []
    for _ in range(REPEATS):
        records = np.zeros((SMS, 1 + 2 * LINES), np.int64)
        records[:, 0] = range(SMS)
        for gpc in np.unique(gpcs(SMS)):
            sms = np.flatnonzero(gpcs(SMS) == gpc)
            for line in range(LINES):
                asked = random.integers(0, 3000, len(sms))
                first = -WINDOW - 1
                for number in np.argsort(asked, kind="stable"):
                    first = asked[number] if asked[number] > first + WINDOW else first
                    records[sms[number], 1 + 2 * line] = asked[number]
                    records[sms[number], 2 + 2 * line] = first + LATENCY - asked[number] + further[sms[number]]
        repeats.append(records.tolist())
    return recorded(tmp_path, "f", {"x": {"1": repeats}})


def test_a_load_joins_another_one_until_l2_answers(recordings):
    found = samples(recordings, rule("coalescing_window", "x", near="16", apart="112"))
    assert found == [pytest.approx(WINDOW, abs=3)] * REPEATS


def test_sms_are_farther_than_others(recordings):
    found = samples(recordings, rule("sm_spread", "x", apart="112"))
    assert np.mean(found) == pytest.approx(20, abs=4)


def test_ways_to_lines_are_alike(recordings):
    assert samples(recordings, rule("way_spread", "x", apart="112")) == [pytest.approx(0, abs=2)] * 8
