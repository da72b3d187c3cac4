"""Prints how much of the package and its kernels the tests reached; 1 where that is too little.

`make coverage` runs the tests with instruments before. Beside the table, `files.txt` in the same
folder has a row for every file with something that no test reached.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent.parent
KERNELS = ROOT / "native" / "medir"
MOST_FILES = 20  # that are shown where too little was reached


class Reached(NamedTuple):
    """Some of all lines or branches."""

    covered: int
    of: int

    @property
    def percent(self) -> float:
        """100 where there is nothing to reach."""
        return 100 * self.covered / self.of if self.of else 100.0


class Row(NamedTuple):
    """What was reached of a file, or of all files."""

    name: str
    lines: Reached
    branches: Reached
    missing: str = ""

    def __str__(self) -> str:
        cells = [f"{self.lines.percent:.1f} %".rjust(9), f"{self.branches.percent:.1f} %".rjust(9)]
        return f"{self.name:44} {' '.join(cells)}  {self.missing}".rstrip()


def tool(name: str, clang: str) -> str:
    """A tool of LLVM, of the version that compiled the module."""
    version = clang.rpartition("-")[2]
    for candidate in (f"{name}-{version}", name):
        if path := shutil.which(candidate):
            return path
    sys.exit(f"there is no {name}: install it with: apt-get install llvm")


def kernels(build: Path, clang: str) -> Iterator[Row]:
    """What llvm-cov says of the kernels: all, then every file."""
    profile, files = build / "kernels.profdata", build / "counts.txt"
    counts = sorted(map(str, (build / "counts").glob("*.profraw")))
    files.write_text("\n".join(counts), encoding="utf-8")
    merge = [tool("llvm-profdata", clang), "merge", "-sparse", f"-input-files={files}"]
    subprocess.run([*merge, "-o", str(profile)], check=True)
    (module,) = build.glob("lib/python*/site-packages/medir/_core*.so")
    export = [tool("llvm-cov", clang), "export", "-summary-only", f"-instr-profile={profile}"]
    found = subprocess.run([*export, str(module)], check=True, capture_output=True)
    # The names of files may go through the folder that they were compiled in.
    every = {
        Path(file["filename"]).resolve(): file["summary"]
        for file in json.loads(found.stdout)["data"][0]["files"]
    }
    rows = [
        kernel_row(str(path.relative_to(ROOT)), summary)
        for path, summary in every.items()
        if path.is_relative_to(KERNELS)
    ]
    lines, branches = (
        Reached(sum(one.covered for one in kind), sum(one.of for one in kind))
        for kind in ([row.lines for row in rows], [row.branches for row in rows])
    )
    yield Row("native/medir", lines, branches)
    yield from rows


def kernel_row(name: str, summary: dict[str, Any]) -> Row:
    """A row of llvm-cov."""
    lines, branches = (
        Reached(summary[kind]["covered"], summary[kind]["count"]) for kind in ("lines", "branches")
    )
    return Row(name, lines, branches)


def package(build: Path) -> Iterator[Row]:
    """What coverage.py says of the package: all, then every file."""
    path = build / "package.json"
    command = [sys.executable, "-m", "coverage", "json", "-q", "--fail-under=0", "-o", str(path)]
    subprocess.run(command, check=True)
    report = json.loads(path.read_bytes())
    yield package_row("src/medir", report["totals"], [], [])
    for name, file in report["files"].items():
        yield package_row(name, file["summary"], file["missing_lines"], file["missing_branches"])


def package_row(
    name: str, summary: dict[str, int], lines: list[int], branches: list[list[int]]
) -> Row:
    """A row of coverage.py, with what is missing."""
    jumps = [f"{start}->{end}" for start, end in branches if start not in lines]
    return Row(
        name,
        Reached(summary["covered_lines"], summary["num_statements"]),
        Reached(summary["covered_branches"], summary["num_branches"]),
        ", ".join([*map(str, lines), *jumps]),
    )


def main() -> int:
    """Prints both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the folder of the environment with instruments")
    parser.add_argument("clang", help="what the kernels were compiled with; empty where not")
    given = parser.parse_args()
    build = given.build.absolute()
    whole, *files = package(build)
    least = {"src/medir": (95.0, 95.0), "native/medir": (90.0, 0.0)}  # percent, lines and branches
    all_rows = [whole]
    if given.clang:
        of_kernels, *more = kernels(build, given.clang)
        all_rows.append(of_kernels)
        files += more
    reached = [row for row in files if row.lines.percent < 100 or row.branches.percent < 100]
    reached.sort(key=lambda row: row.lines.covered - row.lines.of)
    (build / "files.txt").write_text("".join(f"{row}\n" for row in reached), encoding="utf-8")
    too_little = [
        row.name
        for row in all_rows
        if row.lines.percent < least[row.name][0] or row.branches.percent < least[row.name][1]
    ]
    table = ["", f"{'coverage':44} {'lines':>9} {'branches':>9}  asked"]
    asked = {"src/medir": "95 % of both", "native/medir": "90 % of lines"}
    table += [f"{row} {asked[row.name]}" for row in all_rows]
    if not given.clang:
        table.append("native/medir: NOT MEASURED: no clang. Install it: apt-get install clang llvm")
    if too_little:
        table += ["too little: " + ", ".join(too_little), *map(str, reached[:MOST_FILES])]
    (build / "table.txt").write_text("\n".join([*table, ""]), encoding="utf-8")
    print("\n".join(table))
    return 1 if too_little else 0


if __name__ == "__main__":
    sys.exit(main())
