"""The notation of measures under a fuzzer that is guided by coverage: `make fuzz-notation`.

A text is a measure whose own text means the same, or it is a MeasureError; each within a second.
Half of the texts are put together from what measures are written with, the rest are any text.
"""

from __future__ import annotations

import sys
import time
from types import FunctionType

import atheris

import medir.measures.notation
from medir.measures import arguments, family, parameters, table
from medir.measures.shapes import discounts
from tests.measures.test_notation import NAMES, PARAMETERS, WORDS, check_text

WATCHED = [medir.measures.notation, arguments, family, parameters, table, discounts]

MARKS = ["(", ")", "[", "]", "{", "}", ",", ", ", ":", "=", "@", "_", ".", "-", "+", " ", "'", '"',
         "\\", "\\x41", "\n", "@all", "@20", "e", "1e400", "0.5", "1", "12", "None", "True",
         "[1, 0.5]", "{2: 1, 1: 12}"]  # fmt: skip
TOKENS = [*NAMES, *PARAMETERS, *WORDS, *MARKS]
LONGEST = 64  # tokens
counts = {"texts": 0, "measures": 0}


def text_of(data: bytes) -> str:
    provider = atheris.FuzzedDataProvider(data)
    if provider.ConsumeBool():
        return str(provider.ConsumeUnicode(1000))
    parts: list[str] = []
    while provider.remaining_bytes() > 0 and len(parts) < LONGEST:
        number = provider.ConsumeIntInRange(0, len(TOKENS))
        parts.append(TOKENS[number] if number < len(TOKENS) else provider.ConsumeUnicode(3))
    return "".join(parts)


def execute(data: bytes) -> None:
    text = text_of(data)
    begin = time.process_time()
    found = check_text(text)
    assert time.process_time() - begin < 1, text
    counts["texts"] += 1
    counts["measures"] += found
    if counts["texts"] % 100_000 == 0:
        print(f"{counts['texts']} texts, {counts['measures']} of them measures", flush=True)


def instrument() -> None:
    """Has the fuzzer see which branches of these modules are taken."""
    for module in WATCHED:
        parts = [module, *(one for one in vars(module).values() if isinstance(one, type))]
        for part in parts:
            for one in list(vars(part).values()):
                if isinstance(one, FunctionType) and one.__module__ == module.__name__:
                    atheris.instrument_func(one)


if __name__ == "__main__":
    atheris.enabled_hooks.add("RegEx")
    instrument()
    atheris.Setup(sys.argv, execute)
    atheris.Fuzz()
