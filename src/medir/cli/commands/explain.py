"""`medir explain`."""

from __future__ import annotations

from typing import Any

import click

from medir.cli.echo import echo
from medir.cli.options import (
    RUN,
    lengths_options,
    measure_option,
    qrels_option,
    queries_option,
    read_lengths,
    reading_settings,
)


@click.command("explain")
@click.argument("before", type=RUN)
@click.argument("after", type=RUN)
@click.argument("query")
@measure_option
@qrels_option
@lengths_options
@queries_option
@reading_settings
def command(
    before: str,
    after: str,
    query: str,
    measures: list[Any] | None,
    qrels: str | list[str] | None,
    lengths: str | None,
    default_length: float | None,
    queries: str | None,
    **options: Any,
) -> None:
    """Why could the change matter for QUERY?

    Shows how each document moved, what it adds to the largest loss and to the largest gain, and the
    value in plain words.

    \b
    Examples:
      medir explain before.run after.run q001
      medir explain before.run after.run q001 -m ERR --qrels qrels.txt
      medir explain before.run after.run q001 --queries queries.tsv
    """
    from medir.base.settings import Settings
    from medir.cli.tables import show_explanation
    from medir.comparing.explaining.explain import explain_measures
    from medir.inputs.queries import Queries

    words = read_lengths(lengths, default_length, before, after, qrels)
    text = "" if queries is None else Queries.read(queries).text(query) or ""
    settings = Settings(**options)
    some = explain_measures(before, after, measures, query, settings, qrels=qrels, lengths=words)
    for number, why in enumerate(some):
        if number > 0:
            echo()
        show_explanation(why, text)
