"""Trace files: a magic word, a format version, a checksum, and the trace as compressed MessagePack.

The program is part of the file, so that a trace can be simulated without the cubin that it came from.
"""

import hashlib
import os
import struct
import tempfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from isa.errors import TraceError
from isa.trace.plain import from_plain, to_plain

MAGIC = b"smsim trace\n"

# Raise it whenever the content changes: the trace's arrays, or any class in isa.trace.plain.
VERSION = 3

_HEADER = struct.Struct(f"<{len(MAGIC)}sI32s")
_COMPRESSION = 6


def write(path: str | Path, values: Mapping[str, Any]) -> None:
    """Write named values, arrays or what ``to_plain`` knows, whole or not at all.

    Raises:
        TraceError: the file cannot be written.
    """
    content = {
        name: ["array", value.dtype.descr if value.dtype.names else value.dtype.str, list(value.shape), value.tobytes()]
        if isinstance(value, np.ndarray)
        else ["plain", to_plain(value)]
        for name, value in values.items()
    }
    payload = zlib.compress(msgspec.msgpack.encode(content), _COMPRESSION)
    path = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(prefix=path.name, suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_HEADER.pack(MAGIC, VERSION, hashlib.sha256(payload).digest()))
                file.write(payload)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise TraceError(f"cannot write trace {path}: {error.strerror}") from None


def read(path: str | Path, dtypes: Mapping[str, np.dtype[Any]]) -> dict[str, Any]:
    """Read what ``write`` wrote.

    Args:
        path: the file.
        dtypes: the arrays that must be there, by name.

    Raises:
        TraceError: the file cannot be read, is not a trace, is of another version, or is damaged.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise TraceError(f"cannot read trace {path}: {error.strerror}") from None
    if len(data) < _HEADER.size or not data.startswith(MAGIC):
        raise TraceError(f"{path} is not a trace; make one with Kernel.trace(...).save(path)")
    _, version, checksum = _HEADER.unpack_from(data)
    if version != VERSION:
        raise TraceError(f"{path} is a trace of format {version}; this smsim reads format {VERSION}: trace it again")
    payload = data[_HEADER.size :]
    if hashlib.sha256(payload).digest() != checksum:
        raise TraceError(f"{path} is damaged: its checksum does not match (cut off or changed); trace it again")
    try:
        content = msgspec.msgpack.decode(zlib.decompress(payload))
        values = {name: _decode(entry) for name, entry in content.items()}
        for name, dtype in dtypes.items():
            if values[name].dtype != dtype:
                raise ValueError(f"{name} has another layout")
    except (zlib.error, msgspec.DecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise TraceError(f"{path} is damaged: {error}; trace it again") from None
    return values


def _decode(entry: list[Any]) -> Any:
    kind, *parts = entry
    if kind == "plain":
        return from_plain(parts[0])
    description, shape, data = parts
    if not isinstance(description, str):
        description = [(name, code, *map(tuple, rest)) for name, code, *rest in description]
    return np.frombuffer(data, np.dtype(description)).reshape(shape).copy()
