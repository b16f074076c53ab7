"""What L1 knows of its lines, and of those that gather stores."""

import numpy as np

from smsim.in_lines import LINE_BYTES
from smsim.state.layout import in_whole_lines


def l1_line(sectors: int, sector_bytes: int) -> np.dtype[np.void]:
    """A line of L1: of each sector when it arrives (-1 for not asked), a bit mask of its bytes that are valid then, and
    which was the last to wait for it, of all that have waited for data from L2.

    Four sectors of 32 bytes are a cache line of the host's: there are many of these, and each is touched now and then.
    """
    mask = np.uint32 if sector_bytes <= np.iinfo(np.uint32).bits else np.int64
    fields = [("ready", np.int64, sectors), ("bytes", mask, sectors), ("awaited_by", np.int32, sectors)]
    fitted = np.dtype(fields, align=True)
    return in_whole_lines(fitted, -(-fitted.itemsize // LINE_BYTES))


# A way of a set of L1: the number of the line that it holds, -1 for none; its place in the order of which the last is
# given up first; the cache hint of what brought the line; until when a load waits for it, and until when what was
# stored to it is being sent to L2.
L1_WAY = np.dtype(
    [
        ("tag", np.int64),
        ("order", np.int32),
        ("hint", np.int32),
        ("held_until", np.int64),
        ("sent_until", np.int64),
    ],
    align=True,
)


def store_line(sectors: int) -> np.dtype[np.void]:
    """A line that gathers stores before they leave for L2: when it does if none come any more, whether it was read and
    a load has asked for it, and of each sector a bit mask of the bytes written.
    """
    names = ("line", "idle", "there", "read", "asked")
    return np.dtype(
        [(name, np.int64) for name in names] + [("bytes", np.int64, sectors)],
        align=True,
    )
