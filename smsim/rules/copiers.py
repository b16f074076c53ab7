"""Which SMs copy back, before each of ncu's passes, what a launch has stored.

Seen on the H100, by what a launch in place then finds in L2 (the catalogue's ``in_place``): a kernel copies each
allocation, a block of it for each KB. The first eight blocks go to eight SMs of a part of their own, and the others, as
many as fit at once, in a row for each GPC: these get one each in turn, until each of their TPCs has one, then again.
%smid of any launch's blocks says the same, but which GPC comes first, second and so on differs from process to process.
"""

from smsim.rules.rule import rule

BLOCK = 8  # lines that a block copies
FIRST = 8
# By the GPCs in turn, the partition of L2 that is near: 0 is that of the SM that the launch's first block runs on.
SIDES = (0, 1, 0, 1, 1, 1, 0, 0)
SMALL = 0  # the GPC some of whose TPCs have had the first blocks
SMALL_TPCS, TPCS = 4, 8


@rule
def copier_side(number: int, blocks: int, sms: int) -> int:
    """The partition that is near the SM of a block of a copy, of so many blocks on a chip with so many SMs."""
    if blocks > sms:
        number, blocks = number % sms, sms
    first = min(blocks, FIRST)
    if number < first:
        return number >= first - first // 4
    number -= FIRST
    gpcs = len(SIDES)
    for gpc in range(gpcs):
        left = blocks - FIRST
        while left > 0:
            now = min(left, SMALL_TPCS + (gpcs - 1) * TPCS)
            if now <= gpcs * SMALL_TPCS:
                number -= (now + gpcs - 1 - gpc) // gpcs
            elif gpc == SMALL:
                number -= SMALL_TPCS
            else:
                number -= (now - SMALL_TPCS + gpcs - 1 - gpc) // (gpcs - 1)
            left -= now
        if number < 0:
            return SIDES[gpc]
    return 0
