"""`medir score`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from medir.cli.echo import echo, standard_output
from medir.cli.options import (
    RUN,
    judgments_option,
    lengths_options,
    measure_option,
    output_options,
    read_lengths,
    reading_settings,
    row_format,
    top_option,
)

if TYPE_CHECKING:
    from rich.console import Console

    from medir.comparing.decision.statistics import Interval
    from medir.comparing.judging.scores import PairedDifference, Scores

INTERVAL, POSSIBLE = "95% interval", "possible"
NAMES = ("measure", "run", "query")  # columns of text
DISPENSABLE = (INTERVAL, "before", "after", POSSIBLE)  # in a narrow window, in this order


@click.command("score")
@click.argument("runs", type=RUN, nargs=-1, required=True, metavar="RUN...")
@judgments_option(required=True)
@measure_option
@lengths_options
@output_options
@top_option("With two runs: queries to show, those that change most.")
@reading_settings
def command(
    runs: tuple[str, ...],
    qrels: str | list[str],
    measures: list[Any] | None,
    lengths: str | None,
    default_length: float | None,
    output: str | None,
    format_: str | None,
    spreadsheet: bool,
    top: int,
    **options: Any,
) -> None:
    """How good are runs, as far as judgments tell?

    The mean of each measure over all judged queries, with its 95 % interval. A document without
    judgment is not relevant, and an ideal that is not stated comes from the judgments, as in
    trec_eval. --missing is about judged queries that a run does not have; an empty list is
    trec_eval's -c. With two runs also their difference, and between which bounds it lies whatever
    the unjudged documents are.

    \b
    Examples:
      medir score after.run --qrels qrels.txt -m ndcg_cut_20 -m map -m Judged@20
      medir score before.run after.run --qrels qrels.txt -m nDCG@10
      medir score *.run --qrels qrels.txt -m P@10 -o scores.csv
    """
    from medir.comparing.judging.score import score

    chosen = row_format(output, format_, spreadsheet)
    words = read_lengths(lengths, default_length, *runs, qrels)
    scores = score(list(runs), measures, qrels, lengths=words, **options)
    if output == "-" or (output is None and chosen is not None):
        scores.write(standard_output(), chosen, spreadsheet=spreadsheet)
        return
    if output is not None:
        scores.write(output, chosen, spreadsheet=spreadsheet)
    _show(scores, top)
    if output is not None:
        from medir.base.words import count

        echo(f"\n{count(scores.rows, 'row')} written to {output}")


def _show(scores: Scores, top: int) -> None:
    """Prints means, and for two runs their difference."""
    from medir.base.words import count
    from medir.cli.layout import open_console, print_line, print_text
    from medir.files.identifiers import shown

    console = open_console()
    for one in scores.measures:
        print_text(console, scores.verdict(one))
    arrow = " -> " if len(scores.runs) == 2 else ", "
    print_line(console, arrow.join(map(shown, scores.runs)))
    print_line(console, count(len(scores), "judged query", "judged queries"))
    for note in scores.notes():
        print_text(console, note)
    _print_means(console, scores)
    if len(scores.runs) == 2:
        found = [scores.difference(one) for one in scores.measures]
        _print_differences(console, found)
        for difference in found:
            _print_most_changed(console, difference, top)


def _print_means(console: Console, scores: Scores) -> None:
    from medir.cli.layout import print_text
    from medir.files.identifiers import shown

    rows = []
    without = False
    for one in scores.measures:
        for number, run in enumerate(scores.runs):
            interval = scores.interval(one, run)
            without = without or interval is None
            rows.append(
                {
                    "measure": repr(one) if number == 0 else "",
                    "run": shown(run),
                    "mean": f"{scores.mean(one, run):.4f}",
                    INTERVAL: _range(interval),
                }
            )
    if len(scores.runs) == 1:
        rows = [{name: cell for name, cell in row.items() if name != "run"} for row in rows]
    _print_table(console, "Mean scores", rows)
    if without:
        print_text(console, "no interval for fewer than 10 queries")


def _print_differences(console: Console, found: Sequence[PairedDifference]) -> None:
    from medir.cli.layout import print_text

    rows = [
        {
            "measure": repr(one.measure),
            "difference": f"{one.mean():+.4f}",
            INTERVAL: _range(one.interval(), "+"),
            POSSIBLE: _range(one.possible(), "+"),
        }
        for one in found
    ]
    _print_table(console, "Difference of the means, second run - first run", rows)
    if any(one.interval() is None for one in found):
        print_text(console, "no interval where fewer than 10 queries change")
    if any(one.possible() is not None for one in found):
        print_text(console, "possible: where it may lie, whatever the unjudged documents are")
    wide = [one.measure for one in found if max(map(abs, one.possible() or (0.0,))) > 1]
    if any(one["ideal"] == "judged" for one in wide):
        print_text(
            console,
            "bounds beyond 1: the ideal counts judged documents only; state ideal='unbounded' for "
            "a scale from 0 to 1",
        )


def _print_most_changed(console: Console, one: PairedDifference, top: int) -> None:
    from medir.files.identifiers import shown

    rows = []
    for i in one.most_changed(top):
        row = {
            "query": shown(one.queries[i]),
            "before": f"{one.before[i]:.4f}",
            "after": f"{one.after[i]:.4f}",
            "difference": f"{one.change[i]:+.4f}",
        }
        if one.gain is not None and one.loss is not None:
            row[POSSIBLE] = _range((-one.loss[i], one.gain[i]), "+")
        rows.append(row)
    if rows:
        _print_table(console, f"Queries that change most by {one.measure!r}", rows)


def _print_table(console: Console, title: str, rows: Sequence[dict[str, str]]) -> None:
    """Prints rows under a title."""
    from medir.cli.layout import Column, print_table

    drops = {name: drop for drop, name in enumerate(reversed(DISPENSABLE), 1)}
    columns = [
        Column(
            name,
            [row[name] for row in rows],
            right=name not in NAMES,
            drop=drops.get(name, 0),
            whole=name in NAMES,
        )
        for name in rows[0]
    ]
    console.print()
    print_table(console, title, columns, "a wider terminal shows all columns")


def _range(bounds: Interval | tuple[float, float] | None, sign: str = "") -> str:
    """Two bounds in words; nothing where there are none."""
    if bounds is None:
        return ""
    low, high = (round(float(bound), 4) + 0.0 for bound in bounds)
    return f"{low:{sign}.4f} to {high:{sign}.4f}"
