"""`medir compare`."""

from __future__ import annotations

from typing import Any

import click

from medir.cli.delivery import Delivery, delivery_options
from medir.cli.echo import standard_output
from medir.cli.options import (
    RUN,
    lengths_options,
    measure_option,
    memory_option,
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
@memory_option
@reading_settings
def command(
    before: str,
    after: str,
    measures: list[Any] | None,
    qrels: str | list[str] | None,
    lengths: str | None,
    default_length: float | None,
    memory: str | None,
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
      medir compare before.run after.run --clusters clusters.tsv
      medir compare before.run after.run --queries queries.tsv --weight traffic --by language
      medir compare before.run after.run --fail-above loss:nDCG@20=0.05 --summary summary.md
      medir compare before.parquet after.parquet --memory 2GB -o impact.parquet
    """
    from medir.base.settings import Settings
    from medir.cli.progress import watching
    from medir.comparing.compare import compare_recorded
    from medir.errors import UsageError

    delivery = Delivery.taken_from(options)
    chosen = [*(measures or []), *delivery.measures] or None
    if delivery.report is not None and chosen and all(one.kind != "difference" for one in chosen):
        raise UsageError("a report needs a measure of effectiveness, such as nDCG@20")
    words = read_lengths(lengths, default_length, before, after, qrels)
    known = {"qrels": qrels, "lengths": words, **options}
    if memory is not None:
        _compare_large(before, after, chosen, memory, delivery, known)
        return
    others = ("qrels", "lengths", "queries", "noise")
    sampled = {name: known.pop(name) for name in ("weight", "by", "missing_weight")}
    asked = {name: known.pop(name) for name in others} | {"sampled": sampled}
    settings = Settings(**known)
    with watching("Comparing") as watcher, delivery.recording() as recording:
        result = compare_recorded(
            recording, before, after, chosen, progress=watcher, settings=settings, **asked
        )
        delivered = delivery.write(result, recording)
    delivery.show(result, delivered)


def _compare_large(
    before: str,
    after: str,
    measures: list[Any] | None,
    memory: str,
    delivery: Delivery,
    options: dict[str, Any],
) -> None:
    """Compares runs that do not fit into memory; rows are written on the way."""
    from medir.cli.progress import watching
    from medir.comparing.large.compare import compare_large
    from medir.errors import UsageError

    if delivery.report is not None:
        raise UsageError(
            "--report shows lists, which --memory does not keep: leave one of them out"
        )
    if options.pop("noise") is not None:
        raise UsageError(
            "--noise cannot be used with --memory: compare BEFORE with BEFORE2 on its own"
        )
    with watching("Comparing") as watcher:
        result = compare_large(
            before,
            after,
            measures,
            memory=memory,
            output=standard_output() if delivery.prints_rows else delivery.output,
            format=delivery.format,
            spreadsheet=delivery.spreadsheet,
            top=delivery.top_queries,
            progress=watcher,
            **options,
        )
        delivered = delivery.write(result, rows=False)
    delivery.show(result, delivered, rows=False)
