"""Reporting of progress."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """The interface of progress callbacks; the command line shows a bar."""

    def begin(self, what: str, total: int) -> None:
        """Begin a stage of `total` steps, which ends the previous stage; 0 if the number is unknown."""

    def advance(self, steps: int) -> None:
        """Report finished steps of the stage."""


class Silent:
    """The default listener, which ignores everything."""

    def begin(self, what: str, total: int) -> None:
        """Say nothing."""

    def advance(self, steps: int) -> None:
        """Say nothing."""
