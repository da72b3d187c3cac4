"""The files of a study: tables, pictures and the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from medir.base.arrays import Array
from medir.files.tables import Table
from medir.rendering.pictures.appearance import Look
from medir.rendering.pictures.style import METADATA
from medir.validation.results import Correlation, Study

FIGURES = ("figure-1", "figure-2", "figure-3")
TABLES = (
    *(f"{name}.csv" for name in FIGURES),
    "correlations.csv",
    "same-group.csv",
    "scores.csv",
)
PAGE = "study.html"
# All that a study may write: what another one has left there is replaced or removed.
FILES = (*TABLES, *(f"{name}.{kind}" for name in FIGURES for kind in METADATA), PAGE)


def write(
    study: Study,
    folder: Path,
    unfinished: Path,
    formats: Sequence[str],
    spreadsheet: bool,
    look: Look,
) -> None:
    """Writes all files aside, and then puts them in place."""
    from medir.validation.figures import draw
    from medir.validation.page import page

    aside = unfinished / "files"
    aside.mkdir(exist_ok=True)
    for old in aside.iterdir():
        old.unlink()
    for name, table in tables(study).items():
        table.write(aside / name, spreadsheet=spreadsheet)
    draw(study, aside, formats, look)
    (aside / PAGE).write_text(page(study), encoding="utf-8", newline="\n")
    for name in FILES:
        if (aside / name).exists():
            (aside / name).replace(folder / name)
        else:
            (folder / name).unlink(missing_ok=True)


def tables(study: Study) -> dict[str, Table]:
    """The tables by file name; without groups, two of them are left out."""
    found = {
        "figure-2.csv": _true_differences(study),
        "figure-3.csv": _distances(study),
        "correlations.csv": _correlations(study),
        "scores.csv": _scores(study),
    }
    if study.members is not None:
        found |= {"figure-1.csv": _within_groups(study), "same-group.csv": _same_group(study)}
    return found


def _within_groups(study: Study) -> Table:
    def rows() -> Iterator[tuple[Any, ...]]:
        for group, numbers in study.within_groups().items():
            for number in numbers:
                kind = None if study.pair_types is None else study.pair_types[number]
                yield group, kind, *_names(study, number), study.med[0][number]

    texts = ("group", "type", "run_a", "run_b")
    return Table({**dict.fromkeys(texts, str), "med": float}, rows())


def _true_differences(study: Study) -> Table:
    med = {f"med_{share}": values for share, values in study.med.items()}
    true = {kind.replace(" ", "_"): values for kind, values in study.true_differences.items()}
    return _by_pair(study, {**true, **med})


def _distances(study: Study) -> Table:
    return _by_pair(study, study.distances)


def _by_pair(study: Study, columns: Mapping[str, Array]) -> Table:
    """Numbers of each pair of runs, beside whether both are of one group where that is known."""
    same = {} if study.same_group is None else {"same_group": study.same_group}
    numbers = [*same.values(), *columns.values()]
    rows = (
        (*_names(study, number), *(column[number] for column in numbers))
        for number in range(len(study.pairs))
    )
    kinds = {**dict.fromkeys(same, int), **dict.fromkeys(columns, float)}
    return Table({"run_a": str, "run_b": str, **kinds}, rows)


def _correlations(study: Study) -> Table:
    texts = "x", "y", "lowest_without", "highest_without"
    kinds = {**dict.fromkeys(texts, str), "figure": int, "judgments": int, "pairs": int}
    rows = (tuple(None if cell == "" else cell for cell in one) for one in study.correlations)
    return Table({name: kinds.get(name, float) for name in Correlation._fields}, rows)


def _scores(study: Study) -> Table:
    """The effectiveness of each run, beside its group and type where these are known."""
    texts = {"run": str} | ({} if study.members is None else {"group": str, "type": str})
    rows = (
        (name, *(() if study.members is None else study.members[number]), study.scores[number])
        for number, name in enumerate(study.names)
    )
    return Table({**texts, "score": float}, rows)


def _same_group(study: Study) -> Table:
    columns = {
        "distance": str,
        "same_group_pairs": int,
        "same_group_mean": float,
        "other_pairs": int,
        "other_mean": float,
        "closer": float,
    }
    return Table(columns, ((name, *one) for name, one in study.contrasts.items()))


def _names(study: Study, number: int) -> list[str]:
    return [study.names[end] for end in study.pairs[number]]
