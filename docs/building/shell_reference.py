"""The reference of the shell, from the commands themselves: a hook of mkdocs.

In a page, a line `<!-- commands -->` is replaced by the help of every command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from typing import Any

import click

from medir.cli import main

PLACE = "<!-- commands -->"
MARKUP = re.compile(r"[&<>*_|`\[\]]")
PAGE = re.compile(r"\bdocs/([\w-]+)\.md")
ANY_NUMBER = re.compile(r"(-?\d+)<=x<=[19]\d{8,}(\.0)?")  # the other end says nothing
EXAMPLE = "\b\n"  # click wraps no paragraph that begins like this


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with its commands; mkdocs calls this."""
    return markdown.replace(PLACE, reference()) if PLACE in markdown else markdown


def reference() -> str:
    """Every command in the order of `medir --help`."""
    context = click.Context(main, info_name="medir")
    return "\n\n".join(line for one in commands(main, context) for line in described(*one))


def commands(
    group: click.Group, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    """The commands of a group; a group among them stands before its own."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        yield command, inner
        if isinstance(command, click.Group):
            yield from commands(command, inner)


def described(command: click.Command, context: click.Context) -> Iterator[str]:
    """A command: what it does, examples, how it is written, and its options."""
    yield f"## {context.command_path}"
    for part in re.split(r"\n{2,}", cleandoc(command.help or "")):
        if part.startswith(EXAMPLE):
            title, *lines = part.removeprefix(EXAMPLE).splitlines()
            yield title
            yield "\n".join(["```text", *(line.removeprefix("  ") for line in lines), "```"])
        else:
            yield linked(_cell(part))
    if isinstance(command, click.Group):
        return
    yield f"```text\n{context.command_path} {' '.join(command.collect_usage_pieces(context))}\n```"
    records = [one.get_help_record(context) for one in command.get_params(context)]
    options = [row(*record) for record in records if record is not None and record[1]]
    yield "\n".join(["| option | meaning |", "| --- | --- |", *options])


def row(name: str, meaning: str) -> str:
    """A row of the table of options."""
    words = (f'<code class="option">{_cell(word)}</code>' for word in name.split(" "))
    meaning = ANY_NUMBER.sub(r"at least \1", meaning)
    return f"| {' '.join(words)} | {linked(_cell(meaning))} |"


def _cell(text: str) -> str:
    """A text in which nothing is markup, and nothing ends a cell."""
    return MARKUP.sub(lambda found: f"&#{ord(found[0])};", text)


def linked(text: str) -> str:
    """A text in which the pages that it names are links."""
    return PAGE.sub(r"[\1](\1.md)", text)
