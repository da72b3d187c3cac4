"""The native core is made of rooms, and a room includes only what lies below it."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

NATIVE = Path(__file__).parent.parent / "native"
KERNELS, BINDINGS = NATIVE / "medir", NATIVE / "bindings"
# From the ground up.
ROOMS = [
    "platform",
    "base",
    "solvers",
    "lists",
    "texts",
    "tables",
    "pairs",
    "similarity",
    "trails",
    "measures",
    "shards",
    "drivers",
]
LEVELS = {room: level for level, room in enumerate([*ROOMS, "bindings"])}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
CLASS = re.compile(r"^(?:class|struct) (\w+)(?: final)?\s*(?::(?!:)|{|$)", re.MULTILINE)
MOST_TOPICS = 14  # about a dozen


def sources() -> list[Path]:
    """Every file of the core."""
    return [
        path
        for folder in (KERNELS, BINDINGS)
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".hpp", ".cpp"}
    ]


def room_of(path: Path) -> str:
    """The room that a file is in."""
    return path.parent.name


def included(path: Path) -> list[Path]:
    """The files of the core that a file includes."""
    names = INCLUDE.findall(path.read_text(encoding="utf-8"))
    folders = (KERNELS, path.parent) if path.is_relative_to(BINDINGS) else (KERNELS,)
    found = []
    for name in names:
        paths = [folder / name for folder in folders if (folder / name).is_file()]
        assert paths, f"{path.relative_to(NATIVE)} includes {name}, which is in no room"
        found.append(paths[0])
    return found


def test_every_file_is_in_a_room() -> None:
    assert {room_of(path) for path in sources()} == set(LEVELS)
    assert all(path.parent.parent == KERNELS for path in sources() if room_of(path) in ROOMS)


def test_rooms_are_small() -> None:
    for room in ROOMS:
        topics = {path.stem for path in sources() if room_of(path) == room}
        assert len(topics) <= MOST_TOPICS, f"{room} has {len(topics)} topics"


def test_includes_point_down() -> None:
    upwards = [
        f"{path.relative_to(NATIVE)} includes {other.relative_to(NATIVE)}"
        for path in sources()
        for other in included(path)
        if LEVELS[room_of(other)] > LEVELS[room_of(path)]
    ]
    assert not upwards, "\n".join(upwards)


def test_files_do_not_include_each_other() -> None:
    graph = TopologicalSorter({path: included(path) for path in sources()})
    try:
        graph.prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(path.name for path in error.args[1])) from error


def test_every_class_has_a_name_of_its_own() -> None:
    """Two classes of one name are one to the linker, which no compiler sees: it ends in crashes."""
    homes: dict[str, list[str]] = {}
    for path in sources():
        if path.suffix == ".hpp":
            for name in CLASS.findall(path.read_text(encoding="utf-8")):
                homes.setdefault(name, []).append(str(path.relative_to(NATIVE)))
    assert len(homes) > 50
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}
