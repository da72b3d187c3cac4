"""The native core. Private: `medir` is the interface."""

from collections.abc import Callable, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

class Order(Enum):
    score = 0
    rank = 1
    file = 2

class Unseen(Enum):
    anything = 0
    nothing = 1

class Repeats(Enum):
    error = 0
    first = 1

class Intents(Enum):
    ignored = 0
    kept = 1

class Ties(Enum):
    ignored = 0
    kept = 1

class RowFormat(Enum):
    csv = 0
    tsv = 1
    jsonl = 2

class Lists:
    @property
    def longest(self) -> int: ...
    def __len__(self) -> int: ...
    def find(self, query: bytes) -> int: ...
    def queries(self) -> tuple[bytes, list[int]]: ...
    def entries(self, query: int) -> list[tuple[bytes, float]]: ...
    def digest(self, intents: Intents, threads: int) -> int: ...

class TrecRun(Lists):
    def check(self, threads: int) -> None: ...

class TrecQrels(Lists):
    def refuse_grades_above(self, limit: int) -> None: ...

class ColumnLists(Lists):
    def __init__(
        self,
        name: str,
        queries: bytes,
        query_ends: NDArray[np.uint64],
        list_ends: NDArray[np.uint64],
        documents: bytes,
        document_ends: NDArray[np.uint64],
        intents: bytes,
        intent_ends: NDArray[np.uint64],
        values: NDArray[np.float64],
        order: Order,
    ) -> None: ...

class Measure: ...

class AveragePrecision(Measure):
    def __init__(self, cutoff: int, rel: int, norm: float, effort: int) -> None: ...

class Cascade(Measure):
    def __init__(
        self,
        discount: NDArray[np.float64],
        tail: NDArray[np.float64],
        values: NDArray[np.float64],
        decay: float,
        norm: float,
        effort: int,
    ) -> None: ...

class Lengths:
    @property
    def digest(self) -> int: ...
    def __len__(self) -> int: ...
    def find(self, document: bytes) -> float: ...

class TimeBiasedGain(Measure):
    def __init__(
        self,
        half_life: float,
        gain: float,
        snippet: float,
        document: float,
        word: float,
        click_relevant: float,
        click_not_relevant: float,
        cutoff: int | None,
        rel: int,
        effort: int,
    ) -> None: ...

class IntentAware(Measure):
    def __init__(self, one: Measure, intents: int) -> None: ...

class DotProduct(Measure):
    def __init__(
        self,
        discount: NDArray[np.float64],
        tail: NDArray[np.float64],
        values: NDArray[np.float64],
        available: NDArray[np.int64],
        norm: float,
    ) -> None: ...

class Similarity(Measure): ...

class RankBiasedOverlap(Similarity):
    class Rest(Enum):
        ext = 0
        min = 1
        max = 2
        res = 3

    class Ties(Enum):
        none = 0
        w = 1
        a = 2
        b = 3

    def __init__(self, p: float, rest: Rest, ties: Ties, cutoff: int, ranks: int) -> None: ...

class RankCorrelation(Similarity):
    class Kind(Enum):
        tau_b = 0
        rho = 1
        tau_ap = 2
        symmetric_tau_ap = 3

    def __init__(self, kind: Kind, ties: bool, cutoff: int) -> None: ...

class SetOverlap(Similarity):
    class Kind(Enum):
        jaccard = 0
        overlap = 1

    def __init__(self, kind: Kind, cutoff: int) -> None: ...

class AnchorMap(Similarity):
    def __init__(self, cutoff: int) -> None: ...

class Footrule(Similarity):
    def __init__(self, normalized: bool, cutoff: int, cut: bool) -> None: ...

class ReciprocalRankDistance(Similarity):
    def __init__(self, cutoff: int) -> None: ...

class WeightedHoeffding(Similarity):
    def __init__(self, weights: NDArray[np.float64], documents: int, cutoff: int) -> None: ...

class PositionWeighted(Similarity):
    class Kind(Enum):
        kendall = 0
        footrule = 1

    def __init__(self, kind: Kind, positions: NDArray[np.float64], cutoff: int) -> None: ...

class Options:
    def __init__(
        self,
        depth: int,
        reach: int,
        unseen: Unseen,
        repeats: Repeats,
        intents: Intents,
        ties: Ties,
        threads: int,
        lengths: Lengths | None = None,
    ) -> None: ...

class Query:
    @property
    def documents(self) -> list[bytes]: ...
    @property
    def before(self) -> NDArray[np.uint32]: ...
    @property
    def after(self) -> NDArray[np.uint32]: ...
    @property
    def grades(self) -> NDArray[np.int32]: ...
    @property
    def intents(self) -> list[bytes]: ...
    @property
    def grades_by_intent(self) -> NDArray[np.int32]: ...
    @property
    def differences(self) -> list[tuple[float, float, float, float, float]]: ...
    @property
    def gain_relevance(self) -> list[NDArray[np.float64]]: ...
    @property
    def loss_relevance(self) -> list[NDArray[np.float64]]: ...

class Counts:
    @property
    def repeats(self) -> int: ...
    @property
    def without_relevant(self) -> int: ...
    @property
    def short_lists(self) -> int: ...
    @property
    def without_length(self) -> int: ...

class ExpectedCounts(Counts):
    @property
    def unjudged(self) -> int: ...
    @property
    def without_prior(self) -> int: ...

class Prior:
    def __init__(
        self, by_rank: Sequence[float], by_document: Lists | None, fallback: float
    ) -> None: ...

