"""Two runs in tables that do not fit into memory: the same numbers, range by range."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, NoReturn, Unpack, cast

from medir import _core
from medir.base.notices import tell
from medir.base.settings import Options, Settings, with_settings
from medir.comparing.compare import compared
from medir.comparing.inputs import Inputs, cluster_notes, known
from medir.comparing.large.collecting import Collected
from medir.comparing.large.comparison import LargeComparison
from medir.comparing.large.writing import Output, Rows
from medir.errors import InputError
from medir.files.background import Watcher
from medir.files.identifiers import shown, text_of
from medir.files.origins import announce
from medir.files.paths import refuse_inputs
from medir.files.tables import Target
from medir.files.workspace import workspace
from medir.inputs.formats.contents.ranges.budget import Ranges, bytes_of_memory
from medir.inputs.formats.contents.ranges.merging import UnsortedError
from medir.inputs.formats.contents.ranges.tables import RunTable, Slice, placed
from medir.inputs.formats.source import Reading
from medir.inputs.lengths import Lengths
from medir.inputs.lengths import Source as WordCounts
from medir.inputs.pairing import nothing_in_common
from medir.inputs.qrels import Judgments, Qrels
from medir.inputs.queries import Queries
from medir.inputs.queries import Source as QueryTable
from medir.inputs.runs import Run
from medir.inputs.unseen import list_lengths
from medir.measures.chosen import Measures, default_measure
from medir.measures.family import Measure

TOP = 10  # most affected queries whose lists are looked at
Path = str | PathLike[str]


@with_settings(Options)
def compare_large(
    before: Path,
    after: Path,
    measures: Measures | None = None,
    *,
    memory: str | int = "2GB",
    output: Target | None = None,
    format: str | None = None,
    spreadsheet: bool = False,
    qrels: Judgments | None = None,
    lengths: WordCounts | None = None,
    queries: QueryTable | None = None,
    weight: str | None = None,
    by: str | None = None,
    missing_weight: float | None = None,
    top: int = TOP,
    progress: Watcher | None = None,
    **options: Unpack[Options],
) -> LargeComparison:
    """The comparison of two runs that do not fit into memory, of which `memory` may be taken.

    `before` and `after` are Parquet (a file, a folder, a pattern) or Arrow IPC; `-` is standard
    input. Tables that are sorted by query are read side by side, others are put aside by ranges of
    queries in a temporary folder first (`TMPDIR`). Rows are written to `output` while they are
    computed, as `Comparison.write` would write them: those of sorted tables in the same order,
    those of others in the order of the query ids. Judgments, lengths and the table of queries are
    held in memory, as are the numbers of the result. Of the `top` most affected queries it is known
    how long their lists were. The other arguments are those of `compare`.
    """
    settings = Settings(**options)
    limit = bytes_of_memory(memory)
    several = qrels if isinstance(qrels, list | tuple) else [qrels]
    inputs = before, after, *several, lengths, queries
    chosen, judged, words, settings = known(measures, settings, qrels, lengths, inputs)
    table = None if queries is None else Queries.of(queries, settings.threads)
    sampled = {"queries": table, "weight": weight, "by": by, "missing_weight": missing_weight}
    with workspace() as folder:
        reading = Reading(settings.order, settings.columns, threads=settings.workers)
        tables = [RunTable(path, reading, folder) for path in (before, after)]
        if output is not None:
            refuse_inputs(output, [*tables, judged, words, settings.clusters, table])
        task = _Task(tables, chosen, judged, words, settings, sampled, top, progress)
        written = Output(output, format, spreadsheet, folder)
        result = task.run(Ranges(tables, limit, folder), written)
    announce([*tables, judged, words, settings.clusters])
    for note in cluster_notes(judged, words, settings):
        tell(note)
    return result


class _WrongGuessError(Exception):
    """What lists there are was not as the first ones made believe."""

    def __init__(self, lengths: Sequence[_core.ListLengths]) -> None:
        super().__init__()
        self.lengths = lengths


@dataclass
class _Task:
    """What is compared, and how."""

    tables: Sequence[RunTable]
    measures: Sequence[Measure]  # none for the default one
    judged: Qrels | None
    words: Lengths | None
    settings: Settings
    sampled: dict[str, Any]
    top: int
    progress: Watcher | None

    def run(self, ranges: Ranges, output: Output) -> LargeComparison:
        """Compares all ranges, again where a guess about them was wrong: at most three times."""
        guess: Sequence[_core.ListLengths] | None = None
        while True:
            try:
                with output.opened() as rows:
                    return self._attempt(ranges, rows, guess)
            except UnsortedError:
                ranges.sorted = False
            except _WrongGuessError as error:
                guess = error.lengths

    def _attempt(
        self, ranges: Ranges, rows: Rows | None, guess: Sequence[_core.ListLengths] | None
    ) -> LargeComparison:
        """One pass over all ranges.

        What follows the last result of a list depends on the lengths of all lists. Unless these are
        known, it is guessed by the first range; where another one says otherwise, the rest is only
        looked at for its lengths.
        """
        collected = Collected(self.top)
        totals = [_core.ListLengths([], []) for _ in self.tables]
        is_known, is_wrong = guess is not None, False
        done = 0
        for slices in ranges:
            runs, lengths = self._read(slices)
            for total, some in zip(totals, lengths, strict=True):
                total.add(some)
            if guess is None:
                guess = _copied(totals)
            is_wrong = is_wrong or (not is_known and self._needed(totals) != self._needed(guess))
            if not is_wrong:
                self._compare(slices, runs, guess, not ranges.sorted, collected, rows)
            done += sum(some.rows for some in slices)
            self._watch(done)
        assert guess is not None
        if is_wrong or self._needed(totals) != self._needed(guess):
            raise _WrongGuessError(totals)
        return self._result(collected, totals)

    def _watch(self, done: int) -> None:
        total = sum(table.known_rows or 0 for table in self.tables)
        if self.progress is not None and total:
            self.progress(min(done, total), total)

    def _needed(self, lengths: Sequence[_core.ListLengths]) -> tuple[Any, ...]:
        """What the comparison of a query takes from the lengths of all lists."""
        measures = self._measures(lengths)
        cuts = [one.cut for one in lengths] if self.settings.unseen == "auto" else []
        return tuple(map(repr, measures)), *cuts

    def _measures(self, lengths: Sequence[_core.ListLengths]) -> Sequence[Measure]:
        if self.measures:
            return self.measures
        longest = max(one.longest for one in lengths)
        return [default_measure(min(longest, self.settings.depth or longest))]

    def _read(self, slices: Sequence[Slice]) -> tuple[list[Run], list[_core.ListLengths]]:
        pairs = zip(self.tables, slices, strict=True)
        runs = [Run(some.lists, table.name) for table, some in pairs]
        duplicates, threads = self.settings.duplicates, self.settings.workers
        try:
            return runs, [list_lengths(run, duplicates, threads) for run in runs]
        except InputError as error:
            raise self._placed(error, slices) from None

    def _placed(self, error: InputError, slices: Sequence[Slice]) -> InputError:
        names = [shown(table.name) for table in self.tables]
        return placed(error, dict(zip(names, (some.first_row for some in slices), strict=True)))

    def _compare(
        self,
        slices: Sequence[Slice],
        runs: Sequence[Run],
        lengths: Sequence[_core.ListLengths],
        by_id: bool,
        collected: Collected,
        rows: Rows | None,
    ) -> None:
        """Compares a range, and writes its rows."""
        pairing = _core.Pairing(runs[0]._lists, runs[1]._lists, self.settings.workers)
        if by_id:
            pairing.sort()
        collected.only_before += pairing.only_before
        collected.only_after += pairing.only_after
        if self.settings.missing == "error" and pairing.only_before + pairing.only_after:
            self._refuse_missing(pairing)
        if self.settings.missing == "skip":
            pairing.keep_common()
        alone = pairing.take_only_after()
        inputs = Inputs(
            self._measures(lengths), runs, self.judged, self.words, self.settings, lengths
        )
        for number, some in enumerate((pairing, alone)):
            if number and not len(some):
                continue
            try:
                result = compared(inputs, some, self.sampled, None)
            except InputError as error:
                raise self._placed(error, slices) from None
            collected.add(result, alone=bool(number))
            if rows is not None:
                rows.add(result.table(), alone=bool(number))

    def _refuse_missing(self, pairing: _core.Pairing) -> NoReturn:
        alone = next(i for i in range(len(pairing)) if not pairing.in_both(i))
        table = self.tables[0 if alone < len(pairing) - pairing.only_after else 1]
        raise InputError(
            f"query {text_of(pairing.query(alone))} is only in {table.name}",
            remedy="Choose --missing empty (compare with an empty list) or skip.",
        )

    def _result(
        self, collected: Collected, lengths: Sequence[_core.ListLengths]
    ) -> LargeComparison:
        if self.settings.missing == "skip" and not len(collected):
            names = " and ".join(table.name for table in self.tables)
            raise nothing_in_common(names, "both")
        measures = self._measures(lengths)
        values, changes = collected.numbers(len(measures))
        return LargeComparison(
            pairing=cast("_core.Pairing", collected.queries()),
            measures=measures,
            values=values,
            changes=changes,
            runs=cast("tuple[Run, Run]", tuple(self.tables)),
            judged=self.judged,
            settings=self.settings,
            repeats=collected.repeats,
            without_relevant=collected.without_relevant,
            list_lengths=(lengths[0], lengths[1]),
            unseen_queries=collected.unseen_queries(),
            ended_queries=collected.ended_queries(),
            lengths=self.words,
            without_length=collected.without_length,
            sample=collected.sample(),
            lengths_of=collected.lengths(),
        )


def _copied(lengths: Iterable[_core.ListLengths]) -> list[_core.ListLengths]:
    copies = []
    for one in lengths:
        copies.append(_core.ListLengths([], []))
        copies[-1].add(one)
    return copies
