"""Who made a run: its group and its type, from a CSV file."""

from __future__ import annotations

import csv
from io import TextIOWrapper
from os import PathLike
from typing import NamedTuple

from medir.errors import InputError
from medir.files.opening import opened


class Member(NamedTuple):
    """The group of a run and its type, such as automatic or manual; empty where there is none."""

    group: str
    type: str = ""


def read_groups(path: str | PathLike[str]) -> dict[str, str]:
    """The group of each run, from a CSV file with the columns run and group."""
    return {run: member.group for run, member in read_members(path).items()}


def read_members(path: str | PathLike[str]) -> dict[str, Member]:
    """Group and type of each run, from a CSV file with the columns run, group and perhaps type."""
    try:
        with opened(str(path)) as file, TextIOWrapper(file, "utf-8-sig", newline="") as text:
            return _members(csv.DictReader(text), str(path))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"is not CSV: {error}", str(path)) from None


def _members(rows: csv.DictReader[str], path: str) -> dict[str, Member]:
    columns = list(rows.fieldnames or ())
    missing = {"run", "group"} - set(columns)
    if missing:
        raise InputError(
            f"there is no column {' or '.join(sorted(missing))}",
            path,
            1,
            ",".join(columns),
            remedy="The first line names the columns: run,group",
        )
    found: dict[str, Member] = {}
    for row in rows:
        cells = [cell for cell in row.values() if isinstance(cell, str)]
        if len(cells) != len(columns) or len(row) != len(columns):
            raise InputError(
                f"the first line has {len(columns)} columns, this line has {len(cells)}",
                path,
                rows.line_num,
                ",".join(cells),
                remedy="Put a text that holds a comma in quotes.",
            )
        run, member = row["run"], Member(row["group"], row.get("type", ""))
        if found.setdefault(run, member) != member:
            raise InputError(
                f"the run {run!r} has a different group or type in an earlier line",
                path,
                rows.line_num,
                ",".join(cells),
                remedy="Name each run once.",
            )
    return found
