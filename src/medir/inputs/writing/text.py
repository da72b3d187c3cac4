"""Runs as text: TREC, MS MARCO, CSV, TSV, JSON lines and JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count as counting

from medir.errors import InputError
from medir.files.identifiers import ENCODING, text_of
from medir.files.tables import json_text
from medir.inputs.writing.batches import Batch

BLANK = re.compile(rb"[\x00-\x20]")
TO_QUOTE = {b",": re.compile(rb'[,"\r\n]'), b"\t": re.compile(rb'[\t"\r\n]')}
TO_ESCAPE = re.compile(rb'["\\\x00-\x1f]')
HOLD_BLANKS = "Write .parquet, .arrow, .csv, .tsv, .jsonl or .json, which hold every text."
HOLD_BYTES = "Write .run, .csv or .tsv, which hold ids byte by byte."

Batches = Iterable[Batch]


def trec_lines(batches: Batches, tag: bytes) -> Iterator[bytes]:
    """`query Q0 document rank score tag`."""
    tail = b" " + tag + b"\n"
    for batch in batches:
        _check_words(batch, "TREC text")
        scores, lines = batch.score_texts(), []
        for query, part in batch.lists():
            head = query + b" Q0 "
            rows = zip(batch.documents[part], _ranks(b" ", b" "), scores[part], strict=False)
            lines += [head + document + rank + score + tail for document, rank, score in rows]
        yield b"".join(lines)


def msmarco_lines(batches: Batches) -> Iterator[bytes]:
    """`query document rank`, between tabs."""
    for batch in batches:
        _check_words(batch, "MS MARCO")
        lines: list[bytes] = []
        for query, part in batch.lists():
            head = query + b"\t"
            rows = zip(batch.documents[part], _ranks(b"\t", b"\n"), strict=False)
            lines += [head + document + rank for document, rank in rows]
        yield b"".join(lines)


def delimited_lines(batches: Batches, delimiter: bytes) -> Iterator[bytes]:
    """`query_id,doc_id,rank,score`, under a header."""
    yield delimiter.join([b"query_id", b"doc_id", b"rank", b"score\n"])
    for batch in batches:
        queries, scores = _quoted(batch.queries, delimiter), batch.score_texts()
        documents, lines = _quoted(batch.documents, delimiter), []
        for query, (_, part) in zip(queries, batch.lists(), strict=True):
            head = query + delimiter
            rows = zip(documents[part], _ranks(delimiter, delimiter), scores[part], strict=False)
            lines += [head + document + rank + score + b"\n" for document, rank, score in rows]
        yield b"".join(lines)


def json_lines(batches: Batches) -> Iterator[bytes]:
    """One object per result."""
    for batch in batches:
        queries, scores = json_ids(batch.queries, "query"), batch.score_texts()
        documents, lines = json_ids(batch.documents, "document"), []
        for query, (_, part) in zip(queries, batch.lists(), strict=True):
            head = b'{"query_id": ' + query + b', "doc_id": '
            ranks = _ranks(b', "rank": ', b', "score": ')
            rows = zip(documents[part], ranks, scores[part], strict=False)
            lines += [head + document + rank + score + b"}\n" for document, rank, score in rows]
        yield b"".join(lines)


def json_lists(batches: Batches) -> Iterator[bytes]:
    """One object per query, with its documents and scores."""
    for batch in batches:
        queries, scores = json_ids(batch.queries, "query"), batch.score_texts()
        documents, lines = json_ids(batch.documents, "document"), []
        for query, (_, part) in zip(queries, batch.lists(), strict=True):
            ids, values = b", ".join(documents[part]), b", ".join(scores[part])
            lines.append(
                b'{"query_id": %b, "doc_ids": [%b], "scores": [%b]}\n' % (query, ids, values)
            )
        yield b"".join(lines)


def json_mapping(batches: Batches) -> Iterator[bytes]:
    """`{query: {document: score}}`, one query per line."""
    before = b"{\n"
    for batch in batches:
        _check_once(batch)
        queries, scores = json_ids(batch.queries, "query"), batch.score_texts()
        documents, lines = json_ids(batch.documents, "document"), []
        for query, (_, part) in zip(queries, batch.lists(), strict=True):
            members = map(b": ".join, zip(documents[part], scores[part], strict=True))
            lines.append(before + query + b": {" + b", ".join(members) + b"}")
            before = b",\n"
        yield b"".join(lines)
    yield b"{}\n" if before == b"{\n" else b"\n}\n"


def check_unicode(ids: list[bytes], what: str) -> None:
    """Raises an error for an id that is not UTF-8."""
    try:
        b"\n".join(ids).decode(ENCODING)
    except UnicodeDecodeError:
        for one in ids:
            try:
                one.decode(ENCODING)
            except UnicodeDecodeError:
                problem = f"the {what} id {text_of(one)!r} is not UTF-8, which this format requires"
                raise InputError(problem, remedy=HOLD_BYTES) from None


def json_ids(ids: list[bytes], what: str) -> list[bytes]:
    """Ids as texts in JSON."""
    check_unicode(ids, what)
    if TO_ESCAPE.search(b"".join(ids)) is None:
        return [b'"' + one + b'"' for one in ids]
    return [json_text(text_of(one)).encode() for one in ids]


def _quoted(ids: list[bytes], delimiter: bytes) -> list[bytes]:
    """As RFC 4180 has it, where an id would otherwise be taken apart."""
    odd = TO_QUOTE[delimiter]
    if all(ids) and odd.search(b"".join(ids)) is None:
        return ids
    return [
        one if one and odd.search(one) is None else b'"' + one.replace(b'"', b'""') + b'"'
        for one in ids
    ]


def _ranks(before: bytes, behind: bytes) -> Iterator[bytes]:
    """Ranks from 1 on, with what stands around them; those of short lists are kept."""
    known = _known_ranks.get((before, behind))
    if known is None:
        known = [b"%b%d%b" % (before, rank, behind) for rank in range(1, 1001)]
        _known_ranks[before, behind] = known
    yield from known
    for rank in counting(len(known) + 1):
        yield b"%b%d%b" % (before, rank, behind)


_known_ranks: dict[tuple[bytes, bytes], list[bytes]] = {}


def _check_words(batch: Batch, format: str) -> None:
    """Raises an error for ids that are not one word each, and for queries like comments."""
    for ids, what in ((batch.queries, "query"), (batch.documents, "document")):
        if not all(ids) or BLANK.search(b"".join(ids)):
            wrong = next(one for one in ids if not one or BLANK.search(one))
            state = "has a blank or control character" if wrong else "is empty"
            problem = f"the {what} id {text_of(wrong)!r} {state}, which {format} cannot hold"
            raise InputError(problem, remedy=HOLD_BLANKS)
    comment = next((one for one in batch.queries if one.startswith((b"#", b"\xef\xbb\xbf"))), None)
    if comment is not None:
        problem = f"a line of query {text_of(comment)!r} would be a comment in {format}"
        raise InputError(problem, remedy=HOLD_BLANKS)


def _check_once(batch: Batch) -> None:
    """Raises an error where a list has a document twice, which a mapping cannot hold."""
    for query, part in batch.lists():
        documents = batch.documents[part]
        if len(set(documents)) < len(documents):
            twice = next(one for i, one in enumerate(documents) if one in documents[:i])
            raise InputError(
                f"document {text_of(twice)!r} appears twice in the list of query "
                f"{text_of(query)!r}, which JSON cannot hold",
                remedy="Write another format, such as .jsonl or .run.",
            )
