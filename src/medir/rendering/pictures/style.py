"""What pictures share: colours, style, sizes in inches, and how they are written.

Pictures are written as .svg, .pdf or .png. The same picture gives the same bytes.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from importlib.util import find_spec
from itertools import takewhile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from medir.base.arrays import Array
from medir.errors import MissingExtraError, UsageError
from medir.files.identifiers import shown
from medir.files.replacing import replacing
from medir.rendering.pictures import appearance
from medir.rendering.pictures.labels import MARK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# What would make the same picture differ from one time to the next.
METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}
DPI = 150
POINTS = 72  # to the inch
MARGIN = 0.12  # inches around a picture
LONGEST = 60  # characters of a name
ARCHIVE = re.compile(r"\.(gz|bz2|xz|zst)$")
SEPARATORS = "._-/ "

COLOURS, GREY, PALE = appearance.COLOURS, appearance.GREY, appearance.PALE
INK, QUIET, RULE = appearance.INK, appearance.QUIET, appearance.RULE
OUTLINE: dict[str, Any] = {"markeredgewidth": 0.5, "markeredgecolor": "#333333"}
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">", "*", "h")


def labels_of(names: Sequence[str], longest: int = LONGEST) -> list[str]:
    """The names without what all of them have, the middle of long ones left out.

    Names that would no longer differ stay whole.

    >>> labels_of(["input.bm25.run.gz", "input.dense.run.gz"])
    ['bm25', 'dense']
    """
    whole = _without_common([printable(name) for name in names])
    half = longest // 2
    short = [n if len(n) <= longest else f"{n[: half - 1]}…{n[-half:]}" for n in whole]
    return short if len(set(short)) == len(names) else whole


def _without_common(names: list[str]) -> list[str]:
    """Names without the ending of an archive, and without the beginning and ending of them all."""
    plain = [ARCHIVE.sub("", name) for name in names]
    start = _shared_start(plain)
    start = start[: max(start.rfind(mark) for mark in SEPARATORS) + 1]
    end = _shared_start([name[::-1] for name in plain])[::-1]
    end = end[end.find(".") :] if "." in end else ""
    short = [name[len(start) : len(name) - len(end)] for name in plain]
    for some in (short, plain):
        if all(some) and len(set(some)) == len(names):
            return some
    return names


def _shared_start(names: list[str]) -> str:
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in same)


def printable(text: str) -> str:
    """A text in which every character can be drawn."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown(text)
    )


def check_plot(path: str | PathLike[str]) -> None:
    """Raises an error where no picture could be written, before any work is done."""
    _format_of(Path(path))
    check_drawing()


def check_drawing() -> None:
    """Raises an error where the libraries that draw are not installed."""
    for library in ("matplotlib", "scipy"):
        if find_spec(library) is None:
            raise MissingExtraError(library, "plots", "drawing")


def _format_of(path: Path) -> str:
    suffix = path.suffix.removeprefix(".").lower()
    if suffix not in METADATA:
        known = ", ".join("." + name for name in METADATA)
        raise UsageError(f"cannot draw {str(path)!r}; end the name in {known}")
    return suffix


def drawing_style() -> AbstractContextManager[None]:
    """Matplotlib's defaults, whatever the user's settings; text of the same width everywhere."""
    from matplotlib import style

    from medir.rendering.pictures.picture import SETTINGS

    return style.context(SETTINGS)


def save(figure: Figure, path: Path, title: str) -> None:
    """Writes a figure in the format that the file's name ends in."""
    chosen = _format_of(path)
    metadata = {"Title": printable(title), **METADATA[chosen]}
    with replacing(path) as file:
        figure.savefig(file, format=chosen, dpi=DPI, metadata=metadata)


def new_figure() -> Figure:
    """A figure of one inch, in which axes are put by inches; `fitted` gives it its size."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from medir.rendering.pictures.picture import Picture

    figure = Picture(figsize=(1, 1), dpi=DPI)
    FigureCanvasAgg(figure)
    return figure


def add_axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at a place in a new figure, all in inches."""
    return figure.add_axes((left, bottom, width, height))


def fitted(figure: Figure, wide: float | None = None) -> Figure:
    """The figure, as large as what is drawn in it; as wide as that, where it is nearly so wide."""
    drawn = figure.get_tightbbox()
    width, height = drawn.width + 2 * MARGIN, drawn.height + 2 * MARGIN
    if wide is not None and abs(wide - width) < MARGIN / 2:
        width = wide
    figure.set_size_inches(width, height)
    for axes in figure.axes:
        x, y, w, h = axes.get_position(original=True).bounds
        left, bottom = x - drawn.x0 + MARGIN, y - drawn.y0 + MARGIN
        axes.set_position((left / width, bottom / height, w / width, h / height))
    return figure


def text_sizes(figure: Figure, labels: list[str], size: float) -> Array:
    """Width and height of texts in points."""
    sizes = []
    for label in labels:
        text = figure.text(0, 0, label or " ", fontsize=size, parse_math=False)
        extent = text.get_window_extent()
        text.remove()
        sizes.append((extent.width, extent.height))
    return np.array(sizes) * POINTS / figure.dpi


def write(
    axes: Axes, x: float, y: float, text: str, size: float,
    *, shift: tuple[float, float] = (0, 0), va: str = "center_baseline", **how: Any,
) -> None:  # fmt: skip
    """Writes a text at a place, shifted by points."""
    axes.annotate(text, (x, y), xytext=shift, textcoords="offset points", fontsize=size,
                  va=va, parse_math=False, annotation_clip=False, **how)  # fmt: skip


def draw_title(axes: Axes, title: str, width: float, above: float, size: float = 10) -> None:
    """A title above axes, wrapped to a width; both in inches."""
    characters = max(40 if size == 10 else 36, int(110 / size * width))
    lines = [line for part in title.splitlines() for line in _wrapped(part, characters)]
    axes.annotate("\n".join(lines), (0, 1), xycoords="axes fraction",
                  xytext=(0, above * POINTS + 6), textcoords="offset points", fontsize=size,
                  va="bottom", parse_math=False)  # fmt: skip


def _wrapped(text: str, characters: int) -> Iterator[str]:
    yield from textwrap.wrap(printable(text), characters) or [""]


def draw_legend(axes: Axes, styles: dict[str, tuple[str, str]], *, below: bool) -> None:
    """A legend of groups: patches below axes, or markers right of them."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [
        Patch(color=colour) if below
        else Line2D([], [], linestyle="", marker=marker, color=colour, markersize=MARK, **OUTLINE)
        for colour, marker in styles.values()
    ]  # fmt: skip
    corner = (0, 0) if below else (1, 1)
    # Names are set afterwards: given here, one that begins with an underscore would be left out.
    legend = axes.legend(
        handles, ["-"] * len(handles), loc="upper left", bbox_to_anchor=corner, frameon=False,
        fontsize=8, borderaxespad=0.8 if below else 0.3, handlelength=1.0, borderpad=0,
    )  # fmt: skip
    for text, group in zip(legend.get_texts(), styles, strict=True):
        text.set_parse_math(False)
        text.set_text(group)
