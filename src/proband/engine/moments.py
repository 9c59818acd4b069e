"""Times with a time zone, to the second and in UTC, so that they can be compared."""

from __future__ import annotations

from datetime import UTC, datetime

from proband.errors import ProbandError, UsageError, quoted

_FORM = "%Y-%m-%dT%H:%M:%SZ"
_EXAMPLE = "write date, time and zone: 2026-12-01T12:00Z (UTC) or 2026-12-01T13:00+01:00."


def now() -> datetime:
    """Read the clock, rounded down to the second, to record events only."""
    return datetime.now(UTC).replace(microsecond=0)


def moment_of(
    given: str | datetime, what: str = "The time", wrong: type[ProbandError] = UsageError
) -> datetime:
    """Parse a time in ISO 8601 with a time zone; `wrong` is the class of errors, `InputError` for files.

    Examples
    --------
    >>> write_moment(moment_of("2026-12-01T13:00+01:00"))
    '2026-12-01T12:00:00Z'
    """
    shown = quoted(given) if isinstance(given, str) else str(given)
    try:
        moment = given if isinstance(given, datetime) else datetime.fromisoformat(given.strip())
        in_utc = None if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise wrong(f"{what} {shown} cannot be read as a date and a time.", _EXAMPLE) from None
    if in_utc is None:
        raise wrong(f"{what} {shown} has no time zone.", _EXAMPLE)
    if in_utc.microsecond:
        raise wrong(f"{what} {shown} has fractions of a second.", "use whole seconds.")
    return in_utc


def write_moment(moment: datetime) -> str:
    """Write a time in UTC: ``2026-12-01T12:00:00Z``."""
    return moment.astimezone(UTC).strftime(_FORM)


def show_moment(text: str) -> str:
    """A time in UTC, as shown in tables.

    Examples
    --------
    >>> show_moment("2026-12-01T12:00:00Z"), show_moment("2026-12-01T12:00:07Z")
    ('2026-12-01 12:00 UTC', '2026-12-01 12:00:07 UTC')
    """
    shown = moment_of(text).strftime("%Y-%m-%d %H:%M:%S")
    return f"{shown.removesuffix(':00')} UTC"
