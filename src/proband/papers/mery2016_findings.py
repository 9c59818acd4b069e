"""What Mery et al. (2016) conclude from their Tables 4 to 6, and what becomes of it on synthetic people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from proband.inference.comparisons.sign_flip import sign_flip
from proband.papers.common import Finding
from proband.papers.mery2016 import (
    ATTRIBUTES,
    CLASSIFIERS,
    FACES,
    POSED,
    SHARES,
    Mery2016,
    found,
    mean_over,
)
from proband.papers.mery2016_tables import SingleRuns, single_runs
from proband.protocols.notation import Protocol
from proband.protocols.running.results import ProtocolRun
from proband.words import Note, Sentence

_TRAINING = Sentence(
    "mery2016.training-share",
    "note",
    "identity: estimated accuracy increases with the share of data that trains, by hold-out and by cross-validation",
)
_TRAINING_HERE = Sentence(
    "mery2016.training-share-here",
    "note",
    "{people:count person/people}: {each:parts}; steadily so in {n:count} of {total:count gallery/galleries}",
)
_TRAINING_OF = Sentence(
    "mery2016.training-share-of",
    "note",
    "{name} {half:tenth} → {most:tenth} (50-50 → 80-20 HO), {two:tenth} → {five:tenth} (2f → 5f CV)",
)
_IMAGES = Sentence(
    "mery2016.more-images",
    "note",
    "identity: the more training images of each person, the greater the accuracy",
)
_IMAGES_HERE = Sentence(
    "mery2016.more-images-here", "note", "{protocol} with {sizes:row} images of each: {series:parts}"
)
_PEOPLE = Sentence(
    "mery2016.more-people", "note", "identity: the more people to be recognised, the lower the accuracy"
)
_PEOPLE_HERE = Sentence(
    "mery2016.more-people-here",
    "note",
    "{protocol} with {sizes:row} people, the same people in galleries of each size: {series:parts}",
)
_SERIES = Sentence("mery2016.series", "note", "{name} {values:row}")
_SHARE = Sentence("mery2016.share", "note", "{value:tenth}")
_STABLE = Sentence(
    "mery2016.stable-means",
    "note",
    "identity: by the mean over all runs the comparison is stable, whatever the protocol",
)
_STABLE_HERE = Sentence(
    "mery2016.stable-means-here", "note", "{leader} is ahead in {n:count} of {total:count column}"
)
_LBP_AHEAD = Sentence("mery2016.lbp-ahead", "note", "identity: it is LBP that is ahead of SRC")
_LBP_AHEAD_HERE = Sentence("mery2016.lbp-ahead-here", "note", "{leader} is, on these faces")
_OVERLAPS = Sentence(
    "mery2016.hold-outs-overlap",
    "note",
    "identity, 50 people: under every hold-out the largest accuracy of the worse is above the least of the better",
)
_OVERLAPS_HERE = Sentence(
    "mery2016.hold-outs-overlap-here", "note", "{n:count} of {total:count hold-out} with {sizes:row} people"
)
_MISLEADING = Sentence(
    "mery2016.hold-outs-mislead",
    "note",
    "identity: whole cross-validations mislead less often than single hold-outs",
)
_MISLEADING_HERE = Sentence(
    "mery2016.hold-outs-mislead-here",
    "note",
    "two runs on different splits put the worse ahead in {ho:tenth} of pairs of hold-outs and in {cv:tenth} of cross-validations; "
    "ranges overlap in {ho_over:count} of {ho_total:count} and in {cv_over:count} of {cv_total:count column}",
)
_HIDDEN = Sentence(
    "mery2016.protocols-hide",
    "note",
    "identity: means under different protocols hide the difference, 80-20 of the worse against 50-50 of the better",
)
_HIDDEN_HERE = Sentence(
    "mery2016.protocols-hide-here",
    "note",
    "{better} minus {worse}: {like:points} with 80-20 HO for both, {unlike:hundredfold} with 50-50 HO for {better} alone",
)
_NEW_PEOPLE = Sentence(
    "mery2016.expressions-of-new-people",
    "note",
    "expression: 91% are recognised with mixed folds, and 45% of new people's (10f CV → LOSO)",
)
_EACH = Sentence("mery2016.each", "note", "{each:parts}")
_FALL = Sentence(
    "mery2016.fall",
    "note",
    "{name} {mixed:tenth} → {alone:tenth}, lower for {n:count} of {total:count person/people} (sign-flip p {p:p})",
)
_LUCKY = Sentence(
    "mery2016.lucky-hold-out",
    "note",
    "expression: one hold-out may report 100%, where 45% is realistic",
)
_LUCKY_HERE = Sentence(
    "mery2016.lucky-hold-out-here",
    "note",
    "{name}: {largest:tenth} in the luckiest mixed hold-out, {alone:tenth} with new people",
)
_MIXED_TRAINING = Sentence(
    "mery2016.mixed-training-share",
    "note",
    "expression: with mixed protocols, too, accuracy increases with the share that trains",
)
_MIXED_TRAINING_OF = Sentence(
    "mery2016.mixed-training-share-of", "note", "{name} {two:tenth} → {ten:tenth} (2f → 10f CV)"
)
_DEPENDS = Sentence(
    "mery2016.order-by-protocol",
    "note",
    "expression: which classifier has the higher mean depends on the protocol",
)
_DEPENDS_HERE = Sentence("mery2016.order-by-protocol-here", "note", "{lbp}; {src}")
_UNDER = Sentence("mery2016.ahead-under", "note", "{name} under {columns:names}")
_UNDER_NONE = Sentence("mery2016.ahead-under-none", "note", "{name} under none")
_SRC_AHEAD = Sentence(
    "mery2016.src-ahead",
    "note",
    "sex, disjoint: SRC is ahead of LBP under all six protocols, by their means",
)
_RANGE = Sentence("mery2016.range", "note", "{name} {least:tenth} to {largest:tenth}")
_REVERSED = Sentence(
    "mery2016.hold-outs-reverse",
    "note",
    "sex, disjoint: single 90-10 and 80-20 hold-outs can tell the reverse, cross-validations cannot",
)
_REVERSED_HERE = Sentence(
    "mery2016.hold-outs-reverse-here",
    "note",
    "the best {worse} is above the worst {better} in {ho_over:count} of {ho_total:count hold-out} and in {cv_over:count} of "
    "{cv_total:count cross-validation}",
)

_LAST = list(SHARES)[-1]
_ALPHA = 0.05
_FAR = 0.275  # half of what the paper's luckiest hold-out is above LOSO


def findings(study: Mery2016) -> list[Finding]:
    """Put the paper's conclusions beside what this study shows."""
    return [
        *_about_training(study),
        *_about_single_runs(study),
        *_about_expressions(study.expressions[POSED]),
        *_about_sex(study.sex),
    ]


