"""The fuzzing of native/tests: harnesses have a corpus, and new edges are counted from the log."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

TESTS = Path(__file__).parent.parent / "native" / "tests"
LOG = """\
INFO: seed corpus: files: 3 min: 1b max: 9b total: 15b rss: 30Mb
#4\tINITED cov: 20 ft: 21 corp: 3/15b exec/s: 0 rss: 31Mb
#100\tNEW    cov: 25 ft: 30 corp: 4/20b lim: 9 exec/s: 0 rss: 31Mb L: 5/9 MS: 1 ChangeBit-
#512\tpulse  cov: 25 ft: 30 corp: 4/20b lim: 9 exec/s: 256 rss: 31Mb
#880\tREDUCE cov: 25 ft: 30 corp: 4/19b lim: 9 exec/s: 256 rss: 31Mb L: 4/9 MS: 1 EraseBytes-
{late}#1000\tDONE   cov: {edges} ft: 30 corp: 4/19b lim: 9 exec/s: 500 rss: 31Mb
"""
LATE = "#950\tNEW    cov: 27 ft: 33 corp: 5/23b lim: 9 exec/s: 256 rss: 31Mb L: 4/9 MS: 1 X-\n"


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    """native/tests/fuzz.py."""
    spec = importlib.util.spec_from_file_location("fuzz", TESTS / "fuzz.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz"] = module
    spec.loader.exec_module(module)
    return module


def test_new_edges_of_the_last_tenth_are_counted(fuzz: ModuleType) -> None:
    early = fuzz.Run("trec_run", 0, 2.0, LOG.format(late="", edges=25))
    assert early.row() == ["trec_run", "1,000", "25", "0", "500"]
    late = fuzz.Run("trec_run", 0, 2.0, LOG.format(late=LATE, edges=27))
    assert late.row() == ["trec_run", "1,000", "27", "2", "500"]


def test_every_harness_has_a_corpus_and_is_built(fuzz: ModuleType) -> None:
    source = "void try_input(std::string_view bytes)", "void medir::fuzz::try_input("
    harnesses = {
        path.stem
        for path in (TESTS / "fuzz").glob("*.cpp")
        if any(line in path.read_text(encoding="utf-8") for line in source)
    }
    assert harnesses >= {"trec_run", "arrow", "json_lines", *fuzz.SOLVERS}
    built = (TESTS / "tests.cmake").read_text(encoding="utf-8").split()
    for harness in harnesses:
        assert harness in [word.strip(")") for word in built]
        assert any((TESTS / "corpus" / harness).iterdir())
    assert set(fuzz.DICTIONARIES) <= harnesses
