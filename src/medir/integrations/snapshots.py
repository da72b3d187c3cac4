"""Rankings that tests store beside them: one document per line, so that changes read well."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from medir.comparing.compare import compare
from medir.errors import InputError, UsageError
from medir.files.identifiers import ENCODING, UNDECODABLE
from medir.files.replacing import replacing
from medir.inputs.runs import Run, Source
from medir.integrations.assertions import broken_limits, is_limit
from medir.measures.chosen import Measures

READING = ("order", "columns", "pad", "threads")  # arguments that say how a run is read
LONGEST = 100  # characters of a file name


def folder_of(test_file: Path) -> Path:
    """Where the rankings of a test file lie: `__rankings__/test_search` beside `test_search.py`."""
    return test_file.parent / "__rankings__" / test_file.stem


def stem_of(test: str) -> str:
    """The name of a test as the name of a file, without losing what tells it from others.

    >>> stem_of("test_search"), stem_of("test_search[bm25-k=10]")
    ('test_search', 'test_search[bm25-k=10]')
    >>> stem_of("test_search[a/b]") == stem_of("test_search[a:b]")
    False
    """
    safe = re.sub(r"[^\w.,=+\[\]-]", "_", test)[:LONGEST]
    if safe == test:
        return safe
    return f"{safe}-{hashlib.sha256(test.encode(ENCODING, UNDECODABLE)).hexdigest()[:8]}"


class RankingSnapshot:
    """Compares runs with those stored for a test, and stores them where there are none.

    Call it with a run, a measure and limits, as `assert_ranking_close`; without limits, nothing
    that the measure sees may change. A test that stores several runs names them (`name=`).
    """

    def __init__(self, folder: Path, stem: str, update: bool) -> None:
        self._folder, self._stem, self._update = folder, stem, update
        self._used: set[str] = set()
        self.written: list[Path] = []

    def __call__(
        self,
        run: Source,
        measures: Measures | None = None,
        *,
        name: str = "",
        checks: Sequence[str] = (),
        **limits: Any,
    ) -> None:
        """Fails where the run differs more than it may from the one that is stored."""
        __tracebackhide__ = True
        if name in self._used:
            raise UsageError("a test that stores several rankings names them: name='bm25'")
        self._used.add(name)
        path = self.path(name)
        reading = {key: limits.pop(key) for key in READING if key in limits}
        after = Run.of(run, name="this run", **reading)
        if self._update or not path.exists():
            if not self._update and os.environ.get("CI"):
                raise AssertionError(
                    f"there is no stored ranking {path}\n"
                    "Run pytest --update-rankings where you work, and commit the file."
                )
            self._write(path, after)
            return
        if not checks and not any(map(is_limit, limits)):
            limits["max"] = 0
        message = broken_limits(stored_run(path), after, measures, checks=checks, **limits)
        if message is not None:
            remedy = "If that is as it should be: pytest --update-rankings"
            raise AssertionError(f"{message}\n\nStored: {path}\n{remedy}")

    def path(self, name: str = "") -> Path:
        """The file of a ranking."""
        stem = f"{self._stem}.{stem_of(name)}" if name else self._stem
        return self._folder / f"{stem}.json"

    def _write(self, path: Path, run: Run) -> None:
        compare(run, run)  # raises the error of a run that cannot be compared
        text = json.dumps({query: run[query] for query in run}, indent=1, ensure_ascii=False)
        data = f"{text}\n".encode(ENCODING, UNDECODABLE)
        if path.exists() and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(data)
        self.written.append(path)


def stored_run(path: Path) -> Run:
    """The run in a file of this module's."""
    try:
        lists = json.loads(path.read_text(encoding=ENCODING, errors=UNDECODABLE))
    except ValueError:
        remedy = "Restore the file, or write it again: pytest --update-rankings"
        raise InputError("not a stored ranking", path, remedy=remedy) from None
    return Run.of(lists, name=str(path.name))
