"""Views of results: pages, pictures and cells of a notebook, attached from above by name.

A result knows what its views are called. Which function draws one is said by the public face, as
`module:function`, and loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # that of typing, which takes long to load: this is part of `import medir`
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_HOMES: dict[tuple[str, str], str] = {}


def attach(name: str, homes: Mapping[str, str]) -> None:
    """Says which function draws a view, by the class of a result or one that it is derived from."""
    _HOMES.update({(kind, name): home for kind, home in homes.items()})


def view(result: object, name: str) -> Callable[..., Any]:
    """What draws a view of a result; it takes the result first."""
    kinds = [kind.__name__ for kind in type(result).__mro__]
    homes = [_HOMES[kind, name] for kind in kinds if (kind, name) in _HOMES]
    if not homes:
        raise AttributeError(f"{kinds[0]} has no view {name!r}")
    module, _, function = homes[0].partition(":")
    drawn: Callable[..., Any] = getattr(import_module(module), function)
    return drawn


class Viewed:
    """A result that notebooks show."""

    def _repr_html_(self) -> str:
        """The result as a notebook shows it."""
        shown: str = view(self, "html")(self)
        return shown
