"""Makes the pictures of the documentation, from the example data, and finds those that are stale.

    python docs/building/pictures.py            # makes those that are stale (make pictures)
    python docs/building/pictures.py --all      # makes all
    python docs/building/pictures.py --check    # ends with 1 where a picture is stale

Beside the pictures, `shown.json` keeps for each of them a hash of what it shows (numbers, texts and
colours, whatever the fonts; or the page that was photographed) and a hash of the file itself. A
picture is stale if drawing it now would show something else, or if the file is another one. Digits
that nobody sees do not count: the last ones may depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from drawings import DRAWINGS, KEPT, Kept
from medir.rendering.pictures.style import drawing_style, save
from screenshots import SCREENSHOTS, Photographed, photographed

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
RECORD = PICTURES / "shown.json"
COLOURS = 160  # of a palette, which is enough for flat pictures
DPI = 170
DIGITS = 4
FRACTION = re.compile(r"\d+\.\d+(?:e-?\d+)?|\d+e-\d+")

Content = Figure | Photographed | Kept


def facts(content: Content) -> str:
    """A hash of what a picture shows."""
    if isinstance(content, Kept):
        return hashed(json.dumps(content.rows).encode())
    if isinstance(content, Photographed):
        page = FRACTION.sub(lambda number: f"{float(number[0]):.{DIGITS}f}", content.html)
        return hashed(json.dumps([page, *content.steps]).encode())
    # A picture whose places depend on the width of its names says itself what it shows.
    content.draw_without_rendering()
    numbers = getattr(content, "shows", None)
    found = [] if numbers is not None else [_described(one) for one in content.findobj(_is_drawn)]
    texts = sorted(one.get_text() for one in content.findobj(Text))
    return hashed(json.dumps([found, texts, _rounded(numbers)]).encode())


def _is_drawn(artist: Any) -> bool:
    """Whether something stands at numbers, and not where a legend or a frame has room."""
    if not isinstance(artist, Line2D | Patch | Collection) or artist.axes is None:
        return False
    return bool(artist.get_transform().contains_branch(artist.axes.transData))


def _described(artist: Any) -> list[Any]:
    """The numbers and the colour of what is drawn."""
    if isinstance(artist, Line2D):
        return ["line", to_hex(artist.get_color()), _rounded(artist.get_xydata())]
    if isinstance(artist, Patch):
        return ["patch", to_hex(artist.get_facecolor()), _rounded(artist.get_path().vertices)]
    values = [_rounded(path.vertices) for path in artist.get_paths()]
    return ["collection", values, _rounded(artist.get_array())]


def _rounded(values: Any) -> Any:
    if values is None:
        return None
    numbers = np.round(np.ma.filled(np.ma.asarray(values, dtype=float), -1), DIGITS) + 0.0
    return numbers.tolist()


def hashed(content: bytes) -> str:
    """A short hash."""
    return sha256(content).hexdigest()[:16]


def write(content: Content, path: Path) -> None:
    """Writes a picture: as PNG with a small palette, or as its name says."""
    from PIL import Image

    if isinstance(content, Kept):
        data = os.environ.get("MEDIR_DATA")
        if not data:
            raise SystemExit(f"{path.name} is stale, and drawn from other data: MEDIR_DATA=DIR")
        with drawing_style():
            save(content.draw(Path(data)), path, path.stem)
        return
    if isinstance(content, Photographed):
        photographed(content, path)
    else:
        content.savefig(path, dpi=DPI)
    with Image.open(path) as image:
        small = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def main() -> int:
    """Makes pictures, or says which are stale."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="make nothing; 1 if any is stale")
    parser.add_argument("--all", action="store_true", help="make those too that are not stale")
    chosen = parser.parse_args()
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    os.chdir(ROOT / "examples")
    sys.path.append(str(ROOT / "examples"))
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    made: dict[str, Callable[[], Content]] = {**DRAWINGS, **SCREENSHOTS, **KEPT}
    stale = []
    for name, make in made.items():
        path, content = PICTURES / name, make()
        now = {"shows": facts(content), "file": hashed(path.read_bytes()) if path.exists() else ""}
        if record.get(name) == now and not chosen.all:
            continue
        stale.append(name)
        if not chosen.check:
            write(content, path)
            record[name] = {"shows": facts(content), "file": hashed(path.read_bytes())}
            print(f"{name}: {path.stat().st_size / 1000:.0f} KB")
    if chosen.check:
        for name in stale:
            print(f"docs/pictures/{name} is stale: make pictures", file=sys.stderr)
        return 1 if stale else 0
    kept = {name: record[name] for name in sorted(made)}
    RECORD.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
