"""What is read and what is written, so that no output takes the place of an input."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple

from medir.errors import UsageError
from medir.files.origins import Input
from medir.files.replacing import open_stream

INPUT, OUTPUT = "the input", "the output"
STANDARD = "-"
SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))

Key = tuple[int, int] | str  # device and inode of a file; the path of one that there is not


class Named(NamedTuple):
    """A path as it was given, and what for: an option, an argument."""

    role: str
    path: str

    def __str__(self) -> str:
        return f"{self.role} {self.path!r}"


class Paths:
    """The files that a command reads and writes, each told as soon as it is known.

    Files are the same if they are through links of any kind. A file that is not there yet is told
    by its path. Devices, pipes and terminals may be named as often as you like.

    >>> paths = Paths()
    >>> paths.writes("new.csv", "--output")
    >>> paths.writes("./new.csv", "--json")
    Traceback (most recent call last):
    medir.errors.UsageError: --output 'new.csv' and --json './new.csv' are the same file: ...
    """

    def __init__(self) -> None:
        self._inputs: dict[Key, Named] = {}
        self._several: list[Named] = []  # folders and patterns that are read
        self._outputs: dict[Key, Named] = {}
        self._folders: list[Named] = []  # that are written whole

    def reads(self, path: str | PathLike[str], role: str = INPUT) -> None:
        """Takes an input: a file, a folder of files, or a pattern."""
        named = Named(role, os.fspath(path))
        for folder in self._folders:
            _refuse_within(folder, named)
        if _is_several(named.path):
            self._several.append(named)
            self._check_members(named, self._outputs)
            return
        key = _key(named.path, sys.stdin)
        if key is None:
            return
        if key in self._outputs:
            _refuse(self._outputs[key], named)
        self._inputs.setdefault(key, named)

    def writes(
        self, path: str | PathLike[str], role: str = OUTPUT, *, whole_folder: bool = False
    ) -> None:
        """Takes an output: a file, or a whole folder, which takes the place of what is there."""
        named = Named(role, os.fspath(path))
        if whole_folder:
            for one in (*self._inputs.values(), *self._several, *self._outputs.values()):
                _refuse_within(named, one)
            self._folders.append(named)
            return
        for folder in self._folders:
            _refuse_within(folder, named)
        key = _key(named.path, sys.stdout)
        if key is None:
            return
        if key in self._inputs:
            _refuse(named, self._inputs[key])
        for several in self._several:
            self._check_members(several, {key: named})
        is_stream = named.path == STANDARD or open_stream(Path(named.path)) is not None
        if key in self._outputs and not is_stream:
            other = self._outputs[key]
            raise UsageError(f"{other} and {named} are the same file: choose two names")
        self._outputs.setdefault(key, named)

    def _check_members(self, several: Named, outputs: dict[Key, Named]) -> None:
        """Raises an error where an output that is there already is in a folder that is read."""
        if not any(isinstance(key, tuple) for key in outputs):
            return
        for member in _members(several.path):
            key = _key(member)
            if key in outputs:
                _refuse(outputs[key], Named(several.role, member))


def check_apart(
    outputs: Iterable[Path], sources: Iterable[object], *, whole_folder: bool = False
) -> None:
    """Raises an error where one of the sources that are paths, or lists of them, is an output."""
    paths = Paths()
    for output in outputs:
        paths.writes(output, whole_folder=whole_folder)
    for source in sources:
        for one in source if isinstance(source, list | tuple) else [source]:
            if isinstance(one, str | PathLike):
                paths.reads(one)


def refuse_inputs(
    target: object, inputs: Iterable[Input | None], *, whole_folder: bool = False
) -> None:
    """Raises an error where what is to be written would take the place of what was read."""
    if not isinstance(target, str | PathLike):
        return
    paths = Paths()
    for one in inputs:
        for path in () if one is None or one.origin is None else one.origin.paths():
            paths.reads(path)
    paths.writes(target, whole_folder=whole_folder)


def names_folder(path: str | PathLike[str]) -> bool:
    """Whether what is written to a path is a folder: it ends in a slash, or is one already."""
    name = os.fspath(path)
    return name.endswith(SEPARATORS) or os.path.isdir(name)  # noqa: PTH112  # of any name


def _refuse(output: Named, source: Named) -> None:
    raise UsageError(
        f"{output} is the same file as {source}, which it would overwrite: choose another name"
    )


def _refuse_within(folder: Named, other: Named) -> None:
    """Raises an error where a folder that is written holds another file that is read or written."""
    place, inside = _resolved(folder.path), _resolved(other.path)
    if place is None or inside is None or other.path == STANDARD:
        return
    if Path(inside).is_relative_to(place):
        raise UsageError(
            f"{folder} is replaced as a whole, and {other} is in it: choose another name"
        )


def _is_several(path: str) -> bool:
    try:
        return path != STANDARD and (
            Path(path).is_dir() or (has_magic(path) and not Path(path).exists())
        )
    except (OSError, ValueError):
        return False


def _members(path: str) -> Iterator[str]:
    """The files in a folder, Parquet also below; or those of a pattern."""
    folder = Path(path)
    if not folder.is_dir():
        yield from glob(path, recursive=True)  # noqa: PTH207
        return
    yield from map(str, folder.iterdir())
    yield from map(str, folder.rglob("*.parquet"))


def _key(path: str, standard: IO[Any] | None = None) -> Key | None:
    """What tells a file from others; None for what is no file, and for what cannot be known."""
    try:
        if path == STANDARD:
            status = os.fstat(-1 if standard is None else standard.fileno())
        else:
            status = os.stat(path)  # noqa: PTH116  # of what a link points to
    except FileNotFoundError:
        return _resolved(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _resolved(path: str) -> str | None:
    try:
        return os.path.normcase(Path(path).resolve())
    except (OSError, RuntimeError, ValueError):
        return None
