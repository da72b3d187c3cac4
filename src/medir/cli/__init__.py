"""The command line: one file per command, each imported when it runs."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from medir.base.notices import heard_by
from medir.base.version import __version__
from medir.cli.echo import echo
from medir.errors import MedirError, abbreviated, visible_lines

# numpy's linear algebra is not used here; its threads would only take time to start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

COMMANDS = {
    "compare": "How much could a change matter, query by query?",
    "expect": "What effect should you expect?",
    "score": "How good are runs, as far as judgments tell?",
    "explain": "Why could a change matter for one query?",
    "documents": "Which documents gain and lose exposure?",
    "judge": "Which documents to judge next?",
    "matrix": "How far apart are many runs, pair by pair?",
    "passages": "How much could a change matter where results are passages?",
    "study": "Does MED tell what matters, on your collection?",
    "convert": "Turn results, also an engine's responses, into a run file.",
    "measures": "List every measure with its parameters and formula.",
    "completion": "Print the script that completes commands in your shell.",
}


@contextmanager
def _visible_errors() -> Iterator[None]:
    """Errors of click quote what was typed, as it is."""
    try:
        yield
    except click.ClickException as error:
        error.message = visible_lines(abbreviated(error.message))  # type: ignore[misc]
        raise


class _Commands(click.Group):
    """Knows every command by name and loads only the one that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"medir.cli.commands.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        with _visible_errors():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with _visible_errors():
            return self._invoke(ctx)

    def _invoke(self, ctx: click.Context) -> Any:
        try:
            with heard_by(lambda notice: echo(f"medir: {notice}", err=True)):
                return super().invoke(ctx)
        except MedirError as error:
            echo(f"medir: {error}", err=True)
            ctx.exit(2)
        except OSError as error:
            if error.errno == errno.EPIPE:  # who reads has had enough: click ends quietly
                raise
            echo(f"medir: {error.strerror}", err=True)
            sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  # what is left goes nowhere
            ctx.exit(2)
        except MemoryError:
            echo("medir: not enough memory", err=True)
            ctx.exit(2)
        except KeyboardInterrupt:
            echo("medir: interrupted", err=True)
            ctx.exit(130)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", message="medir %(version)s")
def main() -> None:
    """Say how much a change to a search engine could matter, without relevance judgments.

    \b
    Example:
      medir compare before.run after.run -m nDCG@20

    Exit codes: 0 done, 1 a check failed, 2 bad usage or input, 130 interrupted.
    """
