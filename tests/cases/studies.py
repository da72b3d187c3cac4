"""A small collection to study: runs of three groups, each a shuffled list of its group."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any, NamedTuple

from medir.base.settings import Settings
from medir.files.background import Watcher
from medir.inputs.groups import Member
from medir.measures import measure
from medir.validation.computation import compute
from medir.validation.study import Study
from tests.cases.runs import write_run

DEPTH = 40


class Collection(NamedTuple):
    """Ranked lists, judgments, and who made each run."""

    runs: dict[str, dict[str, list[str]]]
    qrels: dict[str, dict[str, int]]
    members: dict[str, Member]


def collection(queries: int = 6, seed: int = 1) -> Collection:
    """Seven runs in three groups, and one query (the last) without judgments."""
    chance = random.Random(seed)
    named = {
        f"{group}-{number}": Member(group, ("automatic", "manual")[number % 2])
        for group, count in (("north", 3), ("south", 3), ("west", 1))
        for number in range(count)
    }
    runs: dict[str, dict[str, list[str]]] = {name: {} for name in named}
    qrels = {}
    for number in range(queries):
        query = f"q{number}"
        documents = [f"d{i}" for i in range(60)]
        bases = {
            group: _mixed(documents, 1.5, chance)
            for group in sorted({member.group for member in named.values()})
        }
        for name, member in named.items():
            noise = 0.1 if member.type == "automatic" else 0.25
            runs[name][query] = _mixed(bases[member.group], noise, chance)[:DEPTH]
        qrels[query] = {
            d: (2 if int(d[1:]) < 8 else 1 if int(d[1:]) < 20 else 0)
            for d in chance.sample(documents, 45)
        }
    del qrels[f"q{queries - 1}"]
    return Collection(runs, qrels, named)


def _mixed(ranking: list[str], noise: float, chance: random.Random) -> list[str]:
    """A list in about the same order."""
    places = {d: i + chance.gauss(0, noise * len(ranking) / 3) for i, d in enumerate(ranking)}
    return sorted(ranking, key=lambda document: places[document])


def write_collection(folder: Path, given: Collection) -> tuple[list[str], str, str]:
    """The paths of the runs, the judgments and the groups as files."""
    folder.mkdir(parents=True, exist_ok=True)
    runs = [str(write_run(folder / name, lists)) for name, lists in given.runs.items()]
    qrels, groups = folder / "qrels.txt", folder / "who.csv"
    qrels.write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, some in given.qrels.items() for d, g in some.items())
    )
    with groups.open("w", newline="") as file:
        rows = [[name, *member] for name, member in given.members.items()]
        csv.writer(file).writerows([["run", "group", "type"], *rows])
    return runs, str(qrels), str(groups)


def numbers(
    given: Collection,
    folder: Path,
    main: str = "nDCG@20",
    *,
    seed: int = 0,
    progress: Watcher | None = None,
    **changes: Any,
) -> Study:
    """A study whose files are not written."""
    settings, members = Settings(**changes), given.members or None
    chosen = measure(main)
    return compute(given.runs, given.qrels, members, chosen, seed, folder, progress, settings)
