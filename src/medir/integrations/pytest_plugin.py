"""The pytest plugin: `ranking_snapshot` and `--update-rankings`.

pytest imports this at every start, so that everything else is imported where it is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from medir.integrations.snapshots import RankingSnapshot

WRITTEN = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--update-rankings`."""
    group = parser.getgroup("medir", "rankings")
    group.addoption(
        "--update-rankings",
        action="store_true",
        help="Write the rankings of tests that use ranking_snapshot, instead of comparing them.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begins the list of written files."""
    config.stash[WRITTEN] = []


@pytest.fixture
def ranking_snapshot(request: pytest.FixtureRequest) -> Iterator[RankingSnapshot]:
    """Compares a run with the one that was stored beside the test file."""
    from medir.integrations.snapshots import RankingSnapshot, folder_of, stem_of

    cls = "" if request.cls is None else f"{request.cls.__qualname__}."
    snapshot = RankingSnapshot(
        folder_of(request.path),
        stem_of(f"{cls}{request.node.name}"),
        update=request.config.getoption("update_rankings"),
    )
    yield snapshot
    request.config.stash[WRITTEN] += map(str, snapshot.written)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands over what it has written."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["medir_rankings"] = session.config.stash[WRITTEN]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes what a worker of pytest-xdist has written."""
    node.config.stash[WRITTEN] += getattr(node, "workeroutput", {}).get("medir_rankings", [])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Names the files that were written: they are yours to look at and to commit."""
    written = config.stash[WRITTEN]
    if written:
        terminalreporter.section("rankings written")
        for path in sorted(written):
            terminalreporter.write_line(path)
