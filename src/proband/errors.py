"""What can go wrong, as the user is told it: what was wrong, what was got, and how to mend it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

_LONGEST_LINE = 2_000


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
        # Whatever a file or a user wrote may be quoted, and may be of any length.
        self.message = _with_short_lines(message)
        self.hint = None if hint is None else _with_short_lines(hint)
        super().__init__(self.message)

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


def quoted(value: object, limit: int = 80) -> str:
    """Quote what was got, the end left out where it is long: ``'abc…' (100,000 characters)``."""
    text = str(value)
    if len(text) <= limit:
        return repr(text)
    return f"{text[: limit - 1] + '…'!r} ({len(text):,} characters)"


def first_few(items: Sequence[object], limit: int = 3) -> str:
    """Name the first offenders: ``'a', 'b', 'c' and 7 more``."""
    named = ", ".join(quoted(item) for item in items[:limit])
    rest = len(items) - limit
    return f"{named} and {rest:,} more" if rest > 0 else named


def _with_short_lines(text: str) -> str:
    """Leave out the middle of lines that nobody would read."""
    if len(text) <= _LONGEST_LINE:
        return text
    half = _LONGEST_LINE // 2
    lines = (
        line if len(line) <= _LONGEST_LINE else f"{line[:half]} … {line[-half:]}" for line in text.split("\n")
    )
    return "\n".join(lines)
