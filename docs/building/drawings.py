"""The figures of the documentation: what medir draws of the examples, and what explains MED.

They are made in the folder `examples`.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import medir
from medir.rendering.pictures.panels import finish
from medir.rendering.pictures.style import (
    COLOURS,
    INK,
    PALE,
    QUIET,
    RULE,
    add_axes,
    drawing_style,
    fitted,
    new_figure,
    write,
)

PAGES = Path(__file__).parents[1]
GROUPS = {"before": "words", "rebuilt": "words", "thinned": "words", "after": "stems",
          "names": "names", "names-after": "names"}  # fmt: skip


# ---- What medir draws


@cache
def compared(judged: bool = False) -> medir.Comparison:
    """The example runs."""
    return medir.compare("before.run", "after.run", "nDCG@20", queries="queries.tsv", by="segment",
                         weight="", qrels="qrels.txt" if judged else None)  # fmt: skip


def ranked(name: str) -> dict[str, list[str]]:
    """A run of the examples as lists."""
    lists: dict[str, list[str]] = {}
    for line in Path(name).read_text(encoding="utf-8").splitlines():
        query, _, document, *_ = line.split()
        lists.setdefault(query, []).append(document)
    return lists


@cache
def runs() -> dict[str, dict[str, list[str]]]:
    """Six runs: three of the examples, one that lacks every third result, two by length of name."""
    before, after = ranked("before.run"), ranked("after.run")
    return {
        "before": before,
        "after": after,
        "rebuilt": ranked("rebuilt.run"),
        "thinned": {q: [d for i, d in enumerate(ds, 1) if i % 3] for q, ds in before.items()},
        "names": {query: sorted(some, key=len) for query, some in before.items()},
        "names-after": {query: sorted(some, key=len) for query, some in after.items()},
    }


def several(kind: str, **look: Any) -> Figure:
    """A picture of the six runs."""
    matrix = medir.matrix(runs(), "nDCG@20")
    figure = matrix.plot(groups=GROUPS, kind=kind, **look)
    if kind == "map":
        figure.shows = matrix.mean()  # type: ignore[attr-defined]
    return figure


def studied() -> Figure:
    """True difference against MED of five of the runs: the example of the page on studies."""
    five = {name: runs()[name] for name in runs() if name != "rebuilt"}
    groups = {name: "names" if name.startswith("names") else "engine" for name in five}
    with TemporaryDirectory() as folder:
        return medir.study(five, "qrels.txt", folder, groups=groups).figure(2, width="page")


def plotted(kind: str, judged: bool = False, **look: Any) -> Figure:
    """A picture of the example runs."""
    return compared(judged).plot(kind=kind, **look)


# ---- What explains MED

BEFORE, AFTER = list("abcde"), list("cabfd")


def lists() -> Figure:
    """Two lists with lines between them, and which documents are relevant at both ends."""
    solution = medir.solve(BEFORE, AFTER, "nDCG@5")
    cases = [
        (f"wins most: +{solution.gain:.3f}", solution.assignment, COLOURS[2]),
        (f"costs most: −{solution.loss:.3f}", solution.loss_assignment, COLOURS[1]),
    ]
    with drawing_style():
        figure = new_figure()
        for number, (title, assignment, colour) in enumerate(cases):
            axes = add_axes(figure, 3.4 * number, 0, 2.7, 2.1)
            axes.set(xlim=(0, 2.7), ylim=(5.6, -0.9))
            axes.set_axis_off()
            write(axes, 0, -0.6, title, 10, color=colour)
            _draw_lists(axes, assignment, colour)
        return fitted(figure)


def _draw_lists(axes: Any, relevant: dict[str, float], colour: str) -> None:
    for x, head, some in ((0.35, "before", BEFORE), (1.85, "after", AFTER)):
        write(axes, x + 0.25, 0.05, head, 8.5, ha="center", color=QUIET)
        for rank, document in enumerate(some, 1):
            chosen = bool(relevant.get(document))
            axes.add_patch(Rectangle((x, rank - 0.36), 0.5, 0.72, linewidth=0.8, edgecolor=RULE,
                                     facecolor=colour if chosen else "white"))  # fmt: skip
            write(axes, x + 0.25, rank, document, 10, ha="center",
                  color="white" if chosen else INK)  # fmt: skip
            write(axes, x - 0.12 if x < 1 else x + 0.62, rank, str(rank), 7.5, ha="center",
                  color=QUIET)  # fmt: skip
    for rank, document in enumerate(BEFORE, 1):
        if document in AFTER:
            chosen = bool(relevant.get(document))
            ends = [rank, AFTER.index(document) + 1]
            shade, width = (colour, 1.6) if chosen else (PALE, 1.0)
            axes.plot([0.87, 1.83], ends, linewidth=width, color=shade)


def assignments() -> Figure:
    """How nDCG@5 changes under every assignment of relevance to the six documents."""
    solution = medir.solve(BEFORE, AFTER, "nDCG@5")
    discounts = 1 / np.log2(np.arange(2, 7))
    documents = sorted({*BEFORE, *AFTER})
    changes = np.array([
        sum(discounts[i] * of[d] for i, d in enumerate(AFTER))
        - sum(discounts[i] * of[d] for i, d in enumerate(BEFORE))
        for of in (dict(zip(documents, some, strict=True)) for some in product((0, 1), repeat=6))
    ]) / discounts.sum()  # fmt: skip
    assert np.isclose(changes.max(), solution.gain)
    assert np.isclose(-changes.min(), solution.loss)
    with drawing_style():
        figure = new_figure()
        axes = add_axes(figure, 0, 0, 5.2, 2.1)
        edges = np.linspace(-0.35, 0.35, 22)
        counts, _ = np.histogram(np.round(changes, 9), edges)
        axes.bar(edges[:-1], counts, np.diff(edges), align="edge", color=COLOURS[3],
                 edgecolor="white", linewidth=0.8)  # fmt: skip
        top = float(counts.max())
        axes.set(xlim=(-0.4, 0.4), ylim=(0, 1.3 * top))
        for value, text, colour in ((solution.gain, "gain", COLOURS[2]),
                                    (-solution.loss, "−loss", COLOURS[1])):  # fmt: skip
            axes.axvline(value, color=colour, linewidth=1.4)
            write(axes, value, 1.18 * top, f"{text} {value:+.3f}".replace("-", "−"), 9,
                  shift=(-4 if value > 0 else 4, 0), ha="right" if value > 0 else "left",
                  color=colour)  # fmt: skip
        finish(axes, "change in nDCG@5", "assignments of relevance")
        return fitted(figure)


def judging() -> Figure:
    """The interval of the mean change after each round of judging."""
    measure, judged = "nDCG(max_grade=2)@5", dict[str, dict[str, int]]()
    texts, documents = _texts("queries.tsv"), _texts("documents.tsv")
    points = []
    while True:
        result = medir.compare("before.run", "after.run", measure, qrels=judged)
        gain, loss = (result.column(measure, name).mean() for name in ("gain", "loss"))
        points.append((sum(map(len, judged.values())), -loss, gain))
        ask = medir.judge("before.run", "after.run", measures=measure, qrels=judged, top=300)
        if not ask:
            break
        for one in ask:
            text = f"{one.document} {documents[one.document]}".lower()
            words = {word for word in texts[one.query_id].split() if len(word) > 3}
            judged.setdefault(one.query_id, {})[one.document] = min(
                sum(w in text for w in words), 2
            )
    count, low, high = np.array(points).T
    with drawing_style():
        figure = new_figure()
        axes = add_axes(figure, 0, 0, 5.2, 2.3)
        axes.axhline(0, color=RULE, linewidth=0.8)
        axes.fill_between(count, low, high, color=COLOURS[3], alpha=0.4, linewidth=0)
        for values, name, colour in ((high, "gain", COLOURS[2]), (low, "−loss", COLOURS[1])):
            axes.plot(count, values, "o-", color=colour, markersize=4, linewidth=1.4)
            write(axes, count[0], values[0], name, 9, shift=(8, 9 if name == "gain" else -9),
                  color=colour)  # fmt: skip
        axes.set(xlim=(-20, float(count[-1]) + 30), ylim=(-0.36, 0.36))
        finish(axes, "documents judged", "mean change in nDCG@5")
        return fitted(figure)


def _texts(name: str) -> dict[str, str]:
    rows = (line.split("\t") for line in Path(name).read_text(encoding="utf-8").splitlines())
    return {row[0]: row[1] for row in rows}


def unseen() -> Figure:
    """MED and its lower bound, by the depth at which lists are cut."""
    depths = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 25, 30]
    found = []
    for depth in depths:
        result = medir.compare("before.run", "after.run", "nDCG@20", depth=depth, missing="skip")
        found.append([result.column(None, name).mean() for name in ("med", "lower")])
    med, lower = np.array(found).T
    with drawing_style():
        figure = new_figure()
        axes = add_axes(figure, 0, 0, 5.2, 2.3)
        axes.fill_between(depths, lower, med, color=COLOURS[3], alpha=0.4, linewidth=0)
        ends = (
            (med, "med: unseen ranks hold the worst", COLOURS[0]),
            (lower, "lower: they agree", COLOURS[1]),
        )
        for values, name, colour in ends:
            axes.plot(depths, values, "o-", color=colour, markersize=4, linewidth=1.4)
            write(axes, depths[1], values[1], name, 9, shift=(8, 8), color=colour)
        axes.axvline(20, color=RULE, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.set(xlim=(0, 31), ylim=(0, 1))
        finish(axes, "results per list", "mean over queries, nDCG@20")
        return fitted(figure)


def scale() -> Figure:
    """Four changes on one scale: the mean, and where 90 of 100 queries lie."""
    before = ranked("before.run")
    other = {query: [f"other-{one}" for one in some] for query, some in before.items()}
    cases = {"the same run (A/A)": "before.run", "an index rebuild": "rebuilt.run",
             "a change of ranking": "after.run", "another engine": other}  # fmt: skip
    with drawing_style():
        figure = new_figure()
        axes = add_axes(figure, 0, 0, 4.6, 1.5)
        for place, (name, run) in enumerate(cases.items()):
            found = medir.compare("before.run", run, "nDCG@20").summary()
            low, high = found.med.p05, found.med.p95
            axes.plot([low, high], [place, place], color=COLOURS[3], linewidth=6,
                      solid_capstyle="butt")  # fmt: skip
            axes.plot([found.med.mean], [place], "o", color=COLOURS[0], markersize=7)
            write(axes, -0.03, place, name, 9, shift=(-4, 0), ha="right", color=INK)
            write(axes, 1.05, place, f"{found.med.mean:.3f}", 9, color=COLOURS[0])
        axes.set(xlim=(-0.03, 1.03), ylim=(3.6, -0.6), yticks=[])
        finish(axes, "MED-nDCG@20: the mean, and where 90 of 100 queries lie", "")
        axes.spines["left"].set_visible(False)
        return fitted(figure)


# ---- What tables of the documentation say


def table(page: str, head: str) -> list[list[str]]:
    """The rows of the table whose head begins like this."""
    text = (PAGES / page).read_text(encoding="utf-8").partition(f"\n{head}")[2]
    rows = text.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def judged_order() -> Figure:
    """Mean MED by the number of judgments, in three orders."""
    rows = [row for row in table("judge.md", "| judgments per topic |") if row[0] != "area"]
    count, *orders = np.array(rows, dtype=float).T
    names = (
        ("suggested", COLOURS[0], "-"),
        ("by rank", COLOURS[1], "--"),
        ("random", COLOURS[2], ":"),
    )
    with drawing_style():
        figure = new_figure()
        axes = add_axes(figure, 0, 0, 4.6, 2.3)
        for values, (name, colour, style) in zip(orders, names, strict=True):
            axes.plot(count, values, style, color=colour, linewidth=1.6)
            write(axes, count[-1], values[-1], name, 9, shift=(5, 0), color=colour)
        axes.set(xlim=(0, 20), ylim=(0.2, 0.72))
        finish(axes, "judgments per topic", "mean MED-nDCG@20")
        return fitted(figure)


def tuning() -> Figure:
    """The settings of indexes, by the example's own script; drawing needs no index."""
    sys.modules.setdefault("faiss", types.ModuleType("faiss"))
    import index_tuning

    def parsed(cells: list[str]) -> Any:
        family, setting = re.fullmatch(r"(.*) (\d+)", cells[0]).groups()  # type: ignore[union-attr]
        recall, med, worst = (float(cells[at]) for at in (1, 2, 4))
        serious, same = (float(cells[at].rstrip("%")) / 100 for at in (3, 5))
        return index_tuning.Row(family, setting, recall, med, serious, worst, same, 0, 0.0)

    with drawing_style():
        drawn: Figure = index_tuning.draw(
            [parsed(row) for row in table("index-tuning.md", "| Setting |")]
        )
        return drawn


