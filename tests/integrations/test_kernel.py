"""The notebooks of examples/ in a kernel of Jupyter: what they show is what is stored."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cases.notebooks import code_of, executed, read
from tests.integrations.packages import needed
from tests.shell import EXAMPLES

for library in ("nbclient", "ipykernel"):
    needed(library)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_a_kernel_shows_what_is_stored(path: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLES, tmp_path / "examples")
    for stored, shown in zip(
        code_of(read(path)), code_of(executed(folder / path.name)), strict=True
    ):
        assert shown.printed == stored.printed
        assert shown.results == stored.results
        assert shown.pictures == stored.pictures
