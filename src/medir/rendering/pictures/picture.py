"""A figure of matplotlib that notebooks show as it is, without pyplot and whatever its settings."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib import style
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from medir.rendering.pictures.appearance import Theme

# Matplotlib's defaults; text of the same width everywhere, and the same bytes each time.
SETTINGS: list[str | dict[str, Any]] = [
    "default",
    {"svg.hashsalt": "medir", "text.hinting": "none"},
]
ON_SCREEN = 100  # pixels of a page to the inch; the picture itself has more


class Picture(Figure):
    """A figure that brings its own image. It can be changed and saved as any other."""

    def themed(self, theme: Theme) -> Picture:
        """The same figure in the colours of a theme, light (as it was drawn) or dark."""
        from medir.rendering.pictures.appearance import themed

        themed(self, theme)
        return self

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """The image, and its size on a page."""
        stream = BytesIO()
        with style.context(SETTINGS):
            self.savefig(stream, format="png", dpi=self.get_dpi())
        width, height = (round(float(inches) * ON_SCREEN) for inches in self.get_size_inches())
        return stream.getvalue(), {"width": width, "height": height}
