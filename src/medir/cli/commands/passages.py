"""`medir passages`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from medir.cli.delivery import Delivery, delivery_options
from medir.cli.options import RUN, gold_options, passage_measure_option, passage_settings
from medir.errors import UsageError

if TYPE_CHECKING:
    from medir.passages.compare import PassageComparison
    from medir.passages.explain import PassageExplanation


@click.command("passages")
@click.argument("before", type=RUN)
@click.argument("after", type=RUN)
@passage_measure_option
@gold_options
@passage_settings
@delivery_options("U@12000=900", "U@12000=2000")
@click.option("--explain", metavar="QUERY", help="Show what each stretch of text of a query adds.")
def command(
    before: str, after: str, measures: list[Any], explain: str | None, **options: Any
) -> None:
    """How much could the change from BEFORE to AFTER matter where results are passages?

    BEFORE and AFTER have lines of topic, document, rank, score, offset, length and tag (TREC
    Genomics and HARD), plain or compressed; or they are JSON lines or Parquet with such columns.
    - is standard input. Relevance belongs to the characters of documents: for each query this
    computes the largest difference in effectiveness that any assignment of relevance to
    characters could produce between the text shown before and after.

    \b
    Examples:
      medir passages before.txt after.txt
      medir passages before.txt after.txt -m U@5000 -m 'TBG(half_life=60)' -o impact.csv
      medir passages before.txt after.txt --gold gold.tsv --unjudged-documents not-relevant
      medir passages before.txt after.txt --explain 200
      medir passages before.txt after.txt --report report.html
    """
    from medir.cli.progress import watching
    from medir.passages.compare import compare_passages

    delivery = Delivery.taken_from(options)
    if explain is not None and delivery.output is None and delivery.format is not None:
        raise UsageError("--explain prints a table: remove --format, or add -o FILE")
    measures = [*measures, *delivery.measures]
    with watching("Comparing") as watcher:
        result = compare_passages(before, after, measures, progress=watcher, **options)
        delivery.write(result)
    delivery.show(result, None if explain is None else lambda _: _explain(result, explain))


def _explain(result: PassageComparison, query: str) -> None:
    for number, one in enumerate(result.measures):
        if number > 0:
            click.echo()
        show_explanation(result.explain(query, one))


def show_explanation(why: PassageExplanation) -> None:
    """Prints what the text of one query adds to its value."""
    from rich.text import Text

    from medir.cli.tables import open_console, part, plain_table, print_line
    from medir.files.identifiers import shown

    console = open_console()
    values = f"med {why.med:.4f}, gain {why.gain:.4f}, loss {why.loss:.4f}"
    print_line(console, f"query {shown(why.query)}, {why.measure!r}: {values}")
    print_line(console, shown(why.sentence))
    console.print()
    print_line(
        console,
        "What each stretch of text adds to the largest loss, and to the largest gain",
    )
    judged = any(stretch.relevant is not None for stretch in why.stretches)
    table = plain_table("")
    table.title = None
    for name in ("before", "after"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("document", overflow="fold", min_width=12)
    for name in ("offset", "length", *(["relevant"] if judged else []), "loss", "gain"):
        table.add_column(name, justify="right", no_wrap=True)
    words = {None: "", True: "yes", False: "no"}
    for stretch in why.stretches:
        table.add_row(
            *("" if place is None else str(place) for place in (stretch.before, stretch.after)),
            Text(shown(stretch.document)),
            str(stretch.offset),
            str(stretch.length),
            *([words[stretch.relevant]] if judged else []),
            part(stretch.loss),
            part(stretch.gain),
        )
    if why.unseen_loss or why.unseen_gain:
        cells = {
            "document": "(unseen text)",
            "loss": part(why.unseen_loss),
            "gain": part(why.unseen_gain),
        }
        table.add_row(*(cells.get(str(column.header), "") for column in table.columns))
    console.print(table)
    print_line(console, "before and after: the number of characters above.")
