"""Documents with the same content count once: every shape against the definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import TBG, alpha_nDCG
from tests.cases.runs import EXACT, ranked
from tests.cases.same_content import BINARY, GRADES, MEASURES, TOP, Case, cases, logarithmic
from tests.oracles import clusters as oracle
from tests.oracles.exhaustive import Formula, average_precision, cascade, total_discount
from tests.oracles.time_biased_gain import Clock
from tests.profiles import examples

close = partial(pytest.approx, rel=0, abs=EXACT)


# By hand.


def test_a_copy_is_no_change() -> None:
    """A and A have the same content: the lists show the same to a reader."""
    clusters = {"a": "one", "A": "one"}
    result = medir.compare({"q": ["a", "b"]}, {"q": ["A", "b"]}, "nDCG@2", clusters=clusters)
    row = result.row(0)
    assert row.med == row.gain == row.loss == 0
    assert not result.changes.any()
    assert medir.med(["a", "b"], ["A", "b"], "nDCG@2") == close(1 / (1 + 1 / math.log2(3)))
    assert medir.med(["a", "b"], ["A", "b"], "nDCG@2", clusters=clusters) == 0


def test_a_repeat_keeps_its_rank_and_is_worth_nothing() -> None:
    """P@2: before shows a and b, after shows a alone, since A repeats it. Only b can be lost."""
    found = medir.solve(["a", "b"], ["a", "A"], "P@2", clusters={"a": 1, "A": 1})
    assert (found.gain, found.loss) == (0, 0.5)
    # RR: b stands at rank 3 after A, not at rank 2: 1/2 - 1/3.
    found = medir.solve(
        ["a", "b"], ["a", "A", "b"], "RR", clusters={"a": 1, "A": 1}, unseen="nothing"
    )
    assert found.loss == close(1 / 2 - 1 / 3)
    assert found.loss_assignment == {"a": 0.0, "b": 1.0, "A": 0.0}


def test_a_judged_document_judges_its_cluster() -> None:
    """A is judged 0, so that a is: nothing is left of P@1."""
    runs = {"q": ["a"]}, {"q": ["b"]}
    judged = {"q": {"A": 0, "b": 0}}
    assert medir.compare(*runs, "P@1", qrels=judged).row(0).med == 1
    assert medir.compare(*runs, "P@1", qrels=judged, clusters={"a": 1, "A": 1}).row(0).med == 0


def test_the_highest_grade_counts() -> None:
    clusters = {"a": 1, "A": 1}
    judged = {"q": {"a": 0, "A": 1}}
    assert medir.score({"q": ["a"]}, "P@1", judged, clusters=clusters)["q"] == 1
    assert medir.score({"q": ["a", "A"]}, "P@2", judged, clusters=clusters)["q"] == 0.5
    result = medir.compare({"q": ["a"]}, {"q": ["b"]}, "P@1", qrels=judged, clusters=clusters)
    facts = dict(result.facts())
    assert facts["Clusters"] == (
        "clusters: 1 cluster of 2 documents; 1 cluster has documents with different grades: the "
        "highest counts"
    )


def test_the_longest_document_of_a_cluster_counts() -> None:
    words = {"a": 100, "A": 5000, "b": 300}
    clusters = {"a": 1, "A": 1}
    options: dict[str, Any] = {"lengths": words, "unseen": "nothing"}
    found = medir.med(["a", "b"], ["b", "a"], "TBG", clusters=clusters, **options)
    alike = medir.med(["a", "b"], ["b", "a"], "TBG", lengths=words | {"a": 5000}, unseen="nothing")
    assert found == alike > 0
    result = medir.compare({"q": ["a"]}, {"q": ["b"]}, "TBG", clusters=clusters, **options)
    assert (
        "1 cluster has documents of different lengths: the longest counts"
        in dict(result.facts())["Clusters"]
    )


# By the definition.


@pytest.mark.parametrize("name", MEASURES)
@examples(120)
@given(data=st.data())
def test_is_the_maximum_over_the_relevance_of_clusters(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(pool=6 if name == "function" else 8))
    one, formula = MEASURES[name]
    result = case.compare(one)
    row = result.row(0)
    gain, loss = case.expected(formula)
    assert [row.gain, row.loss] == close([gain, loss])
    assert row.med == max(row.gain, row.loss)
    assert row.gap == 0
    assert row.lower <= row.med + EXACT
    reach = one.reach or 0
    changes = oracle.changes(case.before, case.after, case.clusters, reach)
    assert tuple(result.changes[0, :, 0].tolist()) == changes


@examples(120)
@given(case=cases())
def test_time_biased_gain(case: Case) -> None:
    words = {f"d{i}": float(n) for i, n in enumerate([50, 500, 0, 20_000, 2000, 50, 700, 9000])}
    words["elsewhere"] = 100_000.0
    clock = Clock(cutoff=5)
    lists = case.before, case.after
    row = case.compare(TBG @ 5, lengths=words).row(0)

    def most(favoured: list[str], other: list[str], cut: bool) -> float:
        known = case.judged, case.clusters
        return oracle.most_timed(favoured, other, clock, words, *known, cut)

    assert row.loss == close(most(*lists, case.cut[0]))
    assert row.gain == close(most(*lists[::-1], case.cut[1]))


@examples(80)
@given(case=cases(judgments=5))
def test_ideals_of_judgments_count_clusters(case: Case) -> None:
    grades = oracle.grades_of(case.judged, case.clusters)
    ideal = sorted((GRADES[grade] for grade in grades.values()), reverse=True)
    dcg = float(cascade(logarithmic, 0.0)(ideal[:4]))
    relevant = sum(grade > 0 for grade in grades.values())
    ndcg, ap = medir.nDCG(max_grade=TOP, ideal="judged") @ 4, medir.AP(ideal="judged") @ 5
    formulas = {
        ndcg: Formula(cascade(logarithmic, 0.0, dcg or 1.0), GRADES, 4),
        ap: Formula(average_precision(float(relevant or 1)), BINARY, 5),
    }
    result = case.compare(*formulas, qrels={"q": case.judged | {"far": 0}})
    for one, formula in formulas.items():
        row = result.row(0, one)
        if not relevant:
            assert math.isnan(row.med)
        else:
            assert [row.gain, row.loss] == close([*case.expected(formula)])


@examples(80)
@given(
    case=cases(judgments=3),
    counts=st.fixed_dictionaries({1: st.integers(0, 2), 2: st.integers(0, 2)}),
)
def test_counts_per_grade_count_clusters(case: Case, counts: dict[int, int]) -> None:
    judged = oracle.grades_of(case.judged, case.clusters)
    counts = {g: counts[g] + sum(grade == g for grade in judged.values()) for g in (1, 2)}
    ideal = sorted((GRADES[g] for g, n in counts.items() for _ in range(n)), reverse=True)
    dcg = float(cascade(logarithmic, 0.0)(ideal[:4]))
    if dcg == 0:
        return
    formula = Formula(cascade(logarithmic, 0.0, dcg), GRADES, 4)
    row = case.compare(medir.nDCG(max_grade=TOP, ideal=counts) @ 4, unseen="nothing").row(0)
    lists = case.before, case.after
    ended = (False, False)
    expected = oracle.both(*lists, formula, case.judged, case.clusters, ended, counts)
    assert [row.gain, row.loss] == close([*expected])


@examples(60)
@given(case=cases(judgments=0), data=st.data())
def test_intents(case: Case, data: st.DataObject) -> None:
    """Each intent is a problem of its own; a repeat is worth nothing to any of them."""
    grades = st.dictionaries(
        st.sampled_from([*case.before, *case.after, "x"]), st.integers(0, 1), max_size=3
    )
    judged = {intent: data.draw(grades) for intent in ("i", "j")}
    one = alpha_nDCG(alpha=0.5, intents=3) @ 4
    norm = total_discount(logarithmic, 0.5, 1.0, 4)
    formula = Formula(cascade(logarithmic, 0.5, norm), BINARY, 4)
    named = {intent: some for intent, some in judged.items() if some}
    row = case.compare(one, qrels={"q": named} if named else None).row(0)
    known = [*named.values(), *([{}] * (3 - len(named)))]
    both = [
        oracle.both(case.before, case.after, formula, some, case.clusters, case.cut)
        for some in known
    ]
    assert row.gain == close(math.fsum(gain for gain, _ in both) / 3)
    assert row.loss == close(math.fsum(loss for _, loss in both) / 3)


SIMILARITIES = [
    "RBO(p=0.8)", "RBO(p=0.8, score='min')", "RBO(p=0.8)@3", "tau_b", "rho", "tau_AP", "Jaccard@3",
    "Overlap@3", "AnchorMAP@3", "footrule", "RRD", "wFootrule", "wKendall", "wHoeffding",
]  # fmt: skip


@pytest.mark.parametrize("name", SIMILARITIES)
@examples(40)
@given(case=cases(judgments=0))
def test_similarities_compare_lists_without_repeats(name: str, case: Case) -> None:
    lists = [oracle.without_repeats(some, case.clusters) for some in (case.before, case.after)]
    expected = medir.compare({"q": lists[0]}, {"q": lists[1]}, name, threads=1).row(0).value
    found = case.compare(name).row(0).value
    assert (
        found == pytest.approx(expected, rel=0, abs=EXACT, nan_ok=True)
        if expected is not None
        else found is None
    )


@examples(60)
@given(case=cases(judgments=0, low=1), data=st.data())
def test_ties_of_lists_without_repeats(case: Case, data: st.DataObject) -> None:
    """A tie of documents of which one is left out is a tie of the others."""
    scores = st.integers(0, 2)

    def scored(documents: Sequence[str]) -> tuple[dict[str, int], dict[str, int]]:
        given = {d: data.draw(scores) for d in documents}
        order = sorted(given, key=lambda d: (given[d], d), reverse=True)
        left: dict[str, int] = {}
        for d in order:
            left.setdefault(str(oracle.cluster_of(d, case.clusters)), given[d])
        return given, left

    (before, first), (after, second) = scored(case.before), scored(case.after)
    for name in ("RBO(p=0.8, ties='w')", "RBO(p=0.8, ties='a')", "RBO(p=0.8, ties='b')"):
        found = (
            medir.compare({"q": before}, {"q": after}, name, clusters=case.clusters).row(0).value
        )
        expected = medir.compare({"q": first}, {"q": second}, name).row(0).value
        assert found == pytest.approx(expected, rel=0, abs=EXACT, nan_ok=True)


@examples(60)
@given(case=cases())
def test_scores(case: Case) -> None:
    judged = {"x": 1} | case.judged
    for each, formula in MEASURES.values():
        one = each if each["ideal"] is None else each(ideal="unbounded")
        found = medir.score({"q": case.before}, one, {"q": judged}, clusters=case.clusters)["q"]
        assert found == close(oracle.score(case.before, formula, judged, case.clusters))


@examples(60)
@given(case=cases(pool=5), data=st.data())
def test_expected_differences(case: Case, data: st.DataObject) -> None:
    """By enumeration: each cluster is relevant or not, independently of the others."""
    likely = st.dictionaries(
        st.sampled_from([*case.before, *case.after, "elsewhere"]), st.sampled_from([0.25, 0.5, 1.0])
    )
    prior = data.draw(likely)
    chances: dict[Any, float] = {}
    for document, p in prior.items():
        cluster = oracle.cluster_of(document, case.clusters)
        chances[cluster] = max(chances.get(cluster, 0.0), p)
    known = oracle.grades_of(case.judged, case.clusters)
    shown = sorted(
        {oracle.cluster_of(d, case.clusters) for d in (*case.before, *case.after)} - known.keys(),
        key=str,
    )
    names = ["nDCG", "P", "ERR", "AP", "function"]
    options = case.options | {"unseen": "nothing"}
    lists = {"q": case.before}, {"q": case.after}
    result = medir.expect(
        *lists, [MEASURES[name][0] for name in names], prior={"q": prior}, **options
    )
    for number, name in enumerate(names):
        _, formula = MEASURES[name]
        expected = 0.0
        for relevant in itertools.product([0, 1], repeat=len(shown)):
            weight = math.prod(
                chances.get(c, 0.0) if r else 1 - chances.get(c, 0.0)
                for c, r in zip(shown, relevant, strict=True)
            )
            relevance = {c: formula.value(grade) for c, grade in known.items()}
            relevance |= {
                c: formula.top if r else formula.values[0]
                for c, r in zip(shown, relevant, strict=True)
            }
            worth = [
                formula.score(
                    oracle.gains(
                        some[: formula.cutoff], case.clusters, relevance, formula.values[0]
                    )
                )
                for some in (case.before, case.after)
            ]
            expected += weight * float(worth[1] - worth[0])
        assert result.row(0, result.measures[number]).expected == close(expected)


@examples(60)
@given(case=cases(low=1), data=st.data())
def test_exposure_is_that_of_clusters(case: Case, data: st.DataObject) -> None:
    runs = [
        {"q": case.before, "r": case.after},
        {"q": case.after, "r": data.draw(ranked(case.before))},
    ]
    found = medir.documents(runs[0], runs[1], "P@3", clusters=case.clusters)
    expected = [dict[Any, float](), dict[Any, float]()]
    for sums, run in zip(expected, runs, strict=True):
        for documents in run.values():
            for place, document in enumerate(documents[:3]):
                if oracle.is_new(documents, place, case.clusters):
                    cluster = oracle.cluster_of(document, case.clusters)
                    sums[cluster] = sums.get(cluster, 0.0) + 1 / 3
    rows = {oracle.cluster_of(row.doc_id, case.clusters): row for row in found}
    assert len(rows) == len(list(found))
    shown = {cluster for sums in expected for cluster in sums}
    assert {c for c, row in rows.items() if row.before or row.after} == shown
    for cluster in shown:
        assert rows[cluster].before == close(expected[0].get(cluster, 0.0))
        assert rows[cluster].after == close(expected[1].get(cluster, 0.0))
    assert found.total_before == close(math.fsum(expected[0].values()))
    assert found.total_after == close(math.fsum(expected[1].values()))


# Suggestions.


def test_judge_suggests_the_highest_ranked_document_of_a_cluster() -> None:
    """A stands at rank 2 before, A at rank 1 after: one row, and it names A."""
    clusters = {"a": 1, "A": 1}
    found = medir.judge({"q": ["b", "a"]}, {"q": ["A", "c"]}, measures="nDCG@2", clusters=clusters)
    assert sorted(one.document for one in found) == ["A", "b", "c"]


@examples(40)
@given(case=cases(judgments=2, low=2))
def test_judge_has_one_row_for_each_cluster(case: Case) -> None:
    runs = {"q": case.before}, {"q": case.after}
    found = medir.judge(*runs, measures=medir.nDCG(max_grade=TOP) @ 4, top=50, **case.options)
    judged = oracle.grades_of(case.judged, case.clusters)
    suggested = [oracle.cluster_of(one.document, case.clusters) for one in found]
    assert len(set(suggested)) == len(suggested)
    assert not set(suggested) & judged.keys()
    for one in found:
        cluster = oracle.cluster_of(one.document, case.clusters)
        ranks = {
            d: min(some.index(d) for some in (case.before, case.after) if d in some)
            for d in (*case.before, *case.after)
            if oracle.cluster_of(d, case.clusters) == cluster
        }
        assert ranks[one.document] == min(ranks.values())


@examples(30)
@given(case=cases(judgments=2, low=2))
def test_what_a_judgment_of_a_cluster_leaves(case: Case) -> None:
    """The largest and the smallest med over the grades of the suggested document."""
    one = medir.nDCG(max_grade=TOP) @ 4
    for found in medir.judge({"q": case.before}, {"q": case.after}, measures=one, **case.options)[
        :2
    ]:
        meds = [
            case.compare(one, qrels={"q": case.judged | {found.document: grade}}).row(0).med
            for grade in range(TOP + 1)
        ]
        assert [found.worst, found.best] == close([max(meds), min(meds)])


# What must hold.


def everything(measures: Sequence[Any], **options: Any) -> list[Any]:
    """All numbers of many queries."""
    random = np.random.default_rng(7)
    runs = [
        {f"q{n}": [f"d{i}" for i in random.permutation(30)[: 5 + n % 12]] for n in range(40)}
        for _ in range(2)
    ]
    qrels = {
        f"q{n}": {f"d{i}": int(i) % 3 for i in random.permutation(30)[:6]} for n in range(0, 40, 2)
    }
    words = {f"d{i}": 100.0 * i for i in range(30)}
    found = medir.compare(runs[0], runs[1], measures, qrels=qrels, lengths=words, **options)
    alike = medir.matrix(
        {"a": runs[0], "b": runs[1]}, measures, qrels=qrels, lengths=words, **options
    )
    return [found.values.tobytes(), found.changes.tobytes(), alike.values.tobytes()]


EVERY = [
    "nDCG@10",
    "nDCG(ideal='judged')@10",
    "RBP(p=0.9)",
    "ERR",
    "AP@10",
    "TBG",
    "RBO(p=0.9)",
    "tau_b",
]


def test_singletons_change_nothing_bit_for_bit() -> None:
    alone = {f"d{i}": f"cluster of {i}" for i in range(30)}
    plain = everything(EVERY)
    assert everything(EVERY, clusters=alone) == plain
    assert everything(EVERY, clusters={}) == plain
    assert everything(EVERY, clusters={"d1": 1, "d1b": 1}) == plain  # a copy that no list shows


@examples(60)
@given(case=cases(judgments=3), data=st.data())
def test_swapping_documents_of_a_cluster_changes_nothing(case: Case, data: st.DataObject) -> None:
    """The other list shows any document of the same cluster at each rank."""
    copies = [f"{d}-{n}" for d in case.before for n in range(2)]
    clusters = {
        d: case.clusters.get(d.partition("-")[0], d.partition("-")[0])
        for d in (*copies, *case.before)
    }
    swapped = [data.draw(st.sampled_from([d, f"{d}-0", f"{d}-1"])) for d in case.before]
    names = [one for one, _ in MEASURES.values()] + [TBG @ 5]
    words = {d: float(len(d)) for d in clusters}
    options = case.options | {"clusters": clusters, "unseen": "nothing", "lengths": words}
    result = medir.compare({"q": case.before}, {"q": swapped}, names, **options)
    for one in result.measures:
        row = result.row(0, one)
        assert (row.med, row.gain, row.loss) == (0, 0, 0), one
    assert not result.changes.any()


@pytest.mark.parametrize("name", ["nDCG", "ERR", "AP"])
@examples(60)
@given(case=cases(), data=st.data())
def test_triangle_inequality(name: str, case: Case, data: st.DataObject) -> None:
    third = data.draw(ranked([f"d{i}" for i in range(8)]))
    one, _ = MEASURES[name]
    runs = {"a": {"q": case.before}, "b": {"q": case.after}, "c": {"q": third}}
    options = case.options | {"unseen": "nothing"}
    d = medir.matrix(runs, one, **options).mean()
    assert (d == d.T).all()
    for i, j, k in itertools.permutations(range(3)):
        assert d[i, j] <= d[i, k] + d[k, j] + EXACT


@examples(60)
@given(case=cases())
def test_matrix_is_what_compare_says(case: Case) -> None:
    names: list[Any] = [one for one, _ in MEASURES.values()]
    names += ["RBO(p=0.8)", "Jaccard@3", "AnchorMAP@3", TBG @ 5]
    words = {f"d{i}": 300.0 * i for i in range(8)} | {"elsewhere": 1.0}
    row = case.compare(*names, lengths=words)
    runs = {"a": {"q": case.before}, "b": {"q": case.after}}
    found = medir.matrix(runs, names, lengths=words, **case.options)
    pair = found.pairs.index((0, 1))
    np.testing.assert_allclose(found.values[:, pair, 0], row.values[:, 0, 0], rtol=0, atol=EXACT)


@examples(60)
@given(case=cases())
def test_explanations_add_up(case: Case) -> None:
    names = [one for one, _ in MEASURES.values()]
    result = case.compare(*names)
    for one in result.measures:
        why, row = result.explain("q", one), result.row(0, one)
        for direction in ("gain", "loss"):
            parts = math.fsum(getattr(evidence, direction) for evidence in why.documents)
            unseen = getattr(why, f"unseen_{direction}")
            assert parts + unseen == close(getattr(row, direction))
        for evidence in why.documents:
            if evidence.repeats is not None:
                assert evidence.gain == evidence.loss == 0
                first, second = evidence.document, evidence.repeats
                assert oracle.cluster_of(first, case.clusters) == oracle.cluster_of(
                    second, case.clusters
                )


@examples(60)
@given(case=cases())
def test_the_witness_reaches_the_value(case: Case) -> None:
    """The relevance that `solve` names, put into the definition, gives the value."""
    for name in ("nDCG", "ERR", "AP", "function"):
        one, formula = MEASURES[name]
        found = medir.solve(
            case.before,
            case.after,
            one,
            judged=case.judged or None,
            clusters=case.clusters,
            unseen="nothing",
        )
        for value, assignment, sign in (
            (found.gain, found.gain_assignment, 1),
            (found.loss, found.loss_assignment, -1),
        ):
            relevance = {oracle.cluster_of(d, case.clusters): r for d, r in assignment.items()}
            relevance |= {
                c: formula.value(grade)
                for c, grade in oracle.grades_of(case.judged, case.clusters).items()
            }
            before, after = (
                formula.score(
                    oracle.gains(
                        some[: formula.cutoff], case.clusters, relevance, formula.values[0]
                    )
                )
                for some in (case.before, case.after)
            )
            assert value == close(sign * float(after - before))


@examples(60)
@given(case=cases(judgments=6))
def test_disagreements_are_counted(case: Case) -> None:
    result = case.compare("P@3", qrels={"q": case.judged | {"far": 0}})
    count = oracle.disagreements(case.judged, case.clusters)
    fact = dict(result.facts())["Clusters"]
    assert (f"{count} cluster" in fact.partition(";")[2]) == (count > 0)


def test_study(tmp_path: Path) -> None:
    """A run and copies of its documents: no MED, and no true difference, with any judgments."""
    random = np.random.default_rng(4)
    first, second = (
        {f"q{n}": [f"d{i}" for i in random.permutation(30)[:20]] for n in range(5)}
        for _ in range(2)
    )
    copies = {query: [f"{d}-copy" for d in documents] for query, documents in first.items()}
    clusters = {d: d.removesuffix("-copy") for run in (first, copies) for q in run for d in run[q]}
    qrels = {f"q{n}": {f"d{i}": i % 3 for i in range(20)} for n in range(5)}
    runs = {"first": first, "copies": copies, "second": second}
    found = medir.study(runs, qrels, tmp_path / "study", clusters=clusters)
    pair = found.pairs.index((0, 1))
    assert all(values[pair] == 0 for values in found.med.values())
    assert found.difference[pair] == found.mean_difference[pair] == 0
    assert found.med[0][found.pairs.index((0, 2))] > 0
