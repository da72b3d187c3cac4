"""The native core. Private: `medir` is the interface. Generated: see `make stubs`."""

import enum
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy
from numpy.typing import NDArray

class Order(enum.Enum):
    score = 0

    rank = 1

    file = 2

class Repeats(enum.Enum):
    error = 0

    first = 1

class ListLengths:
    def __init__(self, lengths: Sequence[int], lists: Sequence[int]) -> None: ...
    def add(self, part: ListLengths) -> None: ...
    @property
    def longest(self) -> int: ...
    @property
    def at_longest(self) -> int: ...
    @property
    def shortest(self) -> int: ...
    @property
    def with_results(self) -> int: ...
    @property
    def asked(self) -> int: ...
    @property
    def cut(self) -> int: ...

class Lists:
    @property
    def longest(self) -> int: ...
    def lengths(self, repeats: Repeats, threads: int) -> ListLengths: ...
    def __len__(self) -> int: ...
    def find(self, query: bytes) -> int: ...
    def queries(self) -> tuple[bytes, list[int]]: ...
    def entries(self, query: int) -> list[tuple[bytes, float]]: ...
    @property
    def has_numbers(self) -> bool: ...
    def set_asked(self, results: int) -> None: ...
    def check(self, threads: int) -> None: ...
    def digest(self, intents: Intents, threads: int) -> int: ...

class TrecRun(Lists):
    @property
    def long_lines(self) -> int: ...

class TrecQrels(Lists):
    pass

class GradedLists(Lists):
    pass

class ColumnLists(Lists):
    def __init__(
        self,
        name: str,
        queries: bytes,
        query_ends: NDArray[numpy.uint64],
        list_ends: NDArray[numpy.uint64],
        documents: bytes,
        document_ends: NDArray[numpy.uint64],
        intents: bytes,
        intent_ends: NDArray[numpy.uint64],
        values: NDArray[numpy.float64],
        order: Order,
    ) -> None: ...

def hash_id(id: bytes) -> int: ...

class Clusters:
    def __init__(self, name: str, lists: Lists) -> None: ...
    def __len__(self) -> int: ...
    @property
    def documents(self) -> int: ...
    @property
    def largest(self) -> int: ...
    @property
    def digest(self) -> int: ...
    def key(self, document: bytes) -> bytes: ...
    def members(self) -> list[tuple[bytes, int]]: ...

def read_clusters(name: bytes, content: object | None) -> Clusters: ...

class Lengths:
    def __len__(self) -> int: ...
    @property
    def uneven_clusters(self) -> int: ...
    def of_clusters(self, clusters: Clusters) -> Lengths: ...
    @property
    def digest(self) -> int: ...
    def find(self, document: bytes) -> float: ...

def read_lengths(name: bytes, content: object | None, fallback: float) -> Lengths: ...
def column_lengths(
    name: str,
    documents: bytes,
    ends: NDArray[numpy.uint64],
    words: NDArray[numpy.float64],
    fallback: float,
) -> Lengths: ...
def read_run(name: bytes, content: object | None, order: Order, threads: int) -> TrecRun: ...
def read_ahead(names: Sequence[bytes], compared: bool = False) -> None: ...
def forget_ahead() -> None: ...
def read_qrels(name: bytes, content: object | None, threads: int) -> TrecQrels: ...

class Intents(enum.Enum):
    ignored = 0

    kept = 1

class Judgments:
    @property
    def lists(self) -> Lists: ...
    @property
    def highest(self) -> int: ...
    @property
    def shares(self) -> bool: ...

def check_judgments(
    qrels: Lists,
    levels: Sequence[tuple[float, int]],
    max_grade: int,
    remedy: str,
    intents: Intents,
    threads: int,
) -> Judgments: ...
def count_disagreements(
    qrels: Lists, clusters: Clusters, intents: Intents, threads: int
) -> int: ...
def refuse_grades_above(qrels: Lists, limit: int) -> None: ...
def mapping_lists(
    name: str,
    source: dict[object, object],
    order: Order,
    encode: Callable[[object, str], bytes],
    results: Callable[[object, object], object],
    score: Callable[[object, object, object], float],
) -> ColumnLists: ...

