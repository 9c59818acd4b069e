"""Is a submission fit to be scored? The same questions for the participant before sending and for whoever receives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from proband.blind.canaries import TOLERANCE, Canaries, Repeats, examine
from proband.blind.key import Key
from proband.blind.matrices import Laid, Matrix
from proband.blind.opening import OpenedScores
from proband.blind.package import Package
from proband.blind.submission import CONTROL, DECLARATION, SCORES, Submission
from proband.blind.surveying import Survey, survey
from proband.blind.training import met_by
from proband.engine import Progress
from proband.errors import InputError, UsageError, first_few
from proband.samples import Experiment, Ids
from proband.scores import require_orientation

_LISTS = {"query": "queries.csv", "target": "targets.csv"}
_CONTROL_LISTS = {"query": "control_queries.csv", "target": "control_targets.csv"}


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
        """Return plain values, ready for JSON."""
        declared, seen = self.submission.declared, self.survey
        return {
            "algorithm": declared.algorithm,
            "orientation": declared.orientation,
            "symmetric": declared.symmetric,
            "training": None if declared.training is None else list(declared.training),
            "failed": list(declared.failed),
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
            f"{declared.algorithm}: {rows:,} queries × {columns:,} targets, {declared.orientation}, from {seen.low:g} to "
            f"{seen.high:g}.",
            f"{self.tied:.2%} of the scores equal another one of the same query.",
        ]
        if seen.n_failed:
            said.append(f"{seen.n_failed:,} comparisons failed; they will count as misses.")
        if declared.training is None:
            said.append("Nothing is stated about training.")
        else:
            said.append(f"Trained on {len(declared.training):,} samples or people, as declared.")
        if self.canaries is None:
            said.append(
                "Repeated images, orientation and training are checked with the key, by whoever has it."
            )
        else:
            said += _of_canaries(self.canaries)
        return said


def _of_canaries(found: Canaries) -> list[str]:
    said = [
        f"{found.n_query_repeats:,} repeated queries and {found.n_target_repeats:,} repeated targets score alike (within "
        f"{max(found.row_gap, found.column_gap):.2g}).",
    ]
    if found.n_control:
        said.append(
            f"{found.n_control:,} control pairs score as they do in the main sets (within {found.control_gap:.2g})."
        )
    if found.self_share is not None:
        said.append(
            f"{found.n_selves:,} images that are in both sets are closer to themselves than to {found.self_share:.0%} of the other "
            "targets, on the median."
        )
    return said


def check(
    package: Package,
    submission: Submission,
    key: Key | None = None,
    *,
    tolerance: float = TOLERANCE,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Refuse a submission that is not fit to be scored, and name the first offence.

    Parameters
    ----------
    package
        The package it answers; `Package.read` has made sure that it is unchanged.
    submission
        What was handed in.
    key
        With it, repeated images, the control pair, the orientation and the declared training are checked as well.
    tolerance
        How far scores that must be equal may lie apart, in standard deviations of the scores.

    Raises
    ------
    InputError
        With what is wrong, where, and how to mend it.
    """
    if not 0 <= tolerance < 1:
        raise UsageError(
            f"The tolerance is a share of the scores' spread from 0 to below 1, got {tolerance:g}."
        )
    if key is not None:
        key.require(package)
    _require_known_failures(package, submission)
    scores = _laid(submission.scores, package.queries, package.targets, submission, key, _LISTS)
    control = _control(package, submission, key)
    repeats = None if key is None else Repeats.of(key, package)
    pairs = np.zeros((0, 2), dtype=np.intp) if repeats is None else repeats.targets
    seen = survey(scores, pairs, threads, progress)
    _require_scores(scores, seen)
    if control is not None:
        _require_finite(control, survey(control, np.zeros((0, 2), dtype=np.intp), threads))
    found = None
    if key is not None and repeats is not None:
        _require_untrained(submission, key)
        found = examine(scores, control, submission.declared, repeats, seen, tolerance)
        if found.self_share is None:
            _require_orientation(scores, submission, key)
    return Checked(submission, package, scores, seen, found)


def _require_known_failures(package: Package, submission: Submission) -> None:
    known = {*package.queries, *package.targets, *package.control_queries, *package.control_targets}
    unknown = [name for name in submission.declared.failed if name not in known]
    if unknown:
        raise InputError(
            f"{DECLARATION}: {len(unknown):,} of the images that failed are not in the package: {first_few(unknown)}."
        )


def _control(package: Package, submission: Submission, key: Key | None) -> Laid | None:
    if not package.control_queries:
        if submission.control is not None:
            raise InputError(
                f"{submission.control.name} is not asked for.", "this package has no control sets."
            )
        return None
    if submission.control is None:
        raise InputError(
            f"{submission.path.name} lacks the scores of the control sets ({CONTROL}.npy, {CONTROL}.csv, …).",
            f"score control_queries.csv against control_targets.csv, apart from the others; {SCORES}.* holds the rest.",
        )
    return _laid(
        submission.control, package.control_queries, package.control_targets, submission, key, _CONTROL_LISTS
    )


