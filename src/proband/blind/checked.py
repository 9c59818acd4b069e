"""A submission that passed, and what was found of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proband.blind.canaries import Canaries
from proband.blind.matrices import Laid
from proband.blind.package import Package
from proband.blind.submission import Submission
from proband.blind.surveying import Survey
from proband.blind.training import summary_of
from proband.words import count, counted, digits, percent


@dataclass(frozen=True, eq=False)
class Checked:
    """A submission that passed.

    Attributes
    ----------
    submission, package
        What was checked, and against what.
    scores
        Its matrix, laid over the package's lists.
    survey
        What the scores look like.
    canaries
        What the repeats showed; None without the key.
    """

    submission: Submission
    package: Package
    scores: Laid
    survey: Survey
    canaries: Canaries | None

    @property
    def tied(self) -> float:
        """The share of scores that another score of the same query equals."""
        return self.survey.n_tied / self.survey.n_scores

    def __repr__(self) -> str:
        known = "without the key" if self.canaries is None else "with the key"
        return f"Checked({self.submission.declared.algorithm!r} for {self.package.name!r}, {known}: fit to be scored)"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; of names, no more than how many there are."""
        declared, seen = self.submission.declared, self.survey
        return {
            "algorithm": declared.algorithm,
            "orientation": declared.orientation,
            "symmetric": declared.symmetric,
            "training": None
            if declared.training is None
            else summary_of({"either": declared.training}, self.package.training_salt),
            "n_failed_images": len(set(declared.failed)),
            "contact": declared.contact,
            "package": self.package.digest,
            "files": dict(self.submission.digests),
            "scores": {
                "n": seen.n_scores,
                "n_failed": seen.n_failed,
                "tied": self.tied,
                "low": seen.low,
                "high": seen.high,
                "mean": seen.mean,
                "spread": seen.spread,
            },
            "canaries": None if self.canaries is None else self.canaries.to_dict(),
        }

    def sentences(self) -> list[str]:
        """What was found, in words."""
        declared, seen = self.submission.declared, self.survey
        rows, columns = self.scores.shape
        said = [
            f"{declared.algorithm}: {counted(rows, 'query', 'queries')} × {counted(columns, 'target')}, {declared.orientation}, from {digits(seen.low, 6)} to "
            f"{digits(seen.high, 6)}.",
            f"{percent(self.tied, 2)} of the scores equal another one of the same query.",
        ]
        if seen.n_failed:
            said.append(f"Failed comparisons, which will count as misses: {count(seen.n_failed)}.")
        if declared.training is None:
            said.append("Nothing is stated about training.")
        else:
            trained = counted(len(declared.training), "sample or person", "samples or people")
            said.append(f"Trained on {trained}, as declared.")
        if self.canaries is None:
            said.append(
                "Repeated images, orientation, symmetry and training are checked with the key, by whoever has it."
            )
        else:
            said += _of_canaries(self.canaries)
            if declared.symmetric == "yes" and self.canaries.symmetry_gap is None:
                said.append(
                    "Declared symmetric, which cannot be checked: fewer than two images are in both sets."
                )
        return said


def _of_canaries(found: Canaries) -> list[str]:
    queries = counted(found.n_query_repeats, "repeated query", "repeated queries")
    targets = counted(found.n_target_repeats, "repeated target")
    said = [
        f"Scores are alike for {queries} and {targets} (differences are at most {percent(max(found.row_gap, found.column_gap))} of what is "
        "allowed)."
    ]
    if found.n_control:
        said.append(
            f"Scores of {counted(found.n_control, 'control pair')} are those of the main sets (at most {percent(found.control_gap)} of what "
            "is allowed)."
        )
    if found.self_share is not None:
        said.append(
            f"Own copies of {counted(found.n_selves, 'image')} in both sets are closer than {percent(found.self_share)} of the other targets, "
            "on the median."
        )
    return said
