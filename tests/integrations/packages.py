"""Packages that the tests of integrations need; `make integrations` has all of them."""

from __future__ import annotations

import importlib
import os
import re
import warnings
from typing import Any

import pytest

LEFT_OUT = "needs {}: make integrations"
WITHOUT_SPARK = "needs {}: make spark"
PACKAGES = {  # that `make integrations` has, by the module that is imported
    "faiss": "faiss-cpu",
    "h5py": "h5py",
    "hnswlib": "hnswlib",
    "ibis": "ibis-framework",
    "ir_datasets": "ir_datasets",
    "ir_measures": "ir_measures",
    "langchain_core": "langchain-core",
    "llama_index": "llama-index-core",
    "nbclient": "nbclient",
    "pyterrier": "python-terrier",
    "ranx": "ranx",
    "trectools": "trectools",
    "usearch": "usearch",
}
SPARK = ("pyspark",)  # what `make spark` has


def needed(module: str) -> Any:
    """A module of another package. Where it is missing, the tests are skipped and say so.

    Where MEDIR_INTEGRATIONS is set, nothing may be missing.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what others deprecate while they are imported
        try:
            return importlib.import_module(module)
        except ImportError:
            if os.environ.get("MEDIR_INTEGRATIONS"):
                raise
    top = module.partition(".")[0]
    if top in SPARK:
        pytest.skip(WITHOUT_SPARK.format(top), allow_module_level=True)
    pytest.skip(LEFT_OUT.format(PACKAGES.get(top, top)), allow_module_level=True)


def imported_packages(code: str) -> list[str]:
    """The modules of `PACKAGES` that a Python session imports.

    >>> imported_packages(">>> import pyterrier as pt\\n>>> from medir import P\\n")
    ['pyterrier']
    """
    found = re.findall(r"^(?:>>> |\.\.\. )\s*(?:import|from) (\w+)", code, re.MULTILINE)
    return [name for name in dict.fromkeys(found) if name in PACKAGES]


def needs_spark(code: str) -> bool:
    """Whether an example of Python, or of the shell, needs Spark.

    >>> needs_spark("$ medir spark compare before.parquet after.parquet")
    True
    """
    return (
        re.search(r"^(?:>>> |\.\.\. ).*\b(?:pyspark)\b|^\$ .*medir spark ", code, re.MULTILINE)
        is not None
    )


def left_out(reasons: list[str]) -> list[str]:
    """The packages that skipped tests name, each once.

    >>> left_out(["Skipped: needs ranx: make integrations", "Skipped: needs real data"])
    ['ranx']
    """
    start, end = LEFT_OUT.split("{}")
    found = {
        reason.partition(start)[2].removesuffix(end) for reason in reasons if reason.endswith(end)
    }
    return sorted(found)
