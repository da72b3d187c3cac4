"""`medir clusters`."""

from __future__ import annotations

import click

from medir.base.words import count
from medir.cli.echo import echo, standard_output
from medir.cli.options import RUN, Real, output_options, row_format

SHOWN = 5  # documents of the largest cluster


@click.command("clusters")
@click.argument("documents", type=RUN)
@click.option(
    "--threshold",
    type=Real(min=0, min_open=True, max=1),
    metavar="T",
    help="Take documents for copies that share so much of their sequences of five words, such as "
    "0.8 (Jaccard); needs 'medir[clusters]'. Default: all of their words must be the same.",
)
@output_options
def command(
    documents: str,
    threshold: float | None,
    output: str | None,
    format_: str | None,
    spreadsheet: bool,
) -> None:
    """Which documents have the same content?

    DOCUMENTS has one document per line: id, tab, title, tab, text; or JSON lines (.jsonl). Case,
    punctuation and blanks do not count. A copy of a copy is in the same cluster: look at the
    largest one, where a chain of small differences would show. Other commands take the clusters
    with --clusters, and count copies as one document.

    \b
    Examples:
      medir clusters documents.tsv -o clusters.tsv
      medir clusters documents.jsonl --threshold 0.8 -o clusters.tsv
      medir compare before.run after.run --clusters clusters.tsv
    """
    from medir.inputs.clusters.copies import find_clusters

    chosen = row_format(output, format_, spreadsheet)
    found = find_clusters(documents, threshold=threshold)
    if output not in (None, "-"):
        found.write(output, chosen, spreadsheet=spreadsheet)
    if output == "-" or (output is None and chosen is not None):
        found.write(standard_output(), chosen, spreadsheet=spreadsheet)
        return
    echo(found.verdict)
    if found.members:
        from medir.files.identifiers import shown

        some = ", ".join(map(shown, found.largest[:SHOWN]))
        more = f" and {len(found.largest) - SHOWN:,} more" if len(found.largest) > SHOWN else ""
        echo(f"The largest cluster has {count(len(found.largest), 'document')}: {some}{more}")
    if found.empty:
        empty = count(found.empty, "document has", "documents have")
        echo(f"{empty} no words and {'is' if found.empty == 1 else 'are'} in no cluster")
    if output is not None:
        echo(f"\n{count(len(found), 'row')} written to {output}")
