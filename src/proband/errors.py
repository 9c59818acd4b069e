"""What can go wrong, as the user is told it: what was wrong, what was got, and how to mend it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class ProbandError(Exception):
    """Any error that is the input's doing and not a bug.

    Parameters
    ----------
    message
        What was wrong and what was got, as a full sentence.
    hint
        How to mend it.

    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class InputError(ProbandError):
    """A file or an array is not what it should be."""


class AlignmentError(ProbandError):
    """Scores and samples do not speak of the same ids."""


class DesignError(ProbandError):
    """The experiment asked for cannot be carried out, or would mean nothing."""


class UsageError(ProbandError):
    """The request itself is malformed: an expression, an option, an argument."""

    exit_code: ClassVar[int] = 2


def first_few(items: Sequence[object], limit: int = 3) -> str:
    """Name the first offenders: ``'a', 'b', 'c' and 7 more``."""
    named = ", ".join(repr(str(item)) for item in items[:limit])
    rest = len(items) - limit
    return f"{named} and {rest:,} more" if rest > 0 else named
