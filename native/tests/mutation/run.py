"""Does the check of the solvers notice a fault? Small faults in their sources, one at a time.

Each mutant is one source file with one token or statement changed by one of the operators. It is
compiled, linked with `native/tests/check` and run: it is killed when the check fails, crashes or
runs out of time. Mutants are drawn by seed, from each file in proportion to its size. One that does
not compile, or that survives and has the same object code as the original at -O2, is replaced by
another.

    python native/tests/mutation/run.py            # 410 mutants; goes on where it stopped
    python native/tests/mutation/run.py 'solvers/*_search.*'   # those of them in these files
    python native/tests/mutation/run.py --again    # survivors without a reason first, again
    python native/tests/mutation/run.py --list     # the last run: a table, and the survivors
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path
from typing import TextIO

from laboratory import KERNELS, NATIVE, Laboratory, Result
from operators import Mutant, line_of, mutants_of

REVIEWED = NATIVE / "tests" / "mutation" / "reviewed.tsv"  # survivors, with the reason
TARGETS = ("solvers/*.[ch]pp", "measures/*.[ch]pp", "pairs/difference.[ch]pp")


def quotas(candidates: dict[str, list[Mutant]], count: int) -> dict[str, int]:
    """How many mutants each file gets, in proportion to its candidates; at least one."""
    total = sum(map(len, candidates.values()))
    return {
        file: max(1, math.ceil(count * len(those) / total))
        for file, those in candidates.items()
        if those
    }


def draw(laboratory: Laboratory, seed: int) -> dict[str, list[Mutant]]:
    drawn = {}
    for file in sorted(
        {str(p.relative_to(KERNELS)) for glob in TARGETS for p in KERNELS.glob(glob)}
    ):
        those = mutants_of(file, laboratory.texts[file])
        random.Random(f"{seed} {file}").shuffle(those)
        drawn[file] = those
    return drawn


def chosen(file: str, patterns: list[str]) -> bool:
    return not patterns or any(fnmatch(file, pattern) for pattern in patterns)


def test_all(laboratory: Laboratory, options: argparse.Namespace, record: Path) -> list[Result]:
    candidates = draw(laboratory, options.seed)
    left = quotas(candidates, options.count)
    left = {file: wanted for file, wanted in left.items() if chosen(file, options.files)}
    before = {result.mutant: result for result in load(record)}
    results: list[Result] = []
    with ThreadPoolExecutor(options.processes) as pool, record.open("a") as out:
        while any(left.values()):
            batch = []
            for file, wanted in left.items():
                for _ in range(min(wanted, len(candidates[file]))):
                    batch.append(candidates[file].pop(0))
                if not candidates[file]:
                    left[file] = 0
            known = [before[mutant] for mutant in batch if mutant in before]
            batch.sort(key=lambda one: len(laboratory.dependents(one.file)))  # the quick ones first
            fresh = [mutant for mutant in batch if mutant not in before]
            for result in chain(known, tested(pool, laboratory, fresh)):
                results.append(result)
                if result.mutant not in before:
                    write(out, result)
                if result.outcome in ("killed", "timed out", "survived"):
                    left[result.mutant.file] = max(0, left[result.mutant.file] - 1)
    return results


def tested(
    pool: ThreadPoolExecutor, laboratory: Laboratory, mutants: Iterable[Mutant]
) -> Iterator[Result]:
    futures = [pool.submit(laboratory.test, mutant) for mutant in mutants]
    return (future.result() for future in as_completed(futures))


def write(out: TextIO, result: Result) -> None:
    out.write(json.dumps(asdict(result)) + "\n")
    out.flush()


def load(record: Path) -> list[Result]:
    rows = map(json.loads, record.read_text().splitlines()) if record.exists() else ()
    latest = {}
    for row in rows:
        mutant = Mutant(**row["mutant"])
        latest[mutant] = Result(mutant, row["outcome"], row["seconds"])
    return list(latest.values())


def show(laboratory: Laboratory, results: list[Result]) -> None:
    counts: dict[str, Counter[str]] = {}
    for result in results:
        counts.setdefault(result.mutant.file, Counter())[result.outcome] += 1
    everything: Counter[str] = sum(counts.values(), Counter())
    print("| file | mutants | killed | survived | same code | do not compile |")
    print("| --- | --: | --: | --: | --: | --: |")
    for name, row in [*sorted(counts.items()), ("all", everything)]:
        dead = row["killed"] + row["timed out"]
        columns = [dead + row["survived"], dead, row["survived"], row["equivalent"], row["invalid"]]
        print(f"| {name} | {' | '.join(map(str, columns))} |")
    dead = everything["killed"] + everything["timed out"]
    valid = max(1, dead + everything["survived"])
    survivors = [result.mutant for result in results if result.outcome == "survived"]
    same = sum(reason_of(laboratory, one).startswith("same:") for one in survivors)
    by_time = f"{everything['timed out']} of them by time"
    print(f"\n{dead} of {valid} mutants are killed ({dead / valid:.1%}), {by_time}.")
    other = valid - same
    rate = f"{dead / max(1, other):.1%}"
    print(f"{same} do the same as the original; {dead} of the other {other} are killed ({rate}).\n")
    list_survivors(laboratory, results)


def described(laboratory: Laboratory, mutant: Mutant) -> tuple[str, str, str]:
    """The file, the change and the line, as the list of reviewed survivors names a mutant."""
    source = laboratory.texts[mutant.file]
    old = " ".join(source[mutant.start : mutant.end].split())
    line = " ".join(line_of(source, mutant.start).split())
    before = source[source.rfind("\n", 0, mutant.start) + 1 : mutant.start]
    nth = before.count(source[mutant.start : mutant.end]) + 1
    change = f"`{old}` to `{mutant.text}`" if mutant.text else f"`{old}` removed"
    return mutant.file, f"{change} ({nth})", f"`{line}`"


def reason_of(laboratory: Laboratory, mutant: Mutant) -> str:
    """Why a mutant survives, where that was reviewed: `same:` where no check can notice it."""
    if not laboratory.reviewed:
        for row in REVIEWED.read_text().splitlines():
            file, change, line, reason = row.split("\t")
            laboratory.reviewed[file, change, line] = reason
    return laboratory.reviewed.get(described(laboratory, mutant), "")


def list_survivors(laboratory: Laboratory, results: list[Result]) -> None:
    print("| where | change | line | why it survives |\n| --- | --- | --- | --- |")
    survivors = [result.mutant for result in results if result.outcome == "survived"]
    for mutant in sorted(survivors, key=lambda one: (one.file, one.start)):
        file, change, line = described(laboratory, mutant)
        where = f"{file}:{mutant.line(laboratory.texts[file])}"
        reason = reason_of(laboratory, mutant) or "**not reviewed**"
        print(" | ".join(["", where, change, line.replace("|", "\\|"), reason, ""]).strip())


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Puts faults into the solvers and counts those that are noticed."
    )
    parser.add_argument("files", nargs="*", help="patterns of files; all if there are none")
    parser.add_argument("--count", type=int, default=410)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=NATIVE.parent / "build" / "mutants")
    parser.add_argument(
        "--again", action="store_true", help="first test survivors that are not reviewed again"
    )
    parser.add_argument("--list", action="store_true", help="show the last run")
    parser.add_argument("--candidates", action="store_true", help="count what can be drawn")
    options = parser.parse_args()
    laboratory = Laboratory(options.folder.resolve())
    record = laboratory.folder / f"results-{options.seed}.jsonl"
    if options.candidates:
        drawn = draw(laboratory, options.seed)
        for file, wanted in quotas(drawn, options.count).items():
            print(
                f"{file}: {wanted} of {len(drawn[file])}",
                dict(Counter(m.operator for m in drawn[file])),
            )
        return
    if options.list:
        show(laboratory, load(record))
        return
    laboratory.prepare()
    if options.again:
        survivors = [one.mutant for one in load(record) if one.outcome == "survived"]
        survivors = [one for one in survivors if not reason_of(laboratory, one)]
        with ThreadPoolExecutor(options.processes) as pool, record.open("a") as out:
            for result in tested(pool, laboratory, survivors):
                write(out, result)
    results = test_all(laboratory, options, record)
    show(laboratory, results)


if __name__ == "__main__":
    main()
