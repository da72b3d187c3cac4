"""A comparison as Markdown, as a renderer with GitHub's tables shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import medir
from medir.rendering.summaries.escaping import JOINER, code, text
from medir.rendering.summaries.markdown import markdown
from medir.rendering.summaries.writing import write_summary
from tests.cases.summaries import (
    AFTER,
    BEFORE,
    CASES,
    HOSTILE,
    TABLE,
    Case,
    files,
    hostile,
    judged,
    noise,
    outcomes_of,
    passages,
    plain,
    segments,
    similarities,
)
from tests.profiles import examples

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
TAGS = {
    "h3", "h4", "p", "strong", "ul", "li", "code", "table", "thead", "tbody", "tr", "th", "td",
    "details", "summary",
}  # fmt: skip


@dataclass
class Page(HTMLParser):
    """What a reader sees."""

    tags: set[str] = field(default_factory=set)
    headings: list[str] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)
    bold: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"style"}  # the alignment of a cell
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        self._open.append((tag, []))

    def handle_data(self, data: str) -> None:
        for _, texts in self._open:
            texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        opened, texts = self._open.pop()
        assert opened == tag
        content = "".join(texts).replace(JOINER, "")
        if tag in ("td", "th"):
            self.tables[-1][-1].append(content)
        places = {"h3": self.headings, "h4": self.headings, "p": self.paragraphs, "li": self.items}
        places["strong"] = self.bold
        if tag in places:
            places[tag].append(content)

    def column(self, table: int, name: str) -> list[str]:
        """The cells below a heading."""
        header, *rows = self.tables[table]
        return [row[header.index(name)] for row in rows]


def rendered(content: str) -> Page:
    page = Page()
    page.feed(RENDERER.render(content))
    page.close()
    assert page._open == []
    return page


def read(case: Case, top: int = 10) -> Page:
    return rendered(markdown(*case, top))


@pytest.mark.parametrize("name", CASES)
def test_every_summary_is_well_formed(name: str) -> None:
    result, outcomes = CASES[name]()
    page = read((result, outcomes))
    assert page.tags <= TAGS
    first, *rest = result.verdict()
    assert page.bold[0] == page.paragraphs[0] == first
    assert not rest or page.paragraphs[1] == " ".join(rest)
    for table in page.tables:
        assert len({len(row) for row in table}) == 1
    marks = [item[0] for item in page.items[: len(outcomes)]]
    assert marks == ["✅" if one.passed else "❌" for one in outcomes]


def test_the_heading_says_whether_all_checks_passed() -> None:
    assert read(plain()).headings[0] == "before → after"
    assert read(plain("P@2=0.7")).headings[0] == "✅ before → after"
    assert read(plain("P@2=0.7", "P@2=0.1")).headings[0] == "❌ before → after"


def test_checks_stand_below_the_verdict() -> None:
    case = plain("P@2=0.7", "max:P@2=0.9")
    page = read(case)
    assert page.items[:2] == [
        "✅ mean MED of P@2 is 0.625, limit 0.7",
        "❌ max MED of P@2 is 1.000, limit 0.9; 2 queries above 0.900: q2 (1.000), q3 (1.000)",
    ]
    content = markdown(*case)
    assert content.index("could move") < content.index("✅ mean MED") < content.index("| measure")


def test_of_very_many_checks_those_that_failed_are_named() -> None:
    result, _ = plain()
    outcomes = outcomes_of(result, [*(f"P@2=0.{i}" for i in range(1, 10))] * 3)
    failed = [f"❌ {one}" for one in outcomes if not one.passed]
    page = read((result, outcomes))
    assert page.items[: len(failed) + 1] == [*failed, "✅ 9 checks passed"]


def test_means_by_hand() -> None:
    """P@2 differs by 0, 0.5, 1 and 1; there are too few queries for an interval."""
    assert read(plain()).tables[0] == [
        ["measure", "mean", "median", "p95", "max"],
        ["MED-P@2", "0.625", "0.500", "1.000", "1.000"],
    ]


def test_gain_and_loss_where_they_differ() -> None:
    page = read(judged())
    assert page.column(0, "measure") == ["MED-P@2", "gain of P@2", "loss of P@2"]
    assert page.column(0, "mean")[1:] == ["0.125", "0.000"]
    assert page.tables[1][0][:4] == ["query", "MED", "gain", "loss"]
    assert dict(zip(page.column(1, "query"), page.column(1, "loss"), strict=True)) == {
        "q0": "0.000", "q1": "−0.500", "q2": "−0.500", "q3": "1.000",
    }  # fmt: skip
    assert "gain" not in read(plain()).tables[1][0]


def test_similarities_have_their_own_table() -> None:
    page = read(similarities())
    assert page.column(0, "measure") == ["MED-P@2", "gain of P@2", "loss of P@2", "footrule"]
    assert page.column(1, "measure") == ["RBO(p=0.5)"]
    assert page.tables[1][0] == ["measure", "mean", "median", "p5", "min"]
    result = medir.compare(BEFORE, AFTER, "RBO(p=0.5)")
    least = read((result, []))
    assert least.tables[1][0][:2] == ["query", "value"]
    values = [float(one) for one in least.column(1, "value")]
    assert values == sorted(values)


def test_intervals() -> None:
    result, outcomes = files()
    page = read((result, outcomes))
    interval = result.summary().interval
    assert interval is not None
    assert page.column(0, "95% interval")[0] == f"{interval.low:.3f} to {interval.high:.3f}"
    assert "the 95% intervals are about the choice of queries and nothing else" in page.items
    assert any("no interval of the mean" in item for item in read(plain()).items)


def test_segments_by_hand() -> None:
    """`head` weighs nothing, and so has no mean."""
    page = read(segments())
    assert page.headings[1] == "MED-P@2 by kind"
    assert page.tables[1] == [
        ["segment", "queries", "changed", "mean"],
        ["tail", "2", "100%", "0.750"],
        ["none", "1", "100%", "1.000"],
    ]


def test_of_very_many_segments_the_most_affected_are_shown() -> None:
    queries = [f"q{i}" for i in range(30)]
    before = dict.fromkeys(queries, BEFORE["q0"])
    after = {query: AFTER[f"q{1 + (i == 25)}"] for i, query in enumerate(queries)}
    table = {query: {"kind": f"s{i}"} for i, query in enumerate(queries)}
    page = read((medir.compare(before, after, "P@2", queries=table, by="kind"), []))
    assert page.headings[1] == "MED-P@2 by kind: the 20 most affected of 30 segments"
    assert page.column(1, "segment") == ["s25", *(f"s{i}" for i in range(19))]


def test_the_most_affected_queries() -> None:
    result = medir.compare(
        BEFORE, AFTER, "P@2", queries={q: one["text"] for q, one in TABLE.items()}
    )
    page = read((result, []))
    assert page.headings[-1] == "The 4 queries most affected by P@2"
    assert page.tables[-1] == [
        ["query", "text", "MED", "entered", "left", "moved"],
        ["q2", "lynx", "1.000", "2", "2", "0"],
        ["q3", "ocelot", "1.000", "2", "2", "0"],
        ["q1", "puma", "0.500", "1", "1", "0"],
        ["q0", "jaguar", "0.000", "0", "0", "2"],
    ]
    assert read((result, []), top=1).headings[-1] == "The query most affected by P@2"
    assert len(read((result, []), top=0).tables) == 1
    unchanged = medir.compare(BEFORE, BEFORE, "P@2")
    assert len(read((unchanged, [])).tables) == 1
    assert len(read(files()).tables[-1]) == 11


def test_marks() -> None:
    result = medir.compare(BEFORE, AFTER | {"q9": ["a", "b"]}, "P@2")
    page = read((result, []))
    assert dict(zip(page.column(-1, "query"), page.column(-1, ""), strict=True))["q9"] == (
        "only after"
    )


def test_noise_has_a_sentence_for_each_measure() -> None:
    result, outcomes = noise()
    page = read((result, outcomes))
    assert "Mean MED-P@2: 0.625 for the change, 0.125 for the noise" in page.paragraphs[1]


def test_notes_are_folded() -> None:
    result, outcomes = passages()
    content = markdown(result, outcomes)
    folded = content[content.index("<details><summary>Notes</summary>") :]
    notes = rendered(folded).items
    assert notes[: len(list(result.notes()))] == list(result.notes())
    assert folded.endswith("\n\n</details>\n")


def test_hostile_texts_are_shown_as_they_are() -> None:
    page = read(hostile())
    assert page.tags <= TAGS
    shown = HOSTILE.replace("\n", r"\n").replace("\x01", r"\x01").replace("\u202e", r"\u202e")
    shown = shown.replace("\ufffe", r"\ufffe").replace("\udcff", r"\xff")
    assert page.column(1, "segment") == [shown, "1. b"]
    assert page.column(2, "query") == [shown]
    assert shown in page.items[1]


# Characters that mean something to a renderer, and some that do not.
SPECIAL = st.text(st.sampled_from("\\`*_{}[]()<>#+-.!|&;:~$@=/\"'^ \tab1é猫\u200d"), max_size=30)
ANY = st.text(st.characters(exclude_categories=("Cs", "Cc", "Co", "Cn", "Zl", "Zp")), max_size=30)


@examples(400)
@given(SPECIAL | ANY)
def test_any_text_within_a_cell_a_line_and_an_item(content: str) -> None:
    wanted = re.sub("[\u202a-\u202e\u2066-\u2069]", lambda one: ascii(one[0])[1:-1], content)
    wanted = wanted.replace("\t", r"\t")
    for escape in (text, code):
        one = escape(content)
        page = rendered(f"| a | b |\n| --- | --- |\n| {one} | x{one} |\n\n- {one}\n\n{one}\n")
        assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "ul", "li", "p", "code"}
        assert [cell.strip() for cell in page.tables[0][1]] == [
            wanted.strip(),
            f"x{wanted}".strip(),
        ]
        assert [item.strip() for item in page.items] == [wanted.strip()]


@pytest.mark.parametrize("character", [*map(chr, range(32)), *"\x7f\x85\u2028\u2029\u202e"])
def test_no_control_character_is_left(character: str) -> None:
    for escape in (text, code):
        escaped = escape(f"a{character}b")
        assert character not in escaped
        assert rendered(escaped).paragraphs == [f"a{ascii(character)[1:-1]}b"]


@pytest.mark.parametrize(
    "reference",
    ["@user", "#12", "o/r#12", "!12", "~bug", "%1", "&5", "$7", ":100:", "https://a.b", "www.a.b"],
)
def test_nothing_is_a_reference(reference: str) -> None:
    """What GitHub and GitLab would link or tell someone about is broken up, and looks the same."""
    escaped = text(f"see {reference} there")
    assert rendered(escaped).paragraphs == [f"see {reference} there"]
    seen = "".join(re.findall(r">([^<]*)<", RENDERER.render(escaped)))
    is_address = reference.endswith("a.b")
    assert (reference in escaped if is_address else reference in seen) is False


def test_measures_and_numbers_are_left_alone() -> None:
    sentence = "mean MED of nDCG@20 is 0.625, limit 0.7 (50%): q1 (1.000), q2 at 10:30 - 5 + 3"
    assert text(sentence) == sentence


def test_long_texts_are_cut() -> None:
    result = medir.compare(BEFORE, AFTER, "P@2", queries={"q2": "long " * 100})
    (shown, *_) = read((result, [])).column(-1, "text")
    assert len(shown) <= 100
    assert shown.endswith("…")


def test_the_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    case = hostile()
    write_summary(*case, path)
    assert path.read_text(encoding="utf-8") == markdown(*case)
    assert [one.name for one in tmp_path.iterdir()] == ["summary.md"]
