"""How much could a change to a search engine matter?

medir computes the Maximized Effectiveness Difference (MED) of ranked lists: the largest difference
in nDCG, RBP, ... that any assignment of relevance could produce between them.

>>> import medir
>>> from medir import P
>>> medir.med(["a", "b"], ["b", "c"], P @ 2)
0.5
"""

from __future__ import annotations

from importlib import import_module

from medir.base.views import attach

# The stub beside this file is the list of public names: lines `from home import name as name`, and
# `name: Measure` for the rows of the table of measures. They are loaded when they are first used,
# so that importing medir costs next to nothing.
_STUB = __loader__.get_data(f"{__file__}i").decode()  # type: ignore[name-defined]
_HOMES: dict[str, str] = {}
for _line in _STUB.splitlines():
    if _line.startswith("from medir"):
        _, _home, _, _name, *_ = _line.split()
        _HOMES[_name] = _home
    elif _line.endswith(": Measure"):
        _HOMES[_line.removesuffix(": Measure")] = "medir.measures"

_MODULES = ("medir", "medir.integrations")  # what is named of these is a module itself

__all__ = list(_HOMES)

# What draws a result stands above it. It is named here, and loaded when a view is asked for.
_NOTEBOOK, _EXPLAINED = "medir.integrations.notebook", "medir.integrations.explained"
_PICTURES, _VALIDATION = "medir.rendering.pictures", "medir.validation"
attach(
    "html",
    {
        "Differences": f"{_NOTEBOOK}:comparison_html",
        "Explanation": f"{_EXPLAINED}:explanation_html",
        "PassageExplanation": f"{_EXPLAINED}:passages_html",
        "Matrix": f"{_NOTEBOOK}:matrix_html",
        "Scores": f"{_NOTEBOOK}:scores_html",
        "Suggestions": f"{_NOTEBOOK}:suggestions_html",
        "Expectation": f"{_NOTEBOOK}:expectation_html",
        "Exposures": f"{_NOTEBOOK}:exposures_html",
        "Study": f"{_VALIDATION}.notebook:study_html",
        "PassageStudy": f"{_VALIDATION}.notebook:passage_study_html",
    },
)
attach(
    "plot",
    {
        "Differences": f"{_PICTURES}.comparisons:comparison_figure",
        "Matrix": f"{_PICTURES}.matrices:matrix_figure",
    },
)
attach("map", {"Matrix": f"{_PICTURES}.matrices:map_figure"})
attach("figure", {"Study": f"{_VALIDATION}.figures:study_figure"})
_PAGES = "medir.rendering.pages"
attach(
    "report",
    {
        "Differences": f"{_PAGES}.report:write_report",
        "Matrix": f"{_PAGES}.matrix.writing:write_matrix_page",
    },
)


def __getattr__(name: str) -> object:
    home = _HOMES.get(name, "medir.measures")  # what is not listed may be a new row of the table
    try:
        if name.startswith("_") and name not in _HOMES:
            raise AttributeError
        is_module = home in _MODULES
        module = import_module(f"{home}.{name}" if is_module else home)
        value = module if is_module else getattr(module, name)
    except AttributeError:
        raise AttributeError(f"module 'medir' has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
