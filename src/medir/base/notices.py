"""What people should know while work goes on, told to whoever listens: the shell does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[str], None]

_listeners: list[Listener] = []


def tell(notice: str) -> None:
    """Tells a sentence to all who listen."""
    for listener in _listeners:
        listener(notice)


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
        _listeners.remove(once)
