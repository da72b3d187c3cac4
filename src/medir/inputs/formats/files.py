"""Files of ranked documents and of judgments, told apart by their content."""

from __future__ import annotations

from os import PathLike, fsencode, fspath

from medir import _core
from medir.files.opening import content_of
from medir.inputs.formats.judged import judged_in_file
from medir.inputs.formats.source import Reading, Taken


def run_in_file(path: str | PathLike[str], reading: Reading) -> Taken[_core.Lists]:
    """A run from a file; `-` is standard input."""
    name, content, origin = content_of(fspath(path))
    order = _core.Order[reading.order]
    lists = _core.read_run(fsencode(name), content, order, reading.threads)
    return Taken(lists, name, origin)


def qrels_in_file(path: str | PathLike[str], reading: Reading) -> Taken[_core.Lists]:
    """Judgments from a file; `-` is standard input."""
    content = content_of(fspath(path))
    judged = judged_in_file(content, reading)
    if judged is not None:
        return judged
    name, data, origin = content
    return Taken(_core.read_qrels(fsencode(name), data, reading.threads), name, origin)
