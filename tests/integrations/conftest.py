"""What the tests of integrations share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.libraries import Pair

HERE = Path(__file__).parent
SPARK = HERE / "spark"
LIGHT = ("test_pytest_plugin.py", "test_notebook.py", "test_notebook_in_browser.py")  # need nothing


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What other packages warn of among themselves is theirs; what medir does is an error."""
    for item in items:
        if item.path.is_relative_to(SPARK):
            item.add_marker(pytest.mark.spark)
            item.add_marker(pytest.mark.xdist_group("cluster"))  # one worker starts it
            item.add_marker(pytest.mark.filterwarnings("error:::medir"))
            item.add_marker(pytest.mark.filterwarnings("ignore"), append=False)
        elif item.path.is_relative_to(HERE) and item.path.name not in LIGHT:
            item.add_marker(pytest.mark.integration)
            item.add_marker(pytest.mark.filterwarnings("error:::medir"))
            item.add_marker(pytest.mark.filterwarnings("ignore"), append=False)


@pytest.fixture(params=range(3))
def pair(request: pytest.FixtureRequest) -> Pair:
    """Two runs and judgments."""
    return Pair.of(100 * request.param)
