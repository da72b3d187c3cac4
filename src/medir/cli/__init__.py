"""The command line: one file per command, each imported when it runs."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from shlex import join
from typing import Any, NoReturn

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
    "spark": "Compare runs that lie on a cluster, by Apache Spark.",
    "clusters": "Which documents have the same content?",
    "convert": "Turn results, also an engine's responses, into a run file.",
    "measures": "List every measure with its parameters and formula.",
    "completion": "Print the script that completes commands in your shell.",
}


TYPED = "medir.typed"  # where the context keeps the whole command
WRITING = {errno.ENOSPC, errno.EBADF, errno.EIO, errno.EFBIG}


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

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Runs a command, says what it cannot do, and exits.

        Unlike click's own, it leaves interrupts, closed pipes and what nobody expected to the
        process.
        """
        words = sys.argv[1:] if args is None else list(args)
        name = prog_name or "medir"
        typed = join([name, *words])
        self._main_shell_completion(extra, name, complete_var)
        try:
            with (
                heard_by(lambda notice: echo(f"medir: {notice}", err=True)),
                self.make_context(name, words, **extra) as ctx,
            ):
                ctx.meta[TYPED] = typed
                self.invoke(ctx)
            code = 0
        except click.exceptions.Exit as end:
            code = end.exit_code
        except click.ClickException as error:  # it quotes what was typed, as it is
            error.message = visible_lines(abbreviated(error.message))  # type: ignore[misc]
            error.show()
            code = error.exit_code
        except BrokenPipeError:
            raise
        except (MedirError, OSError) as error:
            echo(f"medir: {_problem(error)}", err=True)
            code = 2
        sys.exit(code)


def _problem(error: MedirError | OSError) -> str:
    if isinstance(error, MedirError):
        return str(error)
    problem = error.strerror or str(error)
    if error.filename is not None:
        return f"{error.filename!r}: {problem}"
    if error.errno in WRITING:  # files that are written are named
        return f"cannot write standard output: {problem}"
    return problem


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", message="medir %(version)s")
def main() -> None:
    """Say how much a change to a search engine could matter, without relevance judgments.

    \b
    Example:
      medir compare before.run after.run -m nDCG@20

    Exit codes: 0 done, 1 a check failed, 2 bad usage or input, 70 a fault of medir, 130
    interrupted (129, 143: another signal), 141 nobody reads the output. See docs/gate.md.
    """
