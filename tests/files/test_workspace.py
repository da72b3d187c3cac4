"""Folders for what does not fit into memory."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path
from typing import Any

import pytest

from medir.files.workspace import workspace


def test_an_interrupt_while_python_tries_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes as soon as the file is there with which Python tries whether it may write."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    opened, written = os.open, []

    def interrupted(path: Any, *how: Any, **options: Any) -> int:
        file = opened(path, *how, **options)
        written.append(path)
        signal.raise_signal(signal.SIGINT)
        return file

    # Whoever runs the tests in the background has it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(os, "open", interrupted)
            with pytest.raises(KeyboardInterrupt), workspace():
                pass
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(written) == 1
    assert list(tmp_path.iterdir()) == []
