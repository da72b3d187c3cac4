"""Writes the stub of medir._core: what nanobind says of it, with the types that C++ leaves open.

`make stubs` writes src/medir/_core.pyi; `make lint` fails when that is not what this prints.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

STUB = "src/medir/_core.pyi"
DOCSTRING = '"""The native core. Private: `medir` is the interface. Generated: see `make stubs`."""'
ARRAY = re.compile(r"Annotated\[(NDArray(?:\[numpy\.\w+\])?), dict\([^\]]*\)\]")
VALUES = "tuple[float, ...]"
RETURNED = {  # by functions and methods that return a plain tuple or list
    "queries": "tuple[bytes, list[int]]",
    "entries": "list[tuple[bytes, float]]",
    "members": "list[tuple[bytes, int]]",
    "passages": "list[tuple[bytes, int, int, float]]",
    "take": "tuple[bytes, NDArray[numpy.uint64]]",
    "codes": "tuple[NDArray[numpy.int64], list[bytes]]",
    "strings": "tuple[bytes, NDArray[numpy.uint64]]",
    "judge": "list[tuple[bytes, bytes, float, float, float, float]]",
    "weigh_query": f"tuple[{VALUES}, list[tuple[bytes, int, int, int | None, int | None,"
    " bool | None, float, float]], float, float]",
}
QUERY = {  # the properties of a query, whose arrays are plain objects to C++
    "documents": "list[bytes]",
    "documents_after": "list[bytes]",
    "keys": "list[bytes]",
    "intents": "list[bytes]",
    "before": "NDArray[numpy.uint32]",
    "after": "NDArray[numpy.uint32]",
    "grades": "NDArray[numpy.int32]",
    "grades_by_intent": "NDArray[numpy.int32]",
    "repeated": "NDArray[numpy.int32]",
    "differences": f"list[{VALUES}]",
    "gain_relevance": "list[NDArray[numpy.float64]]",
    "loss_relevance": "list[NDArray[numpy.float64]]",
}
TAKEN = {
    "take: Callable": "take: Callable[[int, memoryview, memoryview], object]",
    "measures: Sequence[ShardMeasure]": "measures: Sequence[ShardMeasure | None]",
    "sink: Callable": "sink: Callable[[memoryview], object]",
    "array: NDArray": "array: NDArray[Any]",
}
OPTIONAL = {"compare": ("measures: Sequence[Measure]", "measures: Sequence[Measure | None]")}


def generated() -> str:
    """The stub as nanobind writes it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "stub.pyi"
        command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "medir._core", "-o"]
        subprocess.run([*command, path], check=True)
        return path.read_text(encoding="utf-8")


def completed(stub: str) -> str:
    """With the types that it leaves open; plain arrays, whatever their shape."""
    stub = ARRAY.sub(r"\1", stub)
    stub = re.sub(r"^([A-Z]+): tuple = .*$", r"\1: tuple[str, ...]", stub, flags=re.MULTILINE)
    for name, returned in RETURNED.items():
        open_type = rf"(def {name}\(.*\) -> )(tuple|list)(?=:)"
        stub, count = re.subn(open_type, rf"\g<1>{returned}", stub)
        if count == 0:
            raise SystemExit(f"stubs.py: no {name} returns a plain tuple or list: drop its row")
    for name, held in QUERY.items():
        stub, count = re.subn(rf"(def {name}\(self\) -> )(list|object)(?=:)", rf"\g<1>{held}", stub)
        if count != 1:
            raise SystemExit(f"stubs.py: a query has no {name}: drop its row")
    for parameter, complete in TAKEN.items():
        stub = re.sub(rf"\b{re.escape(parameter)}(?=[,)])", complete, stub)
    for name, (parameter, optional) in OPTIONAL.items():
        stub, count = re.subn(
            rf"(def {name}\([^)]*){re.escape(parameter)}(?=[,)])", rf"\g<1>{optional}", stub
        )
        if count != 1:
            raise SystemExit(f"stubs.py: {name} does not take {parameter}: drop its row")
    return f"{DOCSTRING}\n\nfrom typing import Any\n\n{stub}"


def formatted(stub: str) -> str:
    """As `make format` leaves it."""
    ruff = str(Path(sys.executable).with_name("ruff"))
    for command in (["check", "--fix-only", "--select", "I,F401"], ["format"]):
        whole = [ruff, *command, "--quiet", "--stdin-filename", STUB, "-"]
        stub = subprocess.run(whole, input=stub, check=True, capture_output=True, text=True).stdout
    return stub


if __name__ == "__main__":
    print(formatted(completed(generated())), end="")