class Values(enum.Enum):
    scores = 0

    ranks = 1

    grades = 2

    words = 3

class ArrowTable:
    def __init__(self, name: str, stream: object) -> None: ...
    @staticmethod
    def of_batch(name: str, schema: object, array: object) -> ArrowTable: ...
    def add(self, stream: object) -> None: ...
    def __len__(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def types(self) -> list[str]: ...
    def strings(self, column: int) -> tuple[bytes, NDArray[numpy.uint64]]: ...
    def numbers(self, column: int) -> NDArray[numpy.float64]: ...
    def codes(self, column: int) -> tuple[NDArray[numpy.int64], list[bytes]]: ...
    def first_null(self, column: int) -> int | None: ...
    def falls(self, column: int) -> bool: ...

class TableLists(Lists):
    def __init__(
        self,
        table: ArrowTable,
        query: int,
        document: int,
        value: int | None,
        intent: int | None,
        values: Values,
        order: Order,
        threads: int,
    ) -> None: ...
    @staticmethod
    def packed(
        table: ArrowTable,
        streams: Iterator[object],
        query: int,
        document: int,
        value: int | None,
        intent: int | None,
        values: Values,
        order: Order,
        threads: int,
    ) -> TableLists: ...
    @staticmethod
    def unpacked(
        table: ArrowTable,
        rows: PackedBytes,
        query: int,
        document: int,
        value: int | None,
        values: Values,
        order: Order,
    ) -> TableLists: ...

class PackedBytes:
    def __init__(self, size: int) -> None: ...
    @property
    def bytes(self) -> NDArray[numpy.uint8]: ...

class PackedRanges:
    def __init__(
        self,
        table: ArrowTable,
        query: int,
        document: int,
        value: int | None,
        values: Values,
        bounds: tuple[bytes, NDArray[numpy.uint64]],
    ) -> None: ...
    def add(self, stream: object) -> None: ...
    @property
    def size(self) -> int: ...
    def take(self) -> tuple[bytes, NDArray[numpy.uint64]]: ...

class ArrayLists(Lists):
    def __init__(
        self,
        name: str,
        queries: tuple[bytes, NDArray[numpy.uint64]] | None,
        array: NDArray[Any],
        pad: int,
        threads: int,
    ) -> None: ...

class Delimiter(enum.Enum):
    tab = 9

    comma = 44

class QueryTable:
    @property
    def columns(self) -> list[bytes]: ...
    def __len__(self) -> int: ...
    def queries(self) -> tuple[bytes, list[int]]: ...
    def text(self, query: bytes, column: int) -> str | None: ...

class DelimitedTable(QueryTable):
    @property
    def has_header(self) -> bool: ...

class QueryRows:
    @overload
    def __init__(self, table: QueryTable, queries: Pairing, threads: int) -> None: ...
    @overload
    def __init__(self, table: QueryTable, queries: Pool, threads: int) -> None: ...
    @overload
    def __init__(self, table: QueryTable, queries: Lists, threads: int) -> None: ...
    @property
    def columns(self) -> list[bytes]: ...
    def __len__(self) -> int: ...
    @property
    def without_row(self) -> int: ...
    @property
    def unused(self) -> int: ...
    def weights(
        self, column: int, missing: float, values: NDArray[numpy.float64], threads: int
    ) -> int: ...
    def segments(self, column: int, codes: NDArray[numpy.int32], threads: int) -> list[bytes]: ...
    def texts(self, column: int) -> list[str | None]: ...

def read_query_table(
    name: bytes, content: object | None, delimiter: Delimiter, id_names: list[bytes], threads: int
) -> DelimitedTable: ...
def column_table(
    name: str,
    queries: bytes,
    ends: NDArray[numpy.uint64],
    names: list[bytes],
    columns: list[tuple[bytes, NDArray[numpy.uint64]]],
    lines: NDArray[numpy.uint64],
) -> QueryTable: ...

class TextLists(Lists):
    @property
    def rows(self) -> int: ...

class MarcoRun(Lists):
    pass

def read_marco(
    name: bytes, content: object | None, columns: int, order: Order, threads: int
) -> MarcoRun: ...
def read_delimited(
    name: bytes,
    content: object | None,
    delimiter: Delimiter,
    query: int | None,
    document: int,
    number: int | None,
    intent: int | None,
    values: Values | None,
    order: Order,
    labels: Sequence[tuple[str, float]],
    threads: int,
) -> TextLists: ...
def read_json_lines(
    name: bytes,
    content: object | None,
    query: bytes,
    document: bytes,
    number: bytes,
    intent: bytes,
    lists: bool,
    values: Values | None,
    order: Order,
    threads: int,
) -> TextLists: ...
def table_lengths(name: str, lists: TextLists, fallback: float) -> Lengths: ...
def read_json_run(name: bytes, content: object | None, order: Order) -> TextLists: ...

class Measure:
    pass

class Effectiveness(Measure):
    pass

class DotProduct(Effectiveness):
    def __init__(
        self,
        discount: NDArray[numpy.float64],
        tail: NDArray[numpy.float64],
        values: NDArray[numpy.float64],
        available: NDArray[numpy.int64],
        norm: float,
    ) -> None: ...

class AveragePrecision(Effectiveness):
    def __init__(
        self, cutoff: int, rel: int, norm: float, effort: int, seconds: float | None = None
    ) -> None: ...

class Cascade(Effectiveness):
    def __init__(
        self,
        discount: NDArray[numpy.float64],
        tail: NDArray[numpy.float64],
        values: NDArray[numpy.float64],
        decay: float,
        norm: float,
        effort: int,
        seconds: float | None = None,
    ) -> None: ...

class TimeBiasedGain(Effectiveness):
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
        seconds: float | None = None,
    ) -> None: ...

