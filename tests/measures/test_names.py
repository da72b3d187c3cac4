"""Names mean what they say: trec_eval's spellings, and answers to names that medir has not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import AP, RR, Measure, MeasureError, MedirError, P, Success, measure, nDCG
from medir.measures.unsupported import ANSWERS
from tests.cases.runs import EXACT, UNSEEN, ranked, row_of
from tests.oracles import dot_product, exhaustive
from tests.oracles.unseen import Rule
from tests.profiles import examples
from tests.shell import medir as shell

TREC_NDCG = nDCG(gains="linear", ideal="judged")
TREC_MAP = AP(ideal="judged")
D = [f"d{i}" for i in range(1, 10)]
GRADES = st.dictionaries(st.sampled_from(D), st.integers(-1, 3), max_size=5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("map", TREC_MAP @ "all"),
        ("MAP", TREC_MAP @ "all"),
        ("map(rel=2)", AP(rel=2, ideal="judged") @ "all"),
        ("map_cut_100", TREC_MAP @ 100),
        ("map_cut.100", TREC_MAP @ 100),
        ("map_cut@100", TREC_MAP @ 100),
        ("MAP@50", TREC_MAP @ 50),
        ("ndcg", TREC_NDCG @ "all"),
        ("ndcg_cut_20", TREC_NDCG @ 20),
        ("ndcg_cut.20", TREC_NDCG @ 20),
        ("NDCG_cut_20", TREC_NDCG @ 20),
        ('ndcg_cut(gains="exp")_5', nDCG(ideal="judged") @ 5),
        ("P_10", P @ 10),
        ("P.10", P @ 10),
        ("recip_rank", RR),
        ("success_5", Success @ 5),
        ("success.5", Success @ 5),
        # medir's own, in any case, but for `ndcg` alone
        ("nDCG", nDCG @ 20),
        ("NDCG", nDCG @ 20),
        ("ndcg@20", nDCG @ 20),
        ("ndcg_20", nDCG @ 20),
        ("AP", AP @ 100),
        ("ap@all", None),
        ("AP(ideal='judged')@ALL", TREC_MAP @ "all"),
    ],
)
def test_spellings(text: str, expected: Measure | None) -> None:
    if expected is None:
        with pytest.raises(MeasureError):
            measure(text)
        return
    assert measure(text) == expected
    assert measure(repr(expected)) == expected


def test_a_stated_ideal_is_kept() -> None:
    """`score` takes an ideal that is not stated from the judgments: this one is stated."""
    assert repr(nDCG(ideal="unbounded") @ 5) == "nDCG(ideal='unbounded')@5"
    assert nDCG(ideal="unbounded") != nDCG
    assert nDCG(ideal="unbounded")["ideal"] == nDCG["ideal"] == "unbounded"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndcg_cut", "'ndcg_cut' needs a cutoff: write ndcg_cut_20"),
        ("map_cut", "'map_cut' needs a cutoff: write map_cut_20"),
        ("RBP.9", "there is no measure 'RBP.9'; write a cutoff as in RBP@9"),
        ("P@all", "P@all is not defined; write a number of ranks, such as P@20"),
        ("nDCG@all", "take the ideal from judgments: nDCG(ideal='judged')@all"),
        ("nDCG(ideal=3)@all", "nDCG(ideal=3)@all is not defined; write a number of ranks"),
        ("RBP@all", "RBP has no cutoff unless you set one"),
        ("nDCG(dcg='exp-log2')@20", "dcg='exp-log2' is gains='exp', ideal='judged'"),
        ("nDCG(cutoff=20)", "write a cutoff behind the measure, as in nDCG@20"),
        ("Recal@10", "there is no measure 'Recal@10', and 'recall@10' is not supported"),
        ("kendal@5", "did you mean kendall@5?"),
        ("iprec_at_recall_0.10", "is not supported: it needs the number of relevant documents"),
        ("11pt_avg", "is not supported"),
        ("R(rel=2)@100", "use Success@100, P@100 or AP@100"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        measure(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", [name for answer in ANSWERS for name in answer.names])
def test_names_of_others_get_an_answer(name: str) -> None:
    """Why there is no such measure, and another, which there is."""
    spelled = name if name[0].isdigit() else f"{name}@7"
    with pytest.raises(MeasureError) as caught:
        measure(spelled)
    text = str(caught.value)
    assert f"{spelled!r} is not supported: " in text
    assert "did you mean" not in text
    near = text.partition("; use ")[2].replace(",", " ").split()
    assert any(_is_measure(word) for word in near), text


def _is_measure(word: str) -> bool:
    try:
        return bool(measure(word))
    except MedirError:
        return False


def test_a_measure_of_all_ranks_keeps_its_ideal() -> None:
    with pytest.raises(MeasureError, match="is not defined"):
        (AP(ideal="judged") @ "all")(ideal="unbounded")
    assert (AP(ideal="judged") @ "all")(rel=2) @ 5 == AP(ideal="judged", rel=2) @ 5


@pytest.mark.parametrize(
    ("name", "instead"),
    [("map", "AP@100"), ("map_cut_30", "AP@30"), ("ndcg", "nDCG@20"), ("ndcg_cut_10", "nDCG@10")],
)
def test_without_judgments_there_is_no_value(name: str, instead: str) -> None:
    with pytest.raises(medir.UsageError, match=f"takes its ideal from judgments.* use {instead},"):
        medir.med(["a"], ["b"], name)
    assert medir.med(["a"], ["b"], instead) > 0


def test_shell_answers(tmp_path: object) -> None:
    done = shell("compare", "a.run", "b.run", "-m", "Recall@10")
    assert done.code == 2
    assert done.err.startswith("medir: 'Recall@10' is not supported: it divides by")


# As deep as the lists are, and nothing below.


@examples(300)
@given(ranked(D[:6]), ranked(D[:6]), GRADES, st.integers(1, 2), st.sampled_from(UNSEEN))
def test_map_is_that_of_the_lists(
    before: list[str], after: list[str], judged: dict[str, int], rel: int, unseen: Rule
) -> None:
    relevant = sum(grade >= rel for grade in judged.values())
    row = row_of(measure(f"map(rel={rel})"), before, after, judged, unseen)
    if relevant == 0:
        assert row.med != row.med
        return
    binary = {document: int(grade >= rel) for document, grade in judged.items()}
    formula = exhaustive.Formula(exhaustive.average_precision(relevant), (0.0, 1.0), None)
    expected = exhaustive.both(before, after, formula, binary, (False, False))
    assert (row.gain, row.loss) == pytest.approx(expected, rel=0, abs=EXACT)
    assert row.lower == row.med


@examples(300)
@given(ranked(D[:6]), ranked(D[:6]), GRADES, st.sampled_from(UNSEEN))
def test_ndcg_is_that_of_the_lists(
    before: list[str], after: list[str], judged: dict[str, int], unseen: Rule
) -> None:
    """The ideal has all judgments, however short the lists are."""
    row = row_of("ndcg", before, after, judged, unseen)
    top = max([*judged.values(), 0]) or 2
    values = tuple(dot_product.relevance("linear", top))
    gains = sorted((values[max(grade, 0)] for grade in judged.values()), reverse=True)
    norm = dot_product.dcg(gains, dot_product.logarithmic, len(gains))
    if norm == 0:
        assert row.med != row.med
        return
    score = exhaustive.cascade(dot_product.logarithmic, 0.0, norm)
    formula = exhaustive.Formula(score, values, None)
    expected = exhaustive.both(before, after, formula, judged, (False, False))
    assert (row.gain, row.loss) == pytest.approx(expected, rel=0, abs=EXACT)
    assert row.lower == row.med


@pytest.mark.parametrize("name", ["map", "ndcg"])
def test_explained(name: str) -> None:
    """What documents add sums up to the value: nothing comes from unseen ranks."""
    why = medir.explain(
        ["a", "b"], ["c", "a", "d"], name, qrels={"a": 1, "x": 1}, unseen="anything"
    )
    assert why.unseen_gain == why.unseen_loss == 0
    assert sum(d.gain for d in why.documents) == pytest.approx(why.solution.gain, abs=EXACT)
    assert sum(d.loss for d in why.documents) == pytest.approx(why.solution.loss, abs=EXACT)


def test_scale_of_dcg() -> None:
    """Others report the sum of 2^g - 1, or of g, over log2(rank + 1)."""
    judged = {"q": {"a": 1, "b": 3, "c": 0}}
    discount = dot_product.logarithmic
    exponential = 7 * discount(1) + 1 * discount(3)
    linear = 3 * discount(1) + 1 * discount(3)
    lists = {"q": ["b", "c", "a"]}
    assert 2**3 * medir.score(lists, "DCG@5", judged)["q"] == pytest.approx(exponential)
    scored = medir.score(lists, "DCG(gains='linear')@5", judged)
    assert 3 * scored["q"] == pytest.approx(linear)


@pytest.mark.parametrize("name", ["map", "ndcg"])
def test_expected_within_the_lists(name: str) -> None:
    """No unseen rank is drawn, however lists were cut."""
    lists = {"q": ["a", "b"]}, {"q": ["c", "a", "d"]}
    found = [
        medir.expect(*lists, name, prior=0.4, qrels={"q": {"a": 1, "x": 1}}, unseen=unseen).row(0)
        for unseen in UNSEEN
    ]
    assert found[0].expected != 0
    assert [row.expected for row in found] == [found[0].expected] * len(UNSEEN)
    assert [row.sd for row in found] == [found[0].sd] * len(UNSEEN)


@pytest.mark.parametrize("name", ["map", "ndcg"])
def test_matrix_within_the_lists(name: str) -> None:
    lists = {"q": ["a", "b"]}, {"q": ["c", "a", "d"]}
    qrels = {"q": {"a": 1, "x": 1}}
    row = row_of(name, lists[0]["q"], lists[1]["q"], qrels["q"], "nothing")
    runs = {"before": lists[0], "after": lists[1]}
    for unseen in UNSEEN:
        found = medir.matrix(runs, name, qrels=qrels, unseen=unseen)
        assert found.mean()[0, 1] == pytest.approx(row.med, abs=EXACT)
        assert list(found.unseen_notes()) == []
