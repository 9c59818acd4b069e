"""Check whether a submission can be scored, in the same way for the participant and the receiver."""

from __future__ import annotations

from proband.blind.checking.canaries import TOLERANCE, Repeats, examine
from proband.blind.checking.checked import Checked
from proband.blind.checking.equality import Equality
from proband.blind.checking.matrices import Laid, SubmittedMatrix
from proband.blind.checking.submission import CONTROL, DECLARATION, SCORES, Submission
from proband.blind.checking.surveying import ScoreSurvey, survey
from proband.blind.checking.training import met_by
from proband.blind.opening import OpenedScores
from proband.blind.package.key import Key
from proband.blind.package.package import Package
from proband.engine import Engine, Progress, on_engine
from proband.engine.files.files import naming
from proband.errors import Hint, InputError, Said, UsageError, first_few
from proband.samples import Experiment, Ids
from proband.scores.orientation import OrientationCheck, check_orientation
from proband.words import agreeing, count, counted, digits, fixed, given, p_value

_LISTS = {"query": "queries.csv", "target": "targets.csv"}
_CONTROL_LISTS = {"query": "control_queries.csv", "target": "control_targets.csv"}


@on_engine
def check(
    package: Package,
    submission: Submission,
    key: Key | None = None,
    *,
    tolerance: float = TOLERANCE,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> Checked:
    """Refuse a submission that cannot be scored, and report the first fault.

    Parameters
    ----------
    package
        The package it answers; `Package.read` has verified that it is unchanged.
    submission
        The submission.
    key
        With it, repeated images, the control pair, the orientation and the declared training are checked as well.
    tolerance
        The largest difference between scores that must be equal, in typical spreads of the scores; see
        `Equality`.

    Raises
    ------
    InputError
        With the fault, its place, and how to fix it.
    """
    if key is None and tolerance != TOLERANCE:
        raise UsageError(
            Hint("{named:tolerance} applies only to checks with the key, and has no effect without it."),
            "omit it.",
        )
    if not 0 <= tolerance < 1:
        raise UsageError(
            f"The tolerance is a share of the range of the scores, at least 0 and below 1, got {tolerance!r}."
        )
    if key is not None:
        key.require(package)
    with naming(place=str(submission.path)):
        return _checked(package, submission, key, tolerance, threads, progress)


def _checked(
    package: Package,
    submission: Submission,
    key: Key | None,
    tolerance: float,
    threads: int | None,
    progress: Progress | None,
) -> Checked:
    _require_known_failures(package, submission)
    scores = _laid(submission.scores, package.queries, package.targets, submission, key, _LISTS)
    control = _control(package, submission, key)
    repeats = None if key is None else Repeats.of(key, package)
    equality = Equality.of(scores, tolerance)
    seen = survey(scores, None if repeats is None else repeats.targets, equality, threads, progress)
    _require_scores(scores, seen)
    if control is not None:
        _require_finite(control, survey(control, threads=threads))
    if key is None or repeats is None:
        return Checked(submission, package, scores, seen, None)
    _require_untrained(submission, key)

    def mated() -> OrientationCheck | None:
        return _mated(scores, submission, key)

    found = examine(scores, control, submission.declared, repeats, seen, equality, mated)
    if found.self_share is None:
        _require_orientation(scores, submission, mated())
    return Checked(submission, package, scores, seen, found)


def _require_known_failures(package: Package, submission: Submission) -> None:
    known = {*package.queries, *package.targets, *package.control_queries, *package.control_targets}
    unknown = [name for name in submission.declared.failed if name not in known]
    if unknown:
        raise InputError(
            f"{counted(len(unknown), 'failed name is', 'failed names are')} not in the package: {first_few(unknown)}.",
            file=DECLARATION,
        )


def _control(package: Package, submission: Submission, key: Key | None) -> Laid | None:
    if not package.control_queries:
        if submission.control is not None:
            raise InputError(
                f"{submission.control.name} is not expected.",
                "remove it: this package has no control sets.",
                file=Said(submission.control.name),
            )
        return None
    if submission.control is None:
        raise InputError(
            f"{submission.path} lacks the scores of the control sets ({CONTROL}.npy, {CONTROL}.csv, …).",
            f"score control_queries.csv against control_targets.csv separately; {SCORES}.* contains only the main sets.",
            place=Said(submission.path),
        )
    return _laid(
        submission.control, package.control_queries, package.control_targets, submission, key, _CONTROL_LISTS
    )


def _laid(
    matrix: SubmittedMatrix,
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
            f"{matrix.name} is transposed: its rows are targets and its columns are queries.",
            cure,
            file=Said(matrix.name),
        )
    for ids, expected, what in ((matrix.queries, queries, "query"), (matrix.targets, targets, "target")):
        if ids is not None:
            _require_axis(matrix.name, ids, expected, lists[what], key)
    if matrix.shape != wanted:
        raise InputError(
            f"{matrix.name} is {count(matrix.shape[0])} × {count(matrix.shape[1])}, but there are "
            f"{counted(wanted[0], 'query', 'queries')} and {counted(wanted[1], 'target')}.",
            cure,
            file=Said(matrix.name),
        )
    return matrix.laid_over(queries, targets, submission.declared.failed)


def _shared(ids: Ids, names: tuple[str, ...]) -> int:
    return len(set(ids) & set(names))


def _require_axis(name: str, ids: Ids, expected: tuple[str, ...], source: str, key: Key | None) -> None:
    known = set(expected)
    unknown = [one for one in ids if one not in known]
    if unknown and key is not None and unknown[0] in key.samples.ids:
        raise InputError(
            f"the {ids.what} id {unknown[0]!r} is an original name of the test, which only the key contains.",
            "ask the participant where the name comes from.",
            file=name,
        )
    if unknown:
        raise InputError(
            f"{counted(len(unknown), f'{ids.what} id is', f'{ids.what} ids are')} not in {source}: {first_few(unknown)}.",
            "use the random names of the package unchanged.",
            file=name,
        )
    missing = [one for one in expected if one not in ids]
    if missing:
        raise InputError(
            f"{count(len(missing))} of {count(len(expected))} {ids.what} ids {agreeing(len(missing))} missing: {first_few(missing)}.",
            f"score every image in {source}.",
            file=name,
        )
    for place, (got, wanted) in enumerate(zip(ids, expected, strict=True), start=1):
        if got != wanted:
            raise InputError(
                f"the {ids.what} ids are permuted: number {count(place)} is {got!r}, expected {wanted!r}.",
                f"keep the order of {source}.",
                file=name,
            )


def _require_finite(matrix: Laid, seen: ScoreSurvey) -> None:
    if seen.first_not_finite is not None:
        row, column = seen.first_not_finite
        raise InputError(
            f"{counted(seen.n_not_finite, 'score is', 'scores are')} not finite; the first is {matrix.values[row, column]} for query "
            f"{matrix.queries[row]!r} and target {matrix.targets[column]!r}.",
            f"write a number in every cell, and list images that could not be processed under 'failed' in {DECLARATION}.",
            file=matrix.name,
        )
    if not seen.n_scores:
        raise InputError("every comparison failed, so there is nothing to score.", file=matrix.name)


def _require_scores(matrix: Laid, seen: ScoreSurvey) -> None:
    _require_finite(matrix, seen)
    if len(seen.levels) == 1:
        raise InputError(
            f"every score is {given(seen.levels[0])}.",
            "check that these are the right scores.",
            file=matrix.name,
        )
    if len(seen.levels) == 2:
        raise InputError(
            f"{matrix.name} contains only two different values ({digits(seen.levels[0], 6)} and {digits(seen.levels[1], 6)}): decisions, "
            f"or a guess of the key, not scores.",
            "submit similarities or distances, before any threshold.",
            file=Said(matrix.name),
        )
    if seen.constant_row is not None:
        row = seen.constant_row
        raise InputError(
            f"all scores of query {matrix.queries[row]!r} (row {count(row + 1)}) are equal.",
            f"if the image could not be processed, list it under 'failed' in {DECLARATION}.",
            file=matrix.name,
        )
    if seen.constant_column is not None:
        column = seen.constant_column
        raise InputError(
            f"all scores of target {matrix.targets[column]!r} (column {count(column + 1)}) are equal.",
            f"if the image could not be processed, list it under 'failed' in {DECLARATION}.",
            file=matrix.name,
        )


def _require_untrained(submission: Submission, key: Key) -> None:
    """Refuse an algorithm that was trained on what it is tested on."""
    met = met_by(submission.declared.training or (), key)
    if met:
        raise InputError(
            f"{submission.declared.algorithm} was trained on test data: {met[0]}"
            + (f" ({count(len(met))} entries of its declaration are in the test)." if len(met) > 1 else "."),
            "training must use other people and be finished before the test begins.",
            source=Said(submission.declared.algorithm),
        )


def _mated(scores: Laid, submission: Submission, key: Key) -> OrientationCheck | None:
    """What pairs of one person say of the orientation, none of them an image and its own copy; None if there are no such pairs."""
    opened = OpenedScores(scores, submission.declared, key, scores.name)
    owner = dict(zip(key.samples.ids, key.samples.codes.tolist(), strict=True))
    first = {owner[name]: name for name in reversed(opened.targets)}
    gallery = list(first.values())
    probes = [name for name in opened.queries if first.get(owner[name]) != name]
    if not probes:
        return None
    experiment = Experiment(key.samples, gallery=gallery, probes=probes)
    return check_orientation(opened, experiment) if experiment.mated.any() else None


def _require_orientation(scores: Laid, submission: Submission, mated: OrientationCheck | None) -> None:
    """Where no image is in both sets, look at pairs of one person instead."""
    if mated is None or not mated.is_reversed:
        return
    declared = submission.declared.orientation
    right = "distance" if declared == "similarity" else "similarity"
    raise InputError(
        f"read as a {declared}, mated pairs score worse than non-mated pairs (AUC {fixed(mated.auc, 3)}; for "
        f"{count(mated.n_below)} of {count(mated.n_subjects)} people, p {p_value(mated.p_value)}).",
        f'write orientation = "{right}" in {DECLARATION}.',
        file=scores.name,
    )
