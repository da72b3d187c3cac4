"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import Field
from functools import partial, reduce
from typing import Any, cast

import click

from medir.base.checks import HIGHEST_GRADE, LARGEST_AMOUNT, LARGEST_SEED, MOST, MOST_SECONDS
from medir.base.settings import SETTINGS
from medir.cli.paths import InputPath, OutputPath, read_by_measures

Command = Callable[..., Any]


def whole_number(least: int = 1, most: int = MOST) -> click.IntRange:
    """The type of a whole number."""
    return click.IntRange(min=least, max=most)


class Real(click.FloatRange):
    """The type of a number that is finite."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


AMOUNT = Real(min=0, max=LARGEST_AMOUNT)


def _measures(
    ctx: click.Context, param: click.Parameter, names: tuple[str, ...]
) -> list[Any] | None:
    from medir.measures import measure

    found = [measure(name) for name in names]
    read_by_measures(ctx, found)
    return found or None


def complete_measure(
    ctx: click.Context, param: click.Parameter, incomplete: str, passages: bool = False
) -> list[str]:
    from medir.measures.table import FAMILIES

    rows = [row for row in FAMILIES if (row.passages if passages else row.documents)]
    names = [
        f"{row.name}@{row.cutoff}" if row.cutoff else row.name for row in rows if not row.required
    ]
    return [name for name in names if name.lower().startswith(incomplete.lower())]


RUN = InputPath(allow_dash=True)


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
        help=f"Measure, such as {such_as}; may be repeated. Default: {default}. See 'medir "
        "measures'.",
    )


def _single_measure(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> Any:
    measures = _measures(ctx, param, names)
    if measures is not None and len(measures) > 1:
        raise click.BadParameter(f"{ctx.info_name} takes one measure, not {len(measures)}")
    return None if measures is None else measures[0]


def single_measure(help: str) -> Callable[[Command], Command]:
    """-m MEASURE, once."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        callback=_single_measure,
        shell_complete=complete_measure,
        help=f"{help} Default: {DEFAULT}. See 'medir measures'.",
    )


DEFAULT = "nDCG@20, or as deep as the longest list"
single_measure_option = single_measure("Measure, such as nDCG@20 or RBP(p=0.8).")
measure_option = measures_option(DEFAULT, "nDCG@20 or RBP(p=0.8)", passages=False)
passage_measure_option = measures_option("U@12000", "U@12000 or TBG(half_life=60)", passages=True)


spreadsheet_option = click.option(
    "--spreadsheet",
    is_flag=True,
    help="For csv and tsv: put an apostrophe before texts that a spreadsheet could run as formulas "
    "(those that begin with =, +, - or @).",
)


def output_options(command: Command) -> Command:
    """-o FILE, --format and --spreadsheet."""
    command = spreadsheet_option(command)
    command = click.option(
        "--format",
        "format_",
        type=click.Choice(["table", "csv", "tsv", "jsonl"]),
        help="What to print: a summary (table), or every row. With -o: the format of the file.",
    )(command)
    return click.option(
        "-o",
        "--output",
        type=OutputPath(allow_dash=True),
        metavar="FILE",
        help="Write every row, unrounded: .csv, .tsv, .jsonl or .parquet; - is standard output.",
    )(command)


def row_format(output: str | None, format_: str | None, spreadsheet: bool) -> str | None:
    """The format of rows that are to be written or printed; None for a summary."""
    if output is None and format_ in (None, "table"):
        if spreadsheet:
            raise click.UsageError("--spreadsheet goes with -o FILE, or with --format csv or tsv")
        return None
    from medir.files.tables import check_format, format_of

    chosen = "csv"
    if format_ not in (None, "table"):
        chosen = str(format_)
    elif output is not None and output != "-":
        chosen = format_of(output)
    check_format(chosen, spreadsheet)
    return chosen


