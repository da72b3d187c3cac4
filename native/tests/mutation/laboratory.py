"""Compiles mutants, links each with the check of the solvers, and runs it."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from operators import Mutant

NATIVE = Path(__file__).resolve().parents[2]
KERNELS = NATIVE / "medir"
CHECKS = NATIVE / "tests" / "check"
LINKED = ("solvers/*.cpp", "measures/*.cpp", "pairs/*.cpp")  # the others come from a library
COMPILER = os.environ.get("CXX", "g++")
FLAGS = ["-std=c++20", "-Wno-all"]
SECONDS = 8  # of the processor, for one run of the check
MEMORY = 4 << 30


@dataclass
class Result:
    mutant: Mutant
    outcome: str  # killed, timed out, survived, equivalent, invalid
    seconds: float


class Laboratory:
    """Compiles and runs mutants, with what does not change compiled once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.sources = {
            str(path.relative_to(KERNELS)): path for path in sorted(KERNELS.rglob("*.[ch]pp"))
        }
        self.sources |= {f"check/{path.name}": path for path in sorted(CHECKS.glob("*.[ch]pp"))}
        self.texts = {name: path.read_text() for name, path in self.sources.items()}
        self.linked = sorted(
            str(p.relative_to(KERNELS)) for glob in LINKED for p in KERNELS.glob(glob)
        )
        self.checks = [
            name for name in self.sources if name.startswith("check/") and name.endswith(".cpp")
        ]
        self.headers: dict[str, set[str]] = {}
        self.reviewed: dict[tuple[str, str, str], str] = {}
        self.fast = folder / "O1"
        self.optimised = folder / "O2"

    def prepare(self) -> None:
        """Compiles everything as it is, and sees the check pass."""
        standard = sorted(
            {line for text in self.texts.values() for line in re.findall(r"#include <\w+>", text)}
        )
        for level in ("-O0", "-O1", "-O2"):
            folder = self.folder / level[1:]
            folder.mkdir(exist_ok=True)
            header = folder / "standard.hpp"
            if not header.exists() or header.read_text() != "\n".join(standard):
                header.write_text("\n".join(standard))
                run(
                    [
                        COMPILER,
                        *FLAGS,
                        level,
                        "-x",
                        "c++-header",
                        str(header),
                        "-o",
                        f"{header}.gch",
                    ]
                )
        rest = [name for name in self.sources if name.endswith(".cpp") and name not in self.linked]
        rest = [name for name in rest if name.split("/")[0] in ("base", "lists")]
        for name in [*self.linked, *rest]:
            self.compile_if_stale(name, self.sources[name])
        for path in CHECKS.glob("*.cpp"):
            self.compile_if_stale(f"check/{path.name}", path)
        archive = self.fast / "rest.a"
        archive.unlink(missing_ok=True)
        run(["ar", "rcs", str(archive), *[str(self.object(name)) for name in rest]])
        began = time.monotonic()
        self.link(self.folder / "original", {})
        outcome = check(self.folder / "original")
        if outcome != "survived":
            sys.exit(f"the check fails without a mutant: {outcome}")
        print(f"the check passes in {time.monotonic() - began:.1f} s", flush=True)

    def object(self, name: str, folder: Path | None = None) -> Path:
        return (folder or self.fast) / (name.replace("/", "-") + ".o")

    def compile_if_stale(self, name: str, path: Path, level: str = "-O1") -> None:
        target = self.object(name, self.folder / level[1:])
        newest = max(
            p.stat().st_mtime
            for p in [path, *[self.sources[h] for h in self.includes(self.texts[name])]]
        )
        if not target.exists() or target.stat().st_mtime < newest:
            self.compile(level, path, target, [])

    def compile(self, level: str, path: Path, target: Path, overlay: list[str]) -> None:
        header = self.folder / level[1:] / "standard.hpp"
        command = [COMPILER, *FLAGS, level, "-include", str(header), *overlay]
        command += [f"-I{KERNELS}", f"-I{CHECKS.parent}", "-c", path.name, "-o", str(target)]
        run(command, cwd=path.parent)

    def includes(self, text: str) -> set[str]:
        """The headers of the kernels that a text includes, also through others."""
        found: set[str] = set()
        for name in re.findall(r'#include "([\w/.]+)"', text):
            if name in self.texts and name not in found:
                found |= {name} | self.included_by(name)
        return found

    def included_by(self, name: str) -> set[str]:
        if name not in self.headers:
            self.headers[name] = set()
            self.headers[name] = self.includes(self.texts[name])
        return self.headers[name]

    def dependents(self, name: str) -> list[str]:
        """The units to compile again when a file changes."""
        units = [*self.linked, *self.checks]
        return [unit for unit in units if unit == name or name in self.includes(self.texts[unit])]

    def link(self, target: Path, replaced: dict[str, Path]) -> None:
        objects = [
            str(replaced.get(name, self.object(name))) for name in [*self.linked, *self.checks]
        ]
        run([COMPILER, *objects, str(self.fast / "rest.a"), "-pthread", "-o", str(target)])

    def test(self, mutant: Mutant) -> Result:
        began = time.monotonic()
        work = self.folder / f"work-{abs(hash(mutant)):x}"
        try:
            outcome = self.outcome(mutant, work)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        return Result(mutant, outcome, time.monotonic() - began)

    def outcome(self, mutant: Mutant, work: Path) -> str:
        changed = work / mutant.file
        changed.parent.mkdir(parents=True)
        changed.write_text(mutant.apply(self.texts[mutant.file]))
        try:
            objects = self.build(mutant, work, "-O0")  # most of the time goes into this
            self.link(work / "check", objects)
        except subprocess.CalledProcessError:
            return "invalid"
        outcome = check(work / "check")
        if outcome == "survived" and self.same_code(mutant, work):
            return "equivalent"
        return outcome

    def build(self, mutant: Mutant, work: Path, level: str) -> dict[str, Path]:
        objects = {}
        for unit in self.dependents(mutant.file):
            path = work / unit if unit == mutant.file else self.sources[unit]
            objects[unit] = work / (unit.replace("/", "-") + level + ".o")
            self.compile(level, path, objects[unit], [f"-I{work}"])
        return objects

    def same_code(self, mutant: Mutant, work: Path) -> bool:
        for unit, changed in self.build(mutant, work, "-O2").items():
            original = self.object(unit, self.optimised)
            self.compile_if_stale(unit, self.sources[unit], "-O2")
            if original.read_bytes() != changed.read_bytes():
                return False
        return True


def run(command: list[str], cwd: Path | None = None) -> None:
    subprocess.run(command, check=True, cwd=cwd, capture_output=True)


def check(program: Path) -> str:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    done = subprocess.run([str(program)], preexec_fn=limit, capture_output=True, check=False)
    if done.returncode in (-24, -9):
        return "timed out"
    return "survived" if done.returncode == 0 else "killed"
