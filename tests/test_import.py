"""What `import medir` does and does not do, each in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

import medir
from tests.shell import python

HEAVY = ("numpy", "pandas", "polars", "pyarrow", "rich", "click", "medir._core")
# What two small files in TREC format have no use for: together it took a fifth of the start.
UNUSED = """
    _hashlib csv decimal fractions json shutil tempfile
    medir.comparing.explaining.clusters medir.comparing.explaining.explain
    medir.comparing.explaining.witnesses medir.comparing.exposure medir.comparing.solve
    medir.comparing.table
    medir.inputs.clusters.reading medir.inputs.formats.arrays medir.inputs.formats.arrow
    medir.inputs.formats.engines.responses medir.inputs.formats.judged
    medir.inputs.formats.mappings medir.inputs.formats.objects medir.inputs.formats.passages
    medir.inputs.formats.queries medir.inputs.lengths medir.inputs.passages medir.inputs.qrels
    medir.inputs.texts medir.inputs.writing.runs
    medir.measures.arguments medir.measures.shapes.black_box medir.measures.shapes.function
    medir.measures.shapes.terms medir.measures.unsupported medir.similarity
    rich._emoji_codes rich.table
"""


@pytest.mark.parametrize(
    "module", ["medir", "medir.errors", "medir.cli", "medir.integrations.pytest_plugin"]
)
def test_import_is_light(module: str) -> None:
    """No array or table library comes with it; the command line brings click and nothing else."""
    outcome = python(f"import sys, {module}; print(*sys.modules)")
    assert (outcome.code, outcome.err) == (0, "")
    loaded = set(outcome.out.split())
    assert module in loaded
    allowed = {"click"} if module == "medir.cli" else set()
    assert loaded & set(HEAVY) == allowed


def test_a_comparison_loads_what_it_needs(tmp_path: Path) -> None:
    """Most of a small comparison is the start: nothing is loaded that it has no use for."""
    runs = tmp_path / "before.run", tmp_path / "after.run"
    for path, documents in zip(runs, ("abc", "bca"), strict=True):
        lines = [f"q1 Q0 {name} {rank} {9 - rank} tag\n" for rank, name in enumerate(documents)]
        path.write_text("".join(lines), encoding="utf-8")
    code = f"""
import sys
import click, numpy, rich.console, rich.text
before = set(sys.modules)  # the libraries load what they like
from medir.cli import main
try:
    main(["compare", *{[str(path) for path in runs]}, "-m", "nDCG@20"])
finally:
    print("loaded", *(set(sys.modules) - before))
"""
    outcome = python(code)
    assert (outcome.code, outcome.err) == (0, "")
    summary, _, loaded = outcome.out.partition("loaded ")
    assert "nDCG@20" in summary
    assert "nDCG@20" in summary
    assert "medir.comparing.compare" in loaded.split()
    assert set(loaded.split()).isdisjoint(UNUSED.split())


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_no_table_library_is_needed(library: str) -> None:
    """Not to read, compare, or write text."""
    code = f"""
import sys
sys.modules[{library!r}] = None
import medir, tempfile, pathlib
result = medir.compare({{"q": ["a"]}}, {{"q": ["b"]}}, "P@1")
with tempfile.TemporaryDirectory() as folder:
    result.write(pathlib.Path(folder) / "out.csv")
print(result.mean())
"""
    assert python(code) == (0, "{P@1: 1.0}\n", "")


@pytest.mark.parametrize("room", ["measures", "passages", "similarity", "cli.commands.compare"])
def test_functions_stay_functions(room: str) -> None:
    """Also after something has imported a room of a similar name."""
    code = f"""
import medir.{room}
for name in ("compare", "measure", "matrix", "study"):
    assert callable(getattr(medir, name)), name
    scope = {{}}
    exec(f"from medir import {{name}}", scope)
    assert scope[name] is getattr(medir, name)
    print(medir.compare({{"q": ["a"]}}, {{"q": ["b"]}}, "P@1").mean())
"""
    assert python(code) == (0, "{P@1: 1.0}\n" * 4, "")


@pytest.mark.parametrize("name", medir.__all__)
def test_every_name_resolves(name: str) -> None:
    assert getattr(medir, name) is not None
    assert name in dir(medir)


def test_every_name_resolves_alone() -> None:
    """In a process where nothing else has been loaded."""
    code = """
import medir
for name in reversed(medir.__all__):
    getattr(medir, name)
from medir import *
print(nDCG @ 5, Run.__name__, compare.__name__, __version__ == medir.__version__)
"""
    assert python(code) == (0, "nDCG@5 Run compare True\n", "")


def test_every_module_can_be_imported_first() -> None:
    """Whatever it imports in turn: no circle."""
    code = """
import sys
from importlib import import_module
from pathlib import Path
import medir, medir._core
root = Path(medir.__file__).parent
names = [path.relative_to(root.parent).with_suffix("").parts for path in root.rglob("*.py")]
for name in sorted(".".join(parts).removesuffix(".__init__") for parts in names):
    if name == "medir.__main__":
        continue
    for loaded in [one for one in sys.modules if one.split(".")[0] == "medir"]:
        if loaded != "medir._core":
            del sys.modules[loaded]
    import_module(name)
print(len(names) > 100)
"""
    assert python(code) == (0, "True\n", "")


def test_names() -> None:
    assert len(set(medir.__all__)) == len(medir.__all__)
    assert set(medir.__all__) <= set(dir(medir))
    assert dir(medir) == sorted(dir(medir))


def test_unknown_name() -> None:
    assert not hasattr(medir, "nothing")
    with pytest.raises(AttributeError, match="module 'medir' has no attribute 'nothing'"):
        getattr(medir, "nothing")  # noqa: B009


def test_version_is_that_of_the_package() -> None:
    code = "import importlib.metadata as m, medir; print(m.version('medir') == medir.__version__)"
    assert python(code) == (0, "True\n", "")
