"""The page of a study: the answer first, then findings in words, figures, runs, correlations."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from medir.base.words import count
from medir.files.identifiers import shown
from medir.rendering.pages.frame import Frame
from medir.rendering.pictures.style import drawing_style
from medir.validation.computation import SHARES
from medir.validation.figures import (
    OTHER,
    OTHER_LABEL,
    SAME,
    SAME_LABEL,
    SIDE,
    Panel,
    alone,
    measure_panels,
    shown_measures,
    strip_panel,
    truth_panel,
    type_colours,
)
from medir.validation.findings import answer, findings, headline
from medir.validation.results import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGE = 4.2  # inches of the pictures that answer the question
TERMS = (
    ("MED", "the largest difference in a measure that any relevance of the documents could make "
     "between two lists; here the mean over the queries"),
    ("difference of means", "a true difference: that between the mean effectiveness of two runs, "
     "by all judgments; a document without judgment is not relevant"),
    ("mean of differences", "the other true difference: the mean over the queries of the "
     "difference in each. What one run wins in one query does not make up for what it loses in "
     "another. This is what MED bounds, query by query, but for the ideal list"),
    ("clear", Markup("a Pearson correlation of 0.4 or more; <i>weak</i> from 0.2, <i>moderate</i> "
     "from 0.4, <i>strong</i> from 0.6, <i>very strong</i> from 0.8")),
    ("holds only with a run", "without this run, the finding does not hold: it is one of this run, "
     "and not of the others"),
    ("much higher", "at least twice as much in the mean"),
)  # fmt: skip


def page(study: Study) -> str:
    """The page as HTML that needs no other file."""
    found = findings(study)
    frame = Frame(
        "medir.validation",
        pictures=True,
        skip_to=("truth", "the answer"),
        subject=("studied", "What was studied"),
        facts=list(_facts(study)),
        terms=TERMS,
    )
    kinds = list(study.true_differences)
    text = frame.around(
        main=study.main,
        measure=repr(study.measure),
        score=repr(study.truth),
        count=len(study.names),
        answer=answer(study),
        headline=headline(found),
        findings=found,
        groups=list(_groups(study)),
        with_groups=study.members is not None,
        types=type_colours(study),
        kinds={} if study.same_group is None else {SAME_LABEL: SAME, OTHER_LABEL: OTHER},
        strips=_pictures([strip_panel(study)] if study.within_groups() else []),
        first=_pictures(truth_panel(study, 0, kind, LARGE) for kind in kinds),
        truth=_pictures(
            truth_panel(study, share, kind, SIDE) for kind in kinds for share in SHARES[1:]
        ),
        measures=_pictures(measure_panels(study)),
        runs=list(_runs(study)),
        with_truth=[study.with_truth(share, kind) for kind in kinds for share in SHARES],
        between=[study.correlation(x, y) for y, x in shown_measures(study)],
        every=len(study.distances) * (len(study.distances) - 1) // 2,
        contrasts=study.contrasts,
        number=_number,
    )
    return shown(text)


def _number(value: float, digits: int = 3) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def _facts(study: Study) -> Iterator[tuple[str, str]]:
    yield "Runs", f"{len(study.names):,}"
    yield "Pairs", f"{len(study.pairs):,}"
    left = study.without_judgments
    yield (
        "Queries",
        f"{len(study.queries):,}" + (f"; {left:,} without judgments left out" if left else ""),
    )
    yield "Judgments", f"{study.judgments[100]:,}; samples by seed {study.seed}"
    yield "Distance", study.main
    if study.gap:
        yield "Not proven", f"some MED may be up to {study.gap:.2g} higher"
    for note in study.unseen:
        yield "Below the lists", note
    yield "True differences", f"by {study.truth!r}"
    if study.members is not None and study.same_group is not None:
        groups = {member.group for member in study.members if member.group}
        within = count(int(study.same_group.sum()), "pair")
        yield "Groups", f"{len(groups):,}; {within} within a group"


def _groups(study: Study) -> Iterator[dict[str, Any]]:
    """The pairs of each group in numbers, the closest group first."""
    rows: list[dict[str, Any]] = [
        {
            "name": group,
            "count": len(numbers),
            "mean": float(study.med[0][numbers].mean()),
            "least": float(study.med[0][numbers[0]]),
            "most": float(study.med[0][numbers[-1]]),
        }
        for group, numbers in study.within_groups().items()
    ]
    yield from sorted(rows, key=lambda row: row["mean"])


def _runs(study: Study) -> Iterator[dict[str, Any]]:
    """The runs, the best first: score, mean distance, and the correlation without it."""
    ends = np.array(study.pairs)
    without = study.without_each(study.med[0], study.difference)
    for number in np.argsort(-np.nan_to_num(study.scores, nan=-1.0), kind="stable").tolist():
        mine = (ends == number).any(axis=1)
        yield {
            "name": study.names[number],
            "member": None if study.members is None else study.members[number],
            "score": float(study.scores[number]),
            "distance": float(study.med[0][mine].mean()),
            "without": float(without[number]),
        }


def _pictures(panels: Iterable[Panel]) -> list[dict[str, str]]:
    with drawing_style():
        return [
            {"title": panel.title, "note": panel.note, "source": _source(alone(panel))}
            for panel in panels
        ]


def _source(figure: Figure) -> str:
    """A picture as the address of an image, so that the page holds it."""
    stream = io.BytesIO()
    figure.savefig(stream, format="svg", dpi=200, transparent=True, metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(stream.getvalue()).decode()
