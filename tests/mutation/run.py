"""Do the tests of the measures and of the gate notice a fault? Small faults by cosmic-ray.

    python tests/mutation/run.py measures            # 150 mutants, by seed 1
    python tests/mutation/run.py gate --count 60
    python tests/mutation/run.py gate --list         # the last run again

The mutants are put into a copy of the package, in build/mutation. Those of type annotations are
left out: no behaviour depends on them.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Target:
    modules: tuple[str, ...]
    tests: tuple[str, ...]


TARGETS = {
    "measures": Target(
        ("measures",),
        (
            "tests/measures",
            "tests/comparing/test_trec_eval.py",
            "tests/comparing/test_explain.py",
            "tests/cli/test_measures.py",
        ),
    ),
    "gate": Target(
        ("comparing/decision/gate.py",),
        (
            "tests/comparing/decision",
            "tests/cli/test_gate.py",
            "tests/integrations/test_pytest_plugin.py",
        ),
    ),
}
# `X | None` is only ever a type here.
LEFT_OUT = ("ReplaceBinaryOperator_BitOr", "_BitOr")


def prepare(folder: Path) -> None:
    """Copies the package as it is installed, and its tests."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    find = "import medir._core as core; print(core.__file__)"
    core = subprocess.run(
        [sys.executable, "-c", find], check=True, capture_output=True, text=True, cwd=ROOT / "tests"
    )
    shutil.copy(core.stdout.strip(), folder / "src" / "medir")
    for name in ("tests", "examples", "docs", "pyproject.toml", "README.md"):
        (folder / name).symlink_to(ROOT / name)


def configure(folder: Path, target: Target) -> Path:
    tests = " ".join(name for name in target.tests if (ROOT / name).exists())
    modules = ", ".join(f'"src/medir/{name}"' for name in target.modules)
    config = folder / "cosmic-ray.toml"
    config.write_text(
        f"""[cosmic-ray]
module-path = [{modules}]
timeout = 300.0
excluded-modules = []
test-command = '{sys.executable} -m pytest -q -x -n 0 -p no:cacheprovider -m "not slow" {tests}'
[cosmic-ray.distributor]
name = "local"
"""
    )
    return config


def draw(database: WorkDB, count: int, seed: int) -> None:
    """Leaves `count` of the mutants to test."""
    items = sorted(
        database.work_items,
        key=lambda item: (
            str(item.mutations[0].module_path),
            item.mutations[0].start_pos,
            item.mutations[0].operator_name,
            item.mutations[0].occurrence,
        ),
    )
    possible = [
        item
        for item in items
        if not any(name in item.mutations[0].operator_name for name in LEFT_OUT)
    ]
    print(f"{len(possible)} mutants, of which {min(count, len(possible))} are drawn by seed {seed}")
    drawn = {
        item.job_id for item in random.Random(seed).sample(possible, min(count, len(possible)))
    }
    skipped = [item.job_id for item in items if item.job_id not in drawn]
    database.set_multiple_results(skipped, WorkResult(WorkerOutcome.SKIPPED))


def show(database: WorkDB) -> None:
    outcomes = {
        job: result
        for job, result in database.results
        if result.worker_outcome != WorkerOutcome.SKIPPED
    }
    survivors = {
        job for job, result in outcomes.items() if result.test_outcome == TestOutcome.SURVIVED
    }
    killed = len(outcomes) - len(survivors)
    print(f"{killed} of {len(outcomes)} mutants are killed ({killed / max(1, len(outcomes)):.1%})")
    for item in database.work_items:
        if item.job_id in survivors:
            mutation = item.mutations[0]
            changed = [
                line
                for line in (outcomes[item.job_id].diff or "").splitlines()
                if line[:1] in "+-" and line[:3] not in ("+++", "---")
            ]
            print(f"{mutation.module_path}:{mutation.start_pos[0]} {mutation.operator_name}")
            print("\n".join(f"    {line}" for line in changed))


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Puts faults into the package and counts those noticed."
    )
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="show the last run")
    options = parser.parse_args()
    folder = ROOT / "build" / "mutation" / options.target
    session = folder / "session.sqlite"
    if not options.list:
        prepare(folder)
        config = configure(folder, TARGETS[options.target])
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(
                [str(folder / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
            ),
            "PYTHONDONTWRITEBYTECODE": "1",
            "MEDIR_PROFILE": "quick",
            "MEDIR_DATA": "",
        }
        cosmic_ray = [sys.executable, "-m", "cosmic_ray.cli"]
        for step in ("baseline", "init"):  # the tests pass without a mutant
            command = [*cosmic_ray, step, config.name, *([session.name] if step == "init" else [])]
            subprocess.run(command, check=True, cwd=folder, env=environment)
        with use_db(str(session), WorkDB.Mode.open) as database:
            draw(database, options.count, options.seed)
        command = [*cosmic_ray, "exec", config.name, session.name]
        subprocess.run(command, check=True, cwd=folder, env=environment)
    with use_db(str(session), WorkDB.Mode.open) as database:
        show(database)


if __name__ == "__main__":
    main()
