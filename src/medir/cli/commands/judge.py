"""`medir judge`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from medir.base.words import count
from medir.cli.echo import echo, standard_output
from medir.cli.options import (
    RUN,
    qrels_option,
    queries_option,
    reading_settings,
    single_measure_option,
    spreadsheet_option,
    top_option,
)
from medir.cli.paths import InputPath, OutputPath

if TYPE_CHECKING:
    from medir.comparing.judging.judge import Suggestions
    from medir.inputs.queries import Queries
    from medir.measures import Measure

TASKS = ("umbrela", "label-studio")  # formats that hold the texts of queries and documents


@click.command("judge")
@click.argument("before", type=RUN)
@click.argument("after", type=RUN)
@click.argument("others", type=RUN, nargs=-1, metavar="[RUN]...")
@top_option("How many documents to suggest.", default=50, least=1)
@single_measure_option
@qrels_option
@queries_option
@click.option(
    "--documents",
    type=InputPath(),
    metavar="FILE",
    help="Texts of documents, for those who judge: tab-separated (id, title, text), or .jsonl.",
)
@click.option(
    "-o",
    "--output",
    type=OutputPath(allow_dash=True),
    metavar="FILE",
    help="Write the documents, best first: every column (.csv, .tsv, .jsonl, .parquet), or a pool "
    "file of queries and documents for assessors (any other ending); - is standard output.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "trec", "pool", "csv", "tsv", "jsonl", "umbrela", "label-studio"]),
    help="What to print: a table, lines of query and document (trec, or pool), every row (csv, "
    "tsv, jsonl), or what a judge reads, with --documents: jsonl (a query and a text per line), "
    "umbrela, label-studio. With -o: the format of the file.",
)
@spreadsheet_option
@reading_settings
def command(
    before: str,
    after: str,
    others: tuple[str, ...],
    measures: Measure | None,
    qrels: str | list[str] | None,
    queries: str | None,
    documents: str | None,
    output: str | None,
    format_: str | None,
    spreadsheet: bool,
    top: int,
    **options: Any,
) -> None:
    """Which documents to judge next, best first?

    Each judgment narrows the interval in which the true difference between the lists lies.
    Documents are ordered by how much they shorten that interval, whatever their grade turns out to
    be. With more than two runs, all pairs of runs count.

    \b
    Examples:
      medir judge before.run after.run --top 20 --queries queries.tsv
      medir judge before.run after.run --qrels qrels.txt -o pool.txt
      medir judge one.run two.run three.run -m 'RBP(p=0.8)' --format csv
      medir judge before.run after.run -m 'nDCG(max_grade=3)@20' --format umbrela
        --queries queries.tsv --documents documents.tsv -o requests.jsonl
    """
    from medir.cli.progress import watching
    from medir.comparing.judging.judge import judge
    from medir.errors import UsageError
    from medir.files.opening import check_one_stdin
    from medir.files.tables import DELIMITERS
    from medir.inputs.queries import Queries

    runs = (before, after, *others)
    check_one_stdin(*runs, *(qrels if isinstance(qrels, list) else [qrels]))
    chosen = _format(output, format_, queries, documents)
    if spreadsheet and chosen not in DELIMITERS:
        raise UsageError(f"--spreadsheet goes with csv and tsv, not with {chosen}")
    table = None if queries is None else Queries.read(queries)
    with watching("Weighing judgments") as watcher:
        suggestions = judge(
            *runs, measures=measures, qrels=qrels, top=top, progress=watcher, **options
        )
        if output not in (None, "-"):
            _write(suggestions, output, chosen, table, documents, spreadsheet)
    if output == "-" or (output is None and chosen != "table"):
        _write(suggestions, standard_output(), chosen, table, documents, spreadsheet)
        return
    _show(runs, suggestions, table)
    if output is not None:
        echo(f"\n{count(len(suggestions), 'document')} written to {output}")


def _format(
    output: str | None, format_: str | None, queries: str | None, documents: str | None
) -> str:
    """What is written: rows where the ending of a file says so, else a pool file."""
    from medir.comparing.judging.requests import check_texts
    from medir.errors import UsageError
    from medir.files.tables import check_format, known_format
    from medir.inputs.texts import check_readable

    chosen = str(format_ or "table").replace("pool", "trec")
    if output is not None and chosen == "table":
        chosen = known_format(output) or "trec"
        if chosen != "trec":
            check_format(chosen)
    if chosen in TASKS:
        check_texts(chosen, documents, queries)
    if documents is not None:
        if chosen not in (*TASKS, "jsonl"):
            raise UsageError(f"--documents goes with --format jsonl, {' or '.join(TASKS)}")
        check_readable(documents)
    return chosen


def _write(
    suggestions: Suggestions,
    target: Any,
    chosen: str,
    table: Queries | None,
    documents: str | None,
    spreadsheet: bool,
) -> None:
    from medir.comparing.judging.requests import write_requests

    if chosen == "trec" or documents is not None:
        write_requests(target, suggestions, chosen, documents=documents, queries=table)
    else:
        suggestions.write(target, chosen, spreadsheet=spreadsheet)


def _show(runs: Sequence[str], suggestions: Suggestions, table: Queries | None) -> None:
    """Suggestions as a table for people."""
    from medir.cli.layout import Column, open_console, print_line, print_table, print_text
    from medir.files.identifiers import shown

    console, measure = open_console(), suggestions.measure
    print_text(console, suggestions.verdict)
    print_line(console, ", ".join(map(shown, runs)))
    print_line(console, suggestions.grades)
    if not suggestions:
        return
    console.print()
    texts = [] if table is None else [shown(table.text(one.query_id) or "") for one in suggestions]

    def numbers(name: str) -> list[str]:
        return [f"{getattr(one, name):.4f}" for one in suggestions]

    columns = [
        Column("query", [shown(one.query_id) for one in suggestions], right=False, whole=True),
        Column("text", texts if any(texts) else [], right=False, drop=1, elastic=True),
        Column("document", [shown(one.document) for one in suggestions], right=False, whole=True),
        Column("reduction", numbers("reduction")),
        Column("med", numbers("med"), drop=2),
        Column("worst", numbers("worst"), drop=4),
        Column("best", numbers("best"), drop=3),
    ]
    title = f"Documents to judge, best first, by {measure!r}"
    print_table(console, title, columns, "--format csv, or -o FILE.csv, has all columns")
