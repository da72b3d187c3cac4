"""`medir convert`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from medir.base.words import count
from medir.cli.echo import echo, standard_output
from medir.cli.options import RUN, settings_options, whole_number
from medir.cli.paths import InputPath, OutputPath

if TYPE_CHECKING:
    from medir.inputs.runs import Run
    from medir.inputs.writing.runs import WrittenRun

STDOUT = "-"
ENGINES = ["auto", "elasticsearch", "opensearch", "solr", "vespa"]
FORMATS = ["trec", "parquet", "arrow", "csv", "tsv", "jsonl", "json", "msmarco"]


@click.command("convert")
@click.argument("source", type=RUN, metavar="INPUT")
@click.option(
    "-o",
    "--output",
    type=OutputPath(allow_dash=True),
    metavar="FILE",
    required=True,
    help="The run to write: .run, .trec, .txt (TREC text), .parquet, .arrow, .feather, .csv, .tsv, "
    ".jsonl, .json, .msmarco; text also with .gz, .bz2, .xz, .zst; - is standard output.",
)
@click.option(
    "--from",
    "engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="Whose responses INPUT holds; auto: what it holds is told by its content.",
)
@click.option(
    "--to",
    "format_",
    type=click.Choice(FORMATS),
    help="The format to write, where the name of the file does not say it.",
)
@click.option(
    "--queries",
    type=InputPath(),
    metavar="FILE",
    help="Table of the queries (.tsv, .csv, .jsonl, .parquet) in the order of the responses, for "
    "their ids.",
)
@click.option(
    "--allow-partial",
    is_flag=True,
    help="Keep partial responses, and take failed ones as queries without results.",
)
@click.option(
    "--size",
    type=whole_number(),
    metavar="N",
    help="How many results each query asked for; a longer list is an error.",
)
@click.option("--lists", is_flag=True, help="One row per query, for jsonl, parquet and arrow.")
@click.option("--tag", default="medir", show_default=True, help="The last column of TREC text.")
@settings_options("order", "columns", "pad", "threads")
def command(
    source: str,
    output: str,
    engine: str,
    format_: str | None,
    queries: str | None,
    lists: bool,
    tag: str,
    **options: Any,
) -> None:
    """Turn results into a run file: INPUT is anything that medir reads as a run.

    That is also what a search engine returned: a file of _msearch responses, JSON lines of single
    responses, or a folder of them. Reading the new file gives the same lists. Partial, timed-out
    and failed responses are errors.

    \b
    Examples:
      medir convert --from elasticsearch responses.json --queries queries.tsv -o before.run
      medir convert responses/ -o before.parquet --allow-partial
      medir convert before.run -o before.jsonl --lists
      medir convert before.parquet -o - --to trec
    """
    from medir.files.opening import check_one_stdin
    from medir.inputs.queries import Queries
    from medir.inputs.writing.runs import run_format

    check_one_stdin(source, queries)
    target = standard_output() if output == STDOUT else output
    format_ = run_format(target, format_ or ("trec" if output == STDOUT else None), lists)
    ids = None if queries is None else Queries.read(queries)
    run = _read(source, engine, ids, options)
    if ids is not None and run.format is None:
        raise click.UsageError(f"--queries names those of responses; {source} names its own")
    _tell(run, run.write(target, format_, tag=tag, lists=lists), output)


def _read(source: str, engine: str, ids: Any, options: dict[str, Any]) -> Run:
    from medir.base.settings import thread_count
    from medir.inputs.formats.engines.responses import engine_run
    from medir.inputs.formats.source import Reading
    from medir.inputs.runs import Run

    if engine == "auto":
        return Run.read(source, queries=ids, **options)
    threads = thread_count(options.pop("threads"))
    return Run(*engine_run(source, Reading(queries=ids, threads=threads, **options), engine))


def _tell(run: Run, written: WrittenRun, output: str) -> None:
    queries = count(written.queries, "query", "queries")
    where = "standard output" if output == STDOUT else output
    lines = [f"{queries} with {count(written.results, 'result')} written to {where}"]
    if run.format is not None:
        lines.append(f"{run.name}: read as {run.format}")
    for line in [*lines, *written.notes]:
        echo(line, err=output == STDOUT)