class IntentAware(Effectiveness):
    def __init__(self, one: Measure, intents: int) -> None: ...

class WithinLists(Effectiveness):
    def __init__(self, one: Measure) -> None: ...

COLUMNS: tuple[str, ...]

CHANGES: tuple[str, ...]

VALUE: str = "value"

class UnseenRule(enum.Enum):
    auto = 0

    anything = 1

    nothing = 2

class Unseen:
    def __init__(self, rule: UnseenRule, cuts: Sequence[int]) -> None: ...

class Ties(enum.Enum):
    ignored = 0

    kept = 1

class RowFormat(enum.Enum):
    csv = 0

    tsv = 1

    jsonl = 2

class Options:
    def __init__(
        self,
        depth: int,
        reaches: Sequence[int],
        unseen: Unseen,
        repeats: Repeats,
        intents: Intents,
        ties: Ties,
        threads: int,
        lengths: Lengths | None = None,
        clusters: Clusters | None = None,
    ) -> None: ...

class Counts:
    @property
    def repeats(self) -> int: ...
    @property
    def without_relevant(self) -> int: ...
    @property
    def without_length(self) -> int: ...
    @property
    def unseen(self) -> list[int]: ...
    @property
    def ended(self) -> list[int]: ...

class Progress:
    def __init__(self, watcher: Callable[[int], None] | None = None) -> None: ...
    @property
    def done(self) -> int: ...

class Pairing:
    def __init__(self, before: Lists, after: Lists, threads: int) -> None: ...
    def __len__(self) -> int: ...
    def keep_common(self) -> None: ...
    def sort(self) -> None: ...
    def take_only_after(self) -> Pairing: ...
    def is_compared(self, arg: int, /) -> bool: ...
    @property
    def only_before(self) -> int: ...
    @property
    def only_after(self) -> int: ...
    def sides(self, sides: NDArray[numpy.uint8]) -> None: ...
    def in_both(self, arg: int, /) -> bool: ...
    def queries(self) -> tuple[bytes, list[int]]: ...
    def find(self, query: bytes) -> int | None: ...
    def query(self, arg: int, /) -> bytes: ...

