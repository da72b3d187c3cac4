"""How long small calls take: `med` on three documents, `expect` per query.

    python benchmarks/small.py [--repeat 200]

`med` is compared with the same value by a plain numpy formula, and with pytrec_eval scoring both
lists, which needs judgments and gives no bound. `expect` is that of ERR on the example runs with
1000 samples and two threads, beside the same samples by plain numpy. Best of `repeat` (`expect`: of
a tenth as many). Exits with 1 when a target is missed: `med` below 0.1 ms, `expect` below 0.2 ms
per query.
"""

from __future__ import annotations

import argparse
import sys
import timeit
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytrec_eval

import medir

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
BEFORE, AFTER, CUTOFF = ["a", "b", "c"], ["b", "a", "d"], 20
MED_TARGET, EXPECT_TARGET = 0.1, 0.2  # milliseconds
SAMPLES = 1000
TOP = 0.75  # the highest relevance of ERR


def best(call: Callable[[], object], repeat: int, number: int = 1) -> float:
    """The best milliseconds of a call."""
    return min(timeit.repeat(call, number=number, repeat=repeat)) / number * 1e3


def by_formula(before: Sequence[str], after: Sequence[str]) -> float:
    """MED of nDCG@20 without judgments, by its definition in numpy."""
    discount = 1 / np.log2(np.arange(2, CUTOFF + 2))
    weights = dict.fromkeys((*before, *after), 0.0)
    for ranking, sign in ((before, -1), (after, 1)):
        for rank, document in enumerate(ranking[:CUTOFF]):
            weights[document] += sign * discount[rank]
    change = np.array([*weights.values()])
    gain = change[change > 0].sum() + discount[len(after) :].sum()
    loss = -change[change < 0].sum() + discount[len(before) :].sum()
    return float(max(gain, loss) / discount.sum())


def by_numpy(before: Sequence[str], after: Sequence[str]) -> float:
    """The probability that ERR rises, from samples drawn and scored in numpy."""
    best_rank: dict[str, int] = {}
    for ranking in (before, after):
        for rank, document in enumerate(ranking, 1):
            best_rank[document] = min(rank, best_rank.get(document, rank))
    p = 0.6 * np.array([*best_rank.values()], dtype=np.float64) ** -0.5
    relevance = TOP * (np.random.default_rng(0).random((len(p), SAMPLES)) < p[:, None])
    numbers = {document: number for number, document in enumerate(best_rank)}
    scores = []
    for ranking in (before, after):
        c = relevance[[numbers[document] for document in ranking]]
        reach = np.vstack([np.ones(SAMPLES), np.cumprod(1 - c, axis=0)[:-1]])
        scores.append((1 / np.arange(1.0, len(c) + 1)) @ (c * reach))
    return float(np.mean(scores[1] > scores[0]))


def small(repeat: int) -> tuple[float, dict[str, float]]:
    """`med` and its peers."""
    judged = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, {"ndcg_cut.20"})
    runs = [{"q": {d: -float(rank) for rank, d in enumerate(some)}} for some in (BEFORE, AFTER)]
    assert abs(medir.med(BEFORE, AFTER, "nDCG@20") - by_formula(BEFORE, AFTER)) < 1e-12
    return best(lambda: medir.med(BEFORE, AFTER, "nDCG@20"), repeat, 10), {
        "the formula in numpy": best(lambda: by_formula(BEFORE, AFTER), repeat, 10),
        "pytrec_eval, scores of both": best(
            lambda: [judged.evaluate(run) for run in runs], repeat, 10
        ),
    }


def expected(repeat: int) -> tuple[float, dict[str, float]]:
    """`expect` per query and its peer."""
    before, after = (medir.Run.read(EXAMPLES / name) for name in ("before.run", "after.run"))
    lists = [(before.get(query), after.get(query)) for query in before]
    result = best(lambda: medir.expect(before, after, "ERR", prior="rank", threads=2), repeat)
    plain = best(lambda: [by_numpy(*pair) for pair in lists], max(repeat // 10, 2))
    return result / len(lists), {"the same samples in numpy": plain / len(lists)}


def main() -> int:
    """Measures, prints, and says whether the targets hold."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--repeat", type=int, default=200)
    repeat = parser.parse_args().repeat
    rows = {
        "med of three documents": (*small(repeat), MED_TARGET),
        "expect, ERR, per query": (*expected(max(repeat // 10, 2)), EXPECT_TARGET),
    }
    missed = False
    for name, (milliseconds, others, target) in rows.items():
        print(f"{name:28s} {milliseconds:7.3f} ms")
        for other, time in others.items():
            print(f"  {other:26s} {time:7.3f} ms  medir takes {milliseconds / time:.2f} x")
        holds = milliseconds < target
        missed |= not holds
        print(f"{'holds ' if holds else 'MISSED'}  {name} below {target:g} ms")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
