"""Where a comparison goes: a file, a page, the terminal; and the checks that it must pass."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from medir.cli.options import Command, check_report_options, output_options, row_format, top_option

if TYPE_CHECKING:
    from medir.comparing.comparison import Differences
    from medir.comparing.gate import Check
    from medir.measures import Measure


def delivery_options(limit: str, high: str) -> Callable[[Command], Command]:
    """The options of a `Delivery`; `limit` and `high` are examples of limits."""
    options = [
        output_options,
        top_option("Most affected queries to show."),
        click.option(
            "--report",
            type=click.Path(),
            metavar="FILE.html",
            help="Write an HTML page with charts and the lists of the most affected queries (200, "
            "or --top if that is more).",
        ),
        click.option(
            "--queries",
            type=click.Path(),
            metavar="FILE",
            help="Table of queries (TSV, CSV, .jsonl, Parquet): query_id, text.",
        ),
        click.option(
            "--documents",
            type=click.Path(),
            metavar="FILE",
            help="Titles of documents for the report: id, tab, title; or .jsonl.",
        ),
        click.option(
            "--fail-above",
            "limits",
            multiple=True,
            metavar="[STATISTIC:]MEASURE=LIMIT",
            help=f"Exit with 1 when the mean is above a limit ({limit}), or a percentile "
            f"(p95:{high}), the median (median:...), or any query (any:...); may be repeated.",
        ),
    ]

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@dataclass(frozen=True)
class Delivery:
    """What a command was asked to do with a comparison."""

    output: str | None
    format_: str | None
    top: int
    report: str | None
    queries: str | None
    documents: str | None
    limits: tuple[str, ...]

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> Delivery:
        """Takes its options out of those of a command; what is wrong with them is said now."""
        return cls(**{one.name: options.pop(one.name) for one in fields(cls)})

    def __post_init__(self) -> None:
        check_report_options(self.report, self.queries, self.documents)
        _ = self.format, self.checks

    @cached_property
    def format(self) -> str | None:
        """The format of rows that are to be written or printed; None for a summary."""
        return row_format(self.output, self.format_)

    @cached_property
    def checks(self) -> list[Check]:
        """The limits."""
        from medir.comparing.gate import Check

        return [Check.parse(limit) for limit in self.limits]

    @property
    def measures(self) -> list[Measure]:
        """The measures that limits name."""
        return [check.measure for check in self.checks]

    def write(self, result: Differences[Any]) -> None:
        """Writes the file and the page."""
        if self.output is not None:
            result.write(self.output, self.format)
        if self.report is not None:
            from medir.rendering.pages.report import TOP, write_report

            texts = {"queries": self.queries, "documents": self.documents}
            write_report(result, self.report, **texts, top=max(TOP, self.top))

    def show(
        self, result: Differences[Any], summary: Callable[[Differences[Any]], None] | None = None
    ) -> None:
        """Prints rows or a summary, and ends the command with 1 where a check fails."""
        if self.output is None and self.format is not None:
            result.write(sys.stdout.buffer, self.format)
        else:
            self._summarise(result, summary)
        failed = [verdict for check in self.checks if not (verdict := check.of(result)).passed]
        for verdict in failed:
            click.echo(f"medir: check failed: {verdict}", err=True)
        if failed:
            click.get_current_context().exit(1)

    def _summarise(
        self, result: Differences[Any], summary: Callable[[Differences[Any]], None] | None
    ) -> None:
        from medir.cli.tables import show

        if summary is None:
            show(result, self.top)
        else:
            summary(result)
        if self.output is not None:
            rows = len(result) * len(result.measures)
            click.echo(f"\n{rows:,} rows written to {self.output}")
        if self.report is not None:
            click.echo(f"\nreport written to {self.report}")
