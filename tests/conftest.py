"""What all tests share: how hypothesis runs, and where real data lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

import tests.profiles  # noqa: F401  # registers them

pytest.register_assert_rewrite("tests.cases", "tests.shell")  # they assert, too
settings.load_profile(os.environ.get("MEDIR_PROFILE", "medir"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with real data that MEDIR_DATA names."""
    folder = os.environ.get("MEDIR_DATA")
    if not folder:
        pytest.skip("needs real data: set MEDIR_DATA to its folder")
    return Path(folder)
