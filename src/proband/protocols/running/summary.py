"""From predictions to findings: spread, intervals, comparisons and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from proband.errors import first_few
from proband.inference.cross_validation.comparison import AccuracyComparison, compare_folds, compare_pooled
from proband.inference.cross_validation.correlated_bayes import CorrelatedBayes, correlated_bayes
from proband.inference.cross_validation.five_by_two import compare_five_by_two
from proband.inference.cross_validation.intervals import (
    corrected_resampled_interval,
    fold_spread,
    pooled_interval,
)
from proband.protocols.epd import EPDVerdict, epd_verdict
from proband.protocols.running.mixing import mixing_drops, single_runs
from proband.protocols.running.predictions import Predictions, Roster
from proband.protocols.running.results import (
    ProtocolFindings,
    ProtocolResult,
    ProtocolRun,
    Recommended,
    Setting,
)
from proband.protocols.splits.balancing import imbalance
from proband.protocols.splits.given import GivenSplits
from proband.protocols.splits.plans import SplitPlan
from proband.protocols.splits.splits import Split
from proband.results.about import Who
from proband.results.estimate import Estimate
from proband.samples.delimited import DEFAULT_MISSING
from proband.words import Note, Sentence, Target, run_of

SAME_TESTS = Sentence(
    "protocols.same-tests",
    "note",
    "under {protocol} the test samples are the same in every split, so the splits give no information "
    "about other test samples",
)
TWO_POOLS = Sentence(
    "protocols.two-pools",
    "note",
    "under {protocol} the samples allowed in testing differ from those allowed in training, so the splits give "
    "no information about other test samples",
)
LEFT_OUT = Sentence(
    "protocols.samples-left-out", "note", "{n:count} of {total:count sample} {n:word is/are} left out: {why}"
)
SEARCHED = Target(
    "people-searched", "new people not used in training, searched among the same enrolled people"
)
TRAINED_AND_ENROLLED = Target("trained-and-enrolled", "these fitted models, and who is enrolled")
Said = TypeVar("Said", Estimate, AccuracyComparison)
CHOSEN = Sentence("protocols.chosen", "note", "{protocol} was chosen because {why}")
GIVEN = Sentence("protocols.given-splits", "note", "{protocol} describes the splits that {by} made")
SUBJECTS_LEFT_OUT = Sentence(
    "protocols.subjects-left-out",
    "note",
    "{protocol} leaves out {n:count subject} with too few samples: {examples}",
)
NOT_ON_PEOPLE = Sentence(
    "protocols.not-compared-on-people",
    "note",
    "{protocol}: classifiers are not compared over people, because that requires that the folds of a repeat test each sample once",
)
VALIDATION_UNUSED = Sentence(
    "protocols.validation-unused",
    "note",
    "{protocol}: validation samples are used neither for training nor for testing",
)
CALLED_MISSING = Sentence(
    "protocols.class-called-missing",
    "caution",
    "{names:list} of {label} is read as a class name; if it means a missing value, add it to the words for missing values",
)
ENROLLED = Sentence(
    "protocols.enrolled",
    "note",
    "{protocol}: models are trained on other people; of each held-out person {each:count image is/images are} "
    "enrolled, chosen by the seed, and each other image is searched among the enrolled images of {people} "
    "people; accuracy is at rank 1, which is easier than among all {n:count}",
)
GALLERY = Sentence(
    "protocols.gallery",
    "caution",
    "{protocol} distinguishes {people} people, but {mixed} distinguishes all {n:count}: fewer people are easier, so these accuracies are not comparable",
)
NEVER_SEARCHED = Sentence(
    "protocols.never-searched",
    "note",
    "{protocol}: {n:count person has/people have} too few images to serve as probes and {n:word is/are} only enrolled: {examples}",
)
SAME_PEOPLE = Sentence(
    "protocols.same-people",
    "caution",
    "{protocols}: the same people are in training and testing, so recognising {label} looks easier than it "
    "is for new people; add + for subject-disjoint splits",
)


def summarised(
    setting: Setting,
    roster: Roster,
    plans: Sequence[SplitPlan],
    predictions: Sequence[Sequence[Predictions]],
    notes: Sequence[Note],
    stable: Mapping[str, bool | None],
) -> ProtocolRun:
    """Estimate and compare from the predictions of every plan; for unstable classifiers, nothing is claimed about the method."""
    findings = tuple(
        _findings(setting, roster, plan, tuple(found), stable)
        for plan, found in zip(plans, predictions, strict=True)
    )
    # Of identity a disjoint protocol tells fewer people apart than a mixed one: no drop is claimed.
    drops = mixing_drops(predictions, setting.confidence_level) if setting.task == "attribute" else ()
    said = (*notes, *_notes(setting, findings), *(note for drop in drops for note in drop.notes))
    return ProtocolRun(setting, findings, tuple(dict.fromkeys(said)), (), drops, single_runs(predictions))


# In these every sample is tested at most once a repeat; of a hold-out a repeat is one split.
_TESTS_ONCE = ("cross-validation", "leave-one-out", "leave-one-subject-out", "external")


def _findings(
    setting: Setting,
    roster: Roster,
    plan: SplitPlan,
    found: Sequence[Predictions],
    stable: Mapping[str, bool | None],
) -> ProtocolFindings:
    protocol, folds = plan.protocol, found[0].folds
    level, disjoint = setting.confidence_level, protocol.is_disjoint
    n_subjects = len(np.unique(roster.subjects[np.concatenate(found[0].tests)]))
    counted = ("train_subjects", "test_subjects") if disjoint else ("n_train", "n_test")
    n_train, n_test = (np.array([getattr(one, name) for one in folds], np.float64) for name in counted)
    about: dict[str, Any] = {"disjoint": disjoint, "n_subjects": n_subjects}
    declined = _why_not_on_splits(plan, found[0])
    results = tuple(
        ProtocolResult(
            one.classifier,
            protocol,
            fold_spread(one.accuracies, protocol.kind),
            replace(
                corrected_resampled_interval(
                    one.accuracies,
                    n_train,
                    n_test,
                    confidence_level=level,
                    stable=stable.get(one.classifier),
                    declined=declined,
                    **about,
                ),
                who=Who(algorithm=one.classifier, protocol=str(protocol)),
            ),
            replace(
                pooled_interval(
                    *one.correct(), disjoint=disjoint, confidence_level=level, n_models=len(folds)
                ),
                who=Who(algorithm=one.classifier, protocol=str(protocol)),
            ),
            one,
        )
        for one in found
    )
    quoted = _recommended(results, stable)
    results = tuple(replace(one, recommended=quoted) for one in results)
    values = {one.classifier: one.accuracies for one in found}
    on_splits = on_people = five = None
    bayes: tuple[CorrelatedBayes, ...] = ()
    if len(found) > 1:
        judged: dict[str, Any] = {"margin": setting.margin, "confidence_level": level}
        varied = len(folds) > 1 and declined is None
        if varied:
            on_splits = compare_folds(values, n_train, n_test, stable=stable, **judged, **about)
        once = {one.classifier: one.once()[0] for one in found}
        people = found[0].once()[1]
        if protocol.kind in _TESTS_ONCE and len(np.unique(people)) > 1:
            trained = sum(one.repeat == folds[0].repeat for one in folds)
            on_people = compare_pooled(once, people, disjoint=disjoint, n_models=trained, **judged)
        method = {name: row for name, row in values.items() if stable.get(name) is not False}
        varied = varied and len(method) > 1
        if varied and protocol.kind == "cross-validation" and (protocol.repeats, protocol.folds) == (5, 2):
            five = compare_five_by_two(method, confidence_level=level, **about)
        if setting.margin is not None and varied:
            bayes = tuple(
                correlated_bayes(
                    values[a], values[b], n_train, n_test, rope=setting.margin, names=(a, b), **about
                )
                for a, b in combinations(method, 2)
            )
    if plan.enrolled_each is not None:
        results = tuple(replace(result, pooled=_among_enrolled(result.pooled)) for result in results)
        on_people = None if on_people is None else _among_enrolled(on_people)
    nobody = np.empty(0, np.intp)
    tested = [
        Split(one.repeat, one.fold, nobody, test) for one, test in zip(folds, found[0].tests, strict=True)
    ]
    # Held-out people are the classes of identification, so that there is no proportion to keep.
    labels = None if plan.enrolled_each is not None else roster.classes[roster.labels]
    unlike = imbalance(tested, labels)
    epd = _epd(setting, results[0], plan.enrolled_each)
    return ProtocolFindings(plan, results, on_splits, on_people, five, bayes, unlike, epd)


def _among_enrolled(of: Said) -> Said:
    """The same interval or comparison, of people who are searched for among those enrolled."""
    return replace(of, answers=replace(of.answers, varying=SEARCHED, fixed=TRAINED_AND_ENROLLED))


def _on_enrolment(found: ProtocolFindings, findings: Sequence[ProtocolFindings]) -> list[Note]:
    """Among how many people held-out ones are searched, who never is, and that all people are more."""
    if found.enrolment is None:
        return []
    protocol, never = str(found.protocol), found.plan.never_searched
    people = run_of(*found.enrolment.people)
    n_people = len(found.results[0].predictions.roster.classes)
    notes = [ENROLLED(protocol=protocol, each=found.enrolment.images_each, people=people, n=n_people)]
    mixed = [str(other.protocol) for other in findings if other.enrolment is None]
    if mixed:
        notes.append(GALLERY(protocol=protocol, people=people, n=n_people, mixed=", ".join(mixed)))
    if never:
        notes.append(NEVER_SEARCHED(protocol=protocol, n=len(never), examples=first_few(never)))
    return notes


def _epd(setting: Setting, result: ProtocolResult, enrolled_each: int | None) -> EPDVerdict:
    data = setting.data
    return epd_verdict(
        result.protocol,
        task=setting.task,
        std=result.spread.std,
        subjects=len(data.samples.subjects),
        divisions=result.predictions.n_divisions,
        collected=len(data) + len(data.left_out),
        used=len(data),
        excluded={why.key: n for why, n in data.exclusions},
        justification=setting.justification,
        enrolled_each=enrolled_each,
    )


def _recommended(results: Sequence[ProtocolResult], stable: Mapping[str, bool | None]) -> Recommended:
    """Which interval to quote, the same for all: of the method where that can be claimed of every classifier."""
    of_method = all(one.corrected.has_interval for one in results)
    known = all(stable.get(one.classifier) for one in results)
    nothing_else = any(not one.pooled.has_interval for one in results)
    return "method" if of_method and (known or nothing_else) else "fitted-models"


def _why_not_on_splits(plan: SplitPlan, found: Predictions) -> Note | None:
    """Why splits tell nothing of other test samples, if they do not: none of them trains what another tests."""
    if len(found.tests) < 2:
        return None
    if int(found.tested.sum()) == max(len(test) for test in found.tests):
        return SAME_TESTS(protocol=str(plan.protocol))
    if plan.has_two_pools or not (found.tested & found.trained).any():
        return TWO_POOLS(protocol=str(plan.protocol))
    return None


def _notes(setting: Setting, findings: Sequence[ProtocolFindings]) -> list[Note]:
    """What a reader should know, each thing once."""
    total = len(setting.data) + len(setting.data.left_out)
    notes = [LEFT_OUT(n=n, total=total, why=why) for why, n in setting.data.exclusions]
    notes += setting.data.notes
    for found in findings:
        protocol, gone = str(found.protocol), found.plan.left_out
        if found.plan.why is not None:
            notes.append(CHOSEN(protocol=protocol, why=found.plan.why))
        if isinstance(found.plan.splitter, GivenSplits):
            notes.append(GIVEN(protocol=protocol, by=found.plan.splitter.by))
        if gone:
            notes.append(SUBJECTS_LEFT_OUT(protocol=protocol, n=len(gone), examples=first_few(gone)))
        if len(found.results) > 1 and found.protocol.kind not in _TESTS_ONCE:
            notes.append(NOT_ON_PEOPLE(protocol=protocol))
        if any(fold.n_validation for fold in found.folds):
            notes.append(VALIDATION_UNUSED(protocol=protocol))
        notes += _on_enrolment(found, findings)
    missing = [name for name in DEFAULT_MISSING if name in findings[0].results[0].predictions.roster.classes]
    if setting.task == "attribute" and missing:
        notes.append(CALLED_MISSING(names=tuple(map(repr, missing)), label=setting.label))
    mixed = [str(found.protocol) for found in findings if not found.protocol.is_disjoint]
    if setting.task == "attribute" and mixed:
        notes.append(SAME_PEOPLE(protocols=", ".join(mixed), label=setting.label))
    for found in findings:
        notes += [
            note for one in found.results for each in (one.corrected, one.pooled) for note in each.notes
        ]
    return list(dict.fromkeys(notes))
