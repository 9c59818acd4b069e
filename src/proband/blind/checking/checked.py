"""A submission that passed, and the results of its checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proband.blind.checking.canaries import Canaries
from proband.blind.checking.matrices import Laid
from proband.blind.checking.submission import Submission
from proband.blind.checking.surveying import ScoreSurvey
from proband.blind.checking.training import summary_of
from proband.blind.package.package import Package
from proband.engine.moments import show_moment
from proband.results.base import Record
from proband.results.serializing import Written
from proband.words import Note, Sentence

SCORES = Sentence(
    "blind.scores",
    "note",
    "{algorithm}: {queries:count query/queries} × {targets:count target}, {orientation}, from {low:threshold} to {high:threshold}",
)
TIED = Sentence("blind.tied", "note", "{share:hundredth} of the scores equal another score of the same query")
FAILED_COMPARISONS = Sentence(
    "blind.failed-comparisons", "note", "Failed comparisons, counted as misses: {n:count}"
)
NO_TRAINING_STATED = Sentence("blind.no-training-stated", "caution", "Training is not stated")
TRAINED_ON = Sentence(
    "blind.trained-on", "note", "Trained on {n:count sample or person/samples or people}, as declared"
)
RUN_STATED = Sentence(
    "blind.run-stated", "note", "Run by {operator} from {started} to {finished} on {machine}, as stated"
)
NO_RUN_STATED = Sentence(
    "blind.no-run-stated", "note", "The operator, the times and the machine are not stated"
)
CHECKED_WITH_KEY = Sentence(
    "blind.checked-with-key",
    "note",
    "Checking repeated images, orientation, symmetry and training requires the key",
)
SYMMETRY_UNCHECKED = Sentence(
    "blind.symmetry-unchecked",
    "caution",
    "Declared symmetric, but this cannot be checked: fewer than two images are in both sets",
)
REPEATS_ALIKE = Sentence(
    "blind.repeats-alike",
    "note",
    "Scores of repeats agree for {queries:count repeated query/repeated queries} and {targets:count repeated target} "
    "(differences are at most {gap:percent} of the tolerance)",
)
CONTROL_ALIKE = Sentence(
    "blind.control-alike",
    "note",
    "Scores of {n:count control pair} agree with those of the main sets (differences are at most {gap:percent} of the tolerance)",
)
COPIES_CLOSE = Sentence(
    "blind.copies-close",
    "note",
    "For {n:count image} in both sets, the image's own copy is closer than {share:percent} of the other targets (median)",
)


@dataclass(frozen=True, eq=False)
class Checked(Record):
    """A submission that passed.

    Attributes
    ----------
    submission, package
        The submission, and the package it answers.
    scores
        Its matrix, aligned with the lists of the package.
    survey
        Statistics of the scores.
    canaries
        What the repeats showed; None without the key.
    """

    written = Written(
        {
            "algorithm": "submission.declared.algorithm",
            "orientation": "submission.declared.orientation",
            "symmetric": "submission.declared.symmetric",
            "contact": "submission.declared.contact",
            "package": "package.digest",
            "files": "submission.digests",
            "digest": "submission.digest",
            "run": "submission.run",
            "scores": "survey",
        },
        also=("training", "n_failed_images"),
        without=("submission",),
    )

    submission: Submission
    package: Package
    scores: Laid
    survey: ScoreSurvey
    canaries: Canaries | None

    def __repr__(self) -> str:
        known = "without the key" if self.canaries is None else "with the key"
        return f"Checked({self.submission.declared.algorithm!r} for {self.package.name!r}, {known}: ready to be scored)"

    def sentences(self) -> list[Note]:
        """Return the results in sentences."""
        declared, seen = self.submission.declared, self.survey
        rows, columns = self.scores.shape
        said = [
            SCORES(
                algorithm=declared.algorithm,
                queries=rows,
                targets=columns,
                orientation=declared.orientation,
                low=seen.least,
                high=seen.greatest,
            ),
            TIED(share=seen.tied),
        ]
        if seen.n_failed:
            said.append(FAILED_COMPARISONS(n=seen.n_failed))
        said.append(
            NO_TRAINING_STATED() if declared.training is None else TRAINED_ON(n=len(declared.training))
        )
        run = self.submission.run
        said.append(
            NO_RUN_STATED()
            if run is None
            else RUN_STATED(
                operator=run.operator or "an unnamed operator",
                started=show_moment(run.started),
                finished=show_moment(run.finished),
                machine=run.machine or "an unnamed machine",
            )
        )
        if self.canaries is None:
            said.append(CHECKED_WITH_KEY())
        else:
            said += _of_canaries(self.canaries)
            if declared.symmetric == "yes" and self.canaries.symmetry_gap is None:
                said.append(SYMMETRY_UNCHECKED())
        return said

    @property
    def training(self) -> dict[str, Any] | None:
        """The declared training; for names, only their number."""
        declared = self.submission.declared.training
        return None if declared is None else summary_of({"either": declared}, self.package.training_salt)

    @property
    def n_failed_images(self) -> int:
        """The declared number of images on which the algorithm failed."""
        return len(set(self.submission.declared.failed))


def _of_canaries(found: Canaries) -> list[Note]:
    gap = max(found.row_gap, found.column_gap)
    said = [REPEATS_ALIKE(queries=found.n_query_repeats, targets=found.n_target_repeats, gap=gap)]
    if found.n_control:
        said.append(CONTROL_ALIKE(n=found.n_control, gap=found.control_gap))
    if found.self_share is not None:
        said.append(COPIES_CLOSE(n=found.n_selves, share=found.self_share))
    return said
