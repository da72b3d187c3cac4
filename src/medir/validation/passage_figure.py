"""True differences of passage runs against MED: the paper's Figure 4 on any collection.

A point is a query of a pair of runs. Its MED needs no judgments; the true difference comes from
gold passages, and never exceeds it.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from medir.base.settings import Order, Settings
from medir.base.views import Viewed
from medir.base.words import count
from medir.comparing.matrix import Matrix
from medir.errors import UsageError
from medir.files.background import Watcher, part
from medir.files.paths import check_apart
from medir.files.tables import Table
from medir.measures import Measure
from medir.measures.chosen import Measures, measures_of_passages
from medir.passages.compare import DEFAULT, Source, gold_of, read_passages
from medir.passages.matrix import passage_matrix
from medir.rendering.pictures.appearance import HALF_PAGE, Look, Theme, Width, inches_of, themed
from medir.rendering.pictures.style import (
    COLOURS,
    DPI,
    check_drawing,
    check_plot,
    drawing_style,
    save,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from medir.validation.study import Groups

WIDTH = 8.0  # inches
CHARACTERS = 11  # of a title to the inch
PARTS = 3  # of progress: MED, the true difference, and the picture
KINDS = {True: "same group", False: "different groups"}


class PairDifference(NamedTuple):
    """One query of two runs."""

    run_a: str
    run_b: str
    same_group: bool
    query_id: str
    med: float  # without judgments
    difference: float  # |S(A) - S(B)| by the gold passages


def pair_differences(
    runs: Mapping[str, Source],
    gold: Source,
    groups: Mapping[str, str],
    measures: Measures = DEFAULT,
    *,
    order: Order = "score",
    threads: int | None = None,
    folder: Path | None = None,
    progress: Watcher | None = None,
) -> list[PairDifference]:
    """MED and the true difference of every query with gold, for all pairs of runs.

    `groups` says which group a run comes from; a run without one is a group of its own. What is not
    gold is not relevant, for the true difference alone. What is computed is kept in `folder`, where
    one is named.

    >>> runs = {"one": {"q": [("a", 0, 9)]}, "two": {"q": [("b", 0, 9)]}}
    >>> pair_differences(runs, {"q": [("a", 0, 1)]}, {}, "U(discount='none')@9")[0][2:]
    (False, 'q', 4.5, 0.5)
    """
    chosen = measures_of_passages(measures)
    if len(chosen) != 1:
        raise UsageError("this needs one measure")
    if len(runs) < 2:
        raise UsageError("this needs two runs or more")
    settings = Settings(order=order, threads=threads)
    judged = gold_of(gold, settings.workers)
    read = dict(zip(runs, read_passages(runs, settings), strict=True))

    def compared(name: str, number: int, **options: Any) -> Matrix:
        options |= {"threads": threads, "progress": part(progress, number, PARTS)}
        return passage_matrix(
            read, chosen, checkpoint=None if folder is None else folder / name, **options
        )

    possible = compared("possible", 0)
    true = compared("true", 1, gold=judged, unjudged_documents="not-relevant", unseen="nothing")
    rows = []
    for (i, j), *columns in zip(possible.pairs, possible.values[0], true.values[0], strict=True):
        a, b = possible.names[i], possible.names[j]
        same = bool(groups.get(a)) and groups.get(a) == groups.get(b)
        rows += [
            PairDifference(a, b, same, query, float(med), float(difference))
            for query, med, difference in zip(possible.queries, *columns, strict=True)
            if i != j and query in judged and not math.isnan(med)
        ]
    return rows


@dataclass(frozen=True, repr=False)
class PassageStudy(Viewed):
    """All pairs of runs of passages: MED beside the true difference of every query with gold."""

    names: tuple[str, ...]
    measure: Measure
    rows: list[PairDifference]

    @property
    def about(self) -> str:
        """What was studied."""
        pairs = len(self.names) * (len(self.names) - 1) // 2
        queries = count(len({row.query_id for row in self.rows}), "query", "queries")
        return f"{len(self.names)} runs, {count(pairs, 'pair')}, {queries} with gold"

    def of(self, same_group: bool) -> list[PairDifference]:
        """The pairs of one group, or the others."""
        return [row for row in self.rows if row.same_group is same_group]

    @property
    def sentences(self) -> Iterator[str]:
        """What was found, in words."""
        for same, kind in KINDS.items():
            some = self.of(same)
            if not some:
                yield f"{kind}: no pair"
                continue
            med, true = (
                math.fsum(column) / len(some) for column in list(zip(*some, strict=True))[-2:]
            )
            yield (
                f"{kind}: {count(len(some), 'pair and query', 'pairs and queries')}, "
                f"mean MED-{self.measure!r} {med:.4f}, mean true difference {true:.4f}"
            )

    def __repr__(self) -> str:
        return f"<PassageStudy of {self.about}>"

    def figure(self, *, theme: Theme = "light", width: Width = None) -> Figure:
        """True differences against MED, as a figure of matplotlib.

        `theme` is "light" or "dark"; `width` is that of a "column", of a "page" or a number of
        inches.
        """
        check_drawing()
        with drawing_style():
            return difference_figure(self.rows, self.measure, self.title, Look(theme, width))

    @property
    def title(self) -> str:
        """What the figure shows."""
        return f"Figure 4. True difference in {self.measure!r} against MED: {self.about}"


def passage_study(
    runs: Mapping[str, Source],
    gold: Source,
    directory: str | PathLike[str],
    groups: Groups,
    *,
    measures: Measures = DEFAULT,
    pictures: Sequence[str] = ("svg",),
    spreadsheet: bool = False,
    theme: Theme = "light",
    width: Width = None,
    order: Order = "score",
    threads: int | None = None,
    progress: Watcher | None = None,
) -> PassageStudy:
    """Draws true differences against MED, as figure-4 in a directory, with its numbers as CSV.

    `groups` is a CSV file with the columns run and group, or `{run: group}`. A study that was
    interrupted goes on from what it left in the directory. `theme` and `width` are those of
    `study`.
    """
    from medir.validation.study import members_of, unfinished

    for kind in pictures:
        check_plot(f"figure.{kind}")
    look = Look(theme, width)
    folder = Path(directory)
    numbers, *drawn = (folder / f"figure-4.{kind}" for kind in dict.fromkeys(("csv", *pictures)))
    check_apart([numbers, *drawn], [*runs.values(), gold, groups])
    members = members_of(dict.fromkeys(runs, ""), groups)
    group_of = {run: member.group for run, member in members.items()}
    with unfinished(folder) as kept:
        settings: dict[str, Any] = {"order": order, "threads": threads, "progress": progress}
        rows = pair_differences(runs, gold, group_of, measures, folder=kept, **settings)
        if not rows:
            raise UsageError("the runs have no query with gold")
        found = PassageStudy(tuple(runs), measures_of_passages(measures)[0], rows)
        write_differences(rows, numbers, spreadsheet=spreadsheet)
        for path in drawn:
            draw_differences(rows, path, measure=found.measure, title=found.title, look=look)
        watcher = part(progress, PARTS - 1, PARTS)
        if watcher is not None:
            watcher(1, 1)
    return found


def write_differences(
    rows: Sequence[PairDifference], path: str | PathLike[str], *, spreadsheet: bool = False
) -> None:
    """Writes the points as CSV. The file appears when it is complete, or not at all."""
    kinds = {"same_group": bool, "med": float, "difference": float}
    table = Table({name: kinds.get(name, str) for name in PairDifference._fields}, rows)
    table.write(path, "csv", spreadsheet=spreadsheet)


def draw_differences(
    rows: Sequence[PairDifference],
    path: str | PathLike[str],
    *,
    measure: Measure,
    title: str,
    look: Look | None = None,
) -> None:
    """Draws the points in two panels: pairs of one group, and pairs of different groups."""
    check_plot(path)
    if not rows:
        raise UsageError("there is no query with gold to draw")
    with drawing_style():
        save(difference_figure(rows, measure, title, look or Look()), Path(path), title)


def difference_figure(
    rows: Sequence[PairDifference], measure: Measure, title: str, look: Look | None = None
) -> Figure:
    """The two panels as a figure of matplotlib: beside each other, or in a column below."""
    from medir.rendering.pictures.picture import Picture

    look = look or Look()
    inches = inches_of(look.width) or WIDTH
    stacked = inches < HALF_PAGE
    figure = Picture(
        figsize=(inches, 2 * inches if stacked else inches / 2), layout="constrained", dpi=DPI
    )
    panels = figure.subplots(*((2, 1) if stacked else (1, 2)), sharex=True, sharey=True)
    lines = textwrap.wrap(title, int(CHARACTERS * inches))
    figure.suptitle("\n".join(lines), fontsize=10, x=0.01, ha="left", parse_math=False)
    largest = max(row.med for row in rows) or 1.0
    for axes, (same, name), colour in zip(panels, KINDS.items(), COLOURS, strict=False):
        some = [row for row in rows if row.same_group is same]
        _draw_panel(axes, some, name, colour, largest)
        axes.set_xlabel(f"MED-{measure!r}", fontsize=9, parse_math=False)
    for axes in panels if stacked else panels[:1]:
        axes.set_ylabel(f"true difference in {measure!r}", fontsize=9, parse_math=False)
    return themed(figure, look.theme)


def _draw_panel(
    axes: Axes, rows: Sequence[PairDifference], name: str, colour: str, largest: float
) -> None:
    med, difference = np.array([row[-2:] for row in rows]).reshape(-1, 2).T
    axes.plot([0, largest], [0, largest], color="#aaaaaa", linewidth=0.8, zorder=1)
    axes.plot(med, difference, ".", color=colour, alpha=0.5, markersize=6.5, markeredgewidth=0)
    mean = f", mean MED {med.mean():.4g}" if len(med) else ""
    axes.set_title(f"{name}: {count(len(rows), 'point')}{mean}", fontsize=9)
    axes.set(xlim=(-0.03 * largest, 1.03 * largest), ylim=(-0.03 * largest, 1.03 * largest))
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
