"""The native core without memory: a MemoryError, and the next call works."""

from __future__ import annotations

import subprocess
import sys

import pytest

SIZE = 64 << 20  # bytes of the text, which the core copies

CALLS = {
    "a run": "_core.read_run(b'run', content, _core.Order.score, 2)",
    "judgments": "_core.read_qrels(b'qrels', content, 2)",
    "lengths": "_core.read_lengths(b'lengths', content, 1.0)",
    "JSON": "_core.read_json_run(b'run', content, _core.Order.score)",
}

CODE = """
import resource
from medir import _core

content = b" " * {size}
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + {size} // 2, resource.RLIM_INFINITY))
try:
    {call}
except MemoryError:
    print("MemoryError")
run = _core.read_run(b"run", b"q1 Q0 d1 1 2.5 t", _core.Order.score, 1)
print(run.entries(0))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process by /proc")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_no_memory_is_an_error_of_python(call: str) -> None:
    code = CODE.format(size=SIZE, call=call)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["MemoryError", "[(b'd1', 2.5)]"]
