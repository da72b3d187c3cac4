"""Lines for people, on standard output or standard error: all but tables go through here."""

from __future__ import annotations

import click

from medir.errors import abbreviated, visible_lines


def echo(text: str = "", *, err: bool = False) -> None:
    """Prints a text; what could act on a terminal appears as escapes."""
    click.echo(visible_lines(abbreviated(text)), err=err)
