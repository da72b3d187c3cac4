"""A progress bar on standard error, when something takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

PATIENCE = 1.0  # seconds


@contextmanager
def watching(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """What to call with the work done and to do; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    bar: Any = None
    task: Any = None

    def watch(done: int, total: int) -> None:
        nonlocal bar, task
        if bar is None:
            if time.monotonic() - started < PATIENCE:
                return
            from rich.console import Console
            from rich.progress import Progress

            bar = Progress(console=Console(stderr=True), transient=True)
            task = bar.add_task(title, total=total)
            with suppress(RuntimeError):  # it refreshes itself in a thread, where one can start
                bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield watch
    finally:
        if bar is not None:
            bar.stop()
