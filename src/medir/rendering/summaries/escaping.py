"""Texts that Markdown shows as they are, whatever they hold.

GitHub and GitLab read more than Markdown: they link addresses, numbers of issues and names of
users, whom they notify. A query is none of these.
"""

from __future__ import annotations

import re

from medir.errors import visible

JOINER = "\N{WORD JOINER}"  # cannot be seen, and is part of no name
REFERENCE = re.compile(r"#(?=\w)|(?<!\w)[@!$~%&](?=\w)|:(?=[\w+-]+:)")
MARKUP = re.compile(
    r"[\\`*_\[\]<>&|~$]"
    r"|\A[-+#=:]|\A\d(?=\d*[.)])"  # headings, lists and rules
    r"|(?<=\w):(?=//)|(?<=www)\.",  # addresses
    re.IGNORECASE,
)


def text(content: str) -> str:
    """A text within a line or a cell.

    >>> print(text("a|b <i> *c*"))
    a&#124;b &#60;i&#62; &#42;c&#42;
    """
    return _escaped(REFERENCE.sub(rf"\g<0>{JOINER}", visible(content)))


def code(content: str) -> str:
    """An id or a name, in type of fixed width, where nothing is a reference.

    >>> print(code("a_b"))
    <code>a&#95;b</code>
    """
    return f"<code>{_escaped(visible(content))}</code>"


def _escaped(content: str) -> str:
    return MARKUP.sub(lambda found: f"&#{ord(found[0])};", content)
