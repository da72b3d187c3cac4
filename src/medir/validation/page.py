"""The page of a study: what was found in words, the figures, and the correlations."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

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
    Panel,
    alone,
    measure_panels,
    shown_measures,
    truth_panels,
    type_colours,
)
from medir.validation.findings import findings
from medir.validation.results import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MANY_BARS = 60  # in a group; of more, only the ends are shown
VERDICTS = {True: ("holds", "holds here"), False: ("fails", "does not hold here"),
            None: ("open", "not tested")}  # fmt: skip
TERMS = (
    ("MED", "the largest difference in a measure that any relevance of the documents could make "
     "between two lists; here the mean over the queries"),
    ("true difference", "the difference between the mean effectiveness of two runs, by all "
     "judgments; a document without judgment is not relevant"),
    ("clear", Markup("a Pearson correlation of 0.4 or more; <i>weak</i> from 0.2, <i>moderate</i> "
     "from 0.4, <i>strong</i> from 0.6, <i>very strong</i> from 0.8")),
    ("much higher", "at least twice as much in the mean"),
)  # fmt: skip


def page(study: Study) -> str:
    """The page as HTML that needs no other file."""
    found = findings(study)
    frame = Frame(
        "medir.validation",
        pictures=True,
        skip_to=("found", "what was found"),
        subject=("studied", "What was studied"),
        facts=list(_facts(study)),
        terms=TERMS,
    )
    text = frame.around(
        main=study.main,
        measure=repr(study.measure),
        runs=len(study.names),
        findings=[(one, *VERDICTS[one.holds]) for one in found],
        held=sum(one.holds is True for one in found),
        failed=sum(one.holds is False for one in found),
        groups=list(_groups(study)),
        with_groups=study.members is not None,
        types=type_colours(study),
        kinds={} if study.same_group is None else {SAME_LABEL: SAME, OTHER_LABEL: OTHER},
        truth=_pictures(truth_panels(study)),
        measures=_pictures(measure_panels(study)),
        with_truth=[study.with_truth(share) for share in SHARES],
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
    yield "True difference", f"of mean {study.truth!r}"
    if study.members is not None and study.same_group is not None:
        groups = {member.group for member in study.members if member.group}
        within = count(int(study.same_group.sum()), "pair")
        yield "Groups", f"{len(groups):,}; {within} within a group"


def _groups(study: Study) -> Iterator[dict[str, Any]]:
    """The bars of each group: names, length in percent, value and colour."""
    groups, colours = study.within_groups(), type_colours(study)
    highest = max((float(study.med[0][some].max()) for some in groups.values()), default=0.0) or 1.0
    for group, numbers in groups.items():
        cut = len(numbers) > MANY_BARS
        shown_ = numbers[: MANY_BARS // 2] + numbers[-(MANY_BARS // 2) :] if cut else numbers
        bars = []
        for number in shown_:
            kind = None if study.pair_types is None else study.pair_types[number]
            value = float(study.med[0][number])
            names = [study.names[end] for end in study.pairs[number]]
            colour = OTHER if kind is None else colours[kind]
            bars.append(
                {"names": names, "share": round(100 * value / highest, 2), "value": value,
                 "colour": colour, "kind": kind}
            )  # fmt: skip
        yield {
            "name": group,
            "bars": bars,
            "left_out": len(numbers) - len(shown_),
            "count": len(numbers),
            "mean": float(study.med[0][numbers].mean()),
        }


def _pictures(panels: list[Panel]) -> list[dict[str, str]]:
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
