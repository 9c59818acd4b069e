"""How far along the work is, told to whoever wants to know."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """A listener to progress; the command line shows it as a bar."""

    def begin(self, what: str, total: int) -> None:
        """A stage of `total` steps begins, and the one before is over; of 0 where steps cannot be counted."""

    def advance(self, steps: int) -> None:
        """Some of its steps are done."""


class Silent:
    """The default listener: says nothing."""

    def begin(self, what: str, total: int) -> None:
        """Say nothing."""

    def advance(self, steps: int) -> None:
        """Say nothing."""