def compare(
    pairing: Pairing,
    qrels: Lists | None,
    measures: Sequence[Measure | None],
    options: Options,
    values: NDArray[numpy.float64],
    changes: NDArray[numpy.uint32],
    progress: Progress,
    shards: Shards | None = None,
) -> Counts: ...
def score(
    run: Lists,
    qrels: Lists,
    measures: Sequence[Measure],
    options: Options,
    values: NDArray[numpy.float64],
) -> Counts: ...
def write_rows(
    pairing: Pairing,
    measures: Sequence[str],
    of_ranks: Sequence[bool],
    values: NDArray[numpy.float64],
    changes: NDArray[numpy.uint32],
    table: QueryRows | None,
    format: RowFormat,
    spreadsheet: bool,
    threads: int,
    sink: Callable[[memoryview], object],
) -> None: ...

class Query:
    @property
    def documents(self) -> list[bytes]: ...
    @property
    def documents_after(self) -> list[bytes]: ...
    @property
    def keys(self) -> list[bytes]: ...
    @property
    def repeated(self) -> NDArray[numpy.int32]: ...
    @property
    def before(self) -> NDArray[numpy.uint32]: ...
    @property
    def after(self) -> NDArray[numpy.uint32]: ...
    @property
    def before_cut(self) -> bool: ...
    @property
    def after_cut(self) -> bool: ...
    @property
    def grades(self) -> NDArray[numpy.int32]: ...
    @property
    def intents(self) -> list[bytes]: ...
    @property
    def grades_by_intent(self) -> NDArray[numpy.int32]: ...
    @property
    def differences(self) -> list[tuple[float, ...]]: ...
    @property
    def gain_relevance(self) -> list[NDArray[numpy.float64]]: ...
    @property
    def loss_relevance(self) -> list[NDArray[numpy.float64]]: ...

def query(
    pairing: Pairing,
    position: int,
    qrels: Lists | None,
    measures: Sequence[Measure],
    options: Options,
) -> Query: ...

class ShardMeasure:
    def __init__(
        self,
        kernel: Measure,
        values: NDArray[numpy.float64],
        reach: int | None,
        norm_by_query: bool,
    ) -> None: ...

class Shards:
    def __init__(
        self,
        measures: Sequence[ShardMeasure | None],
        queries: int,
        checksums: NDArray[numpy.uint32],
        occurring: NDArray[numpy.uint32],
        take: Callable[[int, memoryview, memoryview], object],
    ) -> None: ...

def write_shards(
    pairing: Pairing,
    qrels: Lists | None,
    measures: Sequence[Measure],
    options: Options,
    shards: Shards,
    progress: Progress,
) -> None: ...

class Prior:
    def __init__(
        self, by_rank: Sequence[float], by_document: Lists | None, fallback: float
    ) -> None: ...

class ExpectedCounts(Counts):
    @property
    def unjudged(self) -> int: ...
    @property
    def without_prior(self) -> int: ...

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
    values: NDArray[numpy.float64],
    sums: NDArray[numpy.float64],
    changes: NDArray[numpy.uint32],
    progress: Progress,
) -> ExpectedCounts: ...

class Pool:
    def __init__(self, runs: Sequence[Lists]) -> None: ...
    def __len__(self) -> int: ...
    def query(self, arg: int, /) -> bytes: ...
    def queries(self) -> tuple[bytes, list[int]]: ...
    def in_all(self, arg: int, /) -> bool: ...
    def keep_common(self) -> None: ...

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

