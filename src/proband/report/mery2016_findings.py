"""What Mery et al. (2016) conclude from their Tables 4 to 6, and what becomes of it on synthetic people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from proband.inference.signflip import sign_flip
from proband.protocols.notation import Protocol
from proband.protocols.results import ProtocolRun
from proband.report.mery2016 import (
    ATTRIBUTES,
    CLASSIFIERS,
    FACES,
    POSED,
    SHARES,
    Mery2016,
    found,
    mean_over,
)
from proband.report.mery2016_tables import SingleRuns, single_runs
from proband.report.paper_findings import Finding
from proband.words import count, counted, effect, p_value, percent, points

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
    said = [
        f"{name} {_percent(whole, name, FACES[2])} → {_percent(whole, name, FACES[0])} (50-50 → 80-20 HO), "
        f"{_percent(whole, name, FACES[5])} → {_percent(whole, name, FACES[3])} (2f → 5f CV)"
        for name in CLASSIFIERS
    ]
    images = sorted(study.images)
    sizes = sorted(study.galleries)
    by_images = {name: [mean_over([study.images[k]], name, _LAST) for k in images] for name in CLASSIFIERS}
    by_size = {name: [mean_over(study.galleries[k], name, _LAST) for k in sizes] for name in CLASSIFIERS}
    return [
        Finding(
            "identity: estimated accuracy increases with the share of data that trains, by hold-out and by cross-validation",
            f"{counted(people, 'person', 'people')}: {'; '.join(said)}; steadily so in {sum(growing)} of {len(growing)} galleries",
            all(growing),
        ),
        Finding(
            "identity: the more training images of each person, the greater the accuracy",
            f"{_LAST} with {_list(images)} images of each: {_series(by_images)}",
            all(_rises(values) for values in by_images.values()),
        ),
        Finding(
            "identity: the more people to be recognised, the lower the accuracy",
            f"{_LAST} with {_list(sizes)} people, the same people in galleries of each size: {_series(by_size)}",
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
            "identity: by the mean over all runs the comparison is stable, whatever the protocol",
            f"{leader} is ahead in {ahead[leader]} of {len(singles)} columns",
            ahead[leader] == len(singles),
        ),
        Finding(
            "identity: it is LBP that is ahead of SRC",
            f"{leader} is, on these faces",
            leader == "LBP",
        ),
        Finding(
            "identity, 50 people: under every hold-out the largest accuracy of the worse is above the least of the better",
            f"{sum(over['HO'])} of {len(over['HO'])} hold-outs with {_list(tables)} people",
            all(one.overlap > 0 for one in _by_kind(tables[min(tables)])["HO"]),
        ),
        Finding(
            "identity: whole cross-validations mislead less often than single hold-outs",
            f"two runs on different splits put the worse ahead in {percent(split['HO'], 1)} of pairs of hold-outs and in {percent(split['CV'], 1)} of "
            f"cross-validations; ranges overlap in {sum(over['HO'])} of {len(over['HO'])} and in {sum(over['CV'])} of {len(over['CV'])} columns",
            split["CV"] < split["HO"],
        ),
        Finding(
            "identity: means under different protocols hide the difference, 80-20 of the worse against 50-50 of the better",
            f"{better} less {worse}: {points(like)} with 80-20 HO for both, {effect(unlike)} with 50-50 HO for {better} alone",
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
            f"{name} {_percent(run, name, '10f CV')} → {_percent(run, name, 'LOSO')}, lower for {(lost > 0).sum()} of "
            f"{len(people)} people (sign-flip p {p_value(p)})"
        )
        largest = max(found(run, name, column).spread.maximum for column in ATTRIBUTES[:3])
        best.append((largest, alone.spread.mean, name))
    largest, alone_mean, name = max(best, key=lambda one: one[0] - one[1])
    columns = [*ATTRIBUTES, "LOSO"]
    first = [column for column in columns if _ahead(run, column) == "LBP"]
    return [
        Finding(
            "expression: 91% are recognised with mixed folds, and 45% of new people's (10f CV → LOSO)",
            "; ".join(falls),
            all(significant),
        ),
        Finding(
            "expression: one hold-out may report 100%, where 45% is realistic",
            f"{name}: {percent(largest, 1)} in the luckiest mixed hold-out, {percent(alone_mean, 1)} with new people",
            largest - alone_mean > _FAR,
        ),
        Finding(
            "expression: with mixed protocols, too, accuracy increases with the share that trains",
            "; ".join(
                f"{name} {_percent(run, name, '2f CV')} → {_percent(run, name, '10f CV')} (2f → 10f CV)"
                for name in CLASSIFIERS
            ),
            all(
                _grows(run, name, part)
                for name in CLASSIFIERS
                for part in (ATTRIBUTES[2::-1], ATTRIBUTES[:2:-1])
            ),
        ),
        Finding(
            "expression: which classifier has the higher mean depends on the protocol",
            f"LBP under {', '.join(first) or 'none'}; SRC under {', '.join(one for one in columns if one not in first) or 'none'}",
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
            "sex, disjoint: SRC is ahead of LBP under all six protocols, by their means",
            "; ".join(
                f"{name} {percent(min(values), 1)} to {percent(max(values), 1)}"
                for name, values in means.items()
            ),
            all(_ahead(run, column) == "SRC" for column in ATTRIBUTES),
        ),
        Finding(
            "sex, disjoint: single 90-10 and 80-20 hold-outs can tell the reverse, cross-validations cannot",
            f"the best {singles[0].worse} is above the worst {singles[0].better} in {sum(over['HO'])} of {len(over['HO'])} hold-outs and in "
            f"{sum(over['CV'])} of {len(over['CV'])} cross-validations",
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


def _percent(run: ProtocolRun, name: str, column: str) -> str:
    return percent(found(run, name, column).spread.mean, 1)


def _list(values: Iterable[int]) -> str:
    return ", ".join(map(count, values))


def _series(values: dict[str, list[float]]) -> str:
    return "; ".join(f"{name} {', '.join(percent(one, 1) for one in own)}" for name, own in values.items())
