"""A report of all queries: `index.html`, and `data/`, which it loads from on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from medir.comparing.decision.gate import Outcome
from medir.comparing.differences import Differences
from medir.files.background import Background
from medir.files.replacing import replacing_folder
from medir.inputs.queries import Source as QuerySource
from medir.inputs.texts import Texts
from medir.rendering.folders.recording import Recording
from medir.rendering.folders.replaceable import PAGE, check_replaceable


@contextmanager
def recording_to(path: Path, *, titles: bool) -> Iterator[Recording]:
    """A folder that appears when it is complete, or not at all, and what writes its lists."""
    with replacing_folder(path, check_replaceable) as folder:
        yield Recording(folder, titles=titles)


def write_folder(
    result: Differences[Any],
    recording: Recording,
    queries: QuerySource | None,
    documents: Texts | None,
    outcomes: Sequence[Outcome] = (),
    command: str | None = None,
) -> None:
    """Writes what a folder has beside its lists, and these too unless they are there."""
    # The inputs are read again for their hashes, beside everything else, which takes some loading.
    hashing = Background(lambda: result.fingerprints)
    try:
        from medir.rendering.folders.writing import Writing

        writing = Writing(recording, result, queries, documents)
        render = writing.page(writing.write_data(), outcomes)
    finally:
        hashing.wait()
    hashing.result()
    from medir.rendering.pages.reproduction import Reproduction

    page = render(Reproduction.of(result, command))
    (recording.folder / PAGE).write_bytes(page.encode())
