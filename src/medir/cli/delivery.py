"""Where a comparison goes: files, pages, the terminal; and the checks that it must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from medir.base.words import count
from medir.cli.echo import echo, put, standard_output
from medir.cli.options import (
    Command,
    check_report_options,
    decorated,
    output_options,
    row_format,
    top_option,
    whole_number,
)
from medir.cli.paths import InputPath, OutputPath, read_by_measures
from medir.files.background import Background

if TYPE_CHECKING:
    from medir.comparing.decision.gate import Check, Outcome
    from medir.comparing.differences import Differences
    from medir.measures import Measure
    from medir.rendering.folders.recording import Recording

STDOUT = "-"


def delivery_options(limit: str, high: str) -> Callable[[Command], Command]:
    """The options of a `Delivery`; `limit` and `high` are examples of limits."""
    sample = click.option(
        "--sample",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="Show N queries in the report that are spread evenly from the most to the least "
        "affected.",
    )
    return decorated(output_options, summary_options(limit, high), sample)


def summary_options(limit: str, high: str) -> Callable[[Command], Command]:
    """The options of a `Delivery` but for what needs every row on this machine."""
    return decorated(
        top_option("Most affected queries to show."),
        click.option(
            "--report",
            type=OutputPath(or_folder=True),
            metavar="FILE.html|DIR/",
            help="Write an HTML page with charts and the lists of the most affected queries (200, "
            "or --top if that is more); or a folder that shows all queries, however many, where "
            "the name ends in a slash.",
        ),
        click.option(
            "--documents",
            type=InputPath(),
            metavar="FILE",
            help="Titles of documents for the report: id, tab, title; or .jsonl.",
        ),
        click.option(
            "--query",
            multiple=True,
            metavar="ID",
            help="Show this query in the report, instead of the most affected ones; may be "
            "repeated.",
        ),
        click.option(
            "--summary",
            type=OutputPath(),
            metavar="FILE.md",
            help="Write the verdict, the checks and the most affected queries as Markdown.",
        ),
        click.option(
            "--junit",
            type=OutputPath(),
            metavar="FILE.xml",
            help="Write the checks as a JUnit report: one test case per check.",
        ),
        click.option(
            "--json",
            "json_",
            type=OutputPath(),
            metavar="FILE",
            help="Write verdict, checks, summaries, options and hashes of the inputs as JSON.",
        ),
        click.option(
            "--fail-above",
            "upper",
            multiple=True,
            metavar="CHECK",
            help=f"Exit with 1 if a value is above a limit: the mean of MED ({limit}), a loss "
            f"(loss:{limit}), a percentile (p95:{high}), the largest (max:{high}), and more: see "
            "docs/gate.md; may be repeated.",
        ),
        click.option(
            "--fail-below",
            "lower",
            multiple=True,
            metavar="CHECK",
            help="The same for rank similarities, which fall when more changes (RBO=0.8).",
        ),
    )


class Delivered(NamedTuple):
    """What the checks found, and the summary where it was composed while rows were written."""

    outcomes: list[Outcome]
    summary: Background[str] | None


@dataclass(frozen=True)
class Delivery:
    """What a command was asked to do with a comparison."""

    output: str | None
    format_: str | None
    spreadsheet: bool
    top: int
    report: str | None
    documents: str | None
    query: tuple[str, ...]
    sample: int
    summary: str | None
    junit: str | None
    json_: str | None
    upper: tuple[str, ...]
    lower: tuple[str, ...]

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> Delivery:
        """Takes its options out of those of a command; what is wrong with them is said now."""
        return cls(**{one.name: options.pop(one.name) for one in fields(cls)})

    def __post_init__(self) -> None:
        check_report_options(self.report, self.documents)
        if self.report is None and (self.query or self.sample):
            raise click.UsageError("--query and --sample need a report: add --report FILE.html")
        if self.shows_all and (self.query or self.sample):
            raise click.UsageError(
                "--query and --sample choose the queries of one page; a folder holds all of them: "
                "leave them out, or name a file: --report FILE.html"
            )
        _ = self.format
        read_by_measures(click.get_current_context(), self.measures)
        if self.junit is not None and not self.checks:
            raise click.UsageError("--junit needs a check: --fail-above or --fail-below")

    @cached_property
    def format(self) -> str | None:
        """The format of rows that are to be written or printed; None for a summary."""
        return row_format(self.output, self.format_, self.spreadsheet)

    @cached_property
    def checks(self) -> list[Check]:
        """The limits."""
        from medir.comparing.decision.gate import Check

        return [
            *(Check.parse(text) for text in self.upper),
            *(Check.parse(text, "below") for text in self.lower),
        ]

    @property
    def measures(self) -> list[Measure]:
        """The measures that limits name."""
        return [check.measure for check in self.checks]

    @property
    def shows_all(self) -> bool:
        """Whether the report is a folder of all queries."""
        if self.report is None:
            return False
        from medir.rendering.pages.report import in_a_folder

        return in_a_folder(self.report)

    @property
    def prints_rows(self) -> bool:
        """Whether rows go to standard output, instead of a summary."""
        return self.output == STDOUT or (self.output is None and self.format is not None)

    @property
    def top_queries(self) -> int:
        """How many of the most affected queries are shown, at most."""
        from medir.rendering.summaries.markdown import TOP

        return max(self.top, TOP)

    @contextmanager
    def recording(self) -> Iterator[Recording | None]:
        """What takes the lists of all queries while they are compared, for a folder of them."""
        if self.report is None or not self.shows_all:
            yield None
            return
        from medir.rendering.folders.report import recording_to

        with recording_to(Path(self.report), titles=self.documents is not None) as recording:
            yield recording

    def write(
        self,
        result: Differences[Any],
        recording: Recording | None = None,
        *,
        rows: bool = True,
    ) -> Delivered:
        """Writes the files; without `rows`, all but these."""
        from medir.comparing.decision.gate import checked

        outcomes = checked(result, self.checks)
        summary = None
        if rows and self.output is not None and not self.prints_rows:
            summary = Background(partial(_summary_text, result, self.top, outcomes))
            result.write(self.output, self.format, spreadsheet=self.spreadsheet)
            summary.wait()
        if self.report is not None:
            self._write_report(result, recording, outcomes)
        self._write_summaries(result, outcomes)
        return Delivered(outcomes, summary)

    def _write_report(
        self, result: Differences[Any], recording: Recording | None, outcomes: Sequence[Outcome]
    ) -> None:
        """Writes the page, or completes the folder that holds the lists already."""
        from medir.cli import TYPED

        assert self.report is not None
        command = click.get_current_context().meta.get(TYPED)
        if recording is not None:
            from medir.files.paths import refuse_inputs
            from medir.rendering.folders.report import write_folder

            refuse_inputs(self.report, result.origins(), whole_folder=True)
            write_folder(result, recording, result.sample.table, self.documents, outcomes, command)
            return
        from medir.rendering.pages.report import write_report
        from medir.rendering.pages.selection import TOP

        write_report(
            result,
            self.report,
            documents=self.documents,
            top=TOP if self.shows_all else max(TOP, self.top),
            only=self.query,
            sample=self.sample,
            outcomes=outcomes,
            command=command,
        )

    def _write_summaries(self, result: Differences[Any], outcomes: Sequence[Outcome]) -> None:
        """Writes what pipelines read."""
        if not (self.summary or self.junit or self.json_):
            return
        from medir.rendering.summaries.writing import write_json, write_junit, write_summary

        if self.summary is not None:
            write_summary(result, outcomes, self.summary)
        if self.junit is not None:
            write_junit(result, outcomes, self.junit)
        if self.json_ is not None:
            write_json(result, outcomes, self.json_)

    def show(
        self,
        result: Differences[Any],
        delivered: Delivered,
        summary: Callable[[Differences[Any]], None] | None = None,
        *,
        rows: bool = True,
    ) -> None:
        """Prints rows or a summary, and ends the command with 1 where a check fails.

        Without `rows`, these were written before.
        """
        outcomes = delivered.outcomes
        if self.prints_rows:
            if rows:
                result.write(standard_output(), self.format, spreadsheet=self.spreadsheet)
            for outcome in outcomes:
                if outcome.passed:
                    echo(f"medir: ok: {outcome}", err=True)
        else:
            self._summarise(result, delivered, summary)
        failed = [outcome for outcome in outcomes if not outcome.passed]
        for outcome in failed:
            echo(f"medir: check failed: {outcome}", err=True)
        if failed:
            click.get_current_context().exit(1)

    def _summarise(
        self,
        result: Differences[Any],
        delivered: Delivered,
        summary: Callable[[Differences[Any]], None] | None,
    ) -> None:
        from medir.cli.layout import open_console
        from medir.cli.tables import print_outcomes

        if summary is not None:
            summary(result)
            print_outcomes(open_console(), delivered.outcomes)
        elif delivered.summary is not None:
            put(delivered.summary.result())
        else:
            put(_summary_text(result, self.top, delivered.outcomes))
        if self.output is not None:
            rows = count(len(result) * len(result.measures), "row")
            echo(f"{rows} written to {self.output}")
        for path in (self.report, self.summary, self.junit, self.json_):
            if path is not None:
                echo(f"written to {path}")


def _summary_text(result: Differences[Any], top: int, outcomes: Sequence[Outcome]) -> str:
    computing = Background(result.summarise)  # while Python loads what prints it
    from medir.cli.tables import summary_text

    computing.wait()
    return summary_text(result, top, outcomes)
