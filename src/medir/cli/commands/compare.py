"""`medir compare`."""

from __future__ import annotations

import sys
from typing import Any

import click

from medir.cli.options import (
    RUN,
    check_report_options,
    lengths_options,
    measure_option,
    output_options,
    read_lengths,
    reading_settings,
    report_options,
    row_format,
    top_option,
)


@click.command("compare")
@click.argument("before", type=RUN)
@click.argument("after", type=RUN)
@measure_option
@click.option("--qrels", type=click.Path(), metavar="FILE", help="Relevance judgments (qrels).")
@lengths_options
@output_options
@top_option
@report_options
@click.option(
    "--fail-above",
    "limits",
    multiple=True,
    metavar="[STATISTIC:]MEASURE=LIMIT",
    help="Exit with 1 when the mean is above a limit (nDCG@20=0.3), or a percentile "
    "(p95:nDCG@20=0.5), the median (median:...), or any query (any:nDCG@20=0.9); may be repeated.",
)
@reading_settings
def command(
    before: str,
    after: str,
    measures: list[Any],
    qrels: str | None,
    lengths: str | None,
    default_length: float | None,
    output: str | None,
    format_: str | None,
    top: int,
    report: str | None,
    queries: str | None,
    documents: str | None,
    limits: tuple[str, ...],
    **options: Any,
) -> None:
    """How much could the change from BEFORE to AFTER matter, query by query?

    BEFORE and AFTER are TREC runs (query Q0 document rank score tag), plain or compressed; - is
    standard input. For each query this computes the largest difference in effectiveness that any
    assignment of relevance could produce between the two lists.

    \b
    Examples:
      medir compare before.run after.run
      medir compare before.run after.run -m nDCG@10 -m 'RBP(p=0.8)' -o impact.csv
      medir compare before.run after.run --qrels qrels.txt --format csv
      medir compare before.run after.run --report report.html --queries queries.tsv
      medir compare before.run after.run -m TBG --lengths words.txt
      medir compare before.run after.run --fail-above p95:nDCG@20=0.5
    """
    from medir.cli.progress import watching
    from medir.comparing.compare import compare
    from medir.comparing.gate import Check
    from medir.errors import UsageError

    file_format = row_format(output, format_)
    check_report_options(report, queries, documents)
    checks = [Check.parse(limit) for limit in limits]
    measures = [*measures, *(check.measure for check in checks)]
    if report is not None and all(one.kind != "difference" for one in measures):
        raise UsageError("a report needs a measure of effectiveness, such as nDCG@20")
    with watching("Comparing") as watcher:
        result = compare(
            before,
            after,
            measures,
            qrels=qrels,
            lengths=read_lengths(lengths, default_length, before, after, qrels),
            progress=watcher,
            **options,
        )
        if output is not None:
            result.write(output, file_format)
        if report is not None:
            from medir.rendering.pages.report import TOP, write_report

            texts = {"queries": queries, "documents": documents}
            write_report(result, report, **texts, top=max(TOP, top))
    if output is None and file_format is not None:
        result.write(sys.stdout.buffer, file_format)
    else:
        from medir.cli.tables import show

        show(result, top)
        if output is not None:
            rows = len(result) * len(result.measures)
            click.echo(f"\n{rows:,} rows written to {output}")
        if report is not None:
            click.echo(f"\nreport written to {report}")
    failed = [verdict for check in checks if not (verdict := check.of(result)).passed]
    for verdict in failed:
        click.echo(f"medir: check failed: {verdict}", err=True)
    if failed:
        click.get_current_context().exit(1)
