"""A study as a notebook shows it: what was found, and the correlations behind it."""

from __future__ import annotations

import math

from medir.rendering.pages.cell import Column, cell, notes, quiet, table, verdict
from medir.validation.figures import about
from medir.validation.findings import answer, findings, headline
from medir.validation.passage_figure import PassageStudy
from medir.validation.results import Study


def study_html(study: Study) -> str:
    """The findings, and MED against the true difference by the share of judgments."""
    found = findings(study)
    kinds = [(kind, share) for kind in study.true_differences for share in study.med]
    truth = [study.with_truth(share, kind) for kind, share in kinds]
    return cell(
        verdict([*answer(study), headline(found)]),
        quiet(about(study)),
        table(
            "Findings",
            Column("", [one.verdict for one in found], text=True, sure=True),
            Column("finding", [one.claim for one in found], text=True),
            Column("evidence", [one.evidence for one in found], text=True, spare=True),
        ),
        table(
            f"{study.main} and true differences, by judgments",
            Column("true difference", [kind for kind, _ in kinds], text=True),
            Column("judgments", [f"{one.judgments} %" for one in truth]),
            Column("pairs", [f"{one.pairs:,}" for one in truth]),
            *(
                Column(name, [_number(getattr(one, name.lower())) for one in truth])
                for name in ("Pearson", "Spearman", "Kendall")
            ),
        ),
        notes(study.unseen),
    )


def passage_study_html(study: PassageStudy) -> str:
    """What was found, in words."""
    first, *rest = study.sentences
    return cell(verdict([f"{first}.", *(f"{sentence}." for sentence in rest)]), quiet(study.about))


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"