def lengths_options(command: Command) -> Command:
    """--lengths FILE and --default-length N."""
    command = click.option(
        "--default-length",
        type=AMOUNT,
        metavar="N",
        help="With --lengths: length of documents that the file does not list (default: an error).",
    )(command)
    return click.option(
        "--lengths",
        type=RUN,
        metavar="FILE",
        help="For TBG: lengths of documents: lines 'document words', or a table (doc_id, words).",
    )(command)


def read_lengths(lengths: str | None, default_length: float | None, *inputs: object) -> Any:
    """The lengths of documents, beside the other inputs of a command."""
    if lengths is None:
        if default_length is not None:
            from medir.errors import UsageError

            raise UsageError("--default-length goes with --lengths FILE")
        return None
    from medir.files.opening import check_one_stdin
    from medir.inputs.lengths import Lengths

    check_one_stdin(lengths, *inputs)
    return Lengths.read(lengths, default=default_length)


def decorated(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order in which help lists them."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def settings_options(*names: str) -> Callable[[Command], Command]:
    """The settings of these names, as `medir.base.settings` describes them."""
    return decorated(*(_setting_option(SETTINGS[name]) for name in names))


class _Columns(click.ParamType):  # type: ignore[type-arg]
    """NAME=COLUMN,NAME=COLUMN."""

    name = "columns"

    def convert(self, value: Any, param: Any, ctx: Any) -> dict[str, str]:
        if isinstance(value, dict):
            return value
        pairs = [part.partition("=") for part in value.split(",")]
        if not all(ours and sign and theirs for ours, sign, theirs in pairs):
            self.fail(f"{value!r} is not like query_id=q,doc_id=d", param, ctx)
        return {ours.strip(): theirs for ours, _, theirs in pairs}


def _is_grade(text: str) -> bool:
    return text.isdecimal() and len(text) <= len(str(HIGHEST_GRADE))


class _Grades(click.ParamType):  # type: ignore[type-arg]
    """VALUE=GRADE,VALUE=GRADE."""

    name = "grades"

    def convert(self, value: Any, param: Any, ctx: Any) -> dict[str, int]:
        if isinstance(value, dict):
            return value
        pairs = [part.rpartition("=") for part in value.split(",")]
        if not all(level.strip() and _is_grade(grade.strip()) for level, _, grade in pairs):
            self.fail(f"{value!r} is not like 0=0,0.5=1,1=2", param, ctx)
        if len({level.strip() for level, _, _ in pairs}) < len(pairs):
            self.fail(f"{value!r} names a value twice", param, ctx)
        return {level.strip(): int(grade) for level, _, grade in pairs}


_TYPES = {
    "columns": (_Columns(), "NAME=COLUMN,..."),
    "grades": (_Grades(), "VALUE=GRADE,..."),
    "requests": (InputPath(), "FILE"),
    "clusters": (RUN, "FILE"),
    "time_limit": (click.FloatRange(min=0, max=MOST_SECONDS, min_open=True), "SECONDS"),
}


def _range_of(setting: Field[Any]) -> click.IntRange:
    return whole_number(setting.metadata["least"], setting.metadata["most"])


def _setting_option(setting: Field[Any]) -> Callable[[Command], Command]:
    choices = setting.metadata["choices"]
    kind, metavar = _TYPES.get(setting.name, (_range_of(setting), "N"))
    return click.option(
        f"--{setting.name.replace('_', '-')}",
        type=click.Choice(choices) if choices else kind,
        metavar=None if choices else metavar,
        default=setting.default,
        show_default=setting.default is not None,
        help=setting.metadata["help"],
    )


passage_settings = settings_options("order", "missing", "unseen", "depth", "columns", "threads")
reading_settings = settings_options(*SETTINGS)
_gold_options = (
    click.option(
        "--gold",
        type=InputPath(),
        metavar="FILE",
        help="Relevant passages (topic document offset length); the rest of their documents is not "
        "relevant.",
    ),
    click.option(
        "--unjudged-documents",
        type=click.Choice(["unknown", "not-relevant"]),
        default="unknown",
        show_default=True,
        help="How to treat documents without a gold passage.",
    ),
)


def _readable(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """A file that is there, which is known before any work is done."""
    if path not in (None, "-"):
        from medir.inputs.texts import check_readable

        check_readable(path)
    return path


gold_options = decorated(*_gold_options)  # what is known of passages
queries_option = click.option(
    "--queries",
    type=InputPath(),
    metavar="FILE",
    callback=_readable,
    help="Table of queries (.tsv, .csv, .jsonl, .parquet): query_id, and text, weight or others.",
)
weight_options = decorated(
    queries_option,
    click.option(
        "--weight",
        metavar="COLUMN",
        help="With --queries: how much each query counts (default: the column weight, if there is "
        "one; '' for no weights).",
    ),
    click.option(
        "--missing-weight",
        type=AMOUNT,
        metavar="W",
        help="Weight of queries that the table does not have (default: 1).",
    ),
)
sample_options = decorated(
    weight_options,
    click.option(
        "--by", metavar="COLUMN", help="With --queries: summaries of each segment of this column."
    ),
    click.option(
        "--noise",
        type=RUN,
        metavar="BEFORE2",
        help="A second run of the system BEFORE: what two of its runs differ by.",
    ),
)


def _joined(ctx: click.Context, param: click.Parameter, paths: tuple[str, ...]) -> Any:
    """No file, a file, or several."""
    from medir.files.opening import check_one_stdin

    check_one_stdin(*paths)
    return list(paths) if len(paths) > 1 else next(iter(paths), None)


def judgments_option(required: bool = False) -> Callable[[Command], Command]:
    """--qrels FILE, repeatable."""
    return click.option(
        "--qrels",
        type=RUN,
        metavar="FILE",
        multiple=True,
        required=required,
        callback=_joined,
        help="Relevance judgments (qrels); may be repeated, and all of them count.",
    )


qrels_option = judgments_option()
memory_option = click.option(
    "--memory",
    metavar="SIZE",
    help="For Parquet and Arrow that do not fit into memory: compare by ranges of queries within "
    "about so much of it, such as 2GB. Rows of tables that are not sorted by query come in the "
    "order of the ids.",
)
groups_option = click.option(
    "--groups",
    type=InputPath(),
    metavar="CSV",
    help="Groups of the runs: columns run, group and, optionally, type (automatic, manual, ...).",
)


class _PictureWidth(click.ParamType):  # type: ignore[type-arg]
    """The width of a column or a page, or a number of inches."""

    name = "width"

    def convert(self, value: Any, param: Any, ctx: Any) -> str | float:
        from medir.errors import UsageError
        from medir.rendering.pictures.appearance import inches_of

        try:
            chosen = value if value in ("column", "page") else float(value)
            inches_of(chosen)
        except UsageError as error:
            self.fail(f"{error}.", param, ctx)
        except ValueError:
            self.fail(f"{value!r} is not column, page or a number of inches.", param, ctx)
        return cast("str | float", chosen)


look_options = decorated(
    click.option(
        "--theme",
        type=click.Choice(["light", "dark"]),
        default="light",
        show_default=True,
        help="The colours of pictures.",
    ),
    click.option(
        "--width",
        type=_PictureWidth(),
        metavar="WIDTH",
        help="How wide pictures are: column (3.35 inches), page (7 inches), or a number of inches. "
        "Default: as wide as they need to be.",
    ),
)


def top_option(help: str, default: int = 10, least: int = 0) -> Callable[[Command], Command]:
    """--top N."""
    return click.option(
        "--top",
        type=whole_number(least),
        default=default,
        show_default=True,
        metavar="N",
        help=help,
    )


def seed_option(help: str) -> Callable[[Command], Command]:
    """--seed N."""
    return click.option(
        "--seed",
        type=whole_number(0, LARGEST_SEED),
        default=0,
        show_default=True,
        metavar="N",
        help=help,
    )


def check_report_options(report: str | None, documents: str | None) -> None:
    """Raises an error where no report could be written, before the comparison."""
    if report is not None:
        from medir.rendering.pages.report import check_report

        check_report(report, documents)
    elif documents is not None:
        from medir.errors import UsageError

        raise UsageError("--documents adds titles to a report: add --report FILE.html")
