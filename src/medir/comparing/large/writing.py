"""Rows, written while they are computed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from os import PathLike, urandom
from pathlib import Path
from typing import BinaryIO

from medir.files.background import Background
from medir.files.replacing import open_stream, replacing
from medir.files.tables import COPIED, Appending, Table, Target, chosen_format
from medir.files.workspace import room_for


class Output:
    """Where rows go: a file, which appears when it is complete, or a stream, at the end.

    The rows of `before`, in whatever ranges they come, are written before those of `after` alone.
    """

    def __init__(
        self, target: Target | None, format: str | None, spreadsheet: bool, folder: Path
    ) -> None:
        self._target, self._spreadsheet, self._folder = target, spreadsheet, folder
        self._format = "" if target is None else chosen_format(target, format, spreadsheet)

    @contextmanager
    def opened(self) -> Iterator[Rows | None]:
        """Takes rows, all of which are written where this ends without an error."""
        if self._target is None:
            yield None
            return
        if isinstance(self._target, str | PathLike) and _is_file(Path(self._target)):
            with replacing(Path(self._target)) as stream:
                yield from self._rows(stream)
            return
        with self._put_aside() as stream:
            yield from self._rows(stream)
            stream.seek(0)
            if isinstance(self._target, str | PathLike):
                with replacing(Path(self._target)) as device:
                    shutil.copyfileobj(stream, device, COPIED)
            else:
                shutil.copyfileobj(stream, self._target, COPIED)

    def _rows(self, stream: BinaryIO) -> Iterator[Rows]:
        with ExitStack() as stack:
            behind = stack.enter_context(self._put_aside())
            first = stack.enter_context(Appending(stream, self._format, self._spreadsheet))
            with Appending(behind, self._format, self._spreadsheet) as last:
                rows = Rows(first, last, Path(behind.name))
                try:
                    yield rows
                finally:
                    rows.wait()
                rows.finish()
            if rows.has_last:
                first.add_written(behind)

    @contextmanager
    def _put_aside(self) -> Iterator[BinaryIO]:
        path = self._folder / f"rows-{urandom(8).hex()}"
        with room_for(path):
            file = path.open("x+b")
        with file:
            yield file


class Rows:
    """Takes rows in any order of ranges, and writes them while the next ones are computed."""

    def __init__(self, first: Appending, last: Appending, behind: Path) -> None:
        self._first, self._last, self._behind = first, last, behind
        self._writing: Background[None] | None = None
        self.has_last = False

    def add(self, table: Table, alone: bool) -> None:
        """Writes the rows of a range; `alone` where only `after` has its queries."""
        self.finish()
        self.has_last |= alone
        self._writing = Background(partial(self._write, table, alone))

    def _write(self, table: Table, alone: bool) -> None:
        if not alone:
            self._first.add(table)
            return
        with room_for(self._behind):
            self._last.add(table)

    def finish(self) -> None:
        """Waits for what is being written, and raises the error where that failed."""
        if self._writing is not None:
            self._writing.result()
            self._writing = None

    def wait(self) -> None:
        """Waits for what is being written, whatever comes of it."""
        if self._writing is not None:
            self._writing.wait()


def _is_file(path: Path) -> bool:
    """Whether a path names a file, or nothing yet; no stream, device or pipe."""
    return open_stream(path) is None and (path.is_file() or not path.exists())
