"""Reporting of progress."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """A listener to progress; the command line shows it as a bar."""

    def begin(self, what: str, total: int) -> None:
        """Begin a stage of `total` steps, which ends the stage before; 0 if steps cannot be counted."""

    def advance(self, steps: int) -> None:
        """Report that some steps of the stage are done."""


class Silent:
    """The default listener, which ignores everything."""

    def begin(self, what: str, total: int) -> None:
        """Say nothing."""

    def advance(self, steps: int) -> None:
        """Say nothing."""
