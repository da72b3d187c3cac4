"""The native reader under the sanitizers: native/tests, built and run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_reader_survives_mutated_text(tmp_path: Path) -> None:
    cmake = shutil.which("cmake", path=str(Path(sys.executable).parent)) or shutil.which("cmake")
    if cmake is None:
        pytest.skip("cmake is not installed")
    configure = [cmake, "-S", str(ROOT), "-B", str(tmp_path), "-DMEDIR_SANITIZE=ON"]
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run([cmake, "--build", str(tmp_path), "-j2"], check=True, capture_output=True)
    done = subprocess.run(
        [str(tmp_path / "fuzz_trec"), "40000"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "40000 texts" in done.stdout
