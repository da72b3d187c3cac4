"""The queries of two runs, put in order and taken apart."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from medir import Run, _core
from medir.files.identifiers import bytes_of
from tests.profiles import examples

runs = st.dictionaries(st.text("ab\xe9", max_size=3), st.just(["d"]), min_size=1)


def pairing_of(before: Any, after: Any) -> _core.Pairing:
    lists = [Run.of(run)._lists for run in (before, after)]
    return _core.Pairing(lists[0], lists[1], 1)


def ids(pairing: _core.Pairing) -> list[bytes]:
    return [pairing.query(i) for i in range(len(pairing))]


@examples(200)
@given(runs, runs, st.booleans(), st.booleans())
def test_sorting_and_taking_apart(before: Any, after: Any, is_sorted: bool, common: bool) -> None:
    own = [bytes_of(query, "query", "") for query in before]
    rest = [bytes_of(query, "query", "") for query in after if query not in before]
    pairing = pairing_of(before, after)
    assert ids(pairing) == own + rest
    if is_sorted:
        pairing.sort()
        own.sort()
        rest.sort()
    if common:
        pairing.keep_common()
        own, rest = [query for query in own if query.decode() in after], []
    expected = own + rest
    assert ids(pairing) == expected
    assert [pairing.find(query) for query in expected] == list(range(len(expected)))
    assert pairing.find(b"nowhere") is None
    alone = pairing.take_only_after()
    assert (ids(pairing), ids(alone)) == (own, rest)
    assert (alone.only_before, alone.only_after) == (0, len(rest))
    for part, queries in ((pairing, own), (alone, rest)):
        assert [part.find(query) for query in queries] == list(range(len(queries)))
    assert not any(pairing.find(query) is not None for query in rest)
    assert not any(alone.find(query) is not None for query in own)
