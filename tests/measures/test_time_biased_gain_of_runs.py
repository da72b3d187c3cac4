"""Time-biased gain of whole runs: every route leads to the same value."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import medir
from medir import UsageError
from tests.cases.runs import write_qrels, write_run
from tests.shell import medir as shell

D = [f"d{i}" for i in range(1, 41)]


@pytest.fixture
def runs(tmp_path: Path) -> tuple[dict[str, dict[str, list[str]]], dict[str, float], list[str]]:
    """Three runs of twenty queries, lengths, and the files of all: runs, lengths, judgments."""
    rng = random.Random(10)
    queries = [f"q{i}" for i in range(20)]
    made = {name: {query: rng.sample(D, rng.randint(1, 30)) for query in queries} for name in "xyz"}
    words = {d: float(round(rng.lognormvariate(6, 1.5))) for d in D}
    paths = [str(write_run(tmp_path / f"{name}.run", made[name])) for name in made]
    lengths = tmp_path / "words.txt"
    lengths.write_text("".join(f"{d} {count:.0f}\n" for d, count in words.items()))
    qrels = write_qrels(tmp_path / "qrels.txt", {query: {rng.choice(D): 1} for query in queries})
    return made, words, [*paths, str(lengths), str(qrels)]


def test_routes_agree(runs: Any) -> None:
    made, words, (x, y, _, lengths, qrels) = runs
    for judged in (None, qrels):
        known: dict[str, Any] = {"qrels": judged, "unseen": "anything"}
        result = medir.compare(x, y, ["TBG", "nDCG@20"], lengths=lengths, **known)
        one = medir.compare(made["x"], made["y"], "TBG", lengths=words, threads=1, **known)
        assert result.column("TBG").tolist() == one.column("TBG").tolist()
        square = medir.matrix(made, ["ERR", "TBG"], lengths=words, **known)
        of_pair = square.values[1, square.pairs.index((0, 1))]
        assert of_pair.tolist() == one.column("TBG").tolist()
        for query in result.queries[:5]:
            grades = None if judged is None else medir.Qrels.read(judged)[query]
            lists = made["x"][query], made["y"][query]
            med = medir.med(*lists, "TBG", judged=grades, lengths=words, unseen="anything")
            assert med == result.column("TBG")[result.queries.index(query)]
            why = result.explain(query, "TBG")
            assert why == medir.explain(x, y, "TBG", query=query, lengths=words, **known)
            assert why.solution.med == med
            assert result.explain(query, "nDCG@20").measure == medir.nDCG @ 20


def test_shell(runs: Any) -> None:
    _, _, (x, y, z, lengths, qrels) = runs
    done = shell("compare", x, y, "-m", "TBG(half_life=100)", "--lengths", lengths)
    assert done.code == 0
    assert "TBG(half_life=100)" in done.out
    rows = shell("compare", x, y, "-m", "TBG", "--lengths", lengths, "--format", "csv")
    expected = medir.compare(x, y, "TBG", lengths=lengths)
    assert rows.out.splitlines()[1].split(",")[2] == repr(float(expected.row(0).med))
    assert shell("matrix", x, y, z, "-m", "TBG", "--lengths", lengths).code == 0
    more = ("-m", "TBG", "-m", "RBP", "--lengths", lengths, "--qrels", qrels)
    explained = shell("explain", x, y, "q1", *more)
    assert explained.code == 0
    assert "query q1, TBG: med" in explained.out
    assert "query q1, RBP(p=0.9): med" in explained.out


def test_a_default_length_in_the_shell(runs: Any, tmp_path: Path) -> None:
    _, _, (x, y, *_) = runs
    few = tmp_path / "few.txt"
    few.write_text("d1 100\n")
    refused = shell("compare", x, y, "-m", "TBG", "--lengths", str(few))
    assert refused.code == 2
    assert f"{few}: there is no length of document 'd" in refused.err
    assert "--default-length N" in refused.err
    done = shell("compare", x, y, "-m", "TBG", "--lengths", str(few), "--default-length", "500")
    assert done.code == 0
    assert "documents without a length got --default-length" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "TBG"], "TBG needs the lengths of documents in words: give --lengths FILE"),
        (["--lengths", "WORDS"], "go with a measure of time, such as TBG"),
        (["-m", "TBG", "--default-length", "5"], "--default-length goes with --lengths"),
        (["-m", "TBG", "--lengths", "nowhere.txt"], "there is no such file"),
    ],
)
@pytest.mark.parametrize("command", ["compare", "matrix", "explain"])
def test_usage(runs: Any, command: str, arguments: list[str], message: str) -> None:
    _, _, (x, y, _, lengths, _) = runs
    given = [lengths if one == "WORDS" else one for one in arguments]
    done = shell(command, x, y, *(["q1"] if command == "explain" else []), *given)
    assert done.code == 2
    assert message in done.err


def test_standard_input_once(runs: Any) -> None:
    _, _, (_, y, *_) = runs
    done = shell("compare", "-", y, "-m", "TBG", "--lengths", "-")
    assert done.code == 2
    assert "only one of the files can come from standard input" in done.err


def test_commands_that_take_no_lengths() -> None:
    before, after = {"q": ["a"]}, {"q": ["b"]}
    with pytest.raises(UsageError, match="which judge does not read"):
        medir.judge(before, after, measures="TBG")
    with pytest.raises(UsageError, match="which expect does not read"):
        medir.expect(before, after, "TBG", prior=0.5)
