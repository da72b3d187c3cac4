"""`medir documents`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from medir.base.words import count
from medir.cli.echo import echo, standard_output
from medir.cli.options import (
    RUN,
    output_options,
    row_format,
    settings_options,
    single_measure_option,
    top_option,
    weight_options,
)
from medir.cli.paths import InputPath

if TYPE_CHECKING:
    from medir.measures import Measure


@click.command("documents")
@click.argument("before", type=RUN)
@click.argument("after", type=RUN)
@single_measure_option
@click.option(
    "--documents",
    type=InputPath(),
    metavar="TITLES",
    help="Titles of documents: id, tab, title; or .jsonl.",
)
@weight_options
@output_options
@top_option("Documents to show that gain most, and as many that lose most.")
@settings_options("order", "missing", "duplicates", "clusters", "unseen", "depth", "threads")
def command(
    before: str,
    after: str,
    measures: Measure | None,
    documents: str | None,
    output: str | None,
    format_: str | None,
    spreadsheet: bool,
    top: int,
    **options: Any,
) -> None:
    """Which documents gain and lose exposure by the change from BEFORE to AFTER?

    The exposure of a document in a run is the sum over queries of what its rank there is worth,
    under a measure without decay. This names the documents that gain and lose most, and counts
    those that are newly visible or gone dark.

    \b
    Examples:
      medir documents before.run after.run --documents titles.tsv
      medir documents before.run after.run -m 'RBP(p=0.8)' -o documents.csv
      medir documents before.run after.run -m P@10 --format jsonl
    """
    from medir.cli.exposures import show
    from medir.cli.progress import watching
    from medir.comparing.exposure import documents as exposures_of
    from medir.inputs.texts import check_readable

    chosen = row_format(output, format_, spreadsheet)
    if documents is not None:
        check_readable(documents)
    with watching("Comparing") as watcher:
        found = exposures_of(
            before, after, measures, documents=documents, progress=watcher, **options
        )
        if output not in (None, "-"):
            found.write(output, chosen, spreadsheet=spreadsheet)
    if output == "-" or (output is None and chosen is not None):
        found.write(standard_output(), chosen, spreadsheet=spreadsheet)
        return
    show(found, top)
    if output is not None:
        echo(f"\n{count(len(found), 'row')} written to {output}")
