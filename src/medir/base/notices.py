"""What people should know while work goes on, told to whoever listens: the shell does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[str], None]
Late = Callable[[], str | None]  # a notice that is known when the work is done, if there is one

_listeners: list[Listener] = []
_late: list[Late] = []


def tell(notice: str) -> None:
    """Tells a sentence to all who listen."""
    for listener in _listeners:
        listener(notice)


def tell_later(notice: Late) -> None:
    """Tells what is to be said when the work is done; nothing where nobody listens."""
    if _listeners:
        _late.append(notice)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Lets somebody listen; the same notice is told once.

    >>> with heard_by(print):
    ...     tell("before.csv: read as CSV")
    ...     tell("before.csv: read as CSV")
    before.csv: read as CSV
    """
    told: set[str] = set()

    def once(notice: str) -> None:
        if notice not in told:
            told.add(notice)
            listener(notice)

    _listeners.append(once)
    try:
        yield
    finally:
        for notice in filter(None, [late() for late in _late]):
            once(notice)
        _listeners.remove(once)
        _late.clear()
