"""The files that a page loads: scripts that hand over one value each."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir.rendering.folders.replaceable import FOLDER

MOST_BUCKETS = 512  # files by checksum


class Scripts:
    """Writes the files of a folder.

    Browsers refuse to read a file for a page from disk, but run a script: each of them calls
    `medir(name, value)`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._folder.mkdir()

    def rooms(self, *names: str) -> None:
        """Makes the folders of kinds of files."""
        for name in names:
            (self._folder / name).mkdir()

    def write(self, name: str, *parts: bytes | memoryview) -> None:
        """Writes the file of a value that is JavaScript already."""
        with (self._folder / f"{name}.js").open("wb") as file:
            file.write(b'medir("%s",' % name.encode())
            for part in parts:
                file.write(part)
            file.write(b")\n")


def script_of(value: Any) -> bytes:
    """A value as JavaScript. Nobody reads the file of a script as markup."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def parsed(content: bytes) -> bytes:
    """JSON that browsers read as such: of very many texts, that is several times as fast."""
    escaped = content.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'JSON.parse("' + escaped + b'")'


def quoted(array: NDArray[Any]) -> bytes:
    """The bytes of numbers, lowest first, as a text of base64."""
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return b'"' + base64.b64encode(little.data) + b'"'


def field(name: str) -> bytes:
    """The beginning of a field of an object."""
    return json.dumps(name).encode() + b":"


def buckets_for(entries: int, each: int) -> int:
    """How many files hold so many entries, about `each` in one: a power of two."""
    buckets = 1
    while buckets < MOST_BUCKETS and entries > buckets * each:
        buckets *= 2
    return buckets
