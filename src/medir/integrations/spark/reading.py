"""What the shell names: paths and tables that Spark reads."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medir.base.settings import Settings
from medir.errors import InputError
from medir.files.opening import content_of, read_bytes
from medir.inputs.clusters.reading import Clusters
from medir.inputs.formats.column_names import (
    LENGTHS,
    checked_roles,
    chosen_columns,
    chosen_run_columns,
)
from medir.inputs.formats.contents.recognition import BYTE_ORDER_MARK, File, format_of
from medir.inputs.qrels import Qrels
from medir.integrations.spark.failing import raised
from medir.integrations.spark.sources import column, start
from medir.measures.chosen import Measures, by_intent, grading_for, measures_of_documents

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

# Rows that Spark sends to a worker at once; with so many as here, tasks take a little less.
BATCH, SPARKS_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch", "10000"
LARGER_BATCH = "100000"
# Parts that rows are shuffled into; Spark's own number of them is for a cluster.
PARTS, SPARKS_PARTS = "spark.sql.shuffle.partitions", "200"
DELIMITED = {".csv": ",", ".tsv": "\t"}
JSON = (".json", ".jsonl")
CONVERT = (
    "Give Parquet, CSV, JSON lines or ORC, or the name of a table; TREC text becomes Parquet by: "
    "medir convert run.txt -o run.parquet"
)


@contextmanager
def session(master: str | None) -> Iterator[SparkSession]:
    """A session of Spark, as it is configured, or on a master of one's choice."""
    start()
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("medir")
    if master is not None:
        builder = builder.master(master)
        if master.startswith("local"):  # the workers are on this machine, where medir is
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with _telling("Spark", "Is Java 17 or later installed, and is the master right?"):
        spark = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    # Errors reach the user as medir's; an executor on this machine would log each with its stack.
    spark.sparkContext.setLogLevel("OFF")
    if spark.conf.get(BATCH) == SPARKS_BATCH:
        spark.conf.set(BATCH, LARGER_BATCH)
    if spark.sparkContext.master.startswith("local") and spark.conf.get(PARTS) == SPARKS_PARTS:
        spark.conf.set(PARTS, str(4 * spark.sparkContext.defaultParallelism))
    try:
        yield spark
    finally:
        spark.stop()


def frame_of(spark: SparkSession, name: str) -> DataFrame:
    """The rows of a path, by its suffix, or of a table; Parquet where nothing else is said."""
    kind = _suffix(name)
    with _telling(name, CONVERT):
        if kind in DELIMITED:
            # Every column is text, so that an id such as 007 stays as it is.
            return spark.read.csv(name, header=True, sep=DELIMITED[kind])
        if kind in JSON:
            return spark.read.json(name)
        if kind == ".orc":
            return spark.read.orc(name)
        if "/" not in name and not Path(name).exists() and spark.catalog.tableExists(name):
            return spark.table(name)
        return spark.read.parquet(name)


def run_of(spark: SparkSession, name: str, settings: Settings) -> DataFrame:
    """A run: rows that Spark reads, with scores and ranks that are numbers."""
    frame = frame_of(spark, name)
    if _suffix(name) not in DELIMITED:
        return frame
    columns, _ = chosen_run_columns(frame.columns, settings.order, settings.columns, name)
    place = _place("query", columns["query_id"])
    for role in ("score", "rank"):
        if role in columns:
            frame = _with_numbers(frame, columns[role], role, name, place)
    return frame


def lengths_of(spark: SparkSession, name: str) -> DataFrame:
    """Lengths of documents: rows that Spark reads, with words that are numbers."""
    frame = frame_of(spark, name)
    if _suffix(name) not in DELIMITED:
        return frame
    columns = chosen_columns(frame.columns, LENGTHS, None, name)
    place = _place("document", columns["doc_id"])
    return _with_numbers(frame, columns["words"], "length", name, place)


