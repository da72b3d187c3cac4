"""What the shell names: paths and tables that Spark reads."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medir.errors import InputError
from medir.inputs.clusters.reading import Clusters
from medir.inputs.qrels import Qrels
from medir.integrations.spark.sources import start

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Rows that Spark sends to a worker at once; with so many as here, sending takes a quarter less.
BATCH, SPARKS_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch", "10000"
LARGER_BATCH = "100000"
# Parts that rows are shuffled into; Spark's own number of them is for a cluster.
PARTS, SPARKS_PARTS = "spark.sql.shuffle.partitions", "200"
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
    spark.sparkContext.setLogLevel("ERROR")
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
    kind = Path(name.rstrip("/")).suffix.lower()
    with _telling(name, CONVERT):
        if kind in (".csv", ".tsv"):
            return spark.read.csv(name, header=True, sep="," if kind == ".csv" else "\t")
        if kind in (".json", ".jsonl"):
            return spark.read.json(name)
        if kind == ".orc":
            return spark.read.orc(name)
        if "/" not in name and not Path(name).exists() and spark.catalog.tableExists(name):
            return spark.table(name)
        return spark.read.parquet(name)


def qrels_of(spark: SparkSession, name: str) -> DataFrame:
    """Judgments: rows that Spark reads, or TREC text on this machine."""
    path = Path(name)
    if not path.is_file() or path.suffix.lower() in (".parquet", ".csv", ".tsv", ".json", ".orc"):
        return frame_of(spark, name)
    read = Qrels.read(name)
    rows = [(query, document, grade) for query in read for document, grade in read[query].items()]
    return spark.createDataFrame(rows, "query_id string, doc_id string, relevance long")


def clusters_of(spark: SparkSession, name: str) -> DataFrame | Clusters:
    """Clusters of documents: a file on this machine, or rows that Spark reads."""
    return Clusters.read(name) if Path(name).is_file() else frame_of(spark, name)


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
