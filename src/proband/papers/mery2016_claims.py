"""Conclusions of Mery et al. (2016) from their Tables 4 to 6, the rules for agreement, and the verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

import numpy as np
import numpy.typing as npt

from proband.distributions import t_inverse
from proband.papers.claims import Claim, Judgement, ShownDifference, Statement, by_sign, exactly
from proband.papers.mery2016 import (
    ATTRIBUTES,
    CLASSIFIERS,
    FACES,
    POSED,
    SHARES,
    Mery2016,
    accuracies,
    found,
)
from proband.papers.mery2016_tables import single_runs
from proband.protocols.notation import Protocol
from proband.protocols.running.mixing import SingleRuns
from proband.protocols.running.results import ProtocolRun
from proband.words import Note, Sentence

Runs = Mapping[str, Mapping[str, npt.NDArray[np.float64]]]
"""Accuracies of runs by classifier and column."""

_LAST = list(SHARES)[-1]
_FAR = 0.275  # half of what the paper's luckiest hold-out is above LOSO


@dataclass(frozen=True, eq=False)
class ProtocolEvidence:
    """The numbers that the claims are about.

    Attributes
    ----------
    faces
        Table 4: accuracies of runs, by people in the gallery.
    galleries, images
        Accuracies under the last protocol of the side studies by classifier, by people in the gallery (several galleries) and by images of each.
    singles
        What a single run of each classifier can show: Table 4 by people in the gallery, and Table 6.
    expressions, sex
        Tables 5 and 6.
    lost
        The share of each person's expressions recognised with mixed folds but not with disjoint folds, by
        classifier.
    """

    faces: Mapping[int, Runs]
    galleries: Mapping[int, Mapping[str, Sequence[npt.NDArray[np.float64]]]]
    images: Mapping[int, Mapping[str, Sequence[npt.NDArray[np.float64]]]]
    singles: Mapping[int, Sequence[SingleRuns]]
    expressions: Runs
    lost: Mapping[str, npt.NDArray[np.float64]]
    sex: Runs
    sex_singles: Sequence[SingleRuns]


def evidence_of(study: Mery2016) -> ProtocolEvidence:
    """Extract the evidence for the claims from a study."""
    posed = study.expressions[POSED]
    return ProtocolEvidence(
        {people: _runs(run, FACES) for people, run in study.faces.items()},
        {
            size: {name: [accuracies(found(run, name, _LAST)) for run in runs] for name in CLASSIFIERS}
            for size, runs in study.galleries.items()
        },
        {
            n: {name: [accuracies(found(run, name, _LAST))] for name in CLASSIFIERS}
            for n, run in study.images.items()
        },
        {people: single_runs(run) for people, run in study.faces.items()},
        _runs(posed, (*ATTRIBUTES, "LOSO")),
        {name: _lost(posed, name) for name in CLASSIFIERS},
        _runs(study.sex, ATTRIBUTES),
        single_runs(study.sex),
    )


def _runs(run: ProtocolRun, columns: Sequence[str]) -> dict[str, dict[str, npt.NDArray[np.float64]]]:
    return {
        name: {column: accuracies(found(run, name, column)) for column in columns} for name in CLASSIFIERS
    }


def _lost(run: ProtocolRun, name: str) -> npt.NDArray[np.float64]:
    (right, whose), (alone, whose_alone) = (
        found(run, name, column).predictions.once() for column in ("10f CV", "LOSO")
    )
    people = np.unique(whose)
    return np.array([right[whose == one].mean() - alone[whose_alone == one].mean() for one in people])


_SPLITS = (
    "every difference of means is above zero, and so is its whole 95% interval over splits of these images"
)
_UNEVEN = "if images cannot be divided evenly into folds, the people tested have fewer training images than others, which lowers the accuracy of LBP"
_OTHER_FACES = "the variation of synthetic faces favours one of the two classifiers more than the variation of photographs"
_TRAINING = Statement(
    "mery2016.training-share",
    "Table 4",
    paper="identity: estimated accuracy increases with the share of training data, for hold-out and for cross-validation",
    rule=f"50-50 to 67-33 to 80-20 HO and 2f to 3f to 5f CV, both classifiers and both galleries: {_SPLITS}",
    otherwise=_UNEVEN,
)
_IMAGES = Statement(
    "mery2016.more-images",
    "Table 4",
    paper="identity: the more training images per person, the higher the accuracy",
    rule=f"more images of each person, both classifiers: {_SPLITS}",
    otherwise=_UNEVEN,
)
_PEOPLE = Statement(
    "mery2016.more-people",
    "Table 4",
    paper="identity: the more people to be recognised, the lower the accuracy",
    rule=f"fewer people in the gallery, both classifiers: {_SPLITS}",
    otherwise="one of the two classifiers already recognises nearly every person",
)
_STABLE = Statement(
    "mery2016.stable-means",
    "Table 4",
    paper="identity: the comparison of means over all runs is stable under every protocol",
    rule="the same classifier has the higher mean in all twelve columns",
    otherwise="the two classifiers are too close",
)
_LBP_AHEAD = Statement(
    "mery2016.lbp-ahead",
    "Table 4",
    paper="identity: LBP is ahead of SRC under all protocols",
    rule=f"LBP minus SRC in all twelve columns: {_SPLITS}",
    otherwise=_OTHER_FACES,
)
_OVERLAPS = Statement(
    "mery2016.hold-outs-overlap",
    "Table 4",
    paper="identity, 50 people: under every hold-out the largest accuracy of the worse classifier is above the smallest accuracy of the better one",
    rule="this holds here in the smaller gallery, under all three hold-outs",
    otherwise="the difference between the two classifiers is larger on these faces, so no split reverses their order",
)
_MISLEADING = Statement(
    "mery2016.hold-outs-mislead",
    "Table 4",
    paper="identity: whole cross-validations mislead less often than single hold-outs",
    rule="two runs on different splits put the worse classifier ahead less often with cross-validation than with hold-out",
    otherwise="neither method misleads here, because the two classifiers differ widely",
)
_HIDDEN = Statement(
    "mery2016.protocols-hide",
    "Table 4",
    paper="identity: means under different protocols hide the difference, 80-20 for the worse classifier against 50-50 for the better one",
    rule=f"the lead of the better classifier with 80-20 for both, minus its lead with 50-50 for itself: {_SPLITS}",
    otherwise="a larger training share gains little here",
)
_NEW_PEOPLE = Statement(
    "mery2016.expressions-of-new-people",
    "Table 5",
    paper="expression: accuracy is 91% with mixed folds and 45% with new people (10f CV to LOSO)",
    rule="both classifiers lose, with the whole 95% interval over people (Student's t)",
    otherwise="expressions of synthetic people are similar, so images of other people are as useful for training as images of the same person",
)
_LUCKY = Statement(
    "mery2016.lucky-hold-out",
    "Table 5",
    paper="expression: a single hold-out may report 100% when 45% is realistic",
    rule="the best mixed hold-out is above LOSO's mean by more than 27.5 points, half of the paper's difference",
    otherwise="mixed folds are not that much easier here",
)
_MIXED_TRAINING = Statement(
    "mery2016.mixed-training-share",
    "Table 5",
    paper="expression: with mixed protocols, accuracy also increases with the training share",
    rule=f"50-50 to 80-20 to 90-10 HO and 2f to 5f to 10f CV, both classifiers: {_SPLITS}",
    otherwise="beyond some share, more images of the same people add nothing",
)
_DEPENDS = Statement(
    "mery2016.order-by-protocol",
    "Table 5",
    paper="expression: which classifier has the higher mean depends on the protocol",
    rule="each classifier has the higher mean in at least one of seven columns",
    otherwise=_OTHER_FACES,
)
_SRC_AHEAD = Statement(
    "mery2016.src-ahead",
    "Table 6",
    paper="sex, disjoint: SRC is ahead of LBP under all six protocols, by their means",
    rule=f"SRC minus LBP in all six columns: {_SPLITS}",
    otherwise="in synthetic faces, sex affects shape, which LBP captures better than 22 × 18 pixels",
)
_REVERSED = Statement(
    "mery2016.hold-outs-reverse",
    "Table 6",
    paper="sex, disjoint: single 90-10 and 80-20 hold-outs can show the opposite, cross-validations cannot",
    rule="the best run of the worse classifier is above the worst run of the better one in both hold-outs, and in no cross-validation",
    otherwise="the range of runs depends on the number of people and on the difference between the two classifiers",
)

_SERIES_HERE = Sentence("mery2016.series-here", "note", "{series:parts}")
_SERIES = Sentence("mery2016.series", "note", "{name} {values:row}")
_SHARE = Sentence("mery2016.share", "note", "{value:tenth}")
_STABLE_HERE = Sentence(
    "mery2016.stable-means-here", "note", "{leader} is ahead in {n:count} of {total:count column}"
)
_OVERLAPS_HERE = Sentence(
    "mery2016.hold-outs-overlap-here",
    "note",
    "{n:count} of {total:count hold-out} with {people:count person/people}",
)
_MISLEADING_HERE = Sentence(
    "mery2016.hold-outs-mislead-here",
    "note",
    "the worse classifier is ahead in {ho:tenth} of pairs of hold-outs and in {cv:tenth} of pairs of cross-validations; ranges overlap in {ho_over:count} of "
    "{ho_total:count} and in {cv_over:count} of {cv_total:count column}",
)
_HIDDEN_HERE = Sentence(
    "mery2016.protocols-hide-here",
    "note",
    "{better} minus {worse}: {like:points} with 80-20 HO for both, {unlike:hundredfold} with 50-50 HO for {better} only",
)
_EACH = Sentence("mery2016.each", "note", "{each:parts}")
_FALL = Sentence(
    "mery2016.fall",
    "note",
    "{name} {mixed:tenth} → {alone:tenth}, lower for {n:count} of {total:count person/people}",
)
_LUCKY_HERE = Sentence(
    "mery2016.lucky-hold-out-here",
    "note",
    "{name}: {largest:tenth} in the best mixed hold-out, {alone:tenth} with new people",
)
_LUCKY_POWER = Sentence(
    "mery2016.lucky-hold-out-power",
    "note",
    "{n:count} of {total:count} single hold-outs are this far above LOSO",
)
_DEPENDS_HERE = Sentence(
    "mery2016.order-by-protocol-here", "note", "LBP is ahead in {n:count} of {total:count column}"
)
_RANGE = Sentence("mery2016.range", "note", "{name} {least:tenth} to {largest:tenth}")
_REVERSED_HERE = Sentence(
    "mery2016.hold-outs-reverse-here",
    "note",
    "the best {worse} is above the worst {better} in {ho_over:count} of {ho_total:count hold-out} and in {cv_over:count} of "
    "{cv_total:count cross-validation}",
)


def claims(given: ProtocolEvidence) -> dict[str, tuple[Claim, ...]]:
    """All claims, by the item of the page that they belong to."""
    return {
        "table4": (*_about_training(given), *_about_means(given)),
        "single": (*_about_single_runs(given), _about_hidden(given)),
        "table5": _about_expressions(given),
        "table6": _about_sex(given),
    }


def _apart(
    more: Sequence[npt.NDArray[np.float64]], less: Sequence[npt.NDArray[np.float64]]
) -> ShownDifference:
    """The difference of two means over runs, with its interval over splits; means of several galleries are averaged."""
    value = float(np.mean([one.mean() for one in more]) - np.mean([one.mean() for one in less]))
    error = 1.96 * sqrt(
        sum(one.var(ddof=1) / len(one) / len(side) ** 2 for side in (more, less) for one in side)
    )
    return ShownDifference(value, value - error, value + error)


def _steps(runs: Runs, columns: Sequence[str]) -> list[ShownDifference]:
    """What each column gains over the one before it, for each classifier."""
    return [_apart([runs[name][after]], [runs[name][before]]) for name in CLASSIFIERS for before, after in pairwise(columns)]  # fmt: skip


def _series(runs: Runs, columns: Sequence[str]) -> Note:
    return _SERIES_HERE(series=tuple(_one(name, [runs[name][column].mean() for column in columns]) for name in CLASSIFIERS))  # fmt: skip


def _one(name: str, values: Sequence[float]) -> Note:
    return _SERIES(name=name, values=tuple(_SHARE(value=float(one)) for one in values))


def _about_training(given: ProtocolEvidence) -> list[Claim]:
    orders = (FACES[2::-1], FACES[:2:-1])
    steps = [one for runs in given.faces.values() for columns in orders for one in _steps(runs, columns)]
    made = [
        _TRAINING.judged(_series(given.faces[max(given.faces)], (*orders[0], *orders[1])), by_sign(steps))
    ]
    for statement, by, order in (
        (_IMAGES, given.images, sorted(given.images)),
        (_PEOPLE, given.galleries, sorted(given.galleries, reverse=True)),
    ):
        steps = [
            _apart(by[after][name], by[before][name])
            for name in CLASSIFIERS
            for before, after in pairwise(order)
        ]
        series = tuple(
            _one(name, [float(np.mean([run.mean() for run in by[k][name]])) for k in order])
            for name in CLASSIFIERS
        )
        made.append(statement.judged(_SERIES_HERE(series=series), by_sign(steps)))
    return made


def _about_means(given: ProtocolEvidence) -> list[Claim]:
    leads = [
        _apart([runs["LBP"][column]], [runs["SRC"][column]])
        for runs in given.faces.values()
        for column in FACES
    ]
    ahead = sum(one.value > 0 for one in leads)
    leader, n = ("LBP", ahead) if 2 * ahead >= len(leads) else ("SRC", len(leads) - ahead)
    here = _STABLE_HERE(leader=leader, n=n, total=len(leads))
    return [
        _STABLE.judged(here, exactly(n == len(leads), 2 / 2 ** len(leads))),
        _LBP_AHEAD.judged(here, by_sign(leads)),
    ]


def _about_single_runs(given: ProtocolEvidence) -> list[Claim]:
    sides = {people: _by_kind(singles) for people, singles in given.singles.items()}
    fewest = sides[min(sides)]["HO"]
    split = {kind: float(np.mean([one.other_split for side in sides.values() for one in side[kind]])) for kind in ("HO", "CV")}  # fmt: skip
    over = {kind: [one.overlap > 0 for side in sides.values() for one in side[kind]] for kind in ("HO", "CV")}
    n = sum(one.overlap > 0 for one in fewest)
    here = _OVERLAPS_HERE(n=n, total=len(fewest), people=min(sides))
    return [
        _OVERLAPS.judged(here, exactly(n == len(fewest), 1.0)),
        _MISLEADING.judged(
            _MISLEADING_HERE(ho=split["HO"], cv=split["CV"], **_overlapping(over)), exactly(split["CV"] < split["HO"], 0.5)
        ),
    ]  # fmt: skip


def _about_hidden(given: ProtocolEvidence) -> Claim:
    runs, single = given.faces[min(given.faces)], given.singles[min(given.singles)][-1]
    better, worse = single.better, single.worse
    most, half = runs[better][FACES[0]], runs[better][FACES[2]]
    other = runs[worse][FACES[0]].mean()
    here = _HIDDEN_HERE(
        better=better, worse=worse, like=float(most.mean() - other), unlike=float(half.mean() - other)
    )
    return _HIDDEN.judged(here, by_sign([_apart([most], [half])]))


def _about_expressions(given: ProtocolEvidence) -> tuple[Claim, ...]:
    runs = given.expressions
    falls, shown = [], []
    for name, lost in given.lost.items():
        error = float(t_inverse(len(lost) - 1, 0.975) * lost.std(ddof=1) / sqrt(len(lost)))
        value = float(lost.mean())
        shown.append(ShownDifference(value, value - error, value + error))
        falls.append(
            _FALL(
                name=name,
                mixed=float(runs[name]["10f CV"].mean()),
                alone=float(runs[name]["LOSO"].mean()),
                n=int((lost > 0).sum()),
                total=len(lost),
            )
        )
    holdouts = {
        name: np.concatenate([runs[name][column] for column in ATTRIBUTES[:3]]) for name in CLASSIFIERS
    }
    above = {name: holdouts[name] - runs[name]["LOSO"].mean() for name in CLASSIFIERS}
    luckiest = max(CLASSIFIERS, key=lambda name: above[name].max())
    lucky = _LUCKY_HERE(
        name=luckiest, largest=float(holdouts[luckiest].max()), alone=float(runs[luckiest]["LOSO"].mean())
    )
    far = [one > _FAR for own in above.values() for one in own]
    power = _LUCKY_POWER(n=sum(far), total=len(far))
    orders = (ATTRIBUTES[2::-1], ATTRIBUTES[:2:-1])
    columns = [*ATTRIBUTES, "LOSO"]
    first = sum(runs["LBP"][column].mean() > runs["SRC"][column].mean() for column in columns)
    return (
        _NEW_PEOPLE.judged(_EACH(each=tuple(falls)), by_sign(shown)),
        _LUCKY.judged(lucky, Judgement("agrees" if any(far) else "disagrees", None, power)),
        _MIXED_TRAINING.judged(
            _series(runs, (*orders[0], *orders[1])),
            by_sign([one for order in orders for one in _steps(runs, order)]),
        ),
        _DEPENDS.judged(
            _DEPENDS_HERE(n=int(first), total=len(columns)),
            exactly(0 < first < len(columns), 1 - 2 / 2 ** len(columns)),
        ),
    )


def _about_sex(given: ProtocolEvidence) -> tuple[Claim, ...]:
    runs, singles = given.sex, given.sex_singles
    leads = [_apart([runs["SRC"][column]], [runs["LBP"][column]]) for column in ATTRIBUTES]
    means = {name: [float(runs[name][column].mean()) for column in ATTRIBUTES] for name in CLASSIFIERS}
    each = tuple(_RANGE(name=name, least=min(own), largest=max(own)) for name, own in means.items())
    over = {kind: [one.overlap > 0 for one in side] for kind, side in _by_kind(singles).items()}
    here = _REVERSED_HERE(worse=singles[0].worse, better=singles[0].better, **_overlapping(over))
    return (
        _SRC_AHEAD.judged(_EACH(each=each), by_sign(leads)),
        _REVERSED.judged(here, exactly(all(over["HO"][:2]) and not any(over["CV"]), 1 / 32)),
    )


def _by_kind(singles: Sequence[SingleRuns]) -> dict[str, list[SingleRuns]]:
    asked = [(one, Protocol.parse(one.protocol)) for one in singles]
    return {
        "HO": [one for one, protocol in asked if protocol.is_hold_out],
        "CV": [one for one, protocol in asked if protocol.kind == "cross-validation"],
    }


def _overlapping(over: dict[str, list[bool]]) -> dict[str, int]:
    """How many columns of each kind have ranges that overlap, and how many there are."""
    return {
        "ho_over": sum(over["HO"]),
        "ho_total": len(over["HO"]),
        "cv_over": sum(over["CV"]),
        "cv_total": len(over["CV"]),
    }
