"""Names of measures that others have and medir has not: why, and what comes nearest."""

from __future__ import annotations

from typing import NamedTuple

from medir.base.words import quoted


class Answer(NamedTuple):
    """Why a measure is not supported, and measures that are; `{k}` stands for its cutoff."""

    names: tuple[str, ...]  # in lower case
    reason: str
    nearest: str


ANSWERS = (
    Answer(
        ("recall", "r", "rec", "relative_p", "set_relative_p", "setrelp", "set_recall", "setr"),
        "it divides by the number of relevant documents in the collection, which changes with "
        "every document that is assumed to be relevant",
        "Success@{k}, P@{k} or AP@100",
    ),
    Answer(
        ("rprec", "r-precision", "r_precision", "rprec_mult", "rndcg"),
        "its cutoff is the number of relevant documents in the collection, which changes with "
        "every document that is assumed to be relevant",
        "P@{k} or AP@100",
    ),
    Answer(
        ("bpref", "gm_bpref", "num_nonrel_judged_ret"),
        "it looks at judged documents only, so that nothing is left to assume of the others",
        "AP@100",
    ),
    Answer(
        ("infap", "xinfap", "infndcg"),
        "it estimates a score from a sample of judgments, while MED bounds it for all of them",
        "AP@100 or nDCG@20",
    ),
    Answer(
        ("set_p", "set_f", "set_map", "setp", "setf", "setap", "f", "f1", "fmeasure"),
        "it scores a set of results, not a ranked list",
        "P@{k}, or Jaccard@{k} and Overlap@{k}, which compare two sets",
    ),
    Answer(
        (
            *("num_q", "num_ret", "num_rel", "num_rel_ret"),
            *("numq", "numret", "numrel", "numrelret", "hits"),
        ),
        "it counts queries, results or judgments, and says nothing of their order",
        "P@{k}, which is the number of relevant results in the first {k}, divided by {k}",
    ),
    Answer(
        ("iprec_at_recall", "iprec", "11pt_avg"),
        "it needs the number of relevant documents in the collection, which changes with every "
        "document that is assumed to be relevant",
        "AP@100 or P@{k}",
    ),
    Answer(
        ("gm_map",),
        "it is a geometric mean over queries, not a score of one query",
        "AP@100, whose result.mean('geometric') is the same kind of mean",
    ),
    Answer(
        ("hit_rate", "hitrate", "hr", "hit"),
        "it is called Success here",
        "Success@{k}",
    ),
    Answer(
        ("inst", "bpm", "accuracy", "utility", "bing", "g", "ndcg_rel", "nerr"),
        "medir does not have it",
        "INSQ, RBP or nDCG@20",
    ),
    Answer(("compat",), "medir does not have it", "RBO, on which it is built"),
    Answer(
        ("alpha_dcg", "alpha-dcg", "nerr_ia", "nerr-ia", "ap_ia", "p_ia", "strecall", "nnrbp"),
        "medir does not have it",
        "alpha_nDCG@20, ERR_IA or NRBP",
    ),
)
BY_NAME = {name: answer for answer in ANSWERS for name in answer.names}
CUTOFF = 10  # where none is given


def refusal(text: str, name: str, cutoff: str | None) -> str | None:
    """Why the measure of a name is not supported; None for a name that nobody uses.

    >>> refusal("hit_rate@5", "hit_rate", "5")
    "'hit_rate@5' is not supported: it is called Success here; use Success@5"
    """
    word = name.lower()
    answer = BY_NAME.get(word) or BY_NAME.get(word.rstrip("0123456789._"))  # nERR8, Rprec_mult_0.2
    if answer is None:
        return None
    nearest = answer.nearest.format(k=cutoff or CUTOFF)
    return f"{quoted(text)} is not supported: {answer.reason}; use {nearest}"