class Exposures:
    def __len__(self) -> int: ...
    def document(self, number: int) -> bytes: ...
    def before(self) -> NDArray[numpy.float64]: ...
    def after(self) -> NDArray[numpy.float64]: ...
    def queries_before(self) -> NDArray[numpy.uint32]: ...
    def queries_after(self) -> NDArray[numpy.uint32]: ...
    def first(self) -> NDArray[numpy.uint64]: ...
    @property
    def total_before(self) -> float: ...
    @property
    def total_after(self) -> float: ...
    @property
    def repeats(self) -> int: ...

def expose(
    pairing: Pairing,
    worth: NDArray[numpy.float64],
    weights: NDArray[numpy.float64] | None,
    options: Options,
    progress: Progress,
) -> Exposures: ...
def write_exposures(
    exposures: Exposures,
    columns: Sequence[str],
    statuses: Sequence[str],
    change: NDArray[numpy.float64],
    status: NDArray[numpy.uint8],
    order: NDArray[numpy.int64],
    titles: Sequence[bytes | None],
    format: RowFormat,
    spreadsheet: bool,
    threads: int,
    sink: Callable[[memoryview], object],
) -> None: ...
def compare_pairs(
    pool: Pool,
    pairs: Sequence[tuple[int, int]],
    qrels: Lists | None,
    measures: Sequence[Measure],
    options: Options,
    values: NDArray[numpy.float64],
    notes: NDArray[numpy.float64],
    finished: NDArray[numpy.uint8],
    progress: Progress,
) -> None: ...

class Similarity(Measure):
    pass

class RankBiasedOverlap(Similarity):
    def __init__(
        self,
        p: float,
        rest: RankBiasedOverlap.Rest,
        ties: RankBiasedOverlap.Ties,
        cutoff: int,
        ranks: int,
    ) -> None: ...

    class Rest(enum.Enum):
        ext = 0

        min = 1

        max = 2

        res = 3

    class Ties(enum.Enum):
        none = 0

        w = 1

        a = 2

        b = 3

class RankCorrelation(Similarity):
    def __init__(self, kind: RankCorrelation.Kind, ties: bool, cutoff: int) -> None: ...

    class Kind(enum.Enum):
        tau_b = 0

        rho = 1

        tau_ap = 2

        symmetric_tau_ap = 3

class SetOverlap(Similarity):
    def __init__(self, kind: SetOverlap.Kind, cutoff: int) -> None: ...

    class Kind(enum.Enum):
        jaccard = 0

        overlap = 1

class AnchorMap(Similarity):
    def __init__(self, cutoff: int) -> None: ...

class Footrule(Similarity):
    def __init__(self, normalized: bool, cutoff: int, cut: bool) -> None: ...

class ReciprocalRankDistance(Similarity):
    def __init__(self, cutoff: int) -> None: ...

class WeightedHoeffding(Similarity):
    def __init__(self, weights: NDArray[numpy.float64], documents: int, cutoff: int) -> None: ...

class PositionWeighted(Similarity):
    def __init__(
        self, kind: PositionWeighted.Kind, positions: NDArray[numpy.float64], cutoff: int
    ) -> None: ...

    class Kind(enum.Enum):
        kendall = 0

        footrule = 1

class PassageLayout(enum.Enum):
    run = 0

    gold = 1

class TrecPassages(Lists):
    def passages(self, query: int) -> list[tuple[bytes, int, int, float]]: ...

class ColumnPassages(Lists):
    def __init__(
        self,
        name: str,
        queries: bytes,
        query_ends: NDArray[numpy.uint64],
        list_ends: NDArray[numpy.uint64],
        names: bytes,
        name_ends: NDArray[numpy.uint64],
        documents: NDArray[numpy.uint32],
        starts: NDArray[numpy.int64],
        lengths: NDArray[numpy.int64],
        seconds: NDArray[numpy.float64],
    ) -> None: ...
    def passages(self, query: int) -> list[tuple[bytes, int, int, float]]: ...

def read_passages(
    name: bytes, content: object | None, layout: PassageLayout, order: Order, threads: int
) -> TrecPassages: ...

class TrailDiscount(enum.Enum):
    linear = 0

    none = 1

    exponential = 2

