"""Measures as plain values: what to maximise the difference of.

>>> from medir.measures import nDCG, RBP, measure
>>> nDCG @ 10
nDCG@10
>>> measure("ndcg@10") == nDCG @ 10
True
"""

from __future__ import annotations

from medir.measures.family import Measure
from medir.measures.notation import define, effectiveness, measure
from medir.measures.notation import row_named as __getattr__

__all__ = ["Measure", "__getattr__", "define", "effectiveness", "measure"]
