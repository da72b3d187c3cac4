"""What all tests share: how hypothesis runs, and where real data lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

import tests.profiles  # noqa: F401  # registers them
from tests.integrations.packages import left_out

pytest.register_assert_rewrite("tests.cases", "tests.shell")  # they assert, too
settings.load_profile(os.environ.get("MEDIR_PROFILE", "medir"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with real data that MEDIR_DATA names."""
    folder = os.environ.get("MEDIR_DATA")
    if not folder:
        pytest.skip("needs real data: set MEDIR_DATA to its folder")
    return Path(folder)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips, visibly, what other systems do not have."""
    if os.name != "posix":
        for item in items:
            if item.get_closest_marker("posix") is not None:
                item.add_marker(pytest.mark.skip(reason="about what only POSIX systems have"))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Names the packages that were left out, in the last line."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    skipped = [] if reporter is None else reporter.stats.get("skipped", [])
    packages = left_out([str(one.longrepr[-1]) for one in skipped])
    if reporter is not None and packages:
        reporter.write_line(
            f"Left out: tests with {', '.join(packages)}. They run with: make integrations"
        )
