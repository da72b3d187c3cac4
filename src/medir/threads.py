"""How many threads a call may use."""

from __future__ import annotations

import os
from numbers import Integral

from medir.errors import UsageError


def thread_count(threads: int | None) -> int:
    """The number that the caller wants, or one for each processor that this process may use."""
    if threads is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if not isinstance(threads, Integral) or threads < 1:
        raise UsageError(f"threads is 1 or more, not {threads!r}")
    return min(threads, 256)
