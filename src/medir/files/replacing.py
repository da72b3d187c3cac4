"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from medir.errors import UsageError


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file that takes the place of a target if all goes well.

    A link stays a link; a device or a pipe is written to as it is.
    """
    temporary = None
    try:
        target = path.resolve()
        if target.exists() and not target.is_file() and not target.is_dir():
            yield target
            return
        beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        beside.touch()
        temporary = beside
        yield temporary
        temporary.replace(target)
        temporary = None
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror}") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
