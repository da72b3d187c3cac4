"""Responses of engines, recognised by how they begin."""

from __future__ import annotations

import re

# A text in quotes, a bracket, a comma or colon, or a number or word.
TOKEN = rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+'
START = 1 << 14  # bytes that are looked at
DEEPEST = 5  # levels that are looked at

# Where values of these kinds stand in a response, and in no table or mapping of results:
# "s" text, "n" a number or word, "{" an object, "[" a list; [] is an item of a list.
_SIGNS = """
    _shards.total:n hits.hits.[]:{ hits.total.value:n responses.[]:{
    error.type:s error.reason:s error.root_cause:[ error.msg:s
    responseHeader.status:n responseHeader.QTime:n responseHeader.params:{
    response.numFound:n response.docs.[]:{
    root.id:s root.fields:{ root.coverage:{ root.errors:[ root.children.[]:{
"""
SIGNS = frozenset(sign.encode() for sign in _SIGNS.split())
WITHIN = (b"", b"response.", b"[].", b"[].response.")  # as they are, wrapped, or in a list


def looks_like_responses(start: bytes) -> bool:
    """Whether a file that starts so holds responses of a search engine.

    >>> looks_like_responses(b'{"took": 3, "_shards": {"total": 1, "successful": 1')
    True
    >>> looks_like_responses(b'{"took": {"d1": 3.5, "d2": 1.25}}')  # a query named took
    False
    """
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:START]
    if not start.startswith((b"{", b"[")):
        return False
    values = _values(start)
    return any(value.removeprefix(one) in SIGNS for value in values for one in WITHIN)


def _values(start: bytes) -> set[bytes]:
    """The places of the values in the first object or list, each with its kind."""
    found: set[bytes] = set()
    opened: list[tuple[bytes, bool]] = []  # the place of each, and whether it is a list
    name, expects_name = b"", False
    for match in re.finditer(TOKEN, start):
        token = match[0]
        if token in (b"}", b"]"):
            opened.pop()
            if not opened:
                break
        elif token == b",":
            expects_name = not opened[-1][1]
        elif token == b":":
            expects_name = False
        elif expects_name:
            name = token[1:-1]
        else:
            kind = token[:1] if token in (b"{", b"[") else b"s" if token[:1] == b'"' else b"n"
            place = b""
            if opened:
                outer, is_list = opened[-1]
                place = (outer + b"." if outer else b"") + (b"[]" if is_list else name)
            if len(opened) <= DEEPEST:
                found.add(place + b":" + kind)
            if kind in (b"{", b"["):
                opened.append((place, kind == b"["))
                expects_name = kind == b"{"
    return found