def _about_training(study: Mery2016) -> list[Finding]:
    growing = [
        all(_grows(run, name, columns) for name in CLASSIFIERS for columns in (FACES[2::-1], FACES[:2:-1]))
        for run in study.faces.values()
    ]
    people = max(study.faces)
    whole = study.faces[people]
    said = tuple(
        _TRAINING_OF(
            name=name,
            half=_mean(whole, name, FACES[2]),
            most=_mean(whole, name, FACES[0]),
            two=_mean(whole, name, FACES[5]),
            five=_mean(whole, name, FACES[3]),
        )
        for name in CLASSIFIERS
    )
    images = sorted(study.images)
    sizes = sorted(study.galleries)
    by_images = {name: [mean_over([study.images[k]], name, _LAST) for k in images] for name in CLASSIFIERS}
    by_size = {name: [mean_over(study.galleries[k], name, _LAST) for k in sizes] for name in CLASSIFIERS}
    return [
        Finding(
            _TRAINING(),
            _TRAINING_HERE(people=people, each=said, n=sum(growing), total=len(growing)),
            all(growing),
        ),
        Finding(
            _IMAGES(),
            _IMAGES_HERE(protocol=_LAST, sizes=tuple(images), series=_series(by_images)),
            all(_rises(values) for values in by_images.values()),
        ),
        Finding(
            _PEOPLE(),
            _PEOPLE_HERE(protocol=_LAST, sizes=tuple(sizes), series=_series(by_size)),
            all(_rises(values[::-1]) for values in by_size.values()),
        ),
    ]


def _about_single_runs(study: Mery2016) -> list[Finding]:
    tables = {people: single_runs(run) for people, run in study.faces.items()}
    singles = [one for table in tables.values() for one in table]
    sides = [_by_kind(table) for table in tables.values()]
    ahead = {name: sum(one.gap > 0 for one in singles if one.better == name) for name in CLASSIFIERS}
    leader = max(ahead, key=ahead.__getitem__)
    split = {
        kind: float(np.mean([one.other_split for side in sides for one in side[kind]]))
        for kind in ("HO", "CV")
    }
    over = {kind: [one.overlap > 0 for side in sides for one in side[kind]] for kind in ("HO", "CV")}
    half = study.faces[min(study.faces)]
    better, worse = singles[-1].better, singles[-1].worse
    like = found(half, better, FACES[0]).spread.mean - found(half, worse, FACES[0]).spread.mean
    unlike = found(half, better, FACES[2]).spread.mean - found(half, worse, FACES[0]).spread.mean
    return [
        Finding(
            _STABLE(),
            _STABLE_HERE(leader=leader, n=ahead[leader], total=len(singles)),
            ahead[leader] == len(singles),
        ),
        Finding(
            _LBP_AHEAD(),
            _LBP_AHEAD_HERE(leader=leader),
            leader == "LBP",
        ),
        Finding(
            _OVERLAPS(),
            _OVERLAPS_HERE(n=sum(over["HO"]), total=len(over["HO"]), sizes=tuple(tables)),
            all(one.overlap > 0 for one in _by_kind(tables[min(tables)])["HO"]),
        ),
        Finding(
            _MISLEADING(),
            _MISLEADING_HERE(ho=split["HO"], cv=split["CV"], **_overlapping(over)),
            split["CV"] < split["HO"],
        ),
        Finding(
            _HIDDEN(),
            _HIDDEN_HERE(better=better, worse=worse, like=like, unlike=unlike),
            unlike < like,
        ),
    ]


