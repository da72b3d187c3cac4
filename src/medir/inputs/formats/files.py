"""Files of ranked documents and of judgments, told apart by their content."""

from __future__ import annotations

from glob import glob, has_magic
from os import PathLike, fsencode, fspath
from pathlib import Path

from medir import _core
from medir.base.notices import tell_later
from medir.base.words import count
from medir.errors import InputError
from medir.files.identifiers import shown
from medir.files.opening import content_of, is_folder, is_stdin
from medir.files.origins import FilesOrigin
from medir.inputs.formats.contents.recognition import File, Format, Kind, format_of
from medir.inputs.formats.engines.recognising import looks_like_responses
from medir.inputs.formats.source import Reading, Taken

Lists = Taken[_core.Lists]
TABLES: tuple[Kind, ...] = ("CSV", "TSV", "JSON lines")
COLUMNAR: tuple[Kind, ...] = ("Parquet", "Arrow IPC")


def run_in_file(path: str | PathLike[str], reading: Reading) -> Lists:
    """A run from a file, or from a folder of parts; `-` is standard input.

    A folder or pattern of Parquet files is one table; a folder of JSON files is one of responses.
    """
    place = fspath(path)
    if parts := parts_of(place):
        from medir.inputs.formats.contents.columnar import parts_run

        return parts_run(place, parts, FilesOrigin.of(parts), reading)
    if is_folder(place):
        from medir.inputs.formats.engines.responses import engine_run, response_files

        if response_files(place):
            return engine_run(place, reading)
        remedy = "Give the file itself, or a folder with .parquet files or responses (.json) in it."
        raise InputError("is a directory", place, remedy=remedy)
    file = File(content_of(place))
    if looks_like_responses(file.start):
        from medir.inputs.formats.engines.responses import content_run

        return content_run(file.content, reading)
    form = format_of(file, reading.columns)
    if form.kind == "TREC":
        order = _core.Order[reading.order]
        lists = _core.read_run(fsencode(file.name), file.data, order, reading.threads)
        tell_later(lambda: _long_lines(lists, file.name))
        return Taken(lists, file.name, file.origin)
    return _run(file, form, reading)


def _long_lines(run: _core.TrecRun, name: str) -> str | None:
    """What is to be said of lines with more columns than TREC has."""
    if not run.long_lines:
        return None
    lines = count(run.long_lines, "line has", "lines have")
    return f"{shown(name)}: {lines} more than 6 columns; what follows the sixth was left out"


def _run(file: File, form: Format, reading: Reading) -> Lists:
    """A run in any other format."""
    if form.kind in COLUMNAR:
        from medir.inputs.formats.contents.columnar import columnar_run

        return columnar_run(file, form.kind, reading)
    if form.kind in (*TABLES, "JSON", "MS MARCO"):
        from medir.inputs.formats.contents import text

        if form.kind == "JSON":
            return text.json_run(file, reading)
        read = text.marco_run if form.kind == "MS MARCO" else text.table_run
        return read(file, form, reading)
    from medir.inputs.formats.contents.arrays import array_file

    return array_file(file, form.kind, reading)


def qrels_in_file(path: str | PathLike[str], reading: Reading, intents: bool = False) -> Lists:
    """Judgments from a file, or from a folder or pattern of Parquet files; `-` is standard input.

    With `intents`, the intents that documents were judged for are kept.
    """
    if parts := parts_of(fspath(path)):
        from medir.inputs.formats.contents.columnar import parts_qrels

        return parts_qrels(fspath(path), parts, FilesOrigin.of(parts), reading, intents)
    from medir.inputs.formats.judged import judged_in_file

    file = File(content_of(fspath(path)))
    if not intents and (judged := judged_in_file(file.content, reading)) is not None:
        return judged
    form = format_of(file, reading.columns, "qrels")
    if form.kind == "TREC":
        lists = _core.read_qrels(fsencode(file.name), file.data, reading.threads)
        return Taken(lists, file.name, file.origin)
    if form.kind in COLUMNAR:
        from medir.inputs.formats.contents.columnar import columnar_qrels

        return columnar_qrels(file, form.kind, reading, intents)
    if form.kind in (*TABLES, "JSON"):
        from medir.inputs.formats.contents import text

        if form.kind == "JSON":
            return text.json_qrels(file, reading)
        return text.table_qrels(file, form, reading, intents)
    raise InputError(
        f"holds an array ({form.kind}) where judgments were expected",
        file.name,
        remedy="Give TREC qrels, or a table with query_id, doc_id and relevance.",
    )


def parts_of(path: str) -> list[Path]:
    """The Parquet files that a folder or a pattern names, in order; none for other paths."""
    if is_folder(path):
        inside = Path(path).rglob("*.parquet")
        return sorted(part for part in inside if not _is_hidden(part.relative_to(path)))
    if is_stdin(path) or not has_magic(path) or Path(path).exists():
        return []
    found = sorted(Path(one) for one in glob(path, recursive=True))  # noqa: PTH207
    if not found:
        raise InputError("there is no file of this pattern", path)
    others = [one for one in found if one.suffix != ".parquet"]
    if others and len(found) > 1:
        raise InputError(
            f"matches {len(found):,} files, and {others[0]} is no .parquet file",
            path,
            remedy="Only Parquet may have several parts. Give one file, or a pattern of .parquet.",
        )
    return found


def _is_hidden(path: Path) -> bool:
    """Whether a file is no part: what Spark and others keep beside the data."""
    return any(part.startswith((".", "_")) for part in path.parts)
