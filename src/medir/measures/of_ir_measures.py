"""Measures of ir_measures, as medir writes them. They are recognised without importing it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from medir.errors import MeasureError

PACKAGE = "ir_measures"


class IrMeasure(Protocol):
    """A measure of ir_measures."""

    @property
    def NAME(self) -> str | None:  # noqa: N802
        """Its name without parameters."""

    @property
    def params(self) -> dict[str, Any]:
        """Its parameters, as far as they are set."""


class _Given(NamedTuple):
    """A measure of ir_measures: its name, its parameters, and those that medir writes."""

    text: str
    name: str
    parameters: Mapping[str, Any]
    judged: bool  # whether there are judgments, from which an ideal can be taken

    @property
    def cutoff(self) -> str:
        number = self.parameters.get("cutoff")
        return "" if number is None else f"@{number}"

    def get(self, name: str, default: Any) -> Any:
        return self.parameters.get(name, default)


def is_ir_measure(one: object) -> bool:
    """Whether this is a measure of ir_measures."""
    return any(
        kind.__name__ == "Measure" and kind.__module__.partition(".")[0] == PACKAGE
        for kind in type(one).__mro__
    )


def notation_of(one: Any, judged: bool = True) -> str:
    """What medir writes for a measure of ir_measures; an error where it has no such measure.

    ir_measures takes the ideal of nDCG and AP from judgments. Where there are none (`judged`), it
    is medir's own, which needs none.
    """
    given = _Given(str(one), str(one.NAME), dict(one.params), judged)
    translate = TRANSLATIONS.get(given.name)
    if translate is None:
        raise MeasureError(_unknown(one, given))
    if given.get("judged_only", False):
        raise MeasureError(
            f"ir_measures' {given.text} is not supported: it leaves out documents that are not "
            "judged, while MED assumes the worst of them; leave judged_only out"
        )
    return translate(given)


def _unknown(one: Any, given: _Given) -> str:
    if hasattr(one, "runtime_impl"):
        return (
            f"ir_measures' {given.text} is a function of your own, whose maximum medir cannot "
            "know; write it as a function of relevance by rank: medir.define"
        )
    from medir.measures.unsupported import refusal

    why = refusal(given.text, given.name, given.cutoff[1:] or None)
    return why or f"ir_measures' {given.text} is not supported; 'medir measures' lists what is"


def _written(name: str, cutoff: str, **parameters: Any) -> str:
    stated = ", ".join(f"{key}={value!r}" for key, value in parameters.items() if value is not None)
    return f"{name}({stated}){cutoff}" if stated else f"{name}{cutoff}"


def _with_ideal(given: _Given, name: str, **parameters: Any) -> str:
    """A measure whose ideal comes from the judgments, if there are any."""
    if given.judged:
        return _written(name, given.cutoff or "@all", **parameters, ideal="judged")
    if not given.cutoff:
        raise MeasureError(
            f"ir_measures' {given.text} looks as deep as the lists and takes its ideal from "
            f"judgments, and there are none; give qrels, or a cutoff: {name}@100"
        )
    return _written(name, given.cutoff, **parameters)


def _ndcg(given: _Given) -> str:
    if "gains" in given.parameters:
        raise MeasureError(
            f"ir_measures' {given.text} is not supported: medir's gains are linear or exponential "
            "in the grade; use nDCG@10, nDCG(dcg='exp-log2')@10, or map the grades in the judgments"
        )
    exponential = given.get("dcg", "log2") == "exp-log2"
    return _with_ideal(given, "nDCG", gains=None if exponential else "linear")


def _ap(given: _Given) -> str:
    return _with_ideal(given, "AP", rel=_rel(given))


def _rel(given: _Given) -> int | None:
    rel: int = given.get("rel", 1)
    if rel < 1:
        raise MeasureError(
            f"ir_measures' {given.text} is not supported: a document of grade {rel} would count "
            "as relevant, and grade 0 is not relevant here; choose rel=1 or more"
        )
    return None if rel == 1 else rel


def _binary(name: str) -> Callable[[_Given], str]:
    def translate(given: _Given) -> str:
        return _written(name, given.cutoff, rel=_rel(given))

    return translate


def _with_cutoff(name: str) -> Callable[[_Given], str]:
    def translate(given: _Given) -> str:
        if not given.cutoff:
            raise MeasureError(f"ir_measures' {given.text} needs a cutoff: write {name}@10")
        return _binary(name)(given)

    return translate


def _rbp(given: _Given) -> str:
    p = given.get("p", 0.8)
    if "rel" not in given.parameters:  # graded relevance
        return _written("RBP", given.cutoff, p=p, gains="linear")
    return _written("RBP", given.cutoff, p=p, rel=_rel(given))


def _err(given: _Given) -> str:
    return _written("ERR", given.cutoff, max_grade=4)  # gdeval's, which ir_measures calls


def _graded(name: str) -> Callable[[_Given], str]:
    def translate(given: _Given) -> str:
        if given.get("min_rel", 0) != 0:
            raise MeasureError(
                f"ir_measures' {given.text} is not supported: grades count from 0 here; leave "
                "min_rel out"
            )
        if given.get("max_rel", None) is None:
            raise MeasureError(f"ir_measures' {given.text} needs the highest grade: max_rel=2")
        hoped = given.get("T", 1.0) if name == "INSQ" else None
        return _written(name, given.cutoff, T=hoped, max_grade=given.get("max_rel", None))

    return translate


TRANSLATIONS: dict[str, Callable[[_Given], str]] = {
    "nDCG": _ndcg,
    "AP": _ap,
    "P": _with_cutoff("P"),
    "Success": _with_cutoff("Success"),
    "Judged": _with_cutoff("Judged"),
    "RR": _binary("RR"),
    "RBP": _rbp,
    "ERR": _err,
    "SDCG": _graded("SDCG"),
    "INSQ": _graded("INSQ"),
}
