"""Submissions opened with the key: all of them, or none."""

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
from proband.engine import Engine, Progress, on_engine
from proband.errors import DesignError, Hint, UsageError
from proband.inference.galleries.feret_study import FeretStudy, feret_study
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
    "A rehearsal: the names of {test!r} were drawn from a seed and can be drawn again, so this is not the result of a "
    "blind test",
)
SUBMISSION = Sentence("blind.submission", "note", "Submission {found:sentences} SHA-256: {files}")


@dataclass(frozen=True, eq=False)
class AnsweredTest:
    """A package, its key, and what was handed in for it."""

    key: Key
    package: Package
    submissions: tuple[Submission, ...]


@dataclass(frozen=True, eq=False)
class Administered(Record):
    """A test that was administered, and what the checks found of each submission."""

    written = Written(
        {
            "name": "package.name",
            "version": "package.version",
            "rehearsal": "package.rehearsal",
            "package": "package.digest",
            "commitment": "package.commitment",
        }
    )

    package: Package
    submissions: tuple[Checked, ...]


@dataclass(frozen=True, eq=False)
class OpenedTests(Record):
    """Every submission, checked and under its original names.

    Attributes
    ----------
    tests
        What was opened.
    checked
        For each test, what the check found of each submission.
    scores
        The scores of all, ready to be evaluated.
    samples
        The table of samples, which all keys share.
    versions
        Algorithms that answered a fully and a partially automatic version.
    """

    written = Written({"tests": "administered"}, without=("checked", "scores", "samples", "versions"))

    tests: tuple[AnsweredTest, ...]
    checked: tuple[tuple[Checked, ...], ...]
    scores: tuple[OpenedScores, ...]
    samples: Samples
    versions: tuple[Version, ...]

    def __repr__(self) -> str:
        return f"OpenedTests({counted(len(self.tests), 'test')}, {counted(len(self.scores), 'submission')}: {', '.join(one.name for one in self.scores)})"

    def experiment(self, gallery: Choice | None = None, probes: Choice | None = None) -> Experiment:
        """Choose who is enrolled (by default every target) and who is searched for (every query that is not).

        An image is never searched for in a gallery that holds the same image.
        """
        first = self.scores[0]
        if gallery is None and probes is None and set(first.queries) <= set(first.targets):
            raise DesignError(
                "Every query is a target too, so gallery and probes must be chosen.",
                Hint(
                    "for example {option:gallery=one_per_subject}, or a condition; all other queries become probes."
                ),
            )
        return experiment_over(
            self.scores,
            self.samples,
            gallery=list(first.targets) if gallery is None else gallery,
            probes=probes,
        )

    def sentences(self) -> list[Note]:
        """Say what was administered."""
        said = []
        for test, checked in zip(self.tests, self.checked, strict=True):
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
            for one in checked:
                files = ", ".join(f"{name} {digest}" for name, digest in one.submission.digests.items())
                said.append(SUBMISSION(found=tuple(one.sentences()), files=files))
        return said

    @property
    def administered(self) -> tuple[Administered, ...]:
        """What was administered, and what the checks found."""
        return tuple(
            Administered(one.package, own) for one, own in zip(self.tests, self.checked, strict=True)
        )


@dataclass(frozen=True, eq=False)
class BlindStudy(FeretStudy):
    """A FERET study, with a record of how the test was administered.

    Attributes
    ----------
    administration
        Digests of packages, keys and submissions, what was declared, and what the checks found.
    """

    administration: dict[str, Any] = field(default_factory=dict)


def blind_study(
    opened: OpenedTests, gallery: Choice | None = None, probes: Choice | None = None, **settings: Any
) -> BlindStudy:
    """Evaluate all submissions in one study; `settings` are those of `feret_study`.

    Versions paired by name come before those that are asked for. The orientation was checked when the tests were opened.
    """
    versions = (*opened.versions, *settings.pop("versions", ()))
    return administered(
        feret_study(opened.scores, opened.experiment(gallery, probes), versions=versions, **settings), opened
    )


def administered(study: FeretStudy, opened: OpenedTests) -> BlindStudy:
    """A study of all submissions, with the record of how the test was administered."""
    held = {one.name: getattr(study, one.name) for one in fields(FeretStudy)}
    held["notes"] = (*study.notes, *opened.sentences())
    return BlindStudy(**held, administration=opened.to_dict())


@on_engine
def open_tests(
    tests: Sequence[AnsweredTest],
    *,
    tolerance: float = TOLERANCE,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> OpenedTests:
    """Check every submission with the key, and put original names in the place of random ones.

    The first refusal stops everything. Repeats and control sets are left out of what is opened.

    Parameters
    ----------
    tests
        One package with its key and submissions, or several versions of a test on the same samples. An algorithm that
        answers a fully and a partially automatic version under one name is a pair in `OpenedTests.versions`.
    tolerance
        As in `check`.
    """
    if not tests or not all(test.submissions for test in tests):
        raise UsageError(
            "There is nothing to score.", "name a key, its package, and at least one submission."
        )
    _require_same_samples(tests)
    names = _names(tests)
    checked = tuple(
        tuple(
            check(test.package, one, test.key, tolerance=tolerance, threads=threads, progress=progress)
            for one in test.submissions
        )
        for test in tests
    )
    scores = tuple(
        OpenedScores(found.scores, found.submission.declared, test.key, name)
        for test, own, called in zip(tests, checked, names, strict=True)
        for found, name in zip(own, called, strict=True)
    )
    return OpenedTests(tuple(tests), checked, scores, tests[0].key.samples, _versions(tests, names))


def _require_same_samples(tests: Sequence[AnsweredTest]) -> None:
    first = tests[0].key.samples
    for test in tests[1:]:
        if not test.key.samples.frame.equals(first.frame):
            raise DesignError(
                f"{test.package.path.name} and {tests[0].package.path.name} are not tests of the same samples.",
                "score them one by one.",
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
            f"Two submissions are called {twice[0]!r}.",
            "let each name its algorithm differently in submission.toml.",
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
        Version(name, found[algorithm, PARTIALLY], named=True)
        for (algorithm, version), name in found.items()
        if version == FULLY and (algorithm, PARTIALLY) in found
    )
