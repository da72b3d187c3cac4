"""`medir measures`."""

from __future__ import annotations

import click

from medir.cli.echo import echo


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
        echo(f"  {row.meaning}")
        echo(f"  {row.formula}")
        if row.about:
            echo(click.wrap_text(row.about, 88, initial_indent="  ", subsequent_indent="  "))
        names = [name for name, _ in row.trec_eval]
        for title, some in (("also written", row.aliases), ("trec_eval's", names)):
            spelled = [_spelled(name, title) for name in some]
            if spelled:
                same = f"{title}: {', '.join(f'{s} = {measure(s)}' for s in spelled)}"
                echo(click.wrap_text(same, 88, initial_indent="  ", subsequent_indent="  "))
        width = max((len(p.name) for p in row.parameters), default=0)
        for parameter in row.parameters:
            default = "" if parameter.default is None else f" (default {parameter.default!r})"
            text = f"{parameter.name:<{width}}  {parameter.meaning}{default}"
            echo(
                click.wrap_text(
                    text,
                    width=88,
                    initial_indent="    ",
                    subsequent_indent=" " * (width + 6),
                )
            )
        echo()
    echo(
        "Write a measure as nDCG@20, RBP(p=0.8) or nDCG(gains='linear', ideal='judged')@10;\n"
        "case does not matter in names, but ndcg alone is trec_eval's. c_i is the relevance of\n"
        "the document at rank i (for passages: of character i of all that is shown).\n"
        "What trec_eval writes (map, map_cut_100, ndcg, ndcg_cut_20, P_10, recip_rank,\n"
        "success_5) is what trec_eval computes."
    )


def _spelled(name: str, title: str) -> str:
    """A name with a cutoff, where it needs one or may have one."""
    if name.endswith("_cut"):
        return f"{name}_20"
    return f"{name}@20" if title == "also written" else name