class TrailMeasure:
    pass

class UMeasure(TrailMeasure):
    def __init__(self, discount: TrailDiscount, depth: float, half_life: float) -> None: ...

class TimeBiasedTrail(TrailMeasure):
    def __init__(self, half_life: float, speed: float) -> None: ...

class TrailOptions:
    def __init__(
        self, depth: int, reaches: Sequence[float], closed: bool, unseen: Unseen, threads: int
    ) -> None: ...

class TrailCounts:
    @property
    def unseen(self) -> list[int]: ...
    @property
    def ended(self) -> list[int]: ...
    @property
    def without_relevant(self) -> int: ...
    @property
    def empty(self) -> int: ...
    @property
    def repeated(self) -> int: ...
    @property
    def gold_repeated(self) -> int: ...

def compare_passages(
    pairing: Pairing,
    gold: Lists | None,
    measures: Sequence[TrailMeasure],
    options: TrailOptions,
    values: NDArray[numpy.float64],
    changes: NDArray[numpy.uint32],
    progress: Progress,
) -> TrailCounts: ...
def compare_passage_pairs(
    pool: Pool,
    pairs: Sequence[tuple[int, int]],
    gold: Lists | None,
    measures: Sequence[TrailMeasure],
    options: TrailOptions,
    values: NDArray[numpy.float64],
    notes: NDArray[numpy.float64],
    finished: NDArray[numpy.uint8],
    progress: Progress,
) -> None: ...
def weigh_query(
    pairing: Pairing, query: int, gold: Lists | None, measure: TrailMeasure, options: TrailOptions
) -> tuple[
    tuple[float, ...],
    list[tuple[bytes, int, int, int | None, int | None, bool | None, float, float]],
    float,
    float,
]: ...

class ArrowBatch:
    def __init__(self, rows: int) -> None: ...
    def __len__(self) -> int: ...
    def add_floats(self, name: str, values: NDArray[numpy.float64]) -> None: ...
    def add_integers(
        self, name: str, values: NDArray[numpy.int64], missing: NDArray[numpy.bool_] | None = None
    ) -> None: ...
    def add_flags(
        self, name: str, values: NDArray[numpy.bool_], missing: NDArray[numpy.bool_] | None = None
    ) -> None: ...
    def add_texts(self, name: str, values: Sequence[bytes | None]) -> None: ...
    def add_codes(
        self, name: str, values: NDArray[numpy.int32], labels: Sequence[bytes]
    ) -> None: ...
    def add_queries(self, name: str, pairing: Pairing, first: int, times: int) -> None: ...
    def add_cells(
        self, name: str, rows: QueryRows, column: int, first: int, times: int
    ) -> None: ...
    def add_documents(
        self, name: str, exposures: Exposures, order: NDArray[numpy.int64]
    ) -> None: ...

def arrow_stream(batches: Sequence[ArrowBatch]) -> object: ...
def add_up(
    values: NDArray[numpy.float64],
    weights: NDArray[numpy.float64] | None,
    sums: NDArray[numpy.float64],
) -> None: ...

class QueryValues:
    def __init__(
        self,
        values: NDArray[numpy.float64],
        gaps: NDArray[numpy.float64] | None = None,
        weights: NDArray[numpy.float64] | None = None,
        rows: NDArray[numpy.int64] | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def sum(self) -> tuple[float, float]: ...
    def extremes(self) -> tuple[float, float]: ...
    def influence(self, sum: float, rest: float, weight: float) -> float: ...
    def quantiles(self, wanted: Sequence[float]) -> list[float]: ...
    def above(self, limit: float) -> tuple[int, float]: ...
    def histogram(self, inner_edges: Sequence[float]) -> list[float]: ...
    def effects(self, losses: QueryValues, limit: float) -> list[tuple[int, float]]: ...

def furthest(
    values: NDArray[numpy.float64], marked: NDArray[numpy.bool_], count: int, greatest: bool
) -> list[int]: ...
