"""The frame of every HTML page: head, facts, style, footer, and what its scripts may do."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

from medir.base.version import __version__

HERE = "medir.rendering.pages"


class Frame:
    """All that a page has beside its own content.

    A package brings `page.html`, which fills in the blocks of `frame.html`, `page.css`, and perhaps
    `scripts`, the only ones that may run, but for what these load from `folder`.
    """

    def __init__(
        self,
        package: str,
        scripts: Sequence[str] = (),
        *,
        pictures: bool = False,
        folder: str | None = None,
        **content: Any,
    ) -> None:
        self._template = _template(package)
        script = _script(package, scripts)
        style = f"{_resource(HERE, 'frame.css')}\n{_resource(package, 'page.css')}"
        self._content = {
            "version": __version__,
            "policy": Markup(_policy(script, pictures, folder is not None)),
            "folder": folder,
            "style": Markup(style),
            "script": Markup(script),
            **content,
        }

    def around(self, **content: Any) -> str:
        """The page as HTML."""
        return self._template.render(**self._content, **content)


@cache
def _template(package: str) -> Template:
    """The template of a package; it may extend the one of the frame."""

    def source(name: str) -> str:
        return _resource(package if name == "page.html" else HERE, name)

    environment = Environment(
        loader=FunctionLoader(source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html")


def _script(package: str, names: Sequence[str]) -> str:
    """The scripts of a package as one, whose names are its own; empty where there are none."""
    folder = files(package).joinpath("scripts")
    parts = [folder.joinpath(name).read_text(encoding="utf-8") for name in names]
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "})();\n" if parts else ""


def _resource(package: str, name: str) -> str:
    """The text of a file, empty where there is none."""
    path = files(package).joinpath(name)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _policy(script: str, pictures: bool, loads: bool) -> str:
    """What a page may do: have its own style and pictures, and run its own script.

    What `loads` runs the scripts that its own one asks for, and no others.
    """
    rules = ["default-src 'none'", "style-src 'unsafe-inline'"]
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        more = " 'strict-dynamic'" if loads else ""
        rules.append(f"script-src 'sha256-{digest}'{more}")
    if pictures:
        rules.append("img-src data:")
    return "; ".join([*rules, "base-uri 'none'", "form-action 'none'"])
