"""The notebooks of examples/: their cells, what these print, and how to execute them anew.

    python -m tests.cases.notebooks examples/compare.ipynb

needs nbclient and ipykernel, and writes the outputs of a real kernel into the notebook.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

OURS = '<div class="medir">'  # what our results begin with in HTML


class Code(NamedTuple):
    """A cell of code, and its output."""

    source: str
    outputs: list[dict[str, Any]]

    @property
    def printed(self) -> str:
        """What it prints."""
        return "".join("".join(output.get("text", "")) for output in self.outputs)

    @property
    def results(self) -> list[str]:
        """Its result as text, and as HTML where it is one of ours; none of a picture."""
        shown = [output["data"] for output in self.outputs if "data" in output]
        texts = [
            "".join(data[kind])
            for data in shown
            for kind in ("text/plain", "text/html")
            if kind in data and "image/png" not in data
        ]
        return [text for text in texts if text.startswith(OURS) or not text.startswith("<div")]

    @property
    def pictures(self) -> int:
        """How many pictures its output has."""
        return sum("image/png" in output.get("data", {}) for output in self.outputs)


def code_of(notebook: dict[str, Any]) -> list[Code]:
    """The cells of code."""
    return [
        Code("".join(cell["source"]), cell["outputs"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def read(path: Path) -> dict[str, Any]:
    """A notebook as it is stored."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def executed(path: Path) -> dict[str, Any]:
    """The notebook after a run of all its cells in a kernel; nothing is written."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    folder = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=folder).execute()
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
    written: dict[str, Any] = json.loads(nbformat.writes(notebook))
    return written


if __name__ == "__main__":
    for name in sys.argv[1:]:
        text = json.dumps(executed(Path(name)), indent=1, ensure_ascii=False, sort_keys=True)
        Path(name).write_text(text + "\n", encoding="utf-8")
