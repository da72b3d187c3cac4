"""What tests of the shell share."""

from __future__ import annotations

import pytest

from tests.cases.examples import AFTER, BEFORE
from tests.shell import good, medir


@pytest.fixture(scope="module")
def summary() -> str:
    return good(medir("compare", BEFORE, AFTER))
