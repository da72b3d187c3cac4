"""Reports to look into: their data, and runs whose every text is markup."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)

HOSTILE_QUERY = "</script><script>document.title='broken'</script>\"'&amp;"
HOSTILE_DOCUMENT = '"><img/src=x/onerror=document.title="broken">&lt;'
HOSTILE_TEXT = "<script>document.title = 'broken'</script> \"quoted\" & 'so' \u2028 <!-- {{ 7*7 }}"
HOSTILE_TITLE = "<b onclick=\"x\">bold</b> ]]> ${1} {% raw %} 'q'"
HOSTILE = (
    {HOSTILE_QUERY: [HOSTILE_DOCUMENT, "b", "c"], "plain": ["a", "b"]},
    {HOSTILE_QUERY: ["b", HOSTILE_DOCUMENT, "d"], "plain": ["a", "b"]},
)


def data_of(page: Path) -> dict[str, Any]:
    """What a page holds of its queries."""
    match = DATA.search(page.read_text(encoding="utf-8"))
    assert match is not None
    data: dict[str, Any] = json.loads(match[1])
    return data


class Elements(HTMLParser):
    """The elements of a page and its text."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def notes(page: Path) -> str:
    """What a page says beside its numbers."""
    found = re.findall(r'<p class="note">(.*?)</p>', page.read_text(encoding="utf-8"), re.DOTALL)
    return "\n".join(found)