def _laid(
    matrix: Matrix,
    queries: tuple[str, ...],
    targets: tuple[str, ...],
    submission: Submission,
    key: Key | None,
    lists: dict[str, str],
) -> Laid:
    """Lay a matrix over the package's lists, or say why it does not fit."""
    cure = f"rows follow {lists['query']} and columns {lists['target']}."
    wanted = (len(queries), len(targets))
    crossed = (
        matrix.shape == wanted[::-1] != wanted
        or (
            matrix.queries is not None and _shared(matrix.queries, targets) > _shared(matrix.queries, queries)
        )
        or (
            matrix.targets is not None and _shared(matrix.targets, queries) > _shared(matrix.targets, targets)
        )
    )
    if crossed:
        raise InputError(
            f"{matrix.name} is transposed: its rows are targets and its columns are queries.", cure
        )
    for ids, expected, what in ((matrix.queries, queries, "query"), (matrix.targets, targets, "target")):
        if ids is not None:
            _require_axis(matrix.name, ids, expected, lists[what], key)
    if matrix.shape != wanted:
        raise InputError(
            f"{matrix.name} is {matrix.shape[0]:,} × {matrix.shape[1]:,}, but there are {wanted[0]:,} queries and {wanted[1]:,} "
            "targets.",
            cure,
        )
    return matrix.laid_over(queries, targets, submission.declared.failed)


def _shared(ids: Ids, names: tuple[str, ...]) -> int:
    return len(set(ids) & set(names))


def _require_axis(name: str, ids: Ids, expected: tuple[str, ...], source: str, key: Key | None) -> None:
    known = set(expected)
    unknown = [one for one in ids if one not in known]
    if unknown and key is not None and unknown[0] in key.samples.ids:
        raise InputError(
            f"{name}: the {ids.what} id {unknown[0]!r} is an original name of the test, which only the key tells.",
            "ask how it came to be known.",
        )
    if unknown:
        raise InputError(
            f"{name}: {len(unknown):,} {ids.what} ids are not in {source}: {first_few(unknown)}.",
            "use the random names of the package, as they are.",
        )
    missing = [one for one in expected if one not in ids]
    if missing:
        raise InputError(
            f"{name}: {len(missing):,} of {len(expected):,} {ids.what} ids are missing: {first_few(missing)}.",
            f"score every one in {source}.",
        )
    for place, (got, wanted) in enumerate(zip(ids, expected, strict=True), start=1):
        if got != wanted:
            raise InputError(
                f"{name}: the {ids.what} ids are permuted: number {place:,} is {got!r}, and should be {wanted!r}.",
                f"keep the order of {source}.",
            )


def _require_finite(matrix: Laid, seen: Survey) -> None:
    if seen.first_not_finite is not None:
        row, column = seen.first_not_finite
        raise InputError(
            f"{matrix.name}: {seen.n_not_finite:,} scores are not finite; the first is {matrix.values[row, column]} for query "
            f"{matrix.queries[row]!r} and target {matrix.targets[column]!r}.",
            f"write a number in every cell, and name images that could not be processed under failed in {DECLARATION}.",
        )
    if not seen.n_scores:
        raise InputError(f"{matrix.name}: every comparison failed, so there is nothing to score.")


def _require_scores(matrix: Laid, seen: Survey) -> None:
    _require_finite(matrix, seen)
    if len(seen.levels) == 1:
        raise InputError(f"{matrix.name}: every score is {seen.levels[0]:g}.", "are they the right scores?")
    if len(seen.levels) == 2:
        raise InputError(
            f"{matrix.name} holds two different values only ({seen.levels[0]:g} and {seen.levels[1]:g}): decisions, or a guess of "
            "the key, and no scores.",
            "hand in how alike images are, before any threshold.",
        )
    if seen.constant_row is not None:
        row = seen.constant_row
        raise InputError(
            f"{matrix.name}: all scores of query {matrix.queries[row]!r} (row {row + 1:,}) are equal.",
            f"if the image could not be processed, name it under failed in {DECLARATION}.",
        )
    if seen.constant_column is not None:
        column = seen.constant_column
        raise InputError(
            f"{matrix.name}: all scores of target {matrix.targets[column]!r} (column {column + 1:,}) are equal.",
            f"if the image could not be processed, name it under failed in {DECLARATION}.",
        )


def _require_untrained(submission: Submission, key: Key) -> None:
    """Refuse an algorithm that was trained on what it is tested on."""
    met = met_by(submission.declared.training or (), key)
    if met:
        raise InputError(
            f"{submission.declared.algorithm} was trained on the test: {met[0]}"
            + (f" ({len(met):,} entries of its declaration are in the test)." if len(met) > 1 else "."),
            "training must be over before the test begins, on other people.",
        )


def _require_orientation(scores: Laid, submission: Submission, key: Key) -> None:
    """Where no image is in both sets, look at pairs of one person instead."""
    opened = OpenedScores(scores, submission.declared, key, scores.name)
    experiment = Experiment(key.samples, gallery=opened.targets, probes=opened.queries)
    if experiment.mated.any():
        require_orientation(opened, experiment)
