"""The rooms of the package and their layers: imports point down, and no folder holds too much.

Every import counts, also one inside a function or for type checkers alone. `medir/__init__` is the
public face above all rooms: it names what they hold and loads it late, and no room imports it.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.shell import ROOT

PACKAGE = ROOT / "src" / "medir"
LAYERS = [
    {"errors", "_core"},
    {"base"},
    {"files"},
    {"inputs", "similarity"},
    {"measures"},
    {"comparing"},
    {"passages", "expecting"},
    {"rendering"},
    {"validation", "integrations"},
    {"cli"},
    {"__main__"},
]
LAYER = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}
MOST_TOPICS = 14  # about a dozen

Graph = Mapping[str, set[str]]


def modules(package: Path) -> dict[str, Path]:
    """Every module by its dotted name."""
    paths = [path for suffix in ("*.py", "*.pyi") for path in package.rglob(suffix)]
    names = {}
    for path in paths:
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        names[".".join(part for part in parts if part != "__init__")] = path
    return names


def imported(source: str, names: Container[str]) -> Iterator[str]:
    """The modules of the package that a source text imports, wherever it does."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            module = node.module or ""
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                if inner in names or module in names:
                    yield inner if inner in names else module


@pytest.fixture(scope="module")
def graph() -> Graph:
    """What each module imports; the public face is left out."""
    names = modules(PACKAGE)
    return {
        name: set(imported(path.read_text(encoding="utf-8"), names)) - {name}
        for name, path in names.items()
        if name != "medir"
    }


def room(module: str) -> str:
    """The part of the package that a module belongs to; the public face is a room of its own."""
    return module.split(".")[1] if "." in module else module


def upward(graph: Graph) -> list[str]:
    """Imports of another room that is not on a lower layer."""
    return sorted(
        f"{module} imports {other}"
        for module, others in graph.items()
        for other in others
        if room(module) != room(other)
        and not LAYER.get(room(module), -1) > LAYER.get(room(other), len(LAYERS))
    )


def cycle(graph: Graph) -> list[str]:
    """Modules that import each other in a circle, if any do."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def topics(folder: Path) -> set[str]:
    """The rooms and modules in a folder; a module and its stub are one, the core's is generated."""
    none = ("__init__", "__main__", "__pycache__", "py", "_core")  # py.typed
    names = {path.name.partition(".")[0] or path.suffix for path in folder.iterdir()}
    return names - set(none)


def test_every_room_has_a_layer() -> None:
    rooms = {room(module) for module in modules(PACKAGE)} - {"medir"}
    assert rooms <= LAYER.keys()


def test_imports_point_down(graph: Graph) -> None:
    assert upward(graph) == []


def test_no_modules_import_each_other(graph: Graph) -> None:
    assert cycle(graph) == []


@pytest.mark.parametrize(
    "folder",
    [path for path in (PACKAGE, *PACKAGE.rglob("*/")) if path.name != "__pycache__"],
    ids=lambda folder: str(folder.relative_to(ROOT)),
)
def test_folders_hold_few_topics(folder: Path) -> None:
    assert len(topics(folder)) <= MOST_TOPICS


@pytest.mark.parametrize(
    ("module", "line", "other"),
    [
        ("inputs.runs", "import medir.measures", "measures"),
        ("files.opening", "def late():\n    import medir.cli.options", "cli.options"),
        (
            "passages.compare",
            "if True:\n    import medir.expecting.priors",
            "expecting.priors",
        ),
        ("comparing.decision.gate", "from medir import rendering", "rendering"),
        ("measures.table", "from medir.comparing.compare import compare", "comparing.compare"),
    ],
)
def test_an_import_that_points_up_is_found(module: str, line: str, other: str) -> None:
    planted = {f"medir.{module}": set(imported(line, modules(PACKAGE)))}
    assert upward(planted) == [f"medir.{module} imports medir.{other}"]


def test_no_room_imports_the_public_face() -> None:
    planted = {"medir.errors": set(imported("from medir import compare", modules(PACKAGE)))}
    assert upward(planted) == ["medir.errors imports medir"]


def test_a_cycle_is_found() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) != []
    assert cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
