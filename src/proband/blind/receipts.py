"""The supervisor's log of submissions: one line per receipt, each with the digest of the line before."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

from proband.blind.checking.submission import DECLARATION, Declaration, Submission, digests_within
from proband.blind.package.package import Package
from proband.blind.package.sealing import canonical, digest_of, digest_of_files
from proband.engine.files.documents import read_json
from proband.engine.files.files import content_of, naming, reading, require_regular, resolved, writing
from proband.engine.files.placing import alone
from proband.engine.moments import moment_of, now, show_moment, write_moment
from proband.errors import Hint, InputError, Said, UsageError
from proband.results.base import Record
from proband.results.serializing import Written
from proband.words import Note, Sentence, count, time_span

FORMAT = "proband receipt 1"
BEFORE_THE_FIRST = "0" * 64
"""The digest in the first receipt, which has no line before it."""
Late = Literal["refuse", "label"]
IN_TIME = Sentence(
    "blind.in-time", "note", "{algorithm} was received at {received}, {early:lasting} before the deadline"
)
LATE = Sentence(
    "blind.late", "caution", "{algorithm} was received at {received}, {late:lasting} after the deadline"
)
RECEIVED = Sentence("blind.received", "note", "{algorithm} was received at {received}")
NOT_RECEIVED = Sentence(
    "blind.not-received",
    "caution",
    "There is no receipt for {algorithm}, so it is unknown whether it met the deadline of {deadline}",
)
TIME_STATED = Sentence(
    "blind.time-stated", "caution", "The time of receipt {number} was entered by hand, not read from a clock"
)


@dataclass(frozen=True)
class Receipt(Record):
    """The receipt of one submission.

    Attributes
    ----------
    number
        The number in the log, from 1.
    received, clock
        The time of receipt in UTC, and whether a clock was read; if not, the supervisor entered the time.
    operator
        The person who received it, if stated.
    algorithm
        The name of the algorithm in the submission.
    package, submission
        The digests of the package it answers and of the submission as a whole.
    files
        The SHA-256 of every file of the submission, by its path.
    previous
        SHA-256 of the line before in the log; zeros for the first.
    """

    written: ClassVar[Written] = Written(also=("digest",))

    number: int
    received: str
    clock: bool
    operator: str | None
    algorithm: str
    package: str
    submission: str
    files: Mapping[str, str] = field(repr=False)
    previous: str = field(repr=False)

    @property
    def line(self) -> bytes:
        """The line in the log."""
        return canonical({"format": FORMAT, **asdict(self)}) + b"\n"

    @property
    def digest(self) -> str:
        """SHA-256 of the line, which covers it and all earlier receipts."""
        return digest_of(self.line)

    def seconds_late(self, package: Package) -> float:
        """Return the delay after the deadline.

        Parameters
        ----------
        package
            The package, which states the deadline.

        Returns
        -------
        float
            Seconds from the deadline to the receipt; negative if it was in time, and 0 without a deadline.
        """
        if package.deadline is None:
            return 0.0
        return (moment_of(self.received) - moment_of(package.deadline)).total_seconds()

    def sentences(self, package: Package) -> list[Note]:
        """State the time of receipt, and whether it was in time.

        Parameters
        ----------
        package
            The package, which states the deadline.

        Returns
        -------
        list
            Notes.
        """
        late, shown = self.seconds_late(package), show_moment(self.received)
        if package.deadline is None:
            said = [RECEIVED(algorithm=self.algorithm, received=shown)]
        elif late > 0:
            said = [LATE(algorithm=self.algorithm, received=shown, late=late)]
        else:
            said = [IN_TIME(algorithm=self.algorithm, received=shown, early=-late)]
        return said if self.clock else [*said, TIME_STATED(number=count(self.number))]


@dataclass(frozen=True)
class Receipts:
    """A log of receipts, in order; `read` refuses one in which a line was changed, removed, added or moved."""

    path: Path
    receipts: tuple[Receipt, ...] = ()

    @classmethod
    def read(cls, path: str | Path) -> Receipts:
        """Read a log, and check every line against the one before.

        Parameters
        ----------
        path
            The log.

        Returns
        -------
        Receipts
            All receipts in order.
        """
        path = Path(path)
        require_regular(path)
        with reading(path, "a log of receipts"), naming(file=path.name):
            *lines, rest = content_of(path).split(b"\n")
            if rest:
                raise InputError("its last line is not complete.", "use the original copy of the log.")
            receipts: list[Receipt] = []
            for number, line in enumerate(lines, 1):
                receipt = _receipt(line, number)
                before = receipts[-1].digest if receipts else BEFORE_THE_FIRST
                if (receipt.number, receipt.previous) != (number, before) or receipt.line != line + b"\n":
                    raise InputError(
                        f"line {number} does not follow from the one before: the log has been changed.",
                        "use the original copy; the receipts of the participants show which lines are correct.",
                    )
                receipts.append(receipt)
        return cls(path, tuple(receipts))

    def of(self, package: Package, submission: Submission) -> Receipt:
        """Return the receipt of a submission; a submission that was not received, or was changed since, is refused.

        Parameters
        ----------
        package, submission
            The submission, and the package it answers.

        Returns
        -------
        Receipt
            The first receipt of the same files.
        """
        own = [receipt for receipt in self.receipts if receipt.package == package.digest]
        for receipt in own:
            if receipt.submission == submission.digest:
                return receipt
        algorithm = submission.declared.algorithm
        like = [receipt for receipt in own if receipt.algorithm == algorithm]
        if not like:
            raise InputError(
                f"{self.path.name} has no receipt of {algorithm}.",
                "record submissions on arrival with proband blind receive.",
                source=Said(algorithm),
            )
        names = sorted({*like[-1].files, *submission.digests})
        changed = next(name for name in names if like[-1].files.get(name) != submission.digests.get(name))
        raise InputError(
            f"{changed} of {algorithm} has changed since it was received at {show_moment(like[-1].received)} (receipt {like[-1].number}).",
            "score the submission as it was received, or record the new one with proband blind receive.",
            source=Said(algorithm),
        )


def receive(
    package: Package,
    submission: str | Path,
    log: str | Path,
    *,
    at: str | None = None,
    operator: str | None = None,
) -> Receipt:
    """Record that a submission was received: a new line in the log, which is created if necessary.

    Whether it can be scored is checked separately.

    Parameters
    ----------
    package
        The package that is answered.
    submission
        The directory of the submission.
    log
        The supervisor's log, outside the package and the submission.
    at
        The time of receipt, with a time zone; by default from the clock. The receipt records the source.
    operator
        The person who receives it.

    Returns
    -------
    Receipt
        The receipt; give its digest to the participant.
    """
    folder, log = Path(submission), Path(log)
    with naming(place=str(folder)):
        files = digests_within(folder)
        declared = Declaration.read(folder / DECLARATION)
    for inside in (package.path, folder):
        if resolved(log).is_relative_to(resolved(inside)):
            raise UsageError(
                f"The log of receipts would be written into {inside}, and change what it records.",
                Hint("write it elsewhere: {option:receipts}"),
                file=Said(inside),
            )
    if operator is not None and not operator.isprintable():
        raise UsageError(f"The operator has the name {operator!r:.60}.", "use one line of plain text.")
    moment = now() if at is None else moment_of(at, "The time of receipt")
    if package.opens is not None and moment < moment_of(package.opens):
        raise UsageError(
            f"The test opens at {show_moment(package.opens)}, but the time is {show_moment(write_moment(moment))}.",
            "check the clock: no submission can be received before the opening.",
        )
    with alone([resolved(log).parent]), writing(log):
        known = Receipts.read(log).receipts if log.exists() else ()
        digest = digest_of_files(files)
        for receipt in known:
            if (receipt.package, receipt.submission) == (package.digest, digest):
                raise UsageError(
                    f"The same files were already received at {show_moment(receipt.received)}: receipt {receipt.number}. "
                    "Nothing was recorded.",
                )
            if at is None and receipt.clock and moment_of(receipt.received) > moment:
                raise UsageError(
                    f"The clock shows {show_moment(write_moment(moment))}, which is before receipt {receipt.number} "
                    f"({show_moment(receipt.received)}).",
                    Hint("set the clock, or state the time: {option:at}"),
                )
        made = Receipt(
            len(known) + 1,
            write_moment(moment),
            at is None,
            operator,
            declared.algorithm,
            package.digest,
            digest,
            files,
            known[-1].digest if known else BEFORE_THE_FIRST,
        )
        with log.open("ab") as file:
            file.write(made.line)
            file.flush()
            os.fsync(file.fileno())
    return made


def receipt_of(
    package: Package, submission: Submission, receipts: Receipts | None, late: Late
) -> Receipt | None:
    """Return the receipt of a submission to be scored; late submissions are refused or labelled.

    Parameters
    ----------
    late
        ``"refuse"`` or ``"label"``; for labelled submissions the results state that they were late, or that
        the time is unknown.
    """
    if late not in get_args(Late):
        raise UsageError(
            f"Expected 'refuse' or 'label' for late submissions, got {late!r}.", "use refuse or label."
        )
    algorithm = submission.declared.algorithm
    if receipts is None:
        if package.deadline is not None and late == "refuse":
            raise UsageError(
                f"{package.name} has a deadline ({show_moment(package.deadline)}), but there is no record of when submissions were received.",
                Hint("pass the log: {option:receipts}; or score them with a label: {option:late=label}"),
            )
        return None
    receipt = receipts.of(package, submission)
    behind = receipt.seconds_late(package)
    if behind > 0 and late == "refuse":
        raise InputError(
            f"{algorithm} was received at {show_moment(receipt.received)}, {time_span(behind)} after the deadline.",
            Hint("leave it out, or score it with a label: {option:late=label}"),
            source=Said(algorithm),
        )
    return receipt


def _receipt(line: bytes, number: int) -> Receipt:
    stated = read_json(line)
    kinds: dict[str, Any] = {
        "number": int, "received": str, "clock": bool, "operator": (str, type(None)), "algorithm": str, "package": str,
        "submission": str, "files": dict, "previous": str,
    }  # fmt: skip
    if (
        not isinstance(stated, dict)
        or stated.pop("format", None) != FORMAT
        or set(stated) != set(kinds)
        or not all(isinstance(stated[name], kind) for name, kind in kinds.items())
        or not all(isinstance(digest, str) for digest in stated["files"].values())
    ):
        raise InputError(f"line {number} is not a receipt.")
    moment_of(stated["received"], f"the time of line {number},", InputError)
    return Receipt(**stated)
