"""Which lists were cut, so that unseen ranks follow, and which ended: mathematics.md, section 3.

Nothing here comes from medir. A run is `{query: [results]}`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal

Results = Sequence[Hashable]  # documents, or passages
Run = Mapping[Any, Results]
Rule = Literal["auto", "anything", "nothing"]
Cut = tuple[bool, bool]  # whether unseen ranks follow the list before, and the list after
BOTH_CUT: Cut = (True, True)
BOTH_ENDED: Cut = (False, False)


def distinct(documents: Results) -> int:
    """The length of a list of documents: a duplicate is no result of its own."""
    return len(set(documents))


def were_cut(
    run: Run,
    rule: Rule = "auto",
    depth: int | None = None,
    length: Callable[[Results], int] = distinct,
) -> dict[Any, bool]:
    """Whether each list of a run was cut."""
    lengths = {query: length(results) for query, results in run.items()}
    if rule != "auto":
        return dict.fromkeys(lengths, rule == "anything")
    of_run = list(lengths.values())
    return {query: _was_cut(number, of_run, depth) for query, number in lengths.items()}


def _was_cut(length: int, of_run: Sequence[int], depth: int | None) -> bool:
    """A list of so many results, in a run of lists of these lengths."""
    if length == 0:  # an empty list has always ended
        return False
    if depth is not None and length > depth:  # a list that depth cuts was cut
        return True
    with_results = [other for other in of_run if other > 0]
    if len(with_results) == 1:  # as in the paper
        return True
    greatest = max(with_results)
    if with_results.count(greatest) < 2:  # nothing cut the run
        return False
    return length == greatest


def cut_of_two_runs(
    before: Run,
    after: Run,
    rule: Rule = "auto",
    depth: int | None = None,
    length: Callable[[Results], int] = distinct,
) -> dict[Any, Cut]:
    """The statuses of the two lists of each query; a list that is not there is empty."""
    absent = rule == "anything"
    first, second = (were_cut(run, rule, depth, length) for run in (before, after))
    return {
        query: (first.get(query, absent), second.get(query, absent))
        for query in dict.fromkeys([*before, *after])
    }


def cut_of_lists(before: Results, after: Results, rule: Rule) -> Cut:
    """The statuses of two lists without a run: each is the only one of its run."""
    return cut_of_two_runs({"": before}, {"": after}, rule)[""]
