"""Files that are either written whole or not at all, and their folders."""

import os
import tempfile
from pathlib import Path

from isa.errors import SmsimError


def write_whole(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``; on any failure the file is what it was before.

    Raises:
        SmsimError: the folder is missing or not writable, the disk is full.
    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise SmsimError(f"cannot write {path}: {error.strerror or error}") from None


def make_folder(path: Path) -> None:
    """Make a folder, and those that it lies in, unless it is there.

    Raises:
        SmsimError: it cannot be made, or the path is a file.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SmsimError(f"cannot make the folder {path}: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
