"""The time until a test closes."""

from __future__ import annotations

from dataclasses import dataclass

from proband.blind.package.package import Package
from proband.engine.moments import moment_of, now, show_moment, write_moment
from proband.errors import UsageError
from proband.results.base import Record
from proband.words import Note, Sentence

NOT_OPEN = Sentence("blind.not-open", "caution", "The test opens at {opens}, in {left:lasting}")
TIME_LEFT = Sentence("blind.time-left", "note", "The deadline is {deadline}: {left:lasting} left")
DEADLINE_PASSED = Sentence(
    "blind.deadline-passed", "caution", "The deadline was {deadline}: it passed {ago:lasting} ago"
)


@dataclass(frozen=True)
class TimeLeft(Record):
    """When a test opens and closes, relative to a given time.

    Attributes
    ----------
    at
        The reference time, in UTC.
    opens, deadline
        The times stated in the package.
    seconds_left
        The seconds until the deadline; negative after it, None without one.
    """

    at: str
    opens: str | None
    deadline: str | None
    seconds_left: float | None

    def sentences(self) -> list[Note]:
        """State whether the test is open, and the time left.

        Returns
        -------
        list
            Notes.
        """
        said = []
        if self.opens is not None:
            ahead = (moment_of(self.opens) - moment_of(self.at)).total_seconds()
            if ahead > 0:
                said.append(NOT_OPEN(opens=show_moment(self.opens), left=ahead))
        if self.deadline is not None and self.seconds_left is not None:
            shown = show_moment(self.deadline)
            said.append(
                TIME_LEFT(deadline=shown, left=self.seconds_left)
                if self.seconds_left >= 0
                else DEADLINE_PASSED(deadline=shown, ago=-self.seconds_left)
            )
        return said


def time_left(package: Package, at: str | None = None) -> TimeLeft | None:
    """Return the time until a test closes; None for a test without times.

    Parameters
    ----------
    package
        The package.
    at
        The reference time, with a time zone; by default now.

    Returns
    -------
    TimeLeft
        When it opens and closes, and the seconds left.
    """
    if package.opens is None and package.deadline is None:
        if at is not None:
            raise UsageError(f"{package.name} has no opening time and no deadline, so a time has no effect.")
        return None
    moment = now() if at is None else moment_of(at)
    left = None if package.deadline is None else (moment_of(package.deadline) - moment).total_seconds()
    return TimeLeft(write_moment(moment), package.opens, package.deadline, left)
