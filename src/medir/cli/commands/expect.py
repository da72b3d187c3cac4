"""`medir expect`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from medir.cli.options import (
    RUN,
    measure_option,
    output_options,
    qrels_option,
    row_format,
    seed_option,
    settings_options,
    top_option,
)

if TYPE_CHECKING:
    from rich.console import Console

    from medir.expecting.expectation import Estimate, Expectation
    from medir.measures import Measure

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
    required=True,
    metavar="P|FILE|rank",
    help="How likely an unjudged document is relevant: one number; rank(p1=0.6, s=0.5), which is "
    "p1 rank^-s at its better rank; or a file of lines 'query document probability'.",
)
@click.option(
    "--default",
    type=float,
    default=0.0,
    show_default=True,
    metavar="P",
    help="With a file: the probability of documents that it does not list.",
)
@measure_option
@qrels_option
@click.option(
    "--samples",
    type=click.IntRange(min=100),
    default=1000,
    show_default=True,
    metavar="N",
    help="How many assignments of relevance to draw for quantiles and probabilities.",
)
@seed_option("The same seed draws the same samples.")
@output_options
@top_option("Queries to show.")
@click.option(
    "--by",
    type=click.Choice(list(TITLES)),
    default="expected",
    show_default=True,
    help="Which queries to show: the largest expected difference, or those most likely to be "
    "helped or hurt.",
)
@settings_options("order", "missing", "duplicates", "unseen", "depth", "threads", unseen="nothing")
def command(
    before: str,
    after: str,
    measures: list[Any],
    output: str | None,
    format_: str | None,
    top: int,
    by: str,
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

    file_format = row_format(output, format_)
    with watching("Drawing") as watcher:
        result = expect(before, after, measures, progress=watcher, **options)
        if output is not None:
            result.write(output, file_format)
    if output is None and file_format is not None:
        result.write(sys.stdout.buffer, file_format)
        return
    _show(result, top, by)
    if output is not None:
        rows = (len(result) + 1) * len(result.measures)
        click.echo(f"\n{rows:,} rows written to {output}")


def _show(result: Expectation, top: int, by: str) -> None:
    """Prints the estimates of the mean, and of the queries that stand out."""
    from medir.cli.tables import open_console, print_line

    console = open_console()
    for line in _notes(result):
        print_line(console, line)
    console.print()
    _print_means(console, result)
    for measure in result.measures if top > 0 else ():
        console.print()
        _print_queries(console, result, measure, top, by)


def _notes(result: Expectation) -> list[str]:
    """What was compared, and under which assumptions."""
    from medir.measures.relevance import max_grade_note

    comparison = result.comparison
    total = len(result)
    lines = [
        f"{comparison.names[0]} -> {comparison.names[1]}",
        f"{total:,} queries, {comparison.unchanged / total:.1%} unchanged; "
        f"{comparison.only_before:,} only in the first run, "
        f"{comparison.only_after:,} only in the second",
    ]
    graded = any(
        one["gains"] in ("exp", "linear") or one["relevance"] == "graded" for one in result.measures
    )
    if graded or comparison.judged is not None:
        lines.append(max_grade_note(result.measures, comparison.judged))
    if comparison.repeats:
        lines.append(
            f"{comparison.repeats:,} results dropped: duplicates of a higher-ranked document"
        )
    if comparison.short:
        below = {
            "nothing": "the lists end there; with --unseen anything, unseen ranks follow the prior",
            "anything": "unseen ranks follow the prior",
        }
        lines.append(
            f"{comparison.short:,} queries with a list shorter than {comparison.depth}: "
            f"{below[result.unseen]}"
        )
    prior = f"prior {result.prior} for {result.unjudged:,} unjudged results"
    if result.without_prior:
        prior += f"; {result.without_prior:,} that it does not name have {result.default:g}"
    return [*lines, prior]


def _print_means(console: Console, result: Expectation) -> None:
    from rich.text import Text

    from medir.cli.tables import plain_table, print_line

    table = plain_table("Expected difference (after - before), mean of all queries")
    table.add_column("measure")
    columns = _columns(console.width)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for one in result.measures:
        table.add_row(Text(repr(one)), *_cells(result.mean(one), columns))
    console.print(table)
    for one in result.measures:
        mean = result.mean(one)
        helps = mean.helps
        certain = "exactly" if mean.samples == 0 else (
            f"95% interval {helps.low:.3f} to {helps.high:.3f}, "
            f"{mean.samples:,} samples, seed {result.seed}"
        )  # fmt: skip
        print_line(console, f"mean {one!r} rises with probability {helps.value:.3f} ({certain})")


def _print_queries(
    console: Console, result: Expectation, measure: Measure, top: int, by: str
) -> None:
    from rich.text import Text

    from medir.cli.tables import plain_table
    from medir.files.identifiers import shown

    table = plain_table(f"{TITLES[by]} {measure!r}")
    table.add_column("query", overflow="fold")
    columns = _columns(console.width)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for position in result.largest(top, measure, by):
        row = result.row(position, measure)
        table.add_row(Text(shown(row.query_id)), *_cells(row, columns))
    console.print(table)


def _columns(width: int) -> list[str]:
    """In a narrow window fewer columns, never cut numbers."""
    from medir.cli.tables import NARROW, WIDE

    if width < NARROW:
        return ["expected", "helps"]
    quantiles = ["p05", "p50", "p95"] if width >= WIDE else []
    return ["expected", "sd", *quantiles, "helps", "hurts"]


def _cells(row: Estimate, columns: list[str]) -> list[str]:
    cells = {
        "expected": _signed(row.expected),
        "sd": f"{row.sd:.4f}",
        "helps": f"{row.helps.value:.3f}",
        "hurts": f"{row.hurts.value:.3f}",
        **{name: _signed(quantile.value) for name, quantile in row.quantiles.items()},
    }
    return [cells[name] for name in columns]


def _signed(value: float) -> str:
    text = f"{value:+.4f}"
    return text if float(text) else "0.0000"
