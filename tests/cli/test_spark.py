"""`medir spark` where Spark is not installed; tests/integrations/spark has the rest."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

import medir
from medir.errors import MissingExtraError
from tests.shell import medir as shell

without = pytest.mark.skipif(find_spec("pyspark") is not None, reason="pyspark is installed")


@without
def test_the_error_names_the_extra() -> None:
    outcome = shell("spark", "compare", "before.parquet", "after.parquet")
    assert outcome.code == 2
    assert outcome.err == "medir: medir.spark needs pyspark: pip install 'medir[spark]'\n"


@without
@pytest.mark.parametrize("name", ["compare", "documents", "matrix", "summary", "top", "check"])
def test_so_does_python(name: str) -> None:
    arguments = {"compare": 2, "documents": 2, "check": 2}.get(name, 1)
    with pytest.raises(MissingExtraError, match=r"medir\[spark\]"):
        getattr(medir.spark, name)(*[{}] * arguments)
