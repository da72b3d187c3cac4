"""Make the example data: three runs, the titles of their documents, judgments, and traffic.

It needs nothing but Python:

    python examples/make.py

It reads ids and texts in `queries.tsv` in its own folder and writes beside it:

- `before.run` and `after.run`: the 50 best documents for each query, by the bm25 of SQLite's
  full-text search, FTS5. A document is the docstring of a public module, class, function or
  method of Python's standard library, together with its dotted name. The change under study is in
  how a query is put to the engine. `before` asks for any of its words as typed. `after` leaves
  out stop words, and cuts plural, -ing and -ed endings to ask for any word that starts with the
  rest: "copying the files" becomes `copy* OR file*`.
- `rebuilt.run`: `before` again, with the index rebuilt while one document in fifty was missing. No
  query is put in another way, but scores shift a little, and what was missing is not found.
- `documents.tsv`: the title of every document in a run, which is the first line of its docstring.
- `qrels.txt`: judgments, by a rule and not by a person. Every fourth query is judged, on the five
  best documents of each run. The rule drops stop words, strips common endings, and looks for the
  query's remaining words in the document's name and title. The grade is 2 if all are there, 1 if
  at least half are, and 0 if fewer.
- `queries.tsv` itself: how often each query is asked, its `weight`, and its `segment`. Both are
  made up: the n-th most frequent query is asked 1000/n times, and queries with a word that many
  have are more frequent, short ones first. The first tenth of the queries is the head, the next
  three tenths are the torso, the rest is the tail.

The library's sources are parsed, never imported. The same Python makes the same files.
"""

import ast
import csv
import re
import sqlite3
import sysconfig
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
SKIPPED = re.compile(
    r"distutils|encodings|ensurepip|idlelib|lib2to3|pydoc_data|tests?|turtledemo"
    r"|_.*|.*\W.*"  # private modules, and folders that are no packages, such as site-packages
)
STOP_WORDS = re.compile(
    r"a|all|an|and|any|are|as|at|be|by|for|from|in|into|is|it|its|of|on|one|or|over|that|the|them"
    r"|this|to|until|was|when|which|with"
)
SHORTEST = 5  # words in a docstring
DEPTH = 50  # results of a query in a run
JUDGED_EVERY = 4  # queries
JUDGED_DEPTH = 5  # results of each run
MISSING_EVERY = 50  # documents, in the rebuilt index
MOST_ASKED = 1000  # times, of the most frequent query
SEGMENTS = {"head": 0.1, "torso": 0.4, "tail": 1.0}  # where they end, as shares of the queries

Runs = dict[str, dict[str, list[tuple[str, float]]]]  # by tag, by query: documents and scores
Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Document(NamedTuple):
    name: str
    text: str

    @property
    def words(self) -> str:
        """The name in words: "queue Lifo Queue put" for `queue.LifoQueue.put`."""
        return " ".join(re.findall(r"[A-Z]?[a-z\d]+|[A-Z]+(?![a-z])", self.name))

    @property
    def title(self) -> str:
        return textwrap.shorten(self.text.partition("\n")[0], 100, placeholder=" ...")


def documents_in(scope: Scope, name: str) -> Iterator[Document]:
    """Yield the document of a scope, then those of the public scopes inside it."""
    text = (ast.get_docstring(scope) or "").strip()
    if len(text.split()) >= SHORTEST:
        yield Document(name, text)
    if isinstance(scope, ast.Module | ast.ClassDef):
        for inner in scope.body:
            if isinstance(inner, Scope) and not inner.name.startswith("_"):
                yield from documents_in(inner, f"{name}.{inner.name}")


def library() -> dict[str, Document]:
    """The documents of the standard library by name. Of two with one name, the first counts."""
    root = Path(sysconfig.get_path("stdlib"))
    documents: dict[str, Document] = {}
    for path in sorted(root.rglob("*.py")):
        module = path.parent if path.name == "__init__.py" else path.with_suffix("")
        parts = module.relative_to(root).parts
        if not any(map(SKIPPED.fullmatch, parts)):
            for document in documents_in(ast.parse(path.read_bytes()), ".".join(parts)):
                documents.setdefault(document.name, document)
    return documents


