"""Run verification: error rates overall, by group and by person, and accuracy over folds of listed pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from proband.analyses.verification.request import VerificationRequest
from proband.errors import Predicate, unknown_name
from proband.inference.verification.groups import Differential, error_rates_by, hard_subjects_of
from proband.inference.verification.lists import require_list_orientation
from proband.inference.verification.people.hard_subjects import HardSubjects
from proband.inference.verification.people.supposed import Lent
from proband.inference.verification.results import OVER_PEOPLE, Verification
from proband.inference.verification.verification import beside_each_other, verify_one
from proband.measures.folds import FoldAccuracy, fold_accuracy
from proband.results.serializing import Written
from proband.samples.delimited import SEPARATORS, unfinished
from proband.scores import Scores
from proband.scores.pair_lists import read_pairs
from proband.scores.trials import Trials
from proband.study.context import Context, digest_of
from proband.study.findings import Parts
from proband.study.inputs import Algorithm, PairList
from proband.study.refusals import RequestError
from proband.words import plain


@dataclass(frozen=True, eq=False)
class Verified(Parts):
    """Results of verification.

    Attributes
    ----------
    verification, groups, hard_subjects
        For each algorithm: error rates, error rates by group, and concentration of errors on people.
    folds
        Accuracy over folds of listed pairs, for each algorithm.
    """

    written = Written({"algorithms": "verification"})

    verification: tuple[Verification, ...] = ()
    groups: tuple[Differential, ...] = ()
    hard_subjects: Mapping[str, HardSubjects] = field(default_factory=dict)
    folds: tuple[FoldAccuracy, ...] = ()


def prepare(request: VerificationRequest, context: Context) -> None:
    """Raise an error for unknown columns or an unreadable list of pairs."""
    if request.pairs is not None:
        _listed(request.pairs, context)
    elif context.inputs.algorithms:
        columns = context.samples.frame.columns
        for column in request.by:
            if column not in columns:
                raise unknown_name("column", column, columns, "to form groups")


def run(request: VerificationRequest, context: Context) -> Verified:
    """Verify every algorithm, or every list of comparisons."""
    if context.inputs.lists:
        listed = [partial(_of_list, one, request, context) for one in context.inputs.lists]
        return Verified(tuple(beside_each_other(listed, lambda one: one)))
    if request.pairs is not None:
        return Verified(folds=_folds(request.pairs, context))
    algorithms = context.inputs.algorithms
    making = [partial(_of_scores, one, request, context) for one in algorithms]
    made = beside_each_other(making, lambda one: one)
    each = list(zip(algorithms, made, strict=True))
    groups = tuple(_by_group(one, column, at, context) for column in request.by for one, at in each)
    hard = {one.name: _hard_subjects(one, at, context) for one, at in each} if request.zoo else {}
    return Verified(tuple(made), groups, hard)


def _of_scores(
    algorithm: Algorithm, request: VerificationRequest, context: Context, lent: Lent
) -> Verification:
    """Error rates of one algorithm, with what the others lend it."""
    asked = request.model_dump(include={"thresholds", "n_resamples", "naive"})
    return context.step(
        "verification",
        {"within": digest_of(context.verified), "lent": lent, "fmrs": request.fmr, **asked, **context.judging},
        lambda: verify_one(
            algorithm.scores, context.verified, lent, fmrs=request.fmr, confidence_level=context.output.confidence_level,
            drawings=context.drawings, threads=context.threads, progress=context.progress, **asked,
        ),
        algorithms=[algorithm],
    )  # fmt: skip


def _of_list(pairs: PairList, request: VerificationRequest, context: Context, lent: Lent) -> Verification:
    """Error rates of a list of comparisons; what is asked about people is refused where it names none."""
    with context.origin.placed(pairs.place):
        found = verify_one(
            pairs.trials,
            None,
            lent,
            fmrs=request.fmr,
            thresholds=request.thresholds,
            confidence_level=context.output.confidence_level,
            n_resamples=request.n_resamples,
            naive=request.naive,
            drawings=context.drawings,
            check_orientation=pairs.check_orientation,
        )
        usual = VerificationRequest()
        for name in ("n_resamples", "naive"):
            if found.answers.varying.key != OVER_PEOPLE.varying.key and getattr(request, name) != getattr(
                usual, name
            ):
                raise RequestError(
                    ("verification", name),
                    Predicate("has no effect on a list of pairs without subject IDs"),
                    "omit it, or name the subjects of both sides.",
                )
    return found


def _by_group(algorithm: Algorithm, column: str, at: Verification, context: Context) -> Differential:
    """Error rates of one algorithm by the values of a column, at the first operating point."""
    point = at.points[0].counts
    return context.step(
        "groups",
        {
            "within": digest_of(context.verified),
            "column": column,
            "point": plain(point),
            **context.judging,
        },
        lambda: error_rates_by(
            algorithm.scores, context.verified, column, point,
            confidence_level=context.output.confidence_level, seed=context.output.seed,
        ),
        algorithms=[algorithm],
    )  # fmt: skip


def _hard_subjects(algorithm: Algorithm, at: Verification, context: Context) -> HardSubjects:
    """Concentration of errors of one algorithm on people, at the first operating point."""
    point, hidden = at.points[0].counts, context.output.pseudonyms
    return context.step(
        "subjects",
        {
            "within": digest_of(context.verified),
            "point": plain(point),
            "pseudonyms": hidden,
            **context.judging,
        },
        lambda: hard_subjects_of(
            algorithm.scores, context.verified, point, pseudonyms=hidden, seed=context.output.seed
        ),
        algorithms=[algorithm],
    )


def _folds(pairs: str, context: Context) -> tuple[FoldAccuracy, ...]:
    """Accuracy over the folds of listed pairs."""
    path = context.origin.find(pairs)
    if path.suffix.lower() in (".txt", *SEPARATORS):
        context.note(*unfinished(path))
    return tuple(map(fold_accuracy, _listed(pairs, context)))


def _listed(pairs: str, context: Context) -> list[Trials]:
    """The listed pairs of every algorithm; the samples say which are mated where the list does not."""
    return context.once(
        ("pairs", pairs), lambda: [_trials(pairs, one.scores, context) for one in context.inputs.algorithms]
    )


def _trials(pairs: str, scores: Scores, context: Context) -> Trials:
    trials = Trials.from_pairs(read_pairs(context.origin.find(pairs), context.samples), scores)
    if trials.frame["mated"].null_count():
        trials = trials.with_samples(context.samples)
    if not scores.may_look_reversed:
        require_list_orientation(trials)
    return trials
