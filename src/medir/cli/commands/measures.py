"""`medir measures`."""

from __future__ import annotations

import click


@click.command("measures")
def command() -> None:
    """List every measure with its parameters, their defaults, and its formula.

    \b
    Example:
      medir measures
    """
    from medir.measures import measure
    from medir.measures.table import FAMILIES

    for row in FAMILIES:
        deep = f"{row.name}@k"
        title = (
            f"{row.name} or {deep}" if row.cutoff is None else f"{deep} (default k = {row.cutoff})"
        )
        click.secho(title, bold=True, nl=False)
        click.echo(f"  {row.meaning}")
        click.echo(f"  {row.formula}")
        if row.about:
            click.echo(click.wrap_text(row.about, 88, initial_indent="  ", subsequent_indent="  "))
        if row.aliases:
            spellings = [a + ("_20" if a.endswith("_cut") else "@20") for a in row.aliases]
            same = ", ".join(f"{s} = {measure(s)}" for s in spellings)
            click.echo(f"  also written: {same}")
        width = max((len(p.name) for p in row.parameters), default=0)
        for parameter in row.parameters:
            default = "" if parameter.default is None else f" (default {parameter.default!r})"
            text = f"{parameter.name:<{width}}  {parameter.meaning}{default}"
            click.echo(
                click.wrap_text(
                    text,
                    width=88,
                    initial_indent="    ",
                    subsequent_indent=" " * (width + 6),
                )
            )
        click.echo()
    click.echo(
        "Write a measure as nDCG@20, RBP(p=0.8) or nDCG(gains='linear', ideal='judged')@10;\n"
        "case does not matter in names. c_i is the relevance of the document at rank i\n"
        "(for passages: of character i of all that is shown)."
    )
