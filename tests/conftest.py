"""What all tests share: how hypothesis runs, and where real data lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.cases", "tests.shell")  # they assert, too
settings.register_profile(
    "medir",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("medir")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with real data that MEDIR_DATA names."""
    folder = os.environ.get("MEDIR_DATA")
    if not folder:
        pytest.skip("needs real data: set MEDIR_DATA to its folder")
    return Path(folder)
