"""`medir completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script that completes commands, options and file names in your shell.

    \b
    Example:
      medir completion bash >> ~/.bashrc
    """
    from medir.cli import main

    kind = get_completion_class(shell)
    assert kind is not None, shell
    click.echo(kind(main, {}, "medir", "_MEDIR_COMPLETE").source())
