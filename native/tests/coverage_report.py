"""Prints how much of the package and its kernels the tests reached; 1 where that is too little.

`make coverage` runs the tests with instruments before.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
KERNELS = ROOT / "native" / "medir"
PACKAGE_LEAST = 95.0  # percent of lines and branches
KERNELS_LEAST = 90.0  # percent of lines


def tool(name: str, clang: str) -> str:
    """A tool of LLVM, of the version that compiled the module."""
    version = clang.rpartition("-")[2]
    for candidate in (f"{name}-{version}", name):
        if path := shutil.which(candidate):
            return path
    sys.exit(f"there is no {name}: install it with: apt-get install llvm")


def kernels(build: Path) -> dict[str, Any]:
    """What llvm-cov says of the kernels."""
    clang = (ROOT / ".venv" / "clang").read_text(encoding="utf-8").strip()
    profile = build / "kernels.profdata"
    counts = sorted(map(str, (build / "counts").glob("*.profraw")))
    files = build / "counts.txt"
    files.write_text("\n".join(counts), encoding="utf-8")
    subprocess.run(
        [tool("llvm-profdata", clang), "merge", "-sparse", f"-input-files={files}", "-o", profile],
        check=True,
    )
    modules = [*build.glob("lib/python*/site-packages/medir/_core*.so")]
    native = build.with_name(f"{build.name}-native")
    programs = [path for path in native.glob("*") if path.suffix == "" and path.is_file()]
    binaries = [str(path) for path in [*modules, *programs] if path.stat().st_mode & 0o100]
    objects = [f"-object={path}" for path in binaries[1:]]
    command = [tool("llvm-cov", clang), "export", "-summary-only", f"-instr-profile={profile}"]
    found = subprocess.run(
        [*command, binaries[0], *objects, str(KERNELS)], check=True, capture_output=True
    )
    report: dict[str, Any] = json.loads(found.stdout)["data"][0]
    return report


def print_kernels(report: dict[str, Any]) -> float:
    """One row per file with lines that no test reached; returns the share of lines in all."""
    for file in sorted(
        report["files"], key=lambda file: float(file["summary"]["lines"]["percent"])
    ):
        lines, branches = file["summary"]["lines"], file["summary"]["branches"]
        if lines["percent"] < 100:
            name = Path(file["filename"]).relative_to(KERNELS)
            print(
                f"{name!s:40} lines {lines['percent']:.1f} %, branches {branches['percent']:.1f} %"
            )
    return float(report["totals"]["lines"]["percent"])


def package() -> float:
    """Prints what coverage.py says of the package; returns the share of lines and branches."""
    measure = [sys.executable, "-m", "coverage"]
    subprocess.run([*measure, "report", "--skip-covered", "--fail-under=0"], check=True)
    found = subprocess.run(
        [*measure, "report", "--format=total", "--precision=2", "--fail-under=0"],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(found.stdout)


def main() -> int:
    """Prints both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the folder of the environment with instruments")
    build = parser.parse_args().build.absolute()
    of_package = package()
    report = kernels(build)
    of_kernels = print_kernels(report)
    branches = report["totals"]["branches"]["percent"]
    print(f"src/medir: {of_package:.1f} % of lines and branches (at least {PACKAGE_LEAST:.0f} %)")
    print(
        f"native/medir: {of_kernels:.1f} % of lines (at least {KERNELS_LEAST:.0f} %), "
        f"{branches:.1f} % of branches"
    )
    return 1 if of_package < PACKAGE_LEAST or of_kernels < KERNELS_LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
