"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

Command = Callable[..., Any]


def _measures(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> list[Any]:
    from medir.measures.notation import measure

    return [measure(name) for name in names]


def complete_measure(
    ctx: click.Context, param: click.Parameter, incomplete: str, passages: bool = False
) -> list[str]:
    from medir.measures.table import FAMILIES

    rows = [row for row in FAMILIES if (row.passages if passages else row.shape != "trailtext")]
    names = [f"{row.name}@{row.cutoff}" if row.cutoff else row.name for row in rows]
    own = ("Discount", "Cascade")  # they need more than a name
    return [
        name for name in names if name not in own and name.lower().startswith(incomplete.lower())
    ]


RUN = click.Path(dir_okay=True, allow_dash=True)  # what is wrong with it is said when it is read


def measures_option(default: str, such_as: str, passages: bool) -> Callable[[Command], Command]:
    """-m MEASURE, repeatable."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        callback=_measures,
        shell_complete=partial(complete_measure, passages=passages),
        default=[default],
        show_default=True,
        help=f"Measure, such as {such_as}; may be repeated. See 'medir measures'.",
    )


measure_option = measures_option("nDCG@20", "nDCG@20 or RBP(p=0.8)", passages=False)
passage_measure_option = measures_option("U@12000", "U@12000 or TBG(half_life=60)", passages=True)


def output_options(command: Command) -> Command:
    """-o FILE and --format."""
    command = click.option(
        "--format",
        "format_",
        type=click.Choice(["table", "csv", "tsv", "jsonl"]),
        help="What to print: a summary (table), or every row. With -o: the format of the file.",
    )(command)
    return click.option(
        "-o",
        "--output",
        type=click.Path(),
        metavar="FILE",
        help="Write every row, unrounded: .csv, .tsv, .jsonl or .parquet.",
    )(command)


def row_format(output: str | None, format_: str | None) -> str | None:
    """The format of rows that are to be written or printed; None for a summary."""
    if format_ not in (None, "table"):
        return format_
    if output is None:
        return None
    from medir.files.tables import check_format, format_of

    chosen = format_of(output)
    check_format(chosen)
    return chosen


def lengths_options(command: Command) -> Command:
    """--lengths FILE and --default-length N."""
    command = click.option(
        "--default-length",
        type=click.FloatRange(min=0),
        metavar="N",
        help="With --lengths: words of a document that the file does not name (default: an error).",
    )(command)
    return click.option(
        "--lengths",
        type=click.Path(allow_dash=True),
        metavar="FILE",
        help="For TBG: lengths of documents, in lines 'document words'.",
    )(command)


def read_lengths(lengths: str | None, default_length: float | None, *inputs: str | None) -> Any:
    """The lengths of documents, beside the other inputs of a command."""
    from medir.errors import UsageError
    from medir.files.opening import is_stdin
    from medir.inputs.lengths import Lengths

    if lengths is None:
        if default_length is not None:
            raise UsageError("--default-length goes with --lengths FILE")
        return None
    if is_stdin(lengths) and any(map(is_stdin, inputs)):
        raise UsageError("only one of the files can come from standard input")
    return Lengths.read(lengths, default=default_length)


def _order_option(ties: str) -> Callable[[Command], Command]:
    return click.option(
        "--order",
        type=click.Choice(["score", "rank", "file"]),
        default="score",
        show_default=True,
        help=f"Order results by score (ties by {ties}), by the rank column, or as they stand in "
        "the file.",
    )


_missing_option = click.option(
    "--missing",
    type=click.Choice(["empty", "skip", "error"]),
    default="empty",
    show_default=True,
    help="A query in one run only: compare with an empty list, skip it, or stop.",
)
_complete_option = click.option(
    "--complete", is_flag=True, help="Lists are complete: nothing stands below their last result."
)
_depth_option = click.option(
    "--depth", type=click.IntRange(min=1), metavar="N", help="Cut all lists at N results."
)
_threads_option = click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Threads to use (default: one for each processor).",
)
_gold_options = (
    click.option(
        "--gold",
        type=click.Path(),
        metavar="FILE",
        help="Passages that are relevant (topic document offset length); the rest of their "
        "documents is not.",
    ),
    click.option(
        "--unjudged-documents",
        type=click.Choice(["unknown", "not-relevant"]),
        default="unknown",
        show_default=True,
        help="What documents without a gold passage are.",
    ),
)


def gold_options(command: Command) -> Command:
    """What is known of passages."""
    for option in reversed(_gold_options):
        command = option(command)
    return command


def passage_options(command: Command) -> Command:
    """How runs of passages are read, and what is known of them."""
    options = (_order_option("rank"), _missing_option, _complete_option, _depth_option)
    for option in reversed((*_gold_options, *options, _threads_option)):
        command = option(command)
    return command


def reading_options(command: Command) -> Command:
    """How runs are read: order, missing queries, repeated documents, depth."""
    for option in reversed(
        [
            _order_option("document id, as trec_eval"),
            _missing_option,
            click.option(
                "--duplicates",
                type=click.Choice(["error", "first"]),
                default="error",
                show_default=True,
                help="A document twice in one list: stop, or keep the one ranked higher.",
            ),
            _complete_option,
            _depth_option,
            click.option(
                "--effort",
                type=click.IntRange(min=1),
                default=1_000_000,
                show_default=True,
                metavar="N",
                help="Steps that the search for one maximum may take (AP, ERR, TBG); what is not "
                "proven by then has a gap.",
            ),
            _threads_option,
        ]
    ):
        command = option(command)
    return command


top_option = click.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="Most affected queries to show.",
)


def report_options(command: Command) -> Command:
    """A page to look at, and the texts for it."""
    for option in reversed(
        [
            click.option(
                "--report",
                type=click.Path(),
                metavar="FILE.html",
                help="Write a page with pictures and the lists of the most affected queries, 200 "
                "or --top.",
            ),
            click.option(
                "--queries",
                type=click.Path(),
                metavar="FILE",
                help="Texts of queries for the report: id, tab, text; or .jsonl.",
            ),
            click.option(
                "--documents",
                type=click.Path(),
                metavar="FILE",
                help="Titles of documents for the report: id, tab, title; or .jsonl.",
            ),
        ]
    ):
        command = option(command)
    return command


def check_report_options(report: str | None, queries: str | None, documents: str | None) -> None:
    """Raises an error where no report could be written, before the comparison."""
    if report is not None:
        from medir.rendering.pages.report import check_report

        check_report(queries, documents)
    elif queries is not None or documents is not None:
        from medir.errors import UsageError

        option = "--queries" if queries is not None else "--documents"
        raise UsageError(f"{option} adds texts to a report: state --report FILE.html")
