"""Paths that a command reads and writes: no output may be an input or another output.

Each is checked against the others as soon as it is parsed, before any work is done.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from medir.files.paths import Paths
    from medir.measures import Measure

KEY = "medir.paths"


def paths_of(ctx: click.Context) -> Paths:
    """What the command reads and writes, as far as it is parsed."""
    from medir.files.paths import Paths

    found: Paths = ctx.meta.setdefault(KEY, Paths())
    return found


class InputPath(click.Path):
    """A file or folder that is read; what is wrong with it is said when it is read."""

    def convert(
        self,
        value: str | PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        path = os.fspath(value)
        super().convert(path, param, ctx)
        if ctx is not None and not ctx.resilient_parsing:
            if isinstance(param, click.Option):
                paths_of(ctx).reads(path, param.opts[-1])
            else:
                paths_of(ctx).reads(path)
        return path


class OutputPath(click.Path):
    """A file that is written; or, where `or_folder` says so, a folder that is written whole."""

    def __init__(self, *, or_folder: bool = False, **settings: Any) -> None:
        super().__init__(**settings)
        self._or_folder = or_folder

    def convert(
        self,
        value: str | PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        path = os.fspath(value)
        super().convert(path, param, ctx)
        if ctx is not None and param is not None and not ctx.resilient_parsing:
            from medir.files.paths import names_folder

            whole = self._or_folder and names_folder(path)
            paths_of(ctx).writes(path, param.opts[-1], whole_folder=whole)
        return path


def read_by_measures(ctx: click.Context, measures: Iterable[Measure]) -> None:
    """Takes the files that measures name as inputs."""
    for one in measures:
        for path in one.shape.files(one):
            paths_of(ctx).reads(path, repr(one))
