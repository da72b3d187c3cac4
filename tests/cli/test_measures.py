"""`medir measures` in a shell."""

from __future__ import annotations

import re

from tests.shell import good, medir


def test_measures() -> None:
    text = good(medir("measures"))
    for name in ("nDCG", "RBP", "P", "DCG", "SDCG", "INSQ", "Discount"):
        assert re.search(rf"^{name}\b", text, re.MULTILINE)
