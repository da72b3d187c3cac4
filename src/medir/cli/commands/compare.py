"""`medir compare`."""

from __future__ import annotations

from typing import Any

import click

from medir.cli.delivery import Delivery, delivery_options
from medir.cli.options import (
    RUN,
    lengths_options,
    measure_option,
    qrels_option,
    read_lengths,
    reading_settings,
    sample_options,
)


@click.command("compare")
@click.argument("before", type=RUN)
@click.argument("after", type=RUN)
@measure_option
@qrels_option
@lengths_options
@sample_options
@delivery_options("nDCG@20=0.3", "nDCG@20=0.5")
@reading_settings
def command(
    before: str,
    after: str,
    measures: list[Any] | None,
    qrels: str | list[str] | None,
    lengths: str | None,
    default_length: float | None,
    **options: Any,
) -> None:
    """How much could the change from BEFORE to AFTER matter, query by query?

    BEFORE and AFTER are TREC runs (query Q0 document rank score tag), plain or compressed; - is
    standard input. For each query this computes the largest difference in effectiveness that any
    assignment of relevance could produce between the two lists.

    \b
    Examples:
      medir compare before.run after.run
      medir compare before.run after.run -m nDCG@10 -m 'RBP(p=0.8)' -o impact.csv
      medir compare before.run after.run --qrels qrels.txt --format csv
      medir compare before.run after.run --report report.html --queries queries.tsv
      medir compare before.run after.run -m TBG --lengths words.txt
      medir compare before.run after.run --queries queries.tsv --weight traffic --by language
      medir compare before.run after.run --fail-above loss:nDCG@20=0.05 --summary summary.md
    """
    from medir.cli.progress import watching
    from medir.comparing.compare import compare
    from medir.errors import UsageError

    delivery = Delivery.taken_from(options)
    chosen = [*(measures or []), *delivery.measures] or None
    if delivery.report is not None and chosen and all(one.kind != "difference" for one in chosen):
        raise UsageError("a report needs a measure of effectiveness, such as nDCG@20")
    with watching("Comparing") as watcher:
        result = compare(
            before,
            after,
            chosen,
            qrels=qrels,
            lengths=read_lengths(lengths, default_length, before, after, qrels),
            progress=watcher,
            **options,
        )
        outcomes = delivery.write(result)
    delivery.show(result, outcomes)