def _place(what: str, ids: str) -> Column:
    """Where a row is, by its id."""
    from pyspark.sql import functions as sql

    return sql.concat(sql.lit(f"{what} "), sql.coalesce(column(ids), sql.lit("without an id")))


def _with_numbers(frame: DataFrame, of: str, what: str, name: str, place: Column) -> DataFrame:
    """A column of texts as numbers. A text that is none is an error; an empty one stays missing."""
    from pyspark.sql import functions as sql

    text = sql.trim(column(of))
    number = text.try_cast("double")
    problem = sql.concat(sql.lit(f"the {what} '"), text, sql.lit("' is not a number"))
    error = raised(problem, name, place, f"Fix the {what}.")
    wrong = (sql.length(text) > 0) & number.isNull()
    return frame.withColumn(of, sql.when(wrong, error).otherwise(number))


def qrels_of(
    spark: SparkSession, name: str, measures: Measures | None, settings: Settings
) -> DataFrame:
    """Judgments: rows that Spark reads, or a file on this machine as `medir compare` reads it."""
    import pyarrow as pa

    path, kind = Path(name), _suffix(name)
    if not path.is_file() or kind in (".parquet", ".orc", ".json", *DELIMITED):
        return frame_of(spark, name)
    chosen = [] if measures is None else measures_of_documents(measures)
    intents, grading = by_intent(chosen), grading_for(chosen, settings.grades)
    # What is wrong with a file is told with its lines.
    read = Qrels.of(name, intents=intents, grades=grading, columns=settings.columns)
    if format_of(File(content_of(name)), settings.columns, "qrels").kind == "TREC":
        return _trec_qrels(spark, name, settings)
    if intents:
        return frame_of(spark, name)
    # A grade is written as a level that stands for it, since levels are declared behind this, too.
    levels = {grade: level for level, grade in (settings.grades or {}).items()}
    rows = [
        (query, document, str(levels.get(grade, grade)))
        for query in read
        for document, grade in read[query].items()
    ]
    cells = [pa.array(one, pa.string()) for one in zip(*rows, strict=True)]
    names = _names(settings, "query_id", "doc_id", "relevance")
    return spark.createDataFrame(pa.table(cells, names))


def _trec_qrels(spark: SparkSession, name: str, settings: Settings) -> DataFrame:
    """The four columns of TREC text, as they are written."""
    import pyarrow as pa

    _, content = read_bytes(name)
    lines = (line.split() for line in content.removeprefix(BYTE_ORDER_MARK).split(b"\n"))
    rows = [line for line in lines if line and not line[0].startswith(b"#")]
    names = _names(settings, "query_id", "intent", "doc_id", "relevance")
    cells = [pa.array(one, pa.binary()) for one in zip(*rows, strict=True)]
    try:
        return spark.createDataFrame(pa.table([one.cast(pa.string()) for one in cells], names))
    except pa.ArrowInvalid:
        raise InputError(
            "holds ids that are not UTF-8, which Spark cannot hold",
            name,
            remedy="Save it as UTF-8.",
        ) from None


def _names(settings: Settings, *roles: str) -> list[str]:
    """What columns are called, by what they hold."""
    given = checked_roles(settings.columns)
    return [given.get(role, role) for role in roles]


def clusters_of(spark: SparkSession, name: str) -> DataFrame | Clusters:
    """Clusters of documents: a file on this machine, or rows that Spark reads."""
    return Clusters.read(name) if Path(name).is_file() else frame_of(spark, name)


def _suffix(name: str) -> str:
    return Path(name.rstrip("/")).suffix.lower()


@contextmanager
def _telling(name: str, remedy: str) -> Iterator[Any]:
    """What Spark cannot read, in a sentence."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, RuntimeError) as error:
        first = str(error).strip().partition("\n")[0]
        raise InputError(f"Spark cannot read it: {first}", name, remedy=remedy) from None
