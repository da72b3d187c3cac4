"""The files of a study: tables, pictures and the page."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from medir.files.identifiers import shown
from medir.rendering.pictures.style import METADATA
from medir.validation.results import Correlation, Study

FIGURES = ("figure-1", "figure-2", "figure-3")
TABLES = (*(f"{name}.csv" for name in FIGURES), "correlations.csv", "same-group.csv")
PAGE = "study.html"
# All that a study may write: what another one has left there is replaced or removed.
FILES = (*TABLES, *(f"{name}.{kind}" for name in FIGURES for kind in METADATA), PAGE)


def write(study: Study, folder: Path, unfinished: Path, formats: Sequence[str]) -> None:
    """Writes all files aside, and then puts them in place."""
    from medir.validation.figures import draw
    from medir.validation.page import page

    aside = unfinished / "files"
    aside.mkdir(exist_ok=True)
    for old in aside.iterdir():
        old.unlink()
    for name, rows in tables(study).items():
        _write_csv(aside / name, rows)
    draw(study, aside, formats)
    (aside / PAGE).write_text(page(study), encoding="utf-8", newline="\n")
    for name in FILES:
        if (aside / name).exists():
            (aside / name).replace(folder / name)
        else:
            (folder / name).unlink(missing_ok=True)


def tables(study: Study) -> dict[str, list[list[Any]]]:
    """The tables by file name, each with its heading; without groups, two of them are left out."""
    found = {
        "figure-1.csv": list(_within_groups(study)),
        "figure-2.csv": list(_true_differences(study)),
        "figure-3.csv": list(_distances(study)),
        "correlations.csv": list(_correlations(study.correlations)),
        "same-group.csv": list(_same_group(study)),
    }
    if study.members is None:
        del found["figure-1.csv"], found["same-group.csv"]
    return found


def _within_groups(study: Study) -> Iterator[list[Any]]:
    yield ["group", "type", "run_a", "run_b", "med"]
    for group, numbers in study.within_groups().items():
        for number in numbers:
            kind = "" if study.pair_types is None else study.pair_types[number]
            yield [group, kind, *_names(study, number), study.med[0][number]]


def _true_differences(study: Study) -> Iterator[list[Any]]:
    yield [*_heading(study), "true_difference", *(f"med_{share}" for share in study.med)]
    columns = [study.difference, *study.med.values()]
    for number in range(len(study.pairs)):
        yield [*_start(study, number), *(column[number] for column in columns)]


def _distances(study: Study) -> Iterator[list[Any]]:
    yield [*_heading(study), *study.distances]
    for number in range(len(study.pairs)):
        yield [*_start(study, number), *(column[number] for column in study.distances.values())]


def _correlations(found: Iterable[Correlation]) -> Iterator[list[Any]]:
    yield list(Correlation._fields)
    yield from (list(one._replace(without=shown(one.without))) for one in found)


def _same_group(study: Study) -> Iterator[list[Any]]:
    yield ["distance", "same_group_pairs", "same_group_mean", "other_pairs", "other_mean", "closer"]
    for name, one in study.contrasts.items():
        yield [name, *one]


def _heading(study: Study) -> list[str]:
    return ["run_a", "run_b"] + ([] if study.same_group is None else ["same_group"])


def _start(study: Study, number: int) -> list[Any]:
    same = [] if study.same_group is None else [int(study.same_group[number])]
    return [*_names(study, number), *same]


def _names(study: Study, number: int) -> list[str]:
    return [shown(study.names[end]) for end in study.pairs[number]]


def _write_csv(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: Any) -> Any:
    """A number with all its digits; nothing where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(float(value)) if isinstance(value, float) else value