def _about_expressions(run: ProtocolRun) -> list[Finding]:
    falls, significant, best = [], [], []
    for name in CLASSIFIERS:
        mixed, alone = (found(run, name, column) for column in ("10f CV", "LOSO"))
        (right, whose), (right_alone, whose_alone) = (one.predictions.once() for one in (mixed, alone))
        people = np.unique(whose)
        lost = np.array([right[whose == one].sum() - right_alone[whose_alone == one].sum() for one in people])
        p = sign_flip(lost).p_greater
        significant.append(p < _ALPHA)
        falls.append(
            _FALL(
                name=name,
                mixed=mixed.spread.mean,
                alone=alone.spread.mean,
                n=int((lost > 0).sum()),
                total=len(people),
                p=p,
            )
        )
        largest = max(found(run, name, column).spread.maximum for column in ATTRIBUTES[:3])
        best.append((largest, alone.spread.mean, name))
    largest, alone_mean, name = max(best, key=lambda one: one[0] - one[1])
    columns = [*ATTRIBUTES, "LOSO"]
    first = [column for column in columns if _ahead(run, column) == "LBP"]
    return [
        Finding(
            _NEW_PEOPLE(),
            _EACH(each=tuple(falls)),
            all(significant),
        ),
        Finding(
            _LUCKY(),
            _LUCKY_HERE(name=name, largest=largest, alone=alone_mean),
            largest - alone_mean > _FAR,
        ),
        Finding(
            _MIXED_TRAINING(),
            _EACH(
                each=tuple(
                    _MIXED_TRAINING_OF(
                        name=name, two=_mean(run, name, "2f CV"), ten=_mean(run, name, "10f CV")
                    )
                    for name in CLASSIFIERS
                )
            ),
            all(
                _grows(run, name, part)
                for name in CLASSIFIERS
                for part in (ATTRIBUTES[2::-1], ATTRIBUTES[:2:-1])
            ),
        ),
        Finding(
            _DEPENDS(),
            _DEPENDS_HERE(
                lbp=_under("LBP", first), src=_under("SRC", [one for one in columns if one not in first])
            ),
            0 < len(first) < len(columns),
        ),
    ]


def _about_sex(run: ProtocolRun) -> list[Finding]:
    singles = single_runs(run)
    sides = _by_kind(singles)
    over = {kind: [one.overlap > 0 for one in side] for kind, side in sides.items()}
    means = {name: [found(run, name, column).spread.mean for column in ATTRIBUTES] for name in CLASSIFIERS}
    return [
        Finding(
            _SRC_AHEAD(),
            _EACH(
                each=tuple(
                    _RANGE(name=name, least=min(values), largest=max(values))
                    for name, values in means.items()
                )
            ),
            all(_ahead(run, column) == "SRC" for column in ATTRIBUTES),
        ),
        Finding(
            _REVERSED(),
            _REVERSED_HERE(worse=singles[0].worse, better=singles[0].better, **_overlapping(over)),
            all(over["HO"][:2]) and not any(over["CV"]),
        ),
    ]


def _by_kind(singles: Sequence[SingleRuns]) -> dict[str, list[SingleRuns]]:
    asked = [(one, Protocol.parse(one.column)) for one in singles]
    return {
        "HO": [one for one, protocol in asked if protocol.is_hold_out],
        "CV": [one for one, protocol in asked if protocol.kind == "cross-validation"],
    }


def _ahead(run: ProtocolRun, column: str) -> str:
    return max(CLASSIFIERS, key=lambda name: found(run, name, column).spread.mean)


def _grows(run: ProtocolRun, name: str, columns: Sequence[str]) -> bool:
    return _rises([found(run, name, column).spread.mean for column in columns])


def _rises(values: Sequence[float]) -> bool:
    return all(after > before for before, after in pairwise(values))


def _mean(run: ProtocolRun, name: str, column: str) -> float:
    return found(run, name, column).spread.mean


def _series(values: dict[str, list[float]]) -> tuple[Note, ...]:
    return tuple(
        _SERIES(name=name, values=tuple(_SHARE(value=one) for one in own)) for name, own in values.items()
    )


def _overlapping(over: dict[str, list[bool]]) -> dict[str, int]:
    """How many columns of each kind have ranges that overlap, and how many there are."""
    return {
        "ho_over": sum(over["HO"]),
        "ho_total": len(over["HO"]),
        "cv_over": sum(over["CV"]),
        "cv_total": len(over["CV"]),
    }


def _under(name: str, columns: Sequence[str]) -> Note:
    return _UNDER(name=name, columns=tuple(columns)) if columns else _UNDER_NONE(name=name)