@dataclass(frozen=True)
class Kept:
    """A picture of data that is not in the repository: what a page says of it, and how to draw it.

    Tests with the data compare the page with it; so the picture is as old as the page's numbers.
    """

    rows: list[list[str]]
    draw: Callable[[Path], Figure]


def laboratories(data: Path) -> Figure:
    """True differences of passage runs against MED: TREC Genomics 2007."""
    from medir.validation.passage_figure import passage_study

    paths = sorted((data / "genomics07" / "runs").iterdir())
    runs = {path.name.removesuffix(".gz"): path for path in paths}
    groups = {name: "york" if name.startswith("york") else name for name in runs}
    with TemporaryDirectory() as folder:
        gold = medir.Passages.read(data / "genomics07" / "gold.tsv", layout="gold")
        return passage_study(runs, gold, folder, groups).figure()


KEPT: dict[str, Callable[[], Kept]] = {
    "genomics.svg": lambda: Kept(table("passages.md", "| runs |"), laboratories),
}
DRAWINGS: dict[str, Callable[[], Figure]] = {
    "plot-overview.png": partial(plotted, "overview"),
    "plot-distribution.png": partial(plotted, "distribution", width="column"),
    "plot-gain-loss.png": partial(plotted, "gain-loss", judged=True, width="column"),
    "plot-changes.png": partial(plotted, "changes", judged=True, width=5),
    "plot-segments.png": partial(plotted, "segments"),
    "plot-dark.png": partial(plotted, "overview", theme="dark", width="page"),
    "plot-heat-map.png": partial(several, "heat-map"),
    "plot-tree.png": partial(several, "tree"),
    "plot-map.png": partial(several, "map"),
    "plot-study.png": studied,
    "med-lists.png": lists,
    "med-assignments.png": assignments,
    "judging-loop.png": judging,
    "judge.png": judged_order,
    "unseen.png": unseen,
    "how-large.png": scale,
    "index-tuning.png": tuning,
}
