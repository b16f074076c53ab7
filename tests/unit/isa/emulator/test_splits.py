"""What the parted lanes of one warp do: who goes on, with whom, and for whom BSYNC waits."""

from collections import deque

from isa.emulator.splits import Split, Wait, WaitKind, WarpState, arrive_converged, release_converged

BARRIER, MEETING, BEHIND = 0, 20, 21
FIRST, SECOND, THIRD = 0b001, 0b010, 0b100
ALL = FIRST | SECOND | THIRD


def wait(bits: int) -> Wait:
    return Wait(WaitKind.CONVERGENCE, BARRIER, ALL, bits, MEETING, BEHIND)


def test_bsync_waits_for_all_that_do_not_yield() -> None:
    state = WarpState(ready=deque([Split(5, SECOND)]), yielded=[Split(9, THIRD)])
    assert not arrive_converged(state, wait(FIRST), ALL)
    state.ready.clear()
    released = arrive_converged(state, wait(SECOND), ALL)
    assert [one.bits for one in released] == [FIRST, SECOND]
    assert not state.waits


def test_those_who_wait_go_on_when_the_last_partner_yields() -> None:
    state = WarpState(waits=[wait(FIRST | SECOND)])
    assert not release_converged(state, ALL, again=False)
    state.yielded.append(Split(9, THIRD))
    assert [one.bits for one in release_converged(state, ALL, again=False)] == [FIRST | SECOND]


def test_those_who_wait_execute_bsync_again_when_the_last_partner_has_left() -> None:
    state = WarpState(waits=[wait(FIRST), wait(SECOND)])
    assert len(release_converged(state, FIRST | SECOND, again=True)) == 2
    assert state.next_split() == Split(MEETING, FIRST | SECOND)


def test_who_yielded_has_a_turn_when_no_other_can_go_on() -> None:
    state = WarpState(ready=deque([Split(5, FIRST)]), yielded=[Split(9, SECOND), Split(12, THIRD)])
    assert [state.next_split() for _ in range(3)] == [Split(5, FIRST), Split(9, SECOND), Split(12, THIRD)]


def test_a_split_outstays_that_keeps_another_waiting_from_one_look_to_the_next() -> None:
    state = WarpState(ready=deque([Split(5, FIRST)]))
    assert [state.outstays() for _ in range(2)] == [False, True]
    state.next_split()
    state.ready.append(Split(9, SECOND))
    assert [state.outstays() for _ in range(2)] == [False, True]
    state.ready.clear()
    assert not state.outstays()


def test_lanes_that_are_looked_for_go_on_with_all_at_their_instruction() -> None:
    state = WarpState(ready=deque([Split(5, FIRST), Split(9, SECOND), Split(5, THIRD)]))
    assert state.next_split() == Split(5, FIRST | THIRD)
    assert state.next_split() == Split(9, SECOND)


def test_lanes_that_the_last_branch_left_go_on_alone() -> None:
    left = Split(5, THIRD)
    state = WarpState(ready=deque([Split(5, FIRST), left]), sibling=left)
    assert state.next_split() == left
    assert state.next_split() == Split(5, FIRST)
