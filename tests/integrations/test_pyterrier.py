"""PyTerrier: its frames as runs, and MED against a reference run in `pt.Experiment`.

Nothing of Terrier is started, and nothing downloaded: `pt.Transformer.from_df` has its results.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import medir
from medir.integrations.ir_measures import MED
from tests.cases.libraries import Grades, Pair, Scores, compare, rows, same
from tests.integrations.packages import needed

pt: Any = needed("pyterrier")
pd: Any = needed("pandas")
ir_measures: Any = needed("ir_measures")


def results(some: Scores) -> Any:
    """A frame as PyTerrier's retrieval makes it."""
    frame = pd.DataFrame(rows(some), columns=["qid", "docno", "score"])
    frame["query"] = "text of " + frame["qid"]
    return pt.model.add_ranks(frame)


def judgments(some: Grades) -> Any:
    return pd.DataFrame(rows(some), columns=["qid", "docno", "label"])


def topics(some: Grades) -> Any:
    return pd.DataFrame({"qid": list(some), "query": [f"text of {query}" for query in some]})


def test_frames(pair: Pair, tmp_path: Path) -> None:
    same(compare(results(pair.before), results(pair.after)), pair.expected(tmp_path))


def test_judgments(pair: Pair, tmp_path: Path) -> None:
    result = compare(results(pair.before), results(pair.after), qrels=judgments(pair.judged))
    same(result, pair.expected(tmp_path, judged=True))


@pytest.mark.parametrize("batch", [None, 5])
def test_experiment(pair: Pair, batch: int | None) -> None:
    """Also in batches, which see a part of the judgments each."""
    systems = [pt.Transformer.from_df(results(some)) for some in (pair.before, pair.after)]
    settings = {"names": ["before", "after"], "batch_size": batch}
    med = MED(results(pair.before), "nDCG@10", unseen="nothing")
    given = systems, topics(pair.judged), judgments(pair.judged), [med, ir_measures.nDCG @ 10]
    table = pt.Experiment(*given, **settings).set_index("name")
    result = medir.compare(pair.before, pair.after, "nDCG@10", unseen="nothing")
    queries = len(pair.judged)
    assert table.loc["before", "MED-nDCG@10"] == 0
    expected = result.column().sum() / queries  # 0 for a query that neither run has
    assert table.loc["after", "MED-nDCG@10"] == pytest.approx(expected)
    assert expected > 0.01

    each = pt.Experiment(*given, **settings, perquery=True)
    each = each[(each["name"] == "after") & (each["measure"] == "MED-nDCG@10")]
    values = dict(zip(each["qid"], each["value"], strict=True))
    assert {query: values[query] for query in result.queries} == pytest.approx(
        dict(zip(result.queries, result.column().tolist(), strict=True))
    )
