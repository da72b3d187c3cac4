"""How a picture looks on paper and on screens: light or dark, as wide as a column or a page.

A picture is drawn in the colours of the light theme, each of which stands for one of the dark one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from medir.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

Theme = Literal["light", "dark"]
Width = Literal["column", "page"] | float | None

INCHES = {"column": 3.35, "page": 7.0}  # of one column and of both, as journals have them
NARROWEST, WIDEST = 2.0, 40.0
NARROW = 4.5  # in a narrower picture the legend goes below
HALF_PAGE = 5.0  # narrower pictures of several panels have them below each other, or two abreast
ON_COLOUR = "on a colour"  # what is written on a coloured ground keeps its colour

GREY, PALE = "#9a9a9a", "#c8c8c8"
INK, QUIET, RULE = "#222222", "#666666", "#aaaaaa"  # texts, lesser texts, lines
# Paul Tol's muted colours and an orange, which those who see few colours can tell apart.
COLOURS = ("#332288", "#cc6677", "#117733", "#88ccee", "#ddcc77", "#aa4499", "#44aa99", "#882255",
           "#999933", "#ee7733")  # fmt: skip
GROUND = "#1b1e21"
# Paul Tol's light colours and a mauve, in the order of the colours that they stand for.
DARK_COLOURS = ("#77aadd", "#ee8866", "#44bb99", "#99ddff", "#eedd88", "#ffaabb", "#bbcc33",
                "#cc99dd", "#aaaa00", "#dddddd")  # fmt: skip
DARK = {
    "#ffffff": GROUND,
    "#000000": "#e8eaed",
    INK: "#e8eaed",
    "#333333": "#c4c7cb",
    "#444444": "#c4c7cb",
    QUIET: "#a5abb1",
    "#888888": "#80868c",
    GREY: "#7d8389",
    RULE: "#5c6268",
    "#bbbbbb": "#5c6268",
    PALE: "#4a4f54",
    "#e8e8e8": "#34393e",
    **dict(zip(COLOURS, DARK_COLOURS, strict=True)),
}


@dataclass(frozen=True)
class Look:
    """A theme and a width."""

    theme: Theme = "light"
    width: Width = None

    def __post_init__(self) -> None:
        check_theme(self.theme)
        inches_of(self.width)


def inches_of(width: Width) -> float | None:
    """A width in inches; None where a picture is as wide as it needs to be.

    >>> inches_of("column"), inches_of(5), inches_of(None)
    (3.35, 5.0, None)
    """
    if width is None:
        return None
    if isinstance(width, str):
        if width not in INCHES:
            raise UsageError(f"width is column, page or a number of inches, not {width!r}")
        return INCHES[width]
    if not NARROWEST <= width <= WIDEST:
        raise UsageError(f"width is {NARROWEST:g} to {WIDEST:g} inches, not {width!r}")
    return float(width)


def as_wide(draw: Callable[[float], Figure], start: float, width: float | None) -> Figure:
    """A picture whose axes have such a width in inches that the whole is as wide as it should be.

    What stands around the axes keeps its size.
    """
    figure = draw(start)
    if width is None:
        return figure
    rate = 1.0  # by how much the whole grows with the axes: more where several do
    for _ in range(4):
        size = float(figure.get_size_inches()[0])
        if abs(width - size) < 0.005:
            break
        following = max(start + (width - size) / rate, 0.4)
        figure = draw(following)
        if following != start:
            rate = max((float(figure.get_size_inches()[0]) - size) / (following - start), 0.5)
        start = following
    return figure


def check_theme(theme: str) -> None:
    """Raises an error where there is no such theme."""
    if theme not in get_args(Theme):
        raise UsageError(f"theme is light or dark, not {theme!r}")


def themed(figure: Figure, theme: Theme) -> Figure:
    """The figure in the colours of a theme."""
    check_theme(theme)
    if theme == "dark":
        figure.set_facecolor(GROUND)
        for axes in figure.axes:
            for axis in (axes.xaxis, axes.yaxis):
                now = axis.get_tick_params()
                axis.set_tick_params(
                    color=_darkened(now.get("color", "black")),
                    labelcolor=_darkened(now.get("labelcolor", "black")),
                )
        for artist in figure.findobj():
            if artist.get_gid() != ON_COLOUR:
                _darken(artist)
    return figure


def _darkened(colour: Any) -> Any:
    """The colour of the dark theme that a colour stands for; one that stands for none is kept."""
    from matplotlib.colors import to_hex, to_rgba

    alpha = to_rgba(colour)[3]
    return to_rgba(DARK.get(to_hex(colour), to_hex(colour)), alpha)


def _darken(artist: Artist) -> None:
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    if isinstance(artist, Text):
        artist.set_color(_darkened(artist.get_color()))
        if (ground := artist.get_bbox_patch()) is not None:
            _darken(ground)
    elif isinstance(artist, Line2D):
        artist.set_color(_darkened(artist.get_color()))
        for name in ("markerfacecolor", "markeredgecolor"):
            artist.set(**{name: _darkened(getattr(artist, f"get_{name}")())})
    elif isinstance(artist, Patch):
        face, edge = _darkened(artist.get_facecolor()), _darkened(artist.get_edgecolor())
        artist.set(facecolor=face, edgecolor=edge)
    elif isinstance(artist, Collection) and artist.get_array() is None:
        for name in ("facecolor", "edgecolor"):
            colours = [_darkened(one) for one in np.atleast_2d(getattr(artist, f"get_{name}")())]
            artist.set(**{name: colours or "none"})
