"""`medir passages`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from medir.cli.delivery import Delivery, delivery_options
from medir.cli.echo import echo
from medir.cli.options import (
    RUN,
    gold_options,
    passage_measure_option,
    passage_settings,
    sample_options,
)
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
@sample_options
@delivery_options("U@12000=900", "U@12000=2000")
@click.option("--clusters", "of_documents", hidden=True)  # so that the error says why not
@click.option("--explain", metavar="QUERY", help="Show what each stretch of text of a query adds.")
def command(
    before: str,
    after: str,
    measures: list[Any] | None,
    explain: str | None,
    of_documents: str | None,
    **options: Any,
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
    from medir.passages.compare import DEFAULT, compare_passages

    if of_documents is not None:
        options["clusters"] = of_documents
    delivery = Delivery.taken_from(options)
    if explain is not None and delivery.prints_rows:
        raise UsageError("--explain prints a table: remove --format, or add -o FILE")
    chosen = [*(measures or []), *delivery.measures] or DEFAULT
    with watching("Comparing") as watcher:
        result = compare_passages(before, after, chosen, progress=watcher, **options)
        delivered = delivery.write(result)
    summary = None if explain is None else lambda _: _explain(result, explain)
    delivery.show(result, delivered, summary)


def _explain(result: PassageComparison, query: str) -> None:
    for number, one in enumerate(result.measures):
        if number > 0:
            echo()
        show_explanation(result.explain(query, one))


def show_explanation(why: PassageExplanation) -> None:
    """Prints what the text of one query adds to its value."""
    from medir.cli.layout import Column, open_console, print_table, print_text
    from medir.cli.tables import part
    from medir.files.identifiers import shown

    console = open_console()
    print_text(console, shown(why.sentence))
    values = f"med {why.med:.4f}, gain {why.gain:.4f}, loss {why.loss:.4f}"
    print_text(console, f"query {shown(why.query)}, {why.measure!r}: {values}")
    console.print()
    rows, unseen = why.stretches, bool(why.unseen_loss or why.unseen_gain)
    judged = any(stretch.relevant is not None for stretch in rows)
    words = {None: "", True: "yes", False: "no"}

    def cells(texts: Iterable[str], last: str = "") -> list[str]:
        return [*texts, *([last] if unseen else [])]

    columns = [
        Column("before", cells("" if s.before is None else str(s.before) for s in rows)),
        Column("after", cells("" if s.after is None else str(s.after) for s in rows)),
        Column(
            "document",
            cells((shown(s.document) for s in rows), "(unseen text)"),
            right=False,
            whole=True,
        ),
        Column("offset", cells(str(s.offset) for s in rows), drop=2),
        Column("length", cells(str(s.length) for s in rows), drop=1),
        Column("relevant", cells(words[s.relevant] for s in rows) if judged else [], drop=3),
        Column("loss", cells((part(s.loss) for s in rows), part(why.unseen_loss))),
        Column("gain", cells((part(s.gain) for s in rows), part(why.unseen_gain))),
    ]
    title = "What each stretch of text adds to the largest loss, and to the largest gain"
    print_table(console, title, columns, "a wider terminal shows all columns")
    print_text(console, "before and after: the number of characters above.")
