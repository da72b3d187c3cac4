"""Priors that tests make up, and the row of a query beside the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
from hypothesis import strategies as st

from medir import Estimate
from tests.oracles.expectation import Truth

close = partial(pytest.approx, rel=0, abs=1e-9)
QUANTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
D = [f"d{i}" for i in range(30)]


def agrees(row: Estimate, truth: Truth, few: bool = True) -> None:
    """Expectation and standard deviation are exact; with few unknowns, so is all else."""
    assert row.expected == close(truth.expected)
    assert row.expected_error == 0
    if row.sd_error == 0:
        assert row.sd**2 == close(truth.sd**2)
    if not few:
        return
    assert (row.samples, row.sd_error) == (0, 0)
    shares = {"helps": truth.helps, "hurts": truth.hurts, "equal": truth.equal}
    rounding = np.any((np.abs(truth.values) > 0) & (np.abs(truth.values) < 1e-9))
    for name, share in () if rounding else shares.items():
        found = getattr(row, name)
        assert found.value == close(share)
        assert (found.low, found.high, found.error) == (found.value, found.value, 0)
    for name, q in QUANTILES.items():
        value = row.quantiles[name]
        assert truth.is_quantile(value.value, q)
        assert value.low == value.high == value.value


chances = st.sampled_from([0.0, 1.0, 0.5, 0.1]) | st.floats(0, 1)
likelihoods = st.lists(chances, min_size=30, max_size=30)


def named(values: Sequence[float], documents: Sequence[str]) -> dict[str, float]:
    return dict(zip(documents, values, strict=False))


def logarithmic(rank: int) -> float:
    return 1 / math.log2(rank + 1)
