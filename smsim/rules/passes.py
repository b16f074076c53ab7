"""The passes that a load's words need in L1's data stage, by which of its lines L1 holds.

The banks deliver a word each in a pass. Words that L1 holds make their passes together; those that wait for L2 come
back as they were looked up, up to four lines at a time, one of each slice, whose words make their passes apart. The
lanes of a 64-bit load are served by half warps, those of a 128-bit one by quarter warps.
Seen on the H100: ncu's wavefronts of single loads (``tests/engines/test_passes.py``).
"""

from smsim.model import Model
from smsim.rules.rule import apart, rule
from smsim.state.sizes import NUM_PLANES, NUM_SLICES

# Cycles that a load which waits for L2 takes for each pass, and besides for one of a line as it comes.
# Seen on the H100: microbenchmarks ``lacking``, ``distances``; on an H200: ``gathers``.
LINE_COMES, PASS = 0.7, 1.0


@rule
def note_look(m: Model, number: int, slice_: int, waits: bool, comes: int) -> None:
    """A load's line, counted from 0, was looked up in its slice; it waits for L2 until it comes, or does not.

    ``comes``: from when the load's tags were looked up.
    """
    m.sm[0]["looked"][number] = slice_ << 1 | waits
    m.sm[0]["comes"][number] = comes


@apart
def passes_at_once(m: Model, noted: int, first: int, end: int, groups: int) -> int:
    """The passes of the words that L1 holds in these touches of a load; its lines are noted from a touch on."""
    passes = 0
    for group in range(groups):
        lines = 0
        for touch in range(first, end):
            if m.sm[0]["looked"][touch - noted] & 1 == 0:
                lines += add_words(m, m.touches[touch]["banks"][group])
        passes += most_words(m, lines)
    return passes


@apart
def passes_that_wait(m: Model, first: int, end: int, groups: int) -> tuple[int, int, int]:
    """The passes of a load's words that wait for L2; the load's lines, all noted, are these touches.

    Returns how many there are, in how many turns of lines that go together, and by how much the load is back later for
    them than one whose groups of lanes make a pass each behind the last line: a turn waits for its lines, and for all
    turns before it.
    """
    sm = m.sm[0]
    passes, all_turns, last, done = 0, 0, 0, 0.0
    for group in range(groups):
        sm["in_slice"][:] = 0
        turns, before = 0, passes
        for touch in range(first, end):
            banks, looked = m.touches[touch]["banks"][group], sm["looked"][touch - first]
            if banks != 0:
                turn = sm["in_slice"][looked >> 1]
                sm["by_slice"][looked >> 1, turn] = banks if looked & 1 else 0
                sm["in_slice"][looked >> 1] += 1
                if turn == turns:
                    sm["turn_comes"][turn], sm["turn_lines"][turn] = 0, 0
                    turns += 1
                if looked & 1:
                    sm["turn_lines"][turn] += is_first_of(m, touch, group)
                    sm["turn_comes"][turn] = max(sm["turn_comes"][turn], sm["comes"][touch - first])
                    last = max(last, sm["comes"][touch - first])
        for turn in range(turns):
            lines = 0
            for slice_ in range(NUM_SLICES):
                if turn < sm["in_slice"][slice_]:
                    lines += add_words(m, sm["by_slice"][slice_, turn])
            most = most_words(m, lines)
            if most > 0:
                passes += most
                all_turns += 1
                coming = min(most, sm["turn_lines"][turn])
                done = max(done, float(sm["turn_comes"][turn])) + coming * LINE_COMES + most * PASS
        if passes > before:
            done -= PASS
    return passes, all_turns, int(done - last - LINE_COMES)


@rule
def is_first_of(m: Model, touch: int, group: int) -> bool:
    """Whether no group of lanes before this one has words in a line."""
    words = 0
    for before in range(group):
        words |= m.touches[touch]["banks"][before]
    return words == 0


@rule
def turns_that_wait(m: Model, lines: int) -> int:
    """The turns in which a load's lines, so many that are noted, were looked up, with one that waits for L2.

    Seen on the H100: microbenchmarks ``pending``.
    """
    if lines == 1:
        return 1
    sm = m.sm[0]
    sm["in_slice"][:] = 0
    turns, waiting = 0, 0
    for number in range(lines):
        slice_ = sm["looked"][number] >> 1
        turn = sm["in_slice"][slice_]
        sm["in_slice"][slice_] += 1
        if turn == turns:
            sm["turn_waits"][turn] = 0
            turns += 1
        if sm["looked"][number] & 1 and not sm["turn_waits"][turn]:
            sm["turn_waits"][turn] = 1
            waiting += 1
    return waiting


@rule
def add_words(m: Model, banks: int) -> int:
    """Count one word more in each of these banks (a bit mask): bit ``p`` of a bank's count is in plane ``p``.

    Returns whether there are any.
    """
    planes = m.sm[0]["planes"]
    plane, has_any = 0, int(banks != 0)
    while banks != 0:
        carried = planes[plane] & banks
        planes[plane] ^= banks
        banks = carried
        plane += 1
    return has_any


@rule
def most_words(m: Model, lines: int) -> int:
    """The most words counted in one bank, of so many lines that have some; the counts begin anew."""
    planes = m.sm[0]["planes"]
    if lines <= 1:
        planes[0] = 0
        return lines
    most, banks = 0, -1
    for plane in range(NUM_PLANES - 1, -1, -1):
        if banks & planes[plane]:
            banks &= planes[plane]
            most |= 1 << plane
        planes[plane] = 0
    return most
