"""`medir judge`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from medir.cli.options import RUN, qrels_option, reading_settings, single_measure_option

if TYPE_CHECKING:
    from medir.comparing.judge import Suggestion
    from medir.measures import Measure


@click.command("judge")
@click.argument("before", type=RUN)
@click.argument("after", type=RUN)
@click.argument("others", type=RUN, nargs=-1, metavar="[RUN]...")
@click.option(
    "-n",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="How many documents to suggest.",
)
@single_measure_option
@qrels_option
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="POOL",
    help="Write a pool file for assessors: query and document, best first.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "csv", "tsv", "jsonl"]),
    default="table",
    show_default=True,
    help="What to print.",
)
@reading_settings
def command(
    before: str,
    after: str,
    others: tuple[str, ...],
    measure: Measure,
    qrels: str | None,
    output: str | None,
    format_: str,
    **options: Any,
) -> None:
    """Which documents to judge next, best first?

    Each judgment narrows the interval in which the true difference between the lists lies.
    Documents are ordered by how much they shorten that interval, whatever their grade turns out to
    be. With more than two runs, all pairs of runs count.

    \b
    Examples:
      medir judge before.run after.run -n 20
      medir judge before.run after.run --qrels qrels.txt -o pool.txt
      medir judge one.run two.run three.run -m 'RBP(p=0.8)' --format csv
    """
    from medir.cli.progress import watching
    from medir.comparing.judge import judge, suggestion_table, write_pool
    from medir.files.opening import check_one_stdin
    from medir.inputs.qrels import Qrels
    from medir.measures.relevance import max_grade_note

    runs = (before, after, *others)
    check_one_stdin(*runs, qrels)
    judged = None if qrels is None else Qrels.read(qrels, threads=options["threads"])
    with watching("Weighing judgments") as watcher:
        suggestions = judge(
            before,
            after,
            *others,
            measure=measure,
            qrels=judged,
            progress=watcher,
            **options,
        )
        if output is not None:
            write_pool(output, suggestions)
    if format_ != "table":
        suggestion_table(suggestions).write(sys.stdout.buffer, format_)
        return
    _show(runs, f"{measure!r}, {max_grade_note([measure], judged)}", suggestions)
    if output is not None:
        click.echo(f"\n{len(suggestions):,} documents written to {output}")


def _show(runs: Sequence[str], note: str, suggestions: Sequence[Suggestion]) -> None:
    """Suggestions as a table for people."""
    from rich.text import Text

    from medir.cli.tables import open_console, plain_table, print_line
    from medir.files.identifiers import shown

    console = open_console()
    print_line(console, ", ".join(runs))
    print_line(console, note)
    console.print()
    if not suggestions:
        print_line(console, "Nothing to judge: no judgment could change a value")
        return
    table = plain_table("Documents to judge, best first")
    for name in ("query", "document"):
        table.add_column(name, overflow="fold")
    for name in ("reduction", "med", "worst", "best"):
        table.add_column(name, justify="right", no_wrap=True)
    for query, document, *values in suggestions:
        numbers = (f"{value:.4f}" for value in values)
        table.add_row(Text(shown(query)), Text(shown(document)), *numbers)
    console.print(table)
