"""`medir study`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from medir.cli.echo import echo
from medir.cli.options import (
    RUN,
    groups_option,
    look_options,
    qrels_option,
    reading_settings,
    seed_option,
    single_measure,
    spreadsheet_option,
)
from medir.cli.paths import InputPath, OutputPath

if TYPE_CHECKING:
    from medir.validation.study import Study


@click.command("study")
@click.argument("runs", type=RUN, nargs=-1, required=True, metavar="RUN RUN RUN...|DIR")
@qrels_option
@click.option("--passages", is_flag=True, help="The runs hold passages: draw figure 4 only.")
@click.option(
    "--gold",
    type=InputPath(),
    metavar="FILE",
    help="With --passages, instead of --qrels: the relevant passages.",
)
@click.option(
    "-o",
    "--output",
    type=OutputPath(),
    required=True,
    metavar="DIR",
    help="Folder for figures, tables and the page; created if needed.",
)
@groups_option
@single_measure("Measure of figures 1 and 2; with --passages, of figure 4 (U@12000 there).")
@seed_option("Seed for drawing a part of the judgments.")
@click.option(
    "--pictures",
    type=click.Choice(["svg", "pdf", "png"]),
    multiple=True,
    default=["svg"],
    show_default=True,
    help="Format of the pictures; may be repeated.",
)
@look_options
@spreadsheet_option
@reading_settings
def command(
    runs: tuple[str, ...],
    qrels: str | list[str] | None,
    passages: bool,
    gold: str | None,
    output: str,
    groups: str | None,
    measures: Any,
    **options: Any,
) -> None:
    """Does MED tell what matters, on your collection? The validation of Tan and Clarke.

    Compares all pairs of the RUNs: does MED follow true differences in effectiveness, with few and
    with many judgments, how close are runs of one group, and how do its variants and RBO
    correlate? Writes three figures with the numbers behind them, all correlations, and a page that
    says what was found. If a study is interrupted, run the same command again to continue.

    \b
    Examples:
      medir study runs/ --qrels qrels.txt -o study
      medir study runs/*.run --qrels qrels.txt -o study --pictures pdf --width page
      medir study passages/*.gz --passages --gold gold.tsv --groups runs.csv -o study
    """
    from medir.cli.commands.matrix import files_of
    from medir.cli.progress import watching
    from medir.errors import UsageError
    from medir.validation.study import study

    runs = tuple(files_of(runs))
    twice = next((run for i, run in enumerate(runs) if run in runs[:i]), None)
    if twice is not None:
        raise UsageError(f"the run {twice} is given twice")
    named = dict(zip(_names(runs), runs, strict=True))
    if passages:
        _study_passages(named, gold, output, groups, options)
        return
    if gold is not None:
        raise UsageError("--gold goes with --passages; give the judgments as --qrels FILE")
    if qrels is None:
        raise UsageError("a study needs judgments: add --qrels FILE")
    with watching("Comparing") as watcher:
        found = study(
            named,
            qrels,
            output,
            groups=groups,
            measures=measures,
            progress=watcher,
            **options,
        )
    show(found)
    echo(f"\nwritten to {output}; open study.html")


def _study_passages(
    runs: dict[str, str],
    gold: str | None,
    output: str,
    groups: str | None,
    options: dict[str, Any],
) -> None:
    """Draws the figure of passages."""
    from medir.cli.progress import watching
    from medir.errors import UsageError
    from medir.passages.compare import DEFAULT
    from medir.validation.passage_figure import passage_study

    context = click.get_current_context()
    taken = {"runs", "passages", "gold", "output", "groups", "measures", "pictures", "spreadsheet"}
    taken |= {"theme", "width", "order", "threads"}
    given = [name for name in context.params if name not in taken
             and context.get_parameter_source(name) is ParameterSource.COMMANDLINE]  # fmt: skip
    if given:
        raise UsageError(f"--{given[0].replace('_', '-')} does not go with --passages")
    if gold is None or groups is None:
        raise UsageError("a study of passages needs --gold FILE and --groups CSV")
    with watching("Comparing") as watcher:
        found = passage_study(
            runs,
            gold,
            output,
            groups,
            measures=context.params["measures"] or DEFAULT,
            pictures=options["pictures"],
            spreadsheet=options["spreadsheet"],
            theme=options["theme"],
            width=options["width"],
            order=options["order"],
            threads=options["threads"],
            progress=watcher,
        )
    echo("\n".join([found.about, *found.sentences]))
    echo(f"\nwritten to {output}; see figure-4")


def _names(runs: tuple[str, ...]) -> list[str]:
    """The file names of runs without .gz and the like, or their paths where two are the same."""
    from medir.cli.commands.matrix import names_of
    from medir.files.opening import unpacked_name

    names = [unpacked_name(name) for name in names_of(runs)]
    return names if len(set(names)) == len(names) else list(runs)


def show(found: Study) -> None:
    """Prints what was found in words."""
    from medir.base.words import count
    from medir.cli.layout import open_console, print_line
    from medir.files.identifiers import shown
    from medir.validation.figures import about
    from medir.validation.findings import answer, findings, headline

    console, claims = open_console(), findings(found)
    for sentence in (*answer(found), headline(claims)):
        print_line(console, shown(sentence))
    print_line(console, about(found))
    if found.without_judgments:
        left_out = count(found.without_judgments, "query", "queries")
        print_line(console, f"{left_out} without judgments left out")
    if found.gap:
        line = f"some MED are not proven and may be up to {found.gap:.2g} higher; raise --effort"
        print_line(console, line)
    for note in found.unseen:
        print_line(console, note)
    for one in claims:
        console.print()
        print_line(console, one.claim)
        print_line(console, f"  {shown(one.verdict)}. {shown(one.evidence)}")
    sys.stdout.flush()
