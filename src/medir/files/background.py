"""Work beside this thread, watched and interruptible."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar, cast

from medir import _core

T = TypeVar("T")
Watcher = Callable[[int, int], None]
TICKS = 1000  # of progress, for each part of the work


class Background(Generic[T]):
    """A call that runs beside this thread; or here, where no other thread can be started.

    It is waited for by an event: a `Thread.join` that was interrupted cannot be trusted again.
    Python waits for the thread before it ends: what is native in it must not be cut short.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._outcome: T | BaseException | None = None
        self._ended = threading.Event()
        try:
            threading.Thread(target=self._run).start()
        except (RuntimeError, MemoryError):
            self._run()

    def _run(self) -> None:
        try:
            self._outcome = self._work()
        except BaseException as error:
            self._outcome = error
        finally:
            self._ended.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Waits for the end; False if the time ran out first."""
        return self._ended.wait(seconds)

    def result(self) -> T:
        """What the call returned, or the exception that it raised."""
        self.wait()
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return cast("T", self._outcome)


def ahead(following: Callable[[], T | None]) -> Iterator[T]:
    """What comes up to None; each is made while the one before it is used."""
    making = Background(following)
    while (made := making.result()) is not None:
        making = Background(following)
        yield made


def watched(work: Callable[[_core.Progress], T], total: int, progress: Watcher | None) -> T:
    """Runs native work where it is called. It is watched, and an interrupt stops it."""
    state = _core.Progress(None if progress is None else lambda done: progress(done, total))
    result = work(state)
    if progress is not None:
        progress(state.done, total)
    return result


def part(progress: Watcher | None, number: int, parts: int) -> Watcher | None:
    """What watches one part of the work, as a share of all of it; parts count alike.

    >>> watcher = part(lambda done, total: print(f"{done / total:.0%}"), 1, 4)
    >>> watcher(1, 2)
    38%
    """
    if progress is None:
        return None
    return lambda done, total: progress(
        TICKS * number + TICKS * done // max(total, 1), TICKS * parts
    )
