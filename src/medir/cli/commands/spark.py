"""`medir spark compare`."""

from __future__ import annotations

from typing import Any

import click

from medir.base.words import count
from medir.cli.delivery import Delivery, summary_options
from medir.cli.echo import echo
from medir.cli.options import AMOUNT, measure_option, settings_options

NOT_HERE = {"output": None, "format_": None, "spreadsheet": False, "sample": 0}
READ = "a path that Spark reads, or a table"
SETTINGS = (
    "order", "missing", "duplicates", "unseen", "depth", "columns", "grades", "effort",
    "time_limit",
)  # fmt: skip


@click.group("spark")
def command() -> None:
    """Compare runs that lie on a cluster, by Apache Spark.

    \b
    Example:
      medir spark compare before.parquet after.parquet -m nDCG@20 -o rows.parquet
    """


@command.command("compare")
@click.argument("before")
@click.argument("after")
@measure_option
@click.option("--qrels", metavar="PATH", help=f"Relevance judgments: {READ}, or TREC text.")
@click.option("--lengths", metavar="PATH", help=f"For TBG: doc_id and words: {READ}.")
@click.option(
    "--clusters",
    metavar="PATH",
    help=f"Documents with the same content: doc_id and cluster: {READ}, or a file as for 'medir "
    "compare'.",
)
@click.option(
    "--default-length",
    type=AMOUNT,
    metavar="N",
    help="With --lengths: length of documents that are not listed (default: an error).",
)
@click.option("--queries", metavar="PATH", help=f"Table of queries: {READ}.")
@click.option(
    "--weight",
    metavar="COLUMN",
    help="With --queries: how much each query counts (default: the column weight, if there is one; "
    "'' for no weights).",
)
@click.option(
    "--missing-weight",
    type=AMOUNT,
    metavar="W",
    help="Weight of queries that the table does not have (default: 1).",
)
@click.option(
    "--by", metavar="COLUMN", help="With --queries: summaries of each segment of this column."
)
@click.option("--noise", metavar="PATH", help="A second run of the system BEFORE.")
@click.option(
    "-o",
    "--output",
    "rows",
    metavar="OUT",
    help="Write every row, unrounded, as a folder of Parquet. It must not exist.",
)
@click.option(
    "--master",
    metavar="URL",
    help="The cluster, such as local[4], spark://host:7077 or yarn (default: as configured).",
)
@summary_options("nDCG@20=0.3", "nDCG@20=0.5")
@settings_options(*SETTINGS)
def compare(before: str, after: str, master: str | None, rows: str | None, **options: Any) -> None:
    """How much could the change from BEFORE to AFTER matter, query by query?

    BEFORE and AFTER are folders of Parquet or tables, with one row per result or one row per query:
    whatever Spark reads, wherever it lies. Rows are those of 'medir compare', and so are verdict,
    checks and report. Run it on a laptop, or by spark-submit: see docs/spark.md.

    \b
    Examples:
      medir spark compare before.parquet after.parquet -m nDCG@20 -o rows.parquet
      medir spark compare s3a://logs/monday s3a://logs/tuesday --queries queries --by country
      medir spark compare before after --fail-above loss:nDCG@20=0.05 --json summary.json
    """
    from medir.base.settings import Settings
    from medir.errors import UsageError
    from medir.integrations.spark.reading import session

    delivery = Delivery.taken_from(options | NOT_HERE)
    named = "qrels", "queries", "lengths", "clusters", "noise"
    sources = {name: options.pop(name) for name in named}
    settings = Settings(**{name: options.pop(name) for name in SETTINGS})
    chosen = [*(options.pop("measures") or []), *delivery.measures] or None
    if delivery.report is not None and chosen and all(one.kind != "difference" for one in chosen):
        raise UsageError("a report needs a measure of effectiveness, such as nDCG@20")
    if delivery.shows_all:
        raise UsageError(
            "a report in a folder holds the lists of all queries, which stay on the cluster: name "
            "a file, --report FILE.html"
        )
    sampled = options["weight"], options["by"], options["missing_weight"]
    with session(master) as spark:
        result = _compared(
            spark,
            (before, after),
            sources,
            measures=chosen,
            default_length=options["default_length"],
            sampled=sampled,
            settings=settings,
            top=delivery.top,
            asked_for=delivery.query,
        )
        if rows is not None:
            result.write_rows(rows)
        delivered = delivery.write(result)
        try:
            delivery.show(result, delivered)
        finally:  # a check that fails ends the command
            if rows is not None:
                echo(f"{count(len(result) * len(result.measures), 'row')} written to {rows}")


def _compared(
    spark: Any,
    runs: tuple[str, str],
    sources: dict[str, str | None],
    *,
    default_length: float | None,
    top: int,
    asked_for: tuple[str, ...],
    **asked: Any,
) -> Any:
    """Two runs, compared; and the first with a second run of its system."""
    from dataclasses import replace

    from medir.integrations.spark.comparing import Asked
    from medir.integrations.spark.comparison import SparkComparison
    from medir.integrations.spark.reading import (
        clusters_of,
        frame_of,
        lengths_of,
        qrels_of,
        run_of,
    )
    from medir.rendering.pages.selection import TOP

    settings, measures = asked["settings"], asked["measures"]
    before, after, noise = (
        None if name is None else run_of(spark, name, settings)
        for name in (*runs, sources["noise"])
    )
    qrels, queries, lengths = (sources[name] for name in ("qrels", "queries", "lengths"))
    if sources["clusters"] is not None:
        clusters = clusters_of(spark, sources["clusters"])
        asked["settings"] = replace(settings, clusters=clusters)
    words = None if lengths is None else lengths_of(spark, lengths)
    known = {
        "qrels": None if qrels is None else qrels_of(spark, qrels, measures, settings),
        "queries": None if queries is None else frame_of(spark, queries),
        "lengths": (words, default_length),
        **asked,
    }
    names = {name: path for name, path in sources.items() if path is not None}
    first = Asked.of(before, after, names=runs, **known)
    result = SparkComparison.of(first, max(top, TOP), names, asked_for)
    if noise is None:
        return result
    known["measures"] = list(first.plan.measures)
    second = Asked.of(before, noise, names=(runs[0], str(sources["noise"])), **known)
    return replace(result, noise=SparkComparison.of(second, 0, names))