def words(text: str) -> list[str]:
    return re.findall(r"[a-z\d]+", text.lower())


def content_words(text: str) -> list[str]:
    return [word for word in words(text) if not STOP_WORDS.fullmatch(word)]


def before(query: str) -> str:
    return " OR ".join(f'"{word}"' for word in words(query))


def after(query: str) -> str:
    """Rewrite a query; one with only stop words asks for "", which nothing matches."""
    ending = re.compile(r"(?<=\w{4})(ing|ed|ies|es|(?<!s)s)$")
    terms = (ending.subn("", word) for word in content_words(query))
    return " OR ".join(f'"{word}"*' if cut else f'"{word}"' for word, cut in terms) or '""'


def search(
    documents: Iterable[Document],
    queries: dict[str, str],
    engines: Iterable[Callable[[str], str]],
) -> Runs:
    """Put every query to the documents, in the way of each engine."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE library USING fts5 (id UNINDEXED, name, text)")
    rows = ((document.name, document.words, document.text) for document in documents)
    db.executemany("INSERT INTO library VALUES (?, ?, ?)", rows)
    # In FTS5 a lower bm25 is better. Rounded before sorting, equal scores go by name.
    select = """
        SELECT id, round(-bm25(library), 4) AS score FROM library WHERE library MATCH ?
        ORDER BY score DESC, id LIMIT ?
    """
    return {
        engine.__name__: {
            query: db.execute(select, (engine(text), DEPTH)).fetchall()
            for query, text in queries.items()
        }
        for engine in engines
    }


def stems(text: str) -> set[str]:
    ending = re.compile(r"(?<=\w{3})(ing|er|ed|ie|e|y)?s?$")
    return {ending.sub("", word) for word in content_words(text)}


def grade(query: str, document: Document) -> int:
    wanted = stems(query)
    there = wanted & stems(f"{document.words} {document.title}")
    return 2 * len(there) // max(1, len(wanted))


def traffic(queries: dict[str, str]) -> dict[str, tuple[int, str]]:
    """How often each query is asked, and its segment."""
    topics = Counter(stem for text in queries.values() for stem in stems(text))

    def rareness(query: str) -> tuple[int, int]:
        wanted = stems(queries[query])
        return -max((topics[stem] for stem in wanted), default=0), len(wanted)

    asked = {}
    for rank, query in enumerate(sorted(queries, key=rareness), 1):
        segment = next(name for name, end in SEGMENTS.items() if rank <= end * len(queries))
        asked[query] = round(MOST_ASKED / rank), segment
    return asked


def write(name: str, lines: Iterable[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    (HERE / name).write_text(text, encoding="utf-8", newline="\n")


def main() -> None:
    with (HERE / "queries.tsv").open(encoding="utf-8", newline="") as file:
        queries = {row["query_id"]: row["text"] for row in csv.DictReader(file, delimiter="\t")}
    documents = library()
    runs = search(documents.values(), queries, (before, after))
    indexed = [one for number, one in enumerate(documents.values()) if number % MISSING_EVERY]
    rebuilt = search(indexed, queries, (before,))["before"]

    for tag, run in (*runs.items(), ("rebuilt", rebuilt)):
        lines = (
            f"{query} Q0 {name} {rank} {score:.4f} {tag}"
            for query, results in run.items()
            for rank, (name, score) in enumerate(results, 1)
        )
        write(f"{tag}.run", lines)

    found = {name for run in runs.values() for results in run.values() for name, _ in results}
    write("documents.tsv", (f"{name}\t{documents[name].title}" for name in sorted(found)))

    judgments: list[str] = []
    for query in list(queries)[::JUDGED_EVERY]:
        pool = {name for run in runs.values() for name, _ in run[query][:JUDGED_DEPTH]}
        grades = {name: grade(queries[query], documents[name]) for name in sorted(pool)}
        judgments += [f"{query} 0 {name} {value}" for name, value in grades.items()]
    write("qrels.txt", judgments)

    asked = traffic(queries)
    rows = (
        f"{query}\t{text}\t{asked[query][0]}\t{asked[query][1]}" for query, text in queries.items()
    )
    write("queries.tsv", ["query_id\ttext\tweight\tsegment", *rows])


if __name__ == "__main__":
    main()
