"""Reports in folders, read back without a browser."""

from __future__ import annotations

import base64
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import medir
from tests.cases.pages import data_of

SCRIPT = re.compile(r'medir\("([^"]+)",(.*)\)\n', re.DOTALL)
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
KINDS = {"u1": np.uint8, "u2": np.uint16, "u4": np.uint32}

Run = dict[str, list[str]]
Judgments = dict[str, dict[str, int]]


def generated(queries: int, seed: int = 0, depth: int = 8) -> tuple[Run, Run, Judgments]:
    """Two runs and judgments: lists of any length, queries of one run only, some grades."""
    draw = random.Random(seed)
    names = [f"d{number}" for number in range(2 * depth)]
    before, after, qrels = {}, {}, {}
    for number in range(queries):
        query = f"q{number}"
        if draw.random() < 0.98:
            before[query] = draw.sample(names, draw.choice([0, 1, depth, depth]))
        if draw.random() < 0.98 or query not in before:
            kept = list(before.get(query, draw.sample(names, depth)))
            swaps = draw.choice([0, 1, 3])
            for _ in range(swaps if len(kept) > 1 else 0):
                i, j = draw.sample(range(len(kept)), 2)
                kept[i], kept[j] = kept[j], kept[i]
            fresh = [name for name in names if name not in kept]
            kept = [fresh.pop() if fresh and draw.random() < 0.1 else name for name in kept]
            after[query] = kept
        if draw.random() < 0.6:
            judged = draw.sample(names, draw.choice([1, 4, depth]))
            qrels[query] = {name: draw.choice([0, 0, 1, 2]) for name in judged}
    return before, after, qrels


class Folder:
    """A report in a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.page = data_of(path / "index.html")
        self.layout: dict[str, Any] = self.page["folder"]

    @property
    def files(self) -> list[Path]:
        return [path for path in self.path.rglob("*") if path.is_file()]

    def script(self, name: str) -> Any:
        """What a file hands to the page."""
        text = (self.path / "data" / f"{name}.js").read_text(encoding="utf-8")
        found = SCRIPT.fullmatch(text)
        assert found is not None
        assert found[1] == name
        value = found[2]
        if value.startswith("JSON.parse("):  # of a text
            value = json.loads(value.removeprefix("JSON.parse(").removesuffix(")"))
        return json.loads(value)

    def names(self, room: str) -> list[str]:
        found = [f"{room}/{path.stem}" for path in (self.path / "data" / room).iterdir()]
        return sorted(found, key=lambda name: [int(n) for n in re.findall(r"\d+", name)])

    def numbers(self, text: str, kind: Any) -> NDArray[Any]:
        return np.frombuffer(base64.b64decode(text), dtype=kind)

    def rows(self) -> list[dict[str, Any]]:
        """The rows of all queries."""
        places, kind = self.layout["places"], KINDS[self.layout["whole"]]
        rows = []
        for name in self.names("rows"):
            content = self.script(name)
            size = len(content["ids"])
            numbers = self.numbers(content["numbers"], np.float64).reshape(-1, size)
            counts = self.numbers(content["counts"], kind).reshape(-1, size)
            for i, query in enumerate(content["ids"]):
                rows.append(
                    {
                        "id": query,
                        "text": content["texts"][i] if "texts" in content else "",
                        "values": [[numbers[c, i] for c in some] for some in places["values"]],
                        "beside": [numbers[c, i] for c in places["beside"]],
                        "changes": [[counts[c, i] for c in some] for some in places["changes"]],
                        "segment": None
                        if places["segments"] is None
                        else counts[places["segments"], i],
                    }
                )
        return rows

    def column(self, kind: str, number: int) -> NDArray[Any]:
        """A column, whole."""
        dtype = np.float64 if kind == "numbers" else KINDS[self.layout["whole"]]
        chunks = [
            self.script(name)
            for name in self.names("columns")
            if name.startswith(f"columns/{kind}-{number}-")
        ]
        return np.concatenate([self.numbers(chunk, dtype) for chunk in chunks])

    def lists(self) -> list[Any]:
        """What the kernels wrote of each query."""
        return [one for name in self.names("lists") for one in self.script(name)]


def decoded(text: str) -> list[int]:
    """Numbers of five bits per digit, lowest first."""
    numbers, value, shift = [], 0, 0
    for character in text:
        digit = DIGITS.index(character)
        value |= (digit & 31) << shift
        shift += 5
        if digit < 32:
            numbers.append(value)
            value = shift = 0
    return numbers


def packed(why: medir.Explanation) -> dict[str, tuple[Any, ...]]:
    """What is known of each document of a query: ranks, grade, relevance of gain and of loss."""
    return {
        one.document: (one.before, one.after, one.grade, one.gain_relevance, one.loss_relevance)
        for one in why.documents
    }


def unpacked(record: Any, formula: Any, measure: int) -> dict[str, tuple[Any, ...]]:
    """The same, from what was written."""
    _, before, _, places, grades, codes, ids, *_ = record
    after, judged = decoded(places), decoded(grades)
    gain, loss = codes[2 * measure : 2 * measure + 2]

    def relevance(code: str, i: int) -> float:
        intents = [code[n + i] for n in range(0, len(code), len(ids))]
        return float(np.mean([formula["values"][DIGITS.index(one)] for one in intents]))

    return {
        name: (
            i + 1 if i < before else None,
            after[i] or None,
            (judged[i] - 1 if judged[i] else None) if judged else None,
            relevance(gain, i),
            relevance(loss, i),
        )
        for i, name in enumerate(ids)
    }
