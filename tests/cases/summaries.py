"""Comparisons for pipelines, small enough to work out by hand, and some with hostile texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import medir
from medir.comparing.decision.gate import Check, Outcome, checked
from medir.comparing.differences import Differences
from tests.cases.examples import AFTER as AFTER_FILE
from tests.cases.examples import BEFORE as BEFORE_FILE
from tests.cases.examples import QRELS, QUERIES
from tests.shell import EXAMPLES

Case = tuple[Differences[Any], list[Outcome]]

BEFORE = {f"q{i}": ["a", "b", "c", "d"] for i in range(4)}
# P@2 differs by 0, 0.5, 1 and 1: nothing, one of two, both, both of the first two are new.
AFTER = {
    "q0": ["b", "a", "c", "d"],
    "q1": ["a", "x", "c", "d"],
    "q2": ["x", "y", "c", "d"],
    "q3": ["c", "d", "a", "b"],
}
TABLE = {
    "q0": {"text": "jaguar", "weight": 1, "kind": "head"},
    "q1": {"text": "puma", "weight": 1, "kind": "tail"},
    "q2": {"text": "lynx", "weight": 1, "kind": "tail"},
    "q3": {"text": "ocelot", "weight": 5, "kind": "none"},
}
HOSTILE = (
    "evil|`x`<b>[l](http://a.b)\n# h @user #12 $x$ &amp; \x01\u202e ~~s~~ *e* _e_ \\| <!-- "
    "www.x.org :100: ]]> \ufffe \udcff"
)
PASSAGES = [EXAMPLES / "passages" / name for name in ("before.txt", "after.txt", "gold.tsv")]


def outcomes_of(
    result: Differences[Any], above: Sequence[str] = (), below: Sequence[str] = ()
) -> list[Outcome]:
    """What checks find."""
    checks = [Check.parse(one) for one in above] + [Check.parse(one, "below") for one in below]
    return checked(result, checks)


def plain(*above: str, **options: Any) -> Case:
    """The four queries by P@2."""
    result = medir.compare(BEFORE, AFTER, "P@2", **options)
    return result, outcomes_of(result, above)


def judged() -> Case:
    """Two queries that can only win, one that can only lose, one that cannot move."""
    grades = {
        "q1": {"b": 0, "x": 1},
        "q2": {"a": 0, "b": 0, "x": 1},
        "q3": {"a": 1, "b": 1, "c": 0, "d": 0},
    }
    return plain("loss:P@2=0.1", "loss:max:P@2=0.5", qrels=grades)


def similarities() -> Case:
    """MED, a rank similarity and a rank distance; one query has no similarity."""
    after = AFTER | {"q4": ["z"]}
    result = medir.compare(BEFORE, after, ["P@2", "RBO(p=0.5)", "footrule"], missing="empty")
    return result, outcomes_of(result, ["P@2=1"], ["RBO(p=0.5)=0.1", "min:RBO(p=0.5)=0.9"])


def segments() -> Case:
    """Weights and segments, one of which weighs nothing."""
    table = {query: dict(row) for query, row in TABLE.items()}
    table["q0"]["weight"] = 0
    result = medir.compare(BEFORE, AFTER, ["P@2", "AP@4"], queries=table, by="kind")
    return result, outcomes_of(result, ["P@2=0.9", "segment=tail:max:P@2=0.9"])


def noise() -> Case:
    """A second run of the system before the change, in which one query differs."""
    again = BEFORE | {"q0": ["a", "x", "c", "d"]}
    result = medir.compare(BEFORE, AFTER, ["P@2", "RBO(p=0.5)"], noise=again)
    return result, outcomes_of(result, ["P@2=2xnoise", "P@2=10xnoise", "P@2=0.9"])


def passages() -> Case:
    """Runs of passages from files."""
    before, after, gold = PASSAGES
    result = medir.compare_passages(before, after, gold=gold, unjudged_documents="not-relevant")
    return result, outcomes_of(result, ["U@12000=5000"])


def files() -> Case:
    """Runs, judgments and a table of queries from files."""
    result = medir.compare(
        BEFORE_FILE, AFTER_FILE, ["nDCG@20", "RBO"], qrels=QRELS, queries=QUERIES, by="segment"
    )
    checks = ["nDCG@20=0.5", "segment=*:loss:nDCG@20=0.3"]
    return result, outcomes_of(result, checks)


def hostile(text: str = HOSTILE) -> Case:
    """A text that is markup as the id, the text and the segment of a query."""
    before, after = {text: ["a", "b"], "q": ["a", "b"]}, {text: ["b", "c"], "q": ["a", "b"]}
    table = {text: {"text": text, "kind": text}, "q": {"text": "-", "kind": "1. b"}}
    result = medir.compare(before, after, "P@2", queries=table, by="kind")
    return result, outcomes_of(result, ["P@2=0.1", "segment=*:P@2=0.2"])


def valueless() -> Case:
    """No query has a rank correlation."""
    return medir.compare({"q": ["a"]}, {"q": ["b"]}, "kendall"), []


CASES: dict[str, Callable[[], Case]] = {
    "plain": plain,
    "checked": lambda: plain("P@2=0.7", "P@2=0.1", "P@2=0.1", "p95:P@2=0.5", "max:P@2=1"),
    "judged": judged,
    "similarities": similarities,
    "segments": segments,
    "noise": noise,
    "passages": passages,
    "files": files,
    "hostile": hostile,
    "valueless": valueless,
    "unchanged": lambda: (medir.compare(BEFORE, BEFORE, "P@2"), []),
}
