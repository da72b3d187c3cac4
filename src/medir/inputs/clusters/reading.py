"""Clusters: documents with the same content, which count as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from os import PathLike, fsencode, fspath
from typing import Any

import numpy as np

from medir import _core
from medir.base.words import count
from medir.errors import InputError
from medir.files.identifiers import bytes_of, shown, text_of
from medir.files.opening import content_of
from medir.files.origins import Origin, name_and_format
from medir.inputs.formats.arrow import Table, arrow_table, refuse_nulls, speaks_arrow
from medir.inputs.formats.column_names import CLUSTERS, chosen_columns, has_columns
from medir.inputs.formats.contents.recognition import File, Format, format_of
from medir.inputs.formats.mappings import cluster_columns


class Clusters:
    """Which documents have the same content: the cluster of each.

    A document without a cluster is its own. What clusters are called does not matter.

    >>> clusters = Clusters.of({"a": "x", "a-copy": "x", "b": "y"})
    >>> len(clusters), clusters.documents, clusters.key("a-copy"), clusters.key("c")
    (2, 3, 'a', 'c')
    """

    def __init__(
        self,
        native: _core.Clusters,
        name: str,
        origin: Origin | None = None,
        format: str | None = None,
    ) -> None:
        self._native, self.name, self.origin = native, name, origin
        self.format = format  # how it was read, in a few words; None for plain lines

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Clusters:
        """Clusters from lines `document cluster`, or from a table with `doc_id` and `cluster`."""
        file = File(content_of(fspath(path)))
        native, words = _from_file(file)
        return cls(native, file.name, file.origin, words)

    @classmethod
    def of(cls, source: Clusters | str | PathLike[str] | Mapping[Any, Any] | Table) -> Clusters:
        """Clusters from a path, a table of `doc_id` and `cluster`, or `{document: cluster}`."""
        if isinstance(source, Clusters):
            return source
        if isinstance(source, str | PathLike):
            return cls.read(source)
        lists: _core.Lists
        if isinstance(source, Mapping):
            lists = cluster_columns(_pairs(source), "clusters")
        elif speaks_arrow(source):
            lists = _table_lists(arrow_table(source, "clusters"), "clusters")
        else:
            raise InputError(
                f"cannot use an object of type {type(source).__name__} as clusters",
                "clusters",
                remedy="Give a path, a table, {document: cluster} or a medir.Clusters.",
            )
        return cls(_core.Clusters("clusters", lists), "clusters")

    @property
    def documents(self) -> int:
        """How many documents are in clusters, also in those of one document."""
        return self._native.documents

    @property
    def largest(self) -> int:
        """How many documents the largest cluster has."""
        return self._native.largest

    @property
    def digest(self) -> int:
        """A hash of all clusters, whatever they are called."""
        return self._native.digest

    @property
    def summary(self) -> str:
        """What was read, in a few words."""
        clusters, documents = count(len(self), "cluster"), count(self.documents, "document")
        return f"{name_and_format(self)}: {clusters} of {documents}"

    def key(self, document: Any) -> str:
        """The first document of the cluster that a document is in; itself where it has none."""
        return text_of(self.key_bytes(bytes_of(document, "document", self.name)))

    def key_bytes(self, document: bytes) -> bytes:
        """The same in bytes."""
        return self._native.key(document)

    def ranked(self, documents: Iterable[Any]) -> list[tuple[str, int]]:
        """The clusters of a ranked list by their first documents, each with its rank there."""
        ranks: dict[str, int] = {}
        for rank, document in enumerate(documents, 1):
            ranks.setdefault(self.key(document), rank)
        return list(ranks.items())

    def members(self) -> list[tuple[bytes, int]]:
        """Every document, and the number of its cluster."""
        return self._native.members()

    def __len__(self) -> int:
        """How many clusters there are."""
        return len(self._native)

    def __str__(self) -> str:
        return self.name

    def __deepcopy__(self, memo: object) -> Clusters:
        return self  # it never changes

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.members(), self.name, self.format)

    def __repr__(self) -> str:
        clusters, documents = count(len(self), "cluster"), count(self.documents, "document")
        return f"<Clusters {self.name}: {clusters} of {documents} ({self.digest:x})>"


Source = Clusters | str | PathLike[str] | Mapping[Any, Any] | Table


def _pairs(source: Mapping[Any, Any]) -> Iterator[tuple[bytes, bytes]]:
    for document, cluster in source.items():
        if not isinstance(cluster, str | int | np.integer) or cluster == "":
            raise InputError(
                f"document {document!r} has the cluster {cluster!r}",
                "clusters",
                remedy="A cluster is text or a whole number: {document: cluster}. Leave out "
                "documents without one.",
            )
        yield bytes_of(document, "document", "clusters"), bytes_of(cluster, "cluster", "clusters")


def _restored(members: list[tuple[bytes, int]], name: str, format: str | None) -> Clusters:
    pairs = ((document, str(cluster).encode()) for document, cluster in members)
    return Clusters(_core.Clusters(shown(name), cluster_columns(pairs, name)), name, None, format)


def _from_file(file: File) -> tuple[_core.Clusters, str | None]:
    """The clusters in a file, and how it was read."""
    form = format_of(file, None, "clusters")
    if form.kind == "TREC" or _has_no_header(form):  # or any other plain text
        return _core.read_clusters(fsencode(file.name), file.data), None
    if form.kind in ("Parquet", "Arrow IPC"):
        from medir.inputs.formats.contents.columnar import columnar_clusters

        table, words = columnar_clusters(file, form.kind)
        return _core.Clusters(shown(file.name), _table_lists(table, file.name)), words
    if form.kind in ("CSV", "TSV", "JSON lines"):
        from medir.inputs.formats.contents.text import table_clusters

        if form.kind != "JSON lines" and b"\n" not in file.start.strip():  # a header alone
            return Clusters.of({})._native, None
        lists, words = table_clusters(file, form)
        return _core.Clusters(shown(file.name), lists), words
    raise InputError(
        f"holds {form.kind} where clusters of documents were expected",
        file.name,
        remedy="Give lines 'document cluster', or a table with the columns doc_id and cluster.",
    )


def _has_no_header(form: Format) -> bool:
    """Whether the first line of tab-separated text is a document and its cluster."""
    if form.kind != "TSV" or len(form.columns) != len(CLUSTERS.needed):
        return False
    return not any(has_columns(form.columns, [role], None) for role in CLUSTERS.needed)


def _table_lists(table: _core.ArrowTable, name: str) -> _core.Lists:
    chosen = chosen_columns(table.columns, CLUSTERS, None, name)
    refuse_nulls(table, chosen.values(), name)
    documents, clusters = (
        _cells(*table.strings(table.columns.index(chosen[role]))) for role in ("doc_id", "cluster")
    )
    return cluster_columns(zip(documents, clusters, strict=True), name)


def _cells(joined: bytes, ends: Any) -> list[bytes]:
    return [joined[i:j] for i, j in pairwise([0, *ends.tolist()])]
