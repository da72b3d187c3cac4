"""`medir explain`."""

from __future__ import annotations

from typing import Any

import click

from medir.cli.options import (
    RUN,
    lengths_options,
    measure_option,
    qrels_option,
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
@reading_settings
def command(
    before: str,
    after: str,
    query: str,
    measures: list[Any],
    qrels: str | None,
    lengths: str | None,
    default_length: float | None,
    **options: Any,
) -> None:
    """Why could the change matter for QUERY?

    Shows how each document moved, what it adds to the largest loss and to the largest gain, and the
    value in plain words.

    \b
    Examples:
      medir explain before.run after.run q001
      medir explain before.run after.run q001 -m ERR --qrels qrels.txt
    """
    from medir.base.settings import Settings
    from medir.cli.tables import show_explanation
    from medir.comparing.explain import explain_measures

    words = read_lengths(lengths, default_length, before, after, qrels)
    settings = Settings(**options)
    some = explain_measures(before, after, measures, query, settings, qrels=qrels, lengths=words)
    for number, why in enumerate(some):
        if number > 0:
            click.echo()
        show_explanation(why)
