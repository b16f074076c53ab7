"""What L2 knows of its sets and lines, and of what it was asked for."""

import numpy as np

from smsim.state.layout import in_whole_lines

L2_WAYS = 32
# A set of L2: of each way's line some bits of its number, so that it is hardly looked for where it is not, and how many
# others were used since (:mod:`smsim.rules.side_by_side`); the ways to be written back, a bit mask, and how many lines
# it gave up since one of these; the ways with sectors that it has in part, a bit mask.
L2_SET = in_whole_lines(
    np.dtype(
        [
            ("marks", np.uint16, L2_WAYS),
            ("order", np.uint8, L2_WAYS),
            ("dirty", np.int64),
            ("since", np.int64),
            ("partial", np.int64),
        ],
        align=True,
    ),
    2,
)
# A line in a partition of L2. Sets of sectors are bit masks.
L2_LINE = np.dtype(
    [
        ("tag", np.int64),  # its number and its partition, -1 for none
        ("sectors", np.int64),  # present
        ("dirty", np.int64),  # to be written back
        ("ready", np.int64),  # when the last of them arrives; ASKED_FOR when that is not known yet
    ],
    align=True,
)


def l2_part(sectors: int) -> np.dtype[np.void]:
    """Of a line in L2 the sectors that were stored in part and whose rest it lacks, a bit mask, and of each of those a
    bit mask of the bytes stored.
    """
    return np.dtype([("sectors", np.int64), ("bytes", np.int64, sectors)], align=True)


def asked_line(sectors: int) -> np.dtype[np.void]:
    """A GPC's last request for a line: which sectors of it, a bit mask, when L2 hears of it and when each is in L1, and
    for how many SMs' requests it stands.
    """
    fields = [("line", np.int64), ("sectors", np.int64), ("asked", np.int64), ("requests", np.int64)]
    return np.dtype([*fields, ("ready", np.int64, sectors)], align=True)


ASKED_FOR = -1  # by SMs that are not simulated, as soon as those that are ask for such a line