class Progress:
    def __init__(self, watcher: Callable[[int], object] | None = None) -> None: ...
    @property
    def done(self) -> int: ...

class Pairing:
    def __init__(self, before: Lists, after: Lists, threads: int) -> None: ...
    def __len__(self) -> int: ...
    def keep_common(self) -> None: ...
    @property
    def only_before(self) -> int: ...
    @property
    def only_after(self) -> int: ...
    def in_both(self, i: int) -> bool: ...
    def queries(self) -> tuple[bytes, list[int]]: ...
    def find(self, query: bytes) -> int | None: ...
    def query(self, i: int) -> bytes: ...

class Pool:
    def __init__(self, runs: Sequence[Lists]) -> None: ...
    def __len__(self) -> int: ...
    def queries(self) -> tuple[bytes, list[int]]: ...
    def query(self, i: int) -> bytes: ...
    def in_all(self, i: int) -> bool: ...
    def keep_common(self) -> None: ...

def read_run(name: bytes, content: bytes | None, order: Order, threads: int) -> TrecRun: ...
def read_qrels(name: bytes, content: bytes | None, threads: int) -> TrecQrels: ...
def read_lengths(name: bytes, content: bytes | None, fallback: float) -> Lengths: ...
def column_lengths(
    name: str,
    documents: bytes,
    ends: NDArray[np.uint64],
    words: NDArray[np.float64],
    fallback: float,
) -> Lengths: ...

class PassageLayout(Enum):
    run = 0
    gold = 1

class TrecPassages(Lists):
    def check(self, threads: int) -> None: ...
    def passages(self, query: int) -> list[tuple[bytes, int, int, float]]: ...

class ColumnPassages(Lists):
    def __init__(
        self,
        name: str,
        queries: bytes,
        query_ends: NDArray[np.uint64],
        list_ends: NDArray[np.uint64],
        names: bytes,
        name_ends: NDArray[np.uint64],
        documents: NDArray[np.uint32],
        starts: NDArray[np.int64],
        lengths: NDArray[np.int64],
        seconds: NDArray[np.float64],
    ) -> None: ...
    def passages(self, query: int) -> list[tuple[bytes, int, int, float]]: ...

class TrailDiscount(Enum):
    linear = 0
    none = 1
    exponential = 2

class TrailMeasure: ...

class UMeasure(TrailMeasure):
    def __init__(self, discount: TrailDiscount, depth: float, half_life: float) -> None: ...

class TimeBiasedTrail(TrailMeasure):
    def __init__(self, half_life: float, speed: float) -> None: ...

class TrailOptions:
    def __init__(
        self, depth: int, reach: float, closed: bool, unseen: Unseen, threads: int
    ) -> None: ...

class TrailCounts:
    @property
    def short_texts(self) -> int: ...
    @property
    def without_relevant(self) -> int: ...
    @property
    def empty(self) -> int: ...
    @property
    def repeated(self) -> int: ...
    @property
    def gold_repeated(self) -> int: ...

def read_passages(
    name: bytes, content: bytes | None, layout: PassageLayout, order: Order, threads: int
) -> TrecPassages: ...
def compare_passages(
    pairing: Pairing,
    gold: Lists | None,
    measures: Sequence[TrailMeasure],
    options: TrailOptions,
    values: NDArray[np.float64],
    changes: NDArray[np.uint32],
    progress: Progress,
) -> TrailCounts: ...
def weigh_query(
    pairing: Pairing,
    query: int,
    gold: Lists | None,
    measure: TrailMeasure,
    options: TrailOptions,
) -> tuple[
    tuple[float, float, float, float, float],
    list[tuple[bytes, int, int, int | None, int | None, bool | None, float, float]],
    float,
    float,
]: ...
def check_judgments(qrels: Lists, intents: Intents, threads: int) -> int: ...
def compare(
    pairing: Pairing,
    qrels: Lists | None,
    measures: Sequence[Measure],
    options: Options,
    values: NDArray[np.float64],
    changes: NDArray[np.uint32],
    progress: Progress,
) -> Counts: ...
def query(
    pairing: Pairing,
    position: int,
    qrels: Lists | None,
    measures: Sequence[Measure],
    options: Options,
) -> Query: ...
def expect(
    pairing: Pairing,
    qrels: Lists | None,
    measures: Sequence[Measure],
    reaches: Sequence[int],
    options: Options,
    prior: Prior,
    samples: int,
    seed: int,
    levels: Sequence[float],
    order: Sequence[int],
    values: NDArray[np.float64],
    sums: NDArray[np.float64],
    changes: NDArray[np.uint32],
    progress: Progress,
) -> ExpectedCounts: ...
def judge(
    pool: Pool,
    qrels: Lists | None,
    measure: Measure,
    grades: Sequence[int],
    available: Sequence[int],
    options: Options,
    most: int,
    progress: Progress,
) -> list[tuple[bytes, bytes, float, float, float, float]]: ...
def compare_pairs(
    pool: Pool,
    pairs: Sequence[tuple[int, int]],
    qrels: Lists | None,
    measures: Sequence[Measure],
    options: Options,
    values: NDArray[np.float64],
    gaps: NDArray[np.float64],
    finished: NDArray[np.uint8],
    progress: Progress,
) -> None: ...
def score(
    run: Lists,
    qrels: Lists,
    measures: Sequence[Measure],
    options: Options,
    values: NDArray[np.float64],
) -> Counts: ...
def write_rows(
    pairing: Pairing,
    measures: Sequence[str],
    values: NDArray[np.float64],
    format: RowFormat,
    threads: int,
    sink: Callable[[memoryview], object],
) -> None: ...
