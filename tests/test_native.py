"""The native reader and the solvers under the sanitizers: native/tests, built and run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROGRAMS = {"fuzz_trec": ("40000", "40000 texts"), "fuzz_solvers": ("2000", "2000 problems")}


def test_survives(tmp_path: Path) -> None:
    """One test, so that what takes long is built once."""
    cmake = shutil.which("cmake", path=str(Path(sys.executable).parent)) or shutil.which("cmake")
    if cmake is None:
        pytest.skip("cmake is not installed")
    options = ["-DMEDIR_SANITIZE=ON", "-DMEDIR_WERROR=ON"]
    configure = [cmake, "-S", str(ROOT), "-B", str(tmp_path), *options]
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run([cmake, "--build", str(tmp_path), "-j2"], check=True, capture_output=True)
    for program, (rounds, said) in PROGRAMS.items():
        done = subprocess.run(
            [str(tmp_path / program), rounds], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert said in done.stdout
