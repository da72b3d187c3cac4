"""Rows of a comparison as text: ids of any bytes, and numbers in full."""

from __future__ import annotations

import json

import numpy as np
import pytest

from medir import _core

# Bytes that are UTF-8 only in part: a stray byte, a start without its end, a surrogate, more bytes
# than needed, beyond the last character; and text that is.
IDS = [
    b"q\xff",
    b"\xe2\x82q",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\xe0\x80\xaf",
    b"\xf0\x80\x80\xaf",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xf0\x9f\x98",
    "grün €😀".replace(" ", "").encode(),
    b'quoted"back\\slash',
    b"\x7f",
]
VALUES = [1.0, 0.25, 1 / 3, 0.0, 1e-300, 0.5, 0.125, 2.0]
CHANGES = [3, 0, 4294967295]


def rows(ids: list[bytes], row_format: _core.RowFormat) -> bytes:
    """Rows with the same values for all queries."""
    lists = _core.read_run(
        b"run", b"".join(query + b" Q0 d 1 1 t\n" for query in ids), _core.Order.score, 1
    )
    pairing = _core.Pairing(lists, lists, 1)
    values = np.repeat(np.array(VALUES)[None, :, None], len(ids), axis=2)
    changes = np.repeat(np.array(CHANGES, dtype=np.uint32)[None, :, None], len(ids), axis=2)
    parts: list[bytes] = []
    _core.write_rows(
        pairing,
        ["P@2"],
        [False],
        np.ascontiguousarray(values),
        np.ascontiguousarray(changes),
        None,
        row_format,
        False,
        1,
        lambda part: parts.append(bytes(part)),
    )
    return b"".join(parts)


@pytest.mark.parametrize("query", IDS)
def test_json_shows_bytes_that_are_no_text(query: bytes) -> None:
    text = rows([query], _core.RowFormat.jsonl).decode("utf-8")
    assert json.loads(text)["query_id"] == query.decode("utf-8", "backslashreplace")


def test_json_escapes_the_backslash() -> None:
    assert rows([b"q\xff"], _core.RowFormat.jsonl).startswith(b'{"query_id": "q\\\\xff", ')


def test_every_pair_of_bytes_is_text() -> None:
    ids = [bytes([a, b]) for a in range(0x21, 0x100) for b in (*range(0x21, 0x100, 7), 0x80, 0xBF)]
    ids = [query for query in dict.fromkeys(ids) if not query.startswith(b"#")]
    lines = rows(ids, _core.RowFormat.jsonl).decode("utf-8").splitlines()
    found = [json.loads(line)["query_id"] for line in lines]
    assert found == [query.decode("utf-8", "backslashreplace") for query in ids]


@pytest.mark.parametrize(
    ("row_format", "delimiter"), [(_core.RowFormat.csv, b","), (_core.RowFormat.tsv, b"\t")]
)
def test_tables_keep_the_bytes(row_format: _core.RowFormat, delimiter: bytes) -> None:
    plain = [query for query in IDS if b'"' not in query]
    lines = rows(plain, row_format).split(b"\n")[1:-1]
    assert [line.split(delimiter)[0] for line in lines] == plain


def test_numbers_are_as_short_as_they_can_be() -> None:
    header, line = rows([b"q"], _core.RowFormat.csv).decode().splitlines()
    assert header == ",".join(["query_id", "measure", *_core.COLUMNS, _core.VALUE, *_core.CHANGES])
    assert line == "q,P@2,1,0.25,0.3333333333333333,0,1e-300,0.5,0.125,2,,3,0,4294967295"
    record = json.loads(rows([b"q"], _core.RowFormat.jsonl))
    assert [record[column] for column in _core.COLUMNS] == VALUES
    assert [record[column] for column in _core.CHANGES] == CHANGES
    assert record[_core.VALUE] is None
