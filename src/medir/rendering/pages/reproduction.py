"""How a report was made, so that others can make it again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from medir.base.version import __version__
from medir.errors import UsageError
from medir.files.identifiers import shown
from medir.files.origins import Fingerprint, Input, name_and_format

EPOCH = "SOURCE_DATE_EPOCH"  # the date of builds that are to be the same again


class Made(Protocol):
    """A result that knows what it was made from."""

    @property
    def fingerprints(self) -> list[tuple[str, Input, Fingerprint | None]]:
        """What was read, with size and SHA-256."""

    def choices(self) -> Mapping[str, Any]:
        """How it was made, by the names of the arguments."""


@dataclass(frozen=True)
class InputFile:
    """Something that was read."""

    role: str
    name: str
    size: str
    sha256: str


@dataclass(frozen=True)
class Reproduction:
    """The command, the options, the inputs."""

    command: str | None
    options: str
    made: str
    inputs: list[InputFile]

    @classmethod
    def of(cls, result: Made, command: str | None) -> Reproduction:
        """How a result was made; every input that is a file is read again for its hash."""
        return cls(
            None if command is None else shown(command),
            ", ".join(_options(result.choices())),
            f"{_now():%Y-%m-%d %H:%M} UTC by medir {__version__}",
            list(_inputs(result)),
        )


def _options(choices: Mapping[str, Any]) -> Iterator[str]:
    for name, value in choices.items():
        if value is not None:
            yield f"{name}={shown(str(value))}"


def _inputs(result: Made) -> Iterator[InputFile]:
    for role, one, found in result.fingerprints:
        name = name_and_format(one)
        if found is None:
            yield InputFile(role, name, "–", "")
        else:
            yield InputFile(role, name, f"{found.bytes:,} bytes", found.sha256)


def _now() -> datetime:
    """The time, or the one that SOURCE_DATE_EPOCH names."""
    seconds = os.environ.get(EPOCH)
    if not seconds:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"{EPOCH} is a number of seconds since 1970, not {seconds!r}") from None
