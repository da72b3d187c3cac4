"""How much could an approximate index matter? MED beside recall@10 for several settings of FAISS.

It needs `pip install faiss-cpu 'medir[plots]'`. `python index_tuning.py` prints a table;
`python index_tuning.py tuning.png` also draws a picture. docs/index-tuning.md says what they show.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import faiss
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

import medir

K = 10
MEASURE = f"nDCG@{K}"
SERIOUS = 0.1  # a query that could lose more than this
TRAINED = 10_000  # vectors that quantizers are trained on


class Row(NamedTuple):
    """What one setting costs, and what it saves."""

    family: str
    setting: str
    recall: float  # mean over queries
    med: float  # mean over queries
    serious: float  # share of queries
    worst: float  # query
    same: float  # share of queries with the same list
    padded: int  # rows that end early
    microseconds: float  # to search for one query


def vectors(documents: int, queries: int, dimensions: int = 64) -> tuple[Any, Any]:
    """Documents and queries in 500 clusters; some directions matter more than others."""
    chance = np.random.default_rng(1)
    centres = chance.normal(size=(500, dimensions))
    total = documents + queries
    points = centres[chance.integers(500, size=total)]
    points += 0.6 * chance.normal(size=(total, dimensions))
    points *= 0.9 ** np.arange(dimensions)
    points = points @ np.linalg.qr(chance.normal(size=(dimensions, dimensions)))[0]
    points = points.round(6).astype(np.float32)  # the same on every machine
    return points[:documents], points[documents:]


def built(description: str, documents: Any, sample: int | None = None) -> Any:
    """An index as FAISS's factory describes it, trained on a sample or on all documents."""
    index = faiss.index_factory(documents.shape[1], description)
    index.train(documents[:sample])
    index.add(documents)
    return index


def settings(documents: Any, cells: int) -> Iterator[tuple[str, str, Any]]:
    """Family, setting, and the index with this setting."""
    index = built(f"IVF{cells},Flat", documents)
    for nprobe in (1, 2, 4, 8, 16, 32):
        index.nprobe = nprobe
        yield "IVF, nprobe", str(nprobe), index
    index = built("HNSW16,Flat", documents)
    for ef in (10, 15, 20, 40):
        index.hnsw.efSearch = ef
        yield "HNSW, efSearch", str(ef), index
    yield "PQ, bytes", "8", built("PQ8np", documents, TRAINED)
    index = built("PQ16np,RFlat", documents, TRAINED)
    yield "PQ, bytes", "16", index.base_index
    for factor in (1, 2, 4):
        index.k_factor = factor
        yield "PQ 16, re-ranked", str(K * factor), index
    for bits in (4, 6, 8):
        yield "SQ, bits", str(bits), built(f"SQ{bits}", documents)


def recall(truth: NDArray[Any], found: NDArray[Any]) -> NDArray[Any]:
    """The share of the true neighbours that were found, by query; -1 is no neighbour."""
    shares: NDArray[Any] = (truth[:, :, None] == found[:, None, :]).any(axis=2).mean(axis=1)
    return shares


def measured(documents: Any, queries: Any, cells: int = 768) -> Iterator[Row]:
    """Every setting against the exact index."""
    faiss.omp_set_num_threads(1)
    _, truth = built("Flat", documents).search(queries, K)
    for family, setting, index in settings(documents, cells):
        start = time.perf_counter()
        distances, found = index.search(queries, K)
        took = time.perf_counter() - start
        result = medir.compare(truth, (distances, found), MEASURE)
        med = result.column()
        yield Row(
            family,
            setting,
            recall(truth, found).mean(),
            med.mean(),
            (med > SERIOUS).mean(),
            med.max(),
            1 - result.changed().mean(),
            int((found[:, -1] == -1).sum()),
            1e6 * took / len(queries),
        )


def draw(rows: list[Row]) -> Figure:
    """Recall against the mean of MED, and against the share of queries that could lose much."""
    figure = Figure(figsize=(10, 4.8), dpi=110, layout="constrained")
    left, right = figure.subplots(1, 2)
    for panel, (axes, column) in enumerate(((left, "med"), (right, "serious"))):
        for family, (colour, marker, *shifts) in STYLES.items():
            points = [row for row in rows if row.family == family]
            x, y = [1 - row.recall for row in points], [getattr(row, column) for row in points]
            axes.plot(x, y, color=colour, marker=marker, markersize=5, linewidth=1, label=family)
            for row, *place in zip(points, x, y, strict=True):
                label = axes.annotate(row.setting, place, xytext=shifts[panel], color=colour,
                                      textcoords="offset points", ha="center", va="center",
                                      fontsize=9)  # fmt: skip
                label.set_path_effects([withStroke(linewidth=2, foreground="white")])
        axes.set(xscale="log", yscale="log", xlabel=f"recall@{K}")
        axes.margins(0.08)
        axes.invert_xaxis()
        axes.grid(color="#e6e6e6")
        recalls = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
        axes.set_xticks([1 - tick for tick in recalls], map(str, recalls))
        axes.minorticks_off()
    values = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
    left.set_yticks(values, map(str, values))
    right.set_yticks((*values, 1), [f"{100 * value:g} %" for value in (*values, 1)])
    left.set_title(f"mean MED of {MEASURE}", fontsize=10, loc="left")
    right.set_title(f"queries with MED above {SERIOUS}", fontsize=10, loc="left")
    left.legend(frameon=False, loc="lower left")
    return figure


# Paul Tol's muted colours, which people who see few colours can tell apart; where labels stand.
STYLES: dict[str, tuple[str, str, tuple[int, int], tuple[int, int]]] = {
    "IVF, nprobe": ("#332288", "o", (-11, -3), (11, 6)),
    "HNSW, efSearch": ("#cc6677", "s", (1, -12), (12, 1)),
    "PQ, bytes": ("#117733", "^", (11, 5), (11, 5)),
    "PQ 16, re-ranked": ("#44aa99", "v", (-12, -4), (-7, -10)),
    "SQ, bits": ("#aa4499", "D", (10, 5), (-8, -7)),
}

HEAD = f"""\
| Setting | recall | MED | above {SERIOUS} | worst | same | padded | time |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def line(row: Row) -> str:
    """A row of the table, in Markdown."""
    return (
        f"| {row.family} {row.setting} | {row.recall:.3f} | {row.med:.3f} | {row.serious:.1%} | "
        f"{row.worst:.3f} | {row.same:.1%} | {row.padded} | {row.microseconds:.0f} µs |"
    )


if __name__ == "__main__":
    print(HEAD)
    rows = []
    for row in measured(*vectors(30_000, 1_000)):
        rows.append(row)
        print(line(row), flush=True)
    if len(sys.argv) > 1:
        draw(rows).savefig(sys.argv[1])
