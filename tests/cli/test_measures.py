"""`medir measures` in a shell."""

from __future__ import annotations

import re

from tests.shell import good, medir


def test_measures() -> None:
    text = good(medir("measures"))
    for name in ("nDCG", "RBP", "P", "DCG", "SDCG", "INSQ", "Discount"):
        assert re.search(rf"^{name}\b", text, re.MULTILINE)


def test_bad_usage() -> None:
    outcome = medir("measures", "nDCG")
    assert (outcome.code, outcome.out) == (2, "")
    assert "nDCG" in outcome.err
