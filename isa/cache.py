"""Results kept on disk from run to run, in the user's folder for caches; never needed, and safe to delete."""

import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_path

from isa.errors import SmsimError
from isa.files import write_whole

MAX_FILES = 20_000  # a calibration's programs alone are thousands


def remembered(kind: str, key: bytes, compute: Callable[[], bytes], anew: bool = False) -> bytes:
    """What ``compute`` gives, taken from disk when it was computed before.

    Args:
        kind: the folder's name.
        key: all that the result depends on.
        compute: called when the disk has nothing, or something damaged.
        anew: compute in any case, and keep that.

    Where the folder cannot be read or written, every call computes. Files are written whole, so that processes may
    share the folder.
    """
    path = user_cache_path("smsim", appauthor=False) / kind / hashlib.sha256(key).hexdigest()
    if not path.is_absolute():  # a user without a home
        return compute()
    try:
        if not anew:
            return zlib.decompress(path.read_bytes())
    except (OSError, zlib.error):
        pass
    result = compute()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, zlib.compress(result))
        _forget_oldest(path.parent)
    except (OSError, SmsimError):
        pass
    return result


def _forget_oldest(folder: Path) -> None:
    """Halve a folder of more than MAX_FILES files."""
    paths = list(folder.iterdir())
    if len(paths) > MAX_FILES:
        for path in sorted(paths, key=lambda path: path.stat().st_mtime)[: len(paths) // 2]:
            path.unlink(missing_ok=True)
