"""Which GPC and CPC the SMs of a launch are in, as on the H100 that was measured."""

import numpy as np
import pytest

from smsim.gpcs import cpc_interval, cpcs, gpcs
from smsim.state.chip import CPCS_OF_GPC, NUM_CPCS


def test_gpcs_of_18_sms_have_three_cpcs_of_six_and_others_one_of_four():
    gpc = gpcs(132)
    cpc = cpcs(gpc)
    sizes = np.bincount(cpc).reshape(-1, CPCS_OF_GPC)
    assert (np.bincount(gpc) == sizes.sum(axis=1)).all()
    assert [sorted(row) for row in sizes.tolist()] == [[4, 6, 6]] * 6 + [[6, 6, 6]] * 2


def test_of_33_blocks_five_of_one_gpc_are_in_one_cpc():
    counts = np.bincount(cpcs(gpcs(33)), minlength=NUM_CPCS)
    assert counts[:CPCS_OF_GPC].max() == 5
    assert counts[CPCS_OF_GPC:].max() <= 2


def test_a_cpc_sends_faster_where_others_send_little():
    assert cpc_interval(132, 0.25, 0.36) == pytest.approx(0.36)
    assert cpc_interval(33, 0.25, 0.36) == 0.25
    assert 0.25 < cpc_interval(80, 0.25, 0.36) <= 0.36
