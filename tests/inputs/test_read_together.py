"""Two runs that are read together: the same rows as from mappings, which are read elsewhere."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from os import fsencode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import _core

Run = dict[str, dict[str, str]]  # query, document, score as it is written
MEASURES = ["nDCG@20", "RBP(p=0.8)", "AP@10", "ERR", "P@5"]
CPU = Path("/proc/cpuinfo")
WIDE = CPU.exists() and "avx512_vbmi2" in CPU.read_text(encoding="utf-8")


def line_of(query: str, document: str, rank: int, score: str) -> str:
    return f"{query} Q0 {document} {rank} {score} tag\n"


def text_of(run: Run, line: Callable[[str, str, int, str], str] = line_of) -> str:
    """Lists in the order of the mapping, whatever their scores are."""
    return "".join(
        line(query, document, rank, score)
        for query, results in run.items()
        for rank, (document, score) in enumerate(results.items(), 1)
    )


def rows_of(
    before: Path | Mapping[str, Mapping[str, float]],
    after: Path | Mapping[str, Mapping[str, float]],
    **options: Any,
) -> list[list[object]]:
    result = medir.compare(before, after, MEASURES, **options)
    return [list(row) for row in result]


def numbers(run: Run) -> dict[str, dict[str, float]]:
    return {
        query: {document: float(score) for document, score in results.items()}
        for query, results in run.items()
        if results
    }


def read_together(folder: Path, before: str, after: str) -> tuple[Path, Path]:
    paths = folder / "before.run", folder / "after.run"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text, encoding="utf-8")
    _core.read_ahead([fsencode(path) for path in paths], True)
    return paths


def compared(folder: Path, before: str, after: str) -> int:
    """How many queries need not be read again."""
    paths = read_together(folder, before, after)
    one, other = (_core.read_run(fsencode(path), None, _core.Order.score, 2) for path in paths)
    pairing = _core.Pairing(one, other, 2)
    return sum(pairing.is_compared(i) for i in range(len(pairing)))


def drawn(seed: int, queries: int, results: int, documents: int) -> tuple[Run, Run]:
    """Two runs of the same queries, some lists with ties and in another order than their scores."""
    draw = random.Random(seed)
    runs: tuple[Run, Run] = ({}, {})
    for number in range(queries):
        for run in runs:
            found = draw.sample(range(documents), draw.randint(1, results))
            scores = sorted((draw.uniform(0, 99) for _ in found), reverse=True)
            if draw.random() < 0.2:
                scores = [round(score / 30) for score in scores]
            if draw.random() < 0.1:
                draw.shuffle(scores)
            pairs = zip(found, scores, strict=True)
            run[f"q{number:05}"] = {f"D{one}": f"{score:.3f}" for one, score in pairs}
    return runs


@pytest.fixture(scope="module")
def large() -> tuple[Run, Run]:
    """Several parts of both."""
    return drawn(seed=17, queries=6000, results=20, documents=40)


def test_the_same_rows(large: tuple[Run, Run], tmp_path: Path) -> None:
    before, after = large
    expected = rows_of(numbers(before), numbers(after))
    for threads in (1, 2, 5):
        paths = read_together(tmp_path, text_of(before), text_of(after))
        assert rows_of(*paths, threads=threads) == expected


@pytest.mark.skipif(not WIDE, reason="this processor has no AVX-512 with VBMI2")
def test_lists_are_not_read_again(large: tuple[Run, Run], tmp_path: Path) -> None:
    """All of these are short, and no list holds a document twice."""
    before, after = large
    assert compared(tmp_path, text_of(before), text_of(after)) == len(before)


@pytest.mark.skipif(not WIDE, reason="this processor has no AVX-512 with VBMI2")
def test_queries_of_one_run_only(large: tuple[Run, Run], tmp_path: Path) -> None:
    """They stop nothing, as long as most queries are in both."""
    before, after = ({**run} for run in large)
    draw = random.Random(3)
    for query in large[0]:
        if draw.random() < 0.1:
            del (before if draw.random() < 0.5 else after)[query]
    common = before.keys() & after.keys()
    assert compared(tmp_path, text_of(before), text_of(after)) == len(common)
    paths = read_together(tmp_path, text_of(before), text_of(after))
    assert rows_of(*paths) == rows_of(numbers(before), numbers(after))


def test_another_order_of_queries(large: tuple[Run, Run], tmp_path: Path) -> None:
    """From the first query on, or from the middle."""
    before, after = large
    expected = rows_of(numbers(before), numbers(after))
    queries = list(after)
    draw = random.Random(5)
    for kept in (0, len(queries) // 2):
        rest = draw.sample(queries[kept:], len(queries) - kept)
        shuffled = {query: after[query] for query in queries[:kept] + rest}
        paths = read_together(tmp_path, text_of(before), text_of(shuffled))
        assert rows_of(*paths) == expected


def test_a_query_whose_lines_do_not_stand_together(large: tuple[Run, Run], tmp_path: Path) -> None:
    """The last lines of a query at the end of the file, of either run or of both."""
    before, after = large
    expected = rows_of(numbers(before), numbers(after))
    query = next(query for query in before if len(before[query]) > 4 and len(after[query]) > 4)

    def scattered(run: Run) -> str:
        lines = text_of(run).splitlines(keepends=True)
        at = [i for i, line in enumerate(lines) if line.startswith(f"{query} ")]
        moved = [lines.pop(at[-1]), lines.pop(at[-2])]
        return "".join(lines + moved[::-1])

    whole = text_of(before), text_of(after)
    for texts in (
        (scattered(before), whole[1]),
        (whole[0], scattered(after)),
        (scattered(before), scattered(after)),
    ):
        assert rows_of(*read_together(tmp_path, *texts)) == expected


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" tag\n", " tag\r\n"),
        lambda text: text.replace(" tag\n", "  tag\n"),
        lambda text: text.replace("q00002 Q0", "# a comment\nq00002 Q0", 1),
        lambda text: text.replace("q00500 Q0", "\n\nq00500 Q0"),
        lambda text: "\ufeff" + text,
        lambda text: "# a comment\n" + text,
        lambda text: text.removesuffix("\n"),
        lambda text: text.replace(" tag\n", " tag more\n", 7),
        lambda text: text.replace("q", "the-query-with-a-long-id-"),
        lambda text: text.replace("D", "a-document-with-a-long-id-"),
        lambda text: text.replace("q", "query-16-"),
    ],
    ids=[
        "tabs", "returns", "two blanks", "a comment", "blank lines", "a mark", "comment first",
        "no last break", "seven columns", "long queries", "long documents", "queries of 14 bytes",
    ],
)  # fmt: skip
@pytest.mark.parametrize("side", [0, 1, None], ids=["before", "after", "both"])
def test_other_lines(
    change: Callable[[str], str], side: int | None, large: tuple[Run, Run], tmp_path: Path
) -> None:
    """What the lines look like does not matter, in one run or in both."""
    texts = [text_of({query: run[query] for query in list(run)[:1500]}) for run in large]
    renames = change("q D") != "q D" and side is not None
    changed = [
        change(text) if side in (number, None) else text for number, text in enumerate(texts)
    ]
    plain = [tmp_path / "one.run", tmp_path / "other.run"]
    for path, text in zip(plain, changed, strict=True):
        path.write_text(text, encoding="utf-8", newline="")
    expected = rows_of(*plain)  # read one after the other
    assert rows_of(*read_together(tmp_path, *changed)) == expected
    if not renames and side is not None:
        few = [{query: run[query] for query in list(run)[:1500]} for run in large]
        assert expected == rows_of(*map(numbers, few))


@pytest.mark.parametrize("score", ["1e3", "+7.5", "-2", "0.1234567890123", "12345678.5", "inf"])
def test_scores_that_are_no_short_decimals(score: str, tmp_path: Path) -> None:
    before, after = drawn(seed=2, queries=50, results=12, documents=20)
    for run in (before, after):
        for query in list(run)[::3]:
            run[query][next(iter(run[query]))] = score
    paths = read_together(tmp_path, text_of(before), text_of(after))
    assert rows_of(*paths) == rows_of(numbers(before), numbers(after))


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("q01200 Q0 ", "q01200 Q0 twice 99 1 x\nq01200 Q0 twice 98 0.5 x\nq01200 Q0 ", "twice"),
        ("\nq01200 Q0 ", "\nq01200 ", "expected 6 columns"),
        ("\nq01200 Q0 ", "\nq01200 Q0 x 1 high tag\nq01200 Q0 ", "not a number"),
        ("\nq01200 Q0 ", "\nq01200 Q0 x 1 nan tag\nq01200 Q0 ", "NaN"),
        ("\nq01200 Q0 ", "\n\x00 Q0 x 1 1 tag\nq01200 Q0 ", "binary data"),
    ],
    ids=["a document twice", "five columns", "no number", "NaN", "binary"],
)
def test_errors(
    old: str, new: str, problem: str, side: int, large: tuple[Run, Run], tmp_path: Path
) -> None:
    """The same as without: file, line and text."""
    texts = [text_of({query: run[query] for query in list(run)[:2000]}) for run in large]
    texts[side] = texts[side].replace(old, new, 1)
    paths = read_together(tmp_path, *texts)
    with pytest.raises(medir.MedirError, match=problem) as together:
        rows_of(*paths)
    with pytest.raises(medir.MedirError, match=problem) as apart:
        rows_of(*paths)
    assert str(together.value) == str(apart.value)


def test_what_asks_for_documents(large: tuple[Run, Run], tmp_path: Path) -> None:
    """Judgments, clusters, another order and a depth: nobody takes what was found for them."""
    before, after = ({query: run[query] for query in list(run)[:300]} for run in large)
    qrels = {query: {"D1": 2, "D7": 0, "D12": 1} for query in before}
    asked: list[dict[str, Any]] = [
        {"qrels": qrels},
        {"clusters": {f"D{one}": one // 2 for one in range(40)}},
        {"depth": 7},
        {"unseen": "anything"},
        {"unseen": "nothing"},
        {"missing": "skip"},
    ]
    for options in asked:
        paths = read_together(tmp_path, text_of(before), text_of(after))
        assert rows_of(*paths, **options) == rows_of(numbers(before), numbers(after), **options)
    paths = read_together(tmp_path, text_of(before), text_of(after))
    by_rank = [{q: {d: -i for i, d in enumerate(run[q])} for q in run} for run in (before, after)]
    assert rows_of(*paths, order="rank") == rows_of(*by_rank)


def test_files_that_are_written_to_meanwhile(large: tuple[Run, Run], tmp_path: Path) -> None:
    """What is there when they are asked for counts, also where only one of them is another."""
    before, after = large
    few = {query: before[query] for query in list(before)[:100]}
    for changed in (0, 1):
        paths = read_together(tmp_path, text_of(before), text_of(after))
        paths[changed].write_text(text_of(few), encoding="utf-8")
        runs = [before, after]
        runs[changed] = few
        assert rows_of(*paths) == rows_of(*map(numbers, runs))


def test_a_run_with_itself(large: tuple[Run, Run], tmp_path: Path) -> None:
    before, _ = large
    path, _ = read_together(tmp_path, text_of(before), text_of(before))
    assert rows_of(path, path) == rows_of(numbers(before), numbers(before))


IDS = st.text("ab1-", min_size=1, max_size=20)
RUNS = st.dictionaries(
    IDS,
    st.dictionaries(IDS, st.sampled_from(["1", "2.5", "2.50", "-3", "1e2", "0.125"]), max_size=70),
    min_size=1,
    max_size=8,
).filter(lambda run: any(run.values()))


@given(RUNS, RUNS)
def test_any_two_runs(tmp_path_factory: pytest.TempPathFactory, before: Run, after: Run) -> None:
    folder = tmp_path_factory.mktemp("together")
    paths = read_together(folder, text_of(before), text_of(after))
    assert rows_of(*paths) == rows_of(numbers(before), numbers(after))


def test_reading_from_python(large: tuple[Run, Run], tmp_path: Path) -> None:
    """`medir.compare` has large files read together by itself; after an error, nothing is kept."""
    from medir.files.ahead import LARGE

    text = text_of(large[0])
    copies = -(-LARGE // len(text.encode()))
    paths = [tmp_path / "before.run", tmp_path / "after.run"]
    for path, run in zip(paths, large, strict=True):
        with path.open("w", encoding="utf-8") as file:
            for copy in range(copies):
                file.write(text_of({f"{copy}-{query}": results for query, results in run.items()}))
        assert path.stat().st_size >= LARGE
    with pytest.raises(medir.MedirError, match=r"none\.run"):
        medir.compare(paths[0], tmp_path / "none.run", "P@5")
    before, after = paths
    found = [row.med for row in medir.compare(before, after, "P@5")]
    one, other = map(numbers, large)
    once = [row.med for row in medir.compare(one, other, "P@5")]
    assert found == once * copies
