"""`medir explain`."""

from __future__ import annotations

from typing import Any

import click

from medir.cli.options import RUN, lengths_options, measure_option, read_lengths, reading_options


@click.command("explain")
@click.argument("before", type=RUN)
@click.argument("after", type=RUN)
@click.argument("query")
@measure_option
@click.option("--qrels", type=click.Path(), metavar="FILE", help="Judgments that are known.")
@lengths_options
@reading_options
def command(
    before: str,
    after: str,
    query: str,
    measures: list[Any],
    qrels: str | None,
    lengths: str | None,
    default_length: float | None,
    complete: bool,
    missing: str,
    threads: int | None,
    **options: Any,
) -> None:
    """Why could the change matter for QUERY?

    Shows both lists with how each document moved, the relevance that costs most and the one that
    wins most, what each document adds to the value, and the value in plain words.

    \b
    Examples:
      medir explain before.run after.run q001
      medir explain before.run after.run q001 -m ERR --qrels qrels.txt
    """
    from medir.cli.tables import show_explanation
    from medir.comparing.explain import explain
    from medir.inputs.lengths import lengths_for

    words = lengths_for(measures, read_lengths(lengths, default_length, before, after, qrels))
    for number, one in enumerate(measures):
        if number > 0:
            click.echo()
        why = explain(
            before,
            after,
            one,
            query=query,
            qrels=qrels,
            lengths=words if one.family.shape == "timed" else None,
            unseen="nothing" if complete else "anything",
            **options,
        )
        show_explanation(why)
