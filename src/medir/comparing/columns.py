"""What a comparison says of a query: the columns of its values, and the counts of what changed."""

from __future__ import annotations

from medir import _core

# What the columns of a value mean; the core names them.
MEANINGS = {
    "med": "the larger of gain and loss: how much the change could matter at most",
    "gain": "the most that the change could win; negative where it can only lose",
    "loss": "the most that it could cost; negative where it can only win",
    "lower": "what med cannot fall below once both lists are known to full depth",
    "gap": "how much higher med may be, where the search was cut short; 0 where it is proven",
    "gain_gap": "how much higher gain may be; 0 where it is proven",
    "loss_gap": "how much higher loss may be; 0 where it is proven",
    "unseen": "what the unseen ranks below lists that were cut add to med",
    _core.VALUE: "the value of a rank similarity or distance, which has none of the others",
}
COLUMNS = _core.COLUMNS
CHANGES = _core.CHANGES  # results that are new, gone, or at another rank
VALUE = _core.VALUE  # of a rank similarity or distance
GAP = COLUMNS.index("gap")


def gap_of(name: str) -> str:
    """The column that says how much higher med, gain or loss may be."""
    return "gap" if name == "med" else f"{name}_gap"
