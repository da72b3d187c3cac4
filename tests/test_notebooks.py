"""The notebooks of examples/ run, and what stands in them is what they show.

Here cells are executed one after the other in a plain process; `make integrations` has a kernel.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cases.notebooks import OURS, Code, code_of, read
from tests.shell import EXAMPLES, good, python

NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
MOST = 400_000  # bytes of a notebook

# What a kernel does with a cell: it runs all statements and shows the value of the last one.
REPLAY = """
import ast, contextlib, io, json, sys

names = {"__name__": "__main__"}
cells = []
for source in json.loads(sys.stdin.read()):
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    outputs = []
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if printed.getvalue():
        outputs.append({"output_type": "stream", "text": printed.getvalue()})
    if value is not None:
        data = {"text/plain": repr(value)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_()
        if hasattr(value, "_repr_png_"):
            data["image/png"] = len(value._repr_png_()[0])
        outputs.append({"output_type": "execute_result", "data": data})
    cells.append(outputs)
print(json.dumps(cells))
"""  # noqa: E501


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_shows_what_it_computes(path: Path, tmp_path: Path) -> None:
    stored = code_of(read(path))
    folder = shutil.copytree(EXAMPLES, tmp_path / "examples")
    sources = json.dumps([cell.source for cell in stored]).encode()
    outcome = python(REPLAY, cwd=folder, stdin=sources)
    shown = [
        Code(cell.source, outputs)
        for cell, outputs in zip(stored, json.loads(good(outcome)), strict=True)
    ]
    for cell, again in zip(stored, shown, strict=True):
        assert again.printed == cell.printed
        assert again.results == cell.results
        assert again.pictures == cell.pictures


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_was_executed_from_start_to_end(path: Path) -> None:
    notebook = read(path)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    kinds = {output["output_type"] for cell in cells for output in cell["outputs"]}
    assert kinds == {"stream", "execute_result"}  # no error
    assert path.stat().st_size < MOST
    text = path.read_text(encoding="utf-8")
    assert "/home/" not in text
    assert str(EXAMPLES) not in text


def test_there_is_a_notebook() -> None:
    (path,) = [path for path in NOTEBOOKS if path.name == "compare.ipynb"]
    results = [text for cell in code_of(read(path)) for text in cell.results]
    assert sum(text.startswith(OURS) for text in results) >= 4
    assert sum(cell.pictures for cell in code_of(read(path))) == 2
