"""Files of ranked documents and of judgments, told apart by their content."""

from __future__ import annotations

from os import PathLike, fsencode, fspath
from pathlib import Path

from medir import _core
from medir.files.opening import content_of, is_folder
from medir.inputs.formats.engines.recognising import START, looks_like_responses
from medir.inputs.formats.engines.responses import content_run, engine_run, response_files
from medir.inputs.formats.judged import judged_in_file
from medir.inputs.formats.source import Reading, Taken


def run_in_file(path: str | PathLike[str], reading: Reading) -> Taken[_core.Lists]:
    """A run from a file; `-` is standard input."""
    place = fspath(path)
    if is_folder(place) and response_files(place):
        return engine_run(place, reading)
    name, content, origin = found = content_of(place)
    if looks_like_responses(_start(name) if content is None else content[:START]):
        return content_run(found, reading)
    order = _core.Order[reading.order]
    lists = _core.read_run(fsencode(name), content, order, reading.threads)
    return Taken(lists, name, origin)


def qrels_in_file(
    path: str | PathLike[str], reading: Reading, intents: bool = False
) -> Taken[_core.Lists]:
    """Judgments from a file; `-` is standard input. With `intents`, those are kept."""
    content = content_of(fspath(path))
    judged = judged_in_file(content, reading)
    if judged is not None:
        return judged
    name, data, origin = content
    return Taken(_core.read_qrels(fsencode(name), data, reading.threads), name, origin)


def _start(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(START)
