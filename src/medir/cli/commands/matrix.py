"""`medir matrix`."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from medir.cli import TYPED
from medir.cli.echo import echo, standard_output
from medir.cli.options import (
    RUN,
    gold_options,
    groups_option,
    lengths_options,
    look_options,
    measure_option,
    qrels_option,
    read_lengths,
    reading_settings,
    spreadsheet_option,
    top_option,
)
from medir.cli.paths import OutputPath

if TYPE_CHECKING:
    from rich.console import Console

    from medir.comparing.matrix import Matrix
    from medir.measures import Measure

SMALL = 8  # runs whose matrix is shown whole
LONGEST_NAME = 255  # bytes of the name of a file


@click.command("matrix")
@click.argument("runs", type=RUN, nargs=-1, required=True, metavar="RUN RUN...|DIR")
@measure_option
@qrels_option
@lengths_options
@click.option(
    "--against", metavar="RUN", help="Compare all runs with this one only (one of the runs)."
)
@click.option(
    "-o",
    "--output",
    type=OutputPath(allow_dash=True),
    metavar="FILE",
    help="Write every pair, unrounded: .csv, .tsv, .jsonl or .parquet; - is standard output (csv).",
)
@top_option("With many runs: closest and farthest pairs to show.")
@spreadsheet_option
@click.option("--per-query", is_flag=True, help="With -o: one row per query instead of the means.")
@click.option(
    "--plot",
    type=OutputPath(),
    metavar="FILE",
    help="Draw a heat map with a tree, by the first measure: .svg, .pdf or .png.",
)
@click.option(
    "--map",
    "map_",
    type=OutputPath(),
    metavar="FILE",
    help="Draw a map of the runs (multidimensional scaling), by the first measure.",
)
@click.option(
    "--report",
    type=OutputPath(),
    metavar="FILE",
    help="Write one HTML page to look through: heat map, map, pairs with their most different "
    "queries; with --qrels also scores.",
)
@click.option(
    "--tree",
    type=OutputPath(),
    metavar="FILE",
    help="Draw the tree of clusters alone, by the first measure.",
)
@groups_option
@look_options
@click.option(
    "--passages",
    is_flag=True,
    help="The runs hold passages, as for 'medir passages'; the default measure is then U@12000.",
)
@gold_options
@reading_settings
def command(
    runs: tuple[str, ...],
    measures: list[Any] | None,
    against: str | None,
    output: str | None,
    top: int,
    per_query: bool,
    spreadsheet: bool,
    plot: str | None,
    map_: str | None,
    report: str | None,
    tree: str | None,
    groups: str | None,
    theme: str,
    width: str | float | None,
    passages: bool,
    **options: Any,
) -> None:
    """How far apart are the RUNs? The mean MED of all pairs.

    Each run is read once and named after its file. A folder stands for the files in it.

    \b
    Examples:
      medir matrix runs/ -m nDCG@20 -o distances.csv
      medir matrix before.run after.run third.run --against before.run
      medir matrix runs/*.run --plot distances.svg --map systems.svg --groups groups.csv
      medir matrix runs/ --qrels qrels.txt --groups groups.csv --report matrix.html
      medir matrix runs/*.run --tree tree.pdf --width column
      medir matrix passages/*.gz --passages -m U@12000 -o distances.csv
    """
    from medir.cli.progress import watching
    from medir.errors import UsageError
    from medir.files.tables import check_format, format_of

    if per_query and output is None:
        raise UsageError("--per-query needs -o FILE")
    if spreadsheet and output is None:
        raise UsageError("--spreadsheet needs -o FILE")
    if output not in (None, "-"):
        check_format(format_of(output), spreadsheet)
    runs = tuple(files_of(runs))
    twice = next((run for i, run in enumerate(runs) if run in runs[:i]), None)
    if twice is not None:
        raise UsageError(f"the run {twice} is given twice")
    named = dict(zip(names_of(runs), runs, strict=True))
    drawn = {"heat map": plot, "map": map_, "tree": tree}
    look = {"theme": theme, "width": width}
    draw = _drawing(drawn, report, groups, against, look)
    if any(drawn.values()) and measures and not measures[0].symmetric:
        raise UsageError(
            f"{measures[0]} is not symmetric: --plot, --map and --tree need another measure"
        )
    if report and measures and not any(one.symmetric for one in measures):
        raise UsageError(f"{measures[0]} is not symmetric: --report needs another measure")
    reference = None if against is None else _name_of(against, named)
    targets = [path for path in (output, plot, map_, tree, report) if path not in (None, "-")]
    matrix, measures = _matrix_of(passages, measures, options)
    if not passages:
        inputs = *runs, options["qrels"]
        lengths = read_lengths(options["lengths"], options.pop("default_length"), *inputs)
        options["lengths"] = lengths
    with watching("Comparing") as watcher, unfinished(targets) as checkpoint:
        result = matrix(
            named,
            measures,
            against=reference,
            checkpoint=checkpoint,
            progress=watcher,
            **options,
        )
        if output not in (None, "-"):
            result.write(output, per_query=per_query, spreadsheet=spreadsheet)
        stress = draw(result)
    if output == "-":
        result.write(standard_output(), "csv", per_query, spreadsheet=spreadsheet)
        return
    show(result, top)
    if stress is not None:
        echo(f"\nthe map's stress (Kruskal's stress-1) is {stress:.3f}")
    if targets:
        echo(f"\nwritten to {', '.join(targets)}")


@contextmanager
def unfinished(targets: Sequence[str]) -> Iterator[Path | None]:
    """A file beside the first target, for what is done until all is; an interruption leaves it."""
    from medir.files.locking import InUseError

    target = Path(targets[0]).resolve() if targets else None
    if target is None or (target.exists() and not target.is_file()):
        yield None
        return
    if not target.parent.is_dir():
        from medir.errors import UsageError

        raise UsageError(f"cannot write {targets[0]!r}: there is no such directory")
    path = target.with_name(_unfinished_name(target.name))
    was_there = path.exists()
    try:
        yield path
    except (KeyboardInterrupt, click.Abort):
        echo("\nmedir: run the same command again to continue", err=True)
        raise
    except InUseError:
        raise
    except Exception:
        if not was_there:
            path.unlink(missing_ok=True)
        raise
    path.unlink(missing_ok=True)


def _unfinished_name(name: str) -> str:
    """The name of the file for what is not finished; a short one where the target has a long one.

    >>> _unfinished_name("distances.csv"), _unfinished_name(250 * "x")
    ('.distances.csv.unfinished', '.086d4a1c293bde31.unfinished')
    """
    full = f".{name}.unfinished"
    if len(os.fsencode(full)) <= LONGEST_NAME:
        return full
    return f".{sha256(os.fsencode(name)).hexdigest()[:16]}.unfinished"


def _matrix_of(
    passages: bool, measures: list[Any] | None, options: dict[str, Any]
) -> tuple[Callable[..., Matrix], Any]:
    """What compares the runs, and its measures; the options that it does not take are removed."""
    from medir.errors import UsageError

    given = click.get_current_context().get_parameter_source
    of_lists = (
        "qrels", "grades", "requests", "lengths", "default_length", "clusters", "duplicates",
        "effort", "time_limit",
    )  # fmt: skip
    of_passages = "gold", "unjudged_documents"
    for name in of_lists if passages else of_passages:
        if given(name) is ParameterSource.COMMANDLINE:
            option = "--" + name.replace("_", "-")
            goes_with = "does not go with" if passages else "goes with"
            raise UsageError(f"{option} {goes_with} --passages")
        del options[name]
    if not passages:
        from medir.comparing.matrix import matrix

        return matrix, measures
    from medir.passages.compare import DEFAULT
    from medir.passages.matrix import passage_matrix

    return passage_matrix, measures or DEFAULT


def _drawing(
    drawn: dict[str, str | None],
    report: str | None,
    groups: str | None,
    against: str | None,
    look: dict[str, Any],
) -> Callable[[Matrix], float | None]:
    """What draws the pictures and the page and returns the stress of the map.

    What is wrong with them is said before anything is compared.
    """
    from medir.errors import UsageError

    wanted = {kind: path for kind, path in drawn.items() if path is not None}
    if not wanted and look != {"theme": "light", "width": None}:
        raise UsageError("--theme and --width go with --plot, --map or --tree")
    if not (wanted or report):
        if groups is not None:
            raise UsageError("--groups goes with --plot, --map, --tree or --report")
        return lambda _: None
    if against is not None:
        raise UsageError("--plot, --map, --tree and --report need all pairs: leave out --against")
    from medir.inputs.groups import read_groups
    from medir.rendering.pages.matrix.writing import check_matrix_page, write_matrix_page
    from medir.rendering.pictures.matrices import Distances, groups_of
    from medir.rendering.pictures.plots import heat_map, system_map
    from medir.rendering.pictures.style import check_plot
    from medir.rendering.pictures.trees import system_tree

    for path in wanted.values():
        check_plot(path)
    if report is not None:
        check_matrix_page(report)
    known = None if groups is None else read_groups(groups)
    command = click.get_current_context().meta.get(TYPED)

    def draw(result: Matrix) -> float | None:
        chosen = None if known is None else groups_of(result.names, known, groups)
        if report is not None:
            write_matrix_page(result, report, groups=chosen, command=command)
        if not wanted:
            return None
        found = Distances.of(result)
        settings = {"title": found.title, "groups": chosen, **look}
        stress = None
        for kind, path in wanted.items():
            if kind == "map":
                stress = system_map(result.names, found.values, path, **settings)
            else:
                picture = heat_map if kind == "heat map" else system_tree
                picture(result.names, found.values, path, label=found.label, **settings)
        return stress

    return draw


def files_of(paths: Sequence[str]) -> Iterator[str]:
    """The runs: files as they are, and the files in folders by name, hidden ones left out."""
    from medir.errors import UsageError

    for path in paths:
        folder = Path(path)
        if not folder.is_dir():
            yield path
            continue
        inside = sorted(
            str(one) for one in folder.iterdir() if one.is_file() and not one.name.startswith(".")
        )
        if not inside:
            raise UsageError(f"the folder {path} has no files")
        yield from inside


def names_of(paths: tuple[str, ...]) -> list[str]:
    """The file names of runs, or their paths where two have the same."""
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


def _name_of(run: str, named: dict[str, str]) -> str:
    return next((name for name, path in named.items() if run in (name, path)), run)


def show(result: Matrix, top: int) -> None:
    """Prints the distances: the matrix of a few runs, the closest and farthest pairs of many."""
    from medir.base.words import count
    from medir.cli.layout import open_console, print_text

    console = open_console()
    for one in result.measures:
        print_text(console, result.verdict(one))
    console.print()
    queries = count(len(result.queries), "query", "queries")
    print_text(console, f"{len(result.names)} runs, {queries}")
    for one in result.measures:
        if gap := result.gap(one):
            line = f"some values of {one.title} are not proven and may be up to {gap:.2g} higher"
            print_text(console, f"{line}; raise --effort")
        if missing := result.missing(one):
            some = count(missing, "pair and query", "pairs and queries")
            print_text(console, f"no value of {one!r} for {some}")
    for note in result.unseen_notes():
        print_text(console, note)
    for one in result.measures:
        console.print()
        if len(result.names) <= SMALL and result.against is None:
            _print_square(console, result, one)
        elif top > 0:
            _print_pairs(console, result, one, top)
    sys.stdout.flush()


def _print_square(console: Console, result: Matrix, one: Measure) -> None:
    from medir.cli.layout import Column, print_table
    from medir.files.identifiers import shown

    means = result.mean(one)
    names = [f"{number} {shown(name)}" for number, name in enumerate(result.names, 1)]
    columns = [Column("run", names, right=False, whole=True)]
    for number, values in enumerate(means.T, 1):
        cells = ["" if math.isnan(value) else f"{value:.4f}" for value in values]
        columns.append(Column(str(number), cells, drop=number if number > 1 else 0))
    print_table(console, f"Mean {one.title}", columns, "-o FILE has all pairs")


def _print_pairs(console: Console, result: Matrix, one: Measure, top: int) -> None:
    from medir.cli.layout import Column, print_table
    from medir.files.identifiers import shown

    pairs = result.ranked_pairs(one)
    label = "mean MED" if one.kind == "difference" else f"mean {one.kind}"
    ends_of_ranking = (("Closest", pairs[:top]), ("Farthest", pairs[: -top - 1 : -1]))
    for number, (title, some) in enumerate(ends_of_ranking):
        if number > 0:
            console.print()
        ends = [[shown(result.names[pair[end]]) for _, *pair in some] for end in (0, 1)]
        columns = [
            Column("run", ends[0], right=False, whole=True),
            Column("run", ends[1], right=False, whole=True),
            Column(label, [f"{value:.4f}" for value, *_ in some]),
        ]
        print_table(console, f"{title} pairs, {one!r}", columns, "-o FILE has all pairs")
