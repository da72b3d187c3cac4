"""`medir expect`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from medir.base.checks import FEWEST_SAMPLES, MOST_SAMPLES
from medir.base.words import count
from medir.cli.echo import echo, standard_output
from medir.cli.options import (
    RUN,
    Real,
    measure_option,
    output_options,
    qrels_option,
    queries_option,
    row_format,
    seed_option,
    settings_options,
    top_option,
    whole_number,
)

if TYPE_CHECKING:
    from rich.console import Console

    from medir.cli.layout import Column
    from medir.expecting.expectation import Estimate, Expectation
    from medir.inputs.queries import Queries
    from medir.measures import Measure

ELSEWHERE = "--format csv, or -o FILE, has all columns"
TITLES = {
    "expected": "Largest expected differences in",
    "helps": "Most likely to be helped:",
    "hurts": "Most likely to be hurt:",
}


@click.command("expect")
@click.argument("before", type=RUN)
@click.argument("after", type=RUN)
@click.option(
    "--prior",
    type=RUN,
    required=True,
    metavar="P|FILE|rank",
    help="How likely an unjudged document is relevant: one number; rank(p1=0.6, s=0.5), which is "
    "p1 rank^-s at its better rank; or a file of lines 'query document probability'.",
)
@click.option(
    "--default",
    type=Real(min=0, max=1),
    default=0.0,
    show_default=True,
    metavar="P",
    help="With a file: the probability of documents that it does not list.",
)
@measure_option
@qrels_option
@click.option(
    "--samples",
    type=whole_number(FEWEST_SAMPLES, MOST_SAMPLES),
    default=1000,
    show_default=True,
    metavar="N",
    help="How many assignments of relevance to draw for quantiles and probabilities.",
)
@seed_option("The same seed draws the same samples.")
@queries_option
@output_options
@top_option("Queries to show.")
@click.option(
    "--sort",
    type=click.Choice(list(TITLES)),
    default="expected",
    show_default=True,
    help="Which queries to show: the largest expected difference, or those most likely to be "
    "helped or hurt.",
)
@settings_options(
    "order", "missing", "duplicates", "clusters", "unseen", "depth", "grades", "requests", "threads"
)
def command(
    before: str,
    after: str,
    measures: list[Any] | None,
    output: str | None,
    format_: str | None,
    spreadsheet: bool,
    top: int,
    sort: str,
    queries: str | None,
    **options: Any,
) -> None:
    """What effect should you expect from the change from BEFORE to AFTER?

    Each unjudged document is relevant with the probability that --prior states. For each query, and
    for their mean, this computes the expected difference in effectiveness (after - before), its
    standard deviation and quantiles, and the probability that the change helps.

    \b
    Examples:
      medir expect before.run after.run --prior rank
      medir expect before.run after.run --prior 0.2 -m ERR --qrels qrels.txt
      medir expect before.run after.run --prior clicks.txt --default 0.05 -o likely.csv
    """
    from medir.cli.progress import watching
    from medir.expecting.expect import expect
    from medir.inputs.queries import Queries

    file_format = row_format(output, format_, spreadsheet)
    table = None if queries is None else Queries.read(queries)
    with watching("Drawing") as watcher:
        result = expect(before, after, measures, progress=watcher, **options)
        if output not in (None, "-"):
            result.write(output, file_format, spreadsheet=spreadsheet)
    if output == "-" or (output is None and file_format is not None):
        result.write(standard_output(), file_format, spreadsheet=spreadsheet)
        return
    _show(result, top, sort, table)
    if output is not None:
        rows = count((len(result) + 1) * len(result.measures), "row")
        echo(f"\n{rows} written to {output}")


def _show(result: Expectation, top: int, sort: str, table: Queries | None) -> None:
    """Prints the estimates of the mean, and of the queries that stand out."""
    from medir.cli.layout import open_console, print_text

    console = open_console()
    for one in result.measures:
        print_text(console, result.verdict(one))
    console.print()
    for line in _notes(result):
        print_text(console, line)
    console.print()
    _print_means(console, result)
    for measure in result.measures if top > 0 else ():
        console.print()
        _print_queries(console, result, measure, top, sort, table)


def _notes(result: Expectation) -> list[str]:
    """What was compared, and under which assumptions."""
    from medir.base.words import percent
    from medir.measures.relevance import max_grade_note

    comparison = result.comparison
    total = len(result)
    lines = [
        f"{comparison.names[0]} -> {comparison.names[1]}: {count(total, 'query', 'queries')}, "
        f"{percent(1 - comparison.changes[0].any(axis=0).mean())} unchanged"
    ]
    for queries, side in ((comparison.only_before, "before"), (comparison.only_after, "after")):
        if queries:
            lines.append(f"{count(queries, 'query', 'queries')} only {side}")
    graded = any(
        one["gains"] in ("exp", "linear") or one["relevance"] == "graded" for one in result.measures
    )
    if graded or comparison.judged is not None:
        lines.append(max_grade_note(result.measures, comparison.judged))
    if comparison.repeats:
        lines.append(
            f"{count(comparison.repeats, 'result')} dropped: duplicates of a higher-ranked document"
        )
    for one, queries in zip(result.measures, comparison.unseen_queries, strict=True):
        if queries:
            some = count(queries, "query", "queries")
            lines.append(f"unseen ranks follow the prior for {one!r}, in {some}")
    prior = f"prior {result.prior} for {count(result.unjudged, 'unjudged result')}"
    if result.without_prior:
        prior += f"; {result.without_prior:,} that it does not name have {result.default:g}"
    return [*lines, prior]


def _print_means(console: Console, result: Expectation) -> None:
    from medir.cli.layout import Column, print_table

    rows = [result.mean(one) for one in result.measures]
    columns = [
        Column("measure", [repr(one) for one in result.measures], right=False),
        *_columns(rows),
    ]
    title = "Expected difference (after - before), mean of all queries"
    print_table(console, title, columns, ELSEWHERE)


def _print_queries(
    console: Console,
    result: Expectation,
    measure: Measure,
    top: int,
    sort: str,
    table: Queries | None,
) -> None:
    from medir.cli.layout import Column, print_table
    from medir.files.identifiers import shown

    rows = [result.row(position, measure) for position in result.largest(top, measure, sort)]
    texts = [] if table is None else [shown(table.text(row.query_id) or "") for row in rows]
    columns = [
        Column("query", [shown(row.query_id) for row in rows], right=False, whole=True),
        Column("text", texts if any(texts) else [], right=False, drop=2, elastic=True),
        *_columns(rows),
    ]
    print_table(console, f"{TITLES[sort]} {measure!r}", columns, ELSEWHERE)


def _columns(rows: Sequence[Estimate]) -> list[Column]:
    from medir.cli.layout import Column

    quantiles = [
        Column(name, [_signed(row.quantiles[name].value) for row in rows], drop=drop)
        for drop, name in zip((5, 4, 6), ("p05", "p50", "p95"), strict=True)
    ]
    return [
        Column("expected", [_signed(row.expected) for row in rows]),
        Column("sd", [f"{row.sd:.4f}" for row in rows], drop=3),
        *quantiles,
        Column("helps", [f"{row.helps.value:.3f}" for row in rows]),
        Column("hurts", [f"{row.hurts.value:.3f}" for row in rows], drop=1),
    ]


def _signed(value: float) -> str:
    text = f"{value:+.4f}"
    return text if float(text) else "0.0000"
