"""Open submissions with the key: all of them, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from proband.blind.checking.canaries import TOLERANCE
from proband.blind.checking.checked import Checked
from proband.blind.checking.checking import check
from proband.blind.checking.submission import Submission
from proband.blind.opening import OpenedScores
from proband.blind.package.key import Key
from proband.blind.package.package import FULLY, PARTIALLY, Package
from proband.blind.receipts import NOT_RECEIVED, Late, Receipt, Receipts, receipt_of
from proband.engine import Engine, Progress, on_engine
from proband.engine.moments import show_moment
from proband.errors import DesignError, Hint, UsageError
from proband.inference.galleries.feret_study import FeretStudy, feret_study
from proband.inference.galleries.participants import fill_in
from proband.inference.galleries.versions import Version
from proband.results.base import Record
from proband.results.serializing import Written
from proband.samples import Choice, Experiment, Samples
from proband.scores import experiment_over
from proband.words import Note, Sentence, counted

ADMINISTERED = Sentence(
    "blind.administered",
    "note",
    "Blind test {test!r}, {version}: package {package}, key committed to as {commitment}",
)
REHEARSAL = Sentence(
    "blind.rehearsal",
    "caution",
    "A rehearsal: the names of {test!r} were generated from a seed and can be regenerated, so this is not "
    "the result of a blind test",
)
SUBMISSION = Sentence("blind.submission", "note", "Submission {found:sentences} SHA-256: {files}")

RUN_TOO_EARLY = Sentence(
    "blind.run-too-early",
    "caution",
    "{algorithm} states that its run started at {started}, before the test opened at {opens}",
)
RUN_TOO_LATE = Sentence(
    "blind.run-too-late",
    "caution",
    "{algorithm} states that its run finished at {finished}, after it was received at {received}",
)


@dataclass(frozen=True, eq=False)
class AnsweredTest:
    """A package, its key, and its submissions."""

    key: Key
    package: Package
    submissions: tuple[Submission, ...]


@dataclass(frozen=True, eq=False)
class Administered(Record):
    """An administered test, with the checks of each submission, and its receipt if there is a log."""

    written = Written(
        {
            "name": "package.name",
            "version": "package.version",
            "rehearsal": "package.rehearsal",
            "package": "package.digest",
            "commitment": "package.commitment",
            "opens": "package.opens",
            "deadline": "package.deadline",
        }
    )

    package: Package
    submissions: tuple[Checked, ...]
    receipts: tuple[Receipt | None, ...]


@dataclass(frozen=True, eq=False)
class OpenedTests(Record):
    """All submissions, checked and with original names.

    Attributes
    ----------
    tests
        The tests that were opened.
    checked
        For each test, the checks of each submission.
    scores
        The scores of all submissions, ready for evaluation.
    samples
        The table of samples, which all keys share.
    versions
        Algorithms that answered a fully and a partially automatic version.
    receipts
        For each test, the receipt of each submission; None where there is no log.
    """

    written = Written(
        {"tests": "administered"}, without=("checked", "scores", "samples", "versions", "receipts")
    )

    tests: tuple[AnsweredTest, ...]
    checked: tuple[tuple[Checked, ...], ...]
    scores: tuple[OpenedScores, ...]
    samples: Samples
    versions: tuple[Version, ...]
    receipts: tuple[tuple[Receipt | None, ...], ...]

    def __repr__(self) -> str:
        return f"OpenedTests({counted(len(self.tests), 'test')}, {counted(len(self.scores), 'submission')}: {', '.join(scores.name for scores in self.scores)})"

    def experiment(self, gallery: Choice | None = None, probes: Choice | None = None) -> Experiment:
        """Choose the gallery (by default every target) and the probes (every query that is not in the gallery).

        An image is never searched for in a gallery that contains the same image.
        """
        first = self.scores[0]
        if gallery is None and probes is None and set(first.queries) <= set(first.targets):
            raise DesignError(
                "Every query is also a target, so a gallery must be chosen.",
                Hint(
                    "pass {option:gallery=one_per_subject}, for example, or a condition; all other queries become probes."
                ),
            )
        return experiment_over(
            self.scores,
            self.samples,
            gallery=list(first.targets) if gallery is None else gallery,
            probes=probes,
        )

    def sentences(self) -> list[Note]:
        """Describe the tests that were administered."""
        said = []
        for test, checked, receipts in zip(self.tests, self.checked, self.receipts, strict=True):
            package = test.package
            said.append(
                ADMINISTERED(
                    test=package.name,
                    version=package.version,
                    package=package.digest,
                    commitment=package.commitment,
                )
            )
            if package.rehearsal:
                said.append(REHEARSAL(test=package.name))
            for submission, receipt in zip(checked, receipts, strict=True):
                digests = submission.submission.digests
                files = ", ".join(f"{name} {digest}" for name, digest in digests.items())
                said.append(SUBMISSION(found=tuple(submission.sentences()), files=files))
                said += _of_time(package, submission.submission, receipt)
        return said

    @property
    def administered(self) -> tuple[Administered, ...]:
        """The tests that were administered, and the results of the checks."""
        return tuple(
            Administered(test.package, checked, receipts)
            for test, checked, receipts in zip(self.tests, self.checked, self.receipts, strict=True)
        )

    @property
    def facts(self) -> dict[str, dict[str, Any]]:
        """The rows of the table of participants: version, training, run and receipt of each algorithm."""
        names = iter(scores.name for scores in self.scores)
        return {
            next(names): _facts(test.package, submission, receipt)
            for test, receipts in zip(self.tests, self.receipts, strict=True)
            for submission, receipt in zip(test.submissions, receipts, strict=True)
        }


def _facts(package: Package, submission: Submission, receipt: Receipt | None) -> dict[str, Any]:
    declared = submission.declared
    trained = declared.training
    facts: dict[str, Any] = {
        "version": package.version,
        "training": None
        if trained is None
        else counted(len(trained), "sample or person", "samples or people")
        if trained
        else "none",
    }
    if submission.run is not None:
        facts |= submission.run.facts(declared.algorithm)
    if receipt is not None:
        late = receipt.seconds_late(package)
        facts |= {"received": receipt.received, "seconds_late": late if late > 0 else None}
    return facts


def _of_time(package: Package, submission: Submission, receipt: Receipt | None) -> list[Note]:
    """What times say: of the receipt, and of a run that cannot have been when it is stated to be."""
    algorithm, said = submission.declared.algorithm, []
    if receipt is not None:
        said += receipt.sentences(package)
    elif package.deadline is not None:
        said.append(NOT_RECEIVED(algorithm=algorithm, deadline=show_moment(package.deadline)))
    run = submission.run
    if run is not None and package.opens is not None and run.started < package.opens:
        said.append(
            RUN_TOO_EARLY(
                algorithm=algorithm, started=show_moment(run.started), opens=show_moment(package.opens)
            )
        )
    if run is not None and receipt is not None and run.finished > receipt.received:
        said.append(
            RUN_TOO_LATE(
                algorithm=algorithm,
                finished=show_moment(run.finished),
                received=show_moment(receipt.received),
            )
        )
    return said


@dataclass(frozen=True, eq=False)
class BlindStudy(FeretStudy):
    """A FERET study, with a record of how the test was administered.

    Attributes
    ----------
    administration
        Digests of packages, keys and submissions, the declarations, and the results of the checks.
    """

    administration: dict[str, Any] = field(default_factory=dict)


def blind_study(
    opened: OpenedTests, gallery: Choice | None = None, probes: Choice | None = None, **settings: Any
) -> BlindStudy:
    """Evaluate all submissions in one study; `settings` are those of `feret_study`.

    Versions paired by name come before the requested versions. The orientation was checked when the tests
    were opened.
    """
    versions = (*opened.versions, *settings.pop("versions", ()))
    return administered(
        feret_study(opened.scores, opened.experiment(gallery, probes), versions=versions, **settings), opened
    )


def administered(study: FeretStudy, opened: OpenedTests) -> BlindStudy:
    """A study of all submissions, with the record of how the test was administered."""
    held = {field.name: getattr(study, field.name) for field in fields(FeretStudy)}
    held["participants"] = fill_in(study.participants, opened.facts)
    held["notes"] = (*study.notes, *opened.sentences())
    return BlindStudy(**held, administration=opened.to_dict())


@on_engine
def open_tests(
    tests: Sequence[AnsweredTest],
    *,
    receipts: Receipts | None = None,
    late: Late = "refuse",
    tolerance: float = TOLERANCE,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> OpenedTests:
    """Check every submission with the key, and replace random names by original names.

    The first refusal stops the process. Repeats and control sets are left out.

    Parameters
    ----------
    tests
        One package with its key and submissions, or several versions of a test on the same samples. An algorithm that
        answers a fully and a partially automatic version under one name is a pair in `OpenedTests.versions`.
    receipts
        The log of receipts: submissions that are not in it, or were changed since, are refused. A test with
        a deadline needs it, unless late submissions are labelled.
    late
        What to do with a submission received after the deadline: ``"refuse"``, or ``"label"`` to score it
        with a label.
    tolerance
        As in `check`.
    """
    if not tests or not all(test.submissions for test in tests):
        raise UsageError(
            "There is nothing to score.", "pass a key, its package, and at least one submission."
        )
    _require_same_samples(tests)
    names = _names(tests)
    received = tuple(
        tuple(receipt_of(test.package, submission, receipts, late) for submission in test.submissions)
        for test in tests
    )
    checked = tuple(
        tuple(
            check(test.package, submission, test.key, tolerance=tolerance, threads=threads, progress=progress)
            for submission in test.submissions
        )
        for test in tests
    )
    scores = tuple(
        OpenedScores(found.scores, found.submission.declared, test.key, name)
        for test, own, called in zip(tests, checked, names, strict=True)
        for found, name in zip(own, called, strict=True)
    )
    return OpenedTests(tuple(tests), checked, scores, tests[0].key.samples, _versions(tests, names), received)


def _require_same_samples(tests: Sequence[AnsweredTest]) -> None:
    first = tests[0].key.samples
    for test in tests[1:]:
        if not test.key.samples.frame.equals(first.frame):
            raise DesignError(
                f"{test.package.path.name} and {tests[0].package.path.name} are not tests of the same samples.",
                "score them separately.",
            )


def _names(tests: Sequence[AnsweredTest]) -> list[list[str]]:
    """What to call each submission: as it declares, with its version where another test has one of that name."""
    declared = [[one.declared.algorithm for one in test.submissions] for test in tests]
    tests_with = Counter(name for names in declared for name in set(names))
    called = [
        [f"{name} ({test.package.version})" if tests_with[name] > 1 else name for name in names]
        for test, names in zip(tests, declared, strict=True)
    ]
    twice = [name for name, n in Counter(name for names in called for name in names).items() if n > 1]
    if twice:
        raise UsageError(
            f"Two submissions have the name {twice[0]!r}.",
            "give each algorithm a different name in submission.toml.",
        )
    return called


def _versions(tests: Sequence[AnsweredTest], names: list[list[str]]) -> tuple[Version, ...]:
    """The algorithms that answered both versions."""
    found = {
        (submission.declared.algorithm, test.package.version): name
        for test, called in zip(tests, names, strict=True)
        for submission, name in zip(test.submissions, called, strict=True)
    }
    return tuple(
        Version(name, found[algorithm, PARTIALLY])
        for (algorithm, version), name in found.items()
        if version == FULLY and (algorithm, PARTIALLY) in found
    )
