"""The validation of MED by Tan and Clarke, on any collection.

How close are runs of one group? Does MED go with the true difference in effectiveness, and more so
the more judgments there are? How do the measures of the family go together, and with RBO?
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Unpack

from medir.base.settings import Options, Settings, with_settings
from medir.errors import InputError, MedirError, MissingExtraError, UsageError
from medir.files.background import Watcher, part
from medir.files.locking import locked
from medir.files.opening import unpacked_name
from medir.files.paths import check_apart
from medir.inputs.groups import Member, read_members
from medir.inputs.pairing import NAMED
from medir.inputs.qrels import Judgments
from medir.inputs.runs import Source
from medir.measures.chosen import Measures, single
from medir.rendering.pictures.appearance import Look, Theme, Width
from medir.rendering.pictures.style import METADATA, check_plot
from medir.validation.results import Contrast, Correlation, Study

__all__ = ["Contrast", "Correlation", "Study", "study"]

UNFINISHED = ".unfinished"
LOCK = "lock"  # in there: who has it works on the study
LEAST = 3  # runs: fewer have no correlation

Groups = str | PathLike[str] | Mapping[str, str | tuple[str, str]]


@with_settings(Options)
def study(
    runs: Mapping[str, Source],
    qrels: Judgments,
    directory: str | PathLike[str],
    *,
    groups: Groups | None = None,
    measures: Measures | None = None,
    seed: int = 0,
    pictures: Sequence[str] = ("svg",),
    spreadsheet: bool = False,
    theme: Theme = "light",
    width: Width = None,
    progress: Watcher | None = None,
    **options: Unpack[Options],
) -> Study:
    """Validates MED on a collection and writes figures, tables and a page to a directory.

    `runs` are named sources, three or more; `groups` is a CSV file with the columns run, group and
    perhaps type, or `{run: group}` or `{run: (group, type)}`. The true differences of two runs are
    |mean S(A) - mean S(B)| and the mean of |S(A) - S(B)|, over the judged queries; an unjudged
    document is not relevant there.
    Without `measures`, it is nDCG, down to rank 20 or as deep as the longest list.
    MED takes 0, 25, 75 and 100 % of the judgments, a random sample by `seed`.

    What is computed is kept in the directory until all is written: a study that was killed goes on
    from there when it is called again, and writes the same files. `pictures` are their
    formats: svg, pdf or png; `theme` is "light" or "dark", and `width` that of a "column", of a
    "page" or a number of inches. With `spreadsheet`, names in the tables that a spreadsheet could
    run as formulas begin with an apostrophe.

    >>> import tempfile
    >>> runs = {"a": {"q": ["x", "y"]}, "b": {"q": ["y", "x"]}, "c": {"q": ["z", "x"]}}
    >>> found = study(runs, {"q": {"x": 1}}, tempfile.mkdtemp(), measures="P@1")
    >>> found.pairs, found.difference.tolist(), found.med[0].tolist()
    (((0, 1), (0, 2), (1, 2)), [1.0, 1.0, 0.0], [1.0, 1.0, 1.0])
    """
    main, settings = None if measures is None else single(measures), Settings(**options)
    check(pictures)
    look = Look(theme, width)
    if len(runs) < LEAST:
        raise UsageError(f"a study needs three runs or more, not {len(runs)}")
    from medir.validation.files import FILES, write

    folder = Path(directory)
    check_apart((folder / name for name in FILES), [*runs.values(), qrels, groups])
    members = None if groups is None else members_of(runs, groups)
    with unfinished(folder) as kept:
        from medir.validation.computation import PARTS, compute

        found = compute(runs, qrels, members, main, seed, kept, progress, settings)
        write(found, folder, kept, pictures, spreadsheet, look)
        watcher = part(progress, PARTS - 1, PARTS)
        if watcher is not None:
            watcher(1, 1)
    return found


@contextmanager
def unfinished(folder: Path) -> Iterator[Path]:
    """Where a study is kept that is not finished, until it is.

    What an error leaves behind is removed, but never what an interrupted study has left before.
    """
    kept = folder / UNFINISHED
    new = [path for path in (kept, folder) if not path.exists()]
    if kept.is_symlink():
        raise UsageError(f"{str(kept)!r} is a symbolic link: remove it")
    try:
        kept.mkdir(parents=True, exist_ok=True)
        with locked(kept / LOCK):
            try:
                yield kept
            except (MedirError, OSError):
                if kept in new:
                    _empty(kept)
                raise
            _empty(kept)
    except OSError as error:
        raise UsageError(f"cannot write to {str(folder)!r}: {error.strerror or error}") from None
    finally:
        for path in (kept, *new):  # those that are empty again
            with suppress(OSError):
                path.rmdir()


def _empty(kept: Path) -> None:
    """Removes what was kept, besides the lock."""
    for path in kept.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != LOCK:
            path.unlink()


def check(formats: Sequence[str]) -> None:
    """Raises an error where a study could not be written, before any work is done."""
    if not formats:
        raise UsageError(f"name a format: {', '.join(METADATA)}")
    for name in formats:
        if name not in METADATA:
            raise UsageError(f"a picture is {', '.join(METADATA)}, not {name!r}")
        check_plot(f"figure.{name}")
    if find_spec("jinja2") is None:
        raise MissingExtraError("jinja2", "report", "writing a page")


def members_of(names: Mapping[str, Source], groups: Groups) -> dict[str, Member]:
    """The group and the type of each run; a run without one is an error.

    A file may name a packed run without its ending: `a.run` is `a.run.gz` too.
    """
    if isinstance(groups, Mapping):
        source = "groups"
        known = {
            run: Member(one) if isinstance(one, str) else Member(*one)
            for run, one in groups.items()
        }
    else:
        source, known = str(groups), read_members(groups)
    known = {unpacked_name(run): member for run, member in known.items()} | known
    found = {name: known.get(name, known.get(unpacked_name(name))) for name in names}
    unknown = [name for name, member in found.items() if member is None]
    if unknown:
        raise InputError(
            f"{len(unknown)} of {len(found)} runs are not in the column run: "
            f"{', '.join(unknown[:NAMED])}{', ...' if len(unknown) > NAMED else ''}",
            source,
            remedy="List every run by the name used here; its group may be empty.",
        )
    return {name: member for name, member in found.items() if member is not None}
