"""Error rates by group at one threshold (after ISO/IEC 19795-10), and whether errors are those of a few people."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from proband.engine import Engine, on_engine
from proband.errors import DesignError, unknown_name
from proband.inference.verification.intervals.few_errors import bounds_without_errors
from proband.inference.verification.intervals.rate_interval import ZeroErrorBounds
from proband.inference.verification.people.group_differences import (
    GenuineErrors,
    ImpostorErrors,
    differences_of_groups,
)
from proband.inference.verification.people.hard_subjects import HardSubjects, ImageErrors, hard_subjects
from proband.inference.verification.people.meetings import Comparisons, Ints
from proband.inference.verification.people.supposed import Lent
from proband.inference.verification.points import rate_of, room_for_thirty
from proband.inference.verification.shared import Shared
from proband.measures.pairs.counts import count_pairs, tail_pairs
from proband.measures.pairs.pair_set import PairSet
from proband.measures.verification import OperatingPoint
from proband.results.about import Who
from proband.results.base import Confidence, Count, Rate, Result
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.samples import Experiment, Samples
from proband.samples.table import Selection, frozen, require_values
from proband.scores import Scores
from proband.words import Note, Sentence, count

_AT_THRESHOLD = Sentence(
    "groups.at-threshold",
    "note",
    "{algorithm} by {column}: at the threshold {threshold:threshold} for all groups. Comparisons between "
    "groups are left out",
)
_NO_THRESHOLD = Sentence(
    "groups.no-threshold",
    "caution",
    "{algorithm} by {column}: no threshold reaches the target rate. Comparisons between groups are left out",
)
_RATE = Sentence(
    "groups.rate", "note", "{rate} {value:four} [{low:four}, {high:four}] ({errors:count} of {n:count})"
)
_UNSUPPORTED_RATE = Sentence(
    "groups.unsupported-rate",
    "caution",
    "{rate} {value:four} [{low:four}, {high:four}] ({errors:count} of {n:count}; too few errors)",
)
_GROUP = Sentence(
    "groups.rates", "note", "{algorithm}, {column} = {group}, {people:count person/people}: {rates:parts}"
)
_EMPTY_GROUP = Sentence(
    "groups.empty", "note", "{algorithm}, {column} = {group}, {people:count person/people}: no comparisons"
)
_RATIO = Sentence(
    "groups.ratio",
    "note",
    "{algorithm}: the largest {rate} with enough errors is {ratio:two} times the smallest",
)
_TESTED_RATIO = Sentence(
    "groups.tested-ratio",
    "note",
    "{algorithm}: the largest {rate} with enough errors is {ratio:two} times the smallest (p {p:p} if "
    "groups were equal)",
)
_DIFFER = Sentence(
    "groups.differ",
    "note",
    "{algorithm}, {rate}: {first} minus {second} is {difference:four} [{low:four}, {high:four}] (simultaneous; adjusted "
    "p {p:p})",
)
_NONE_DIFFER = Sentence(
    "groups.none-differ",
    "note",
    "{algorithm}, {rate}: no two groups are significantly different (adjusted p {p:least_p})",
)
_NOT_OF_PEOPLE = Sentence(
    "groups.not-of-people",
    "caution",
    "some people have several values of {column}: groups are not tested for differences",
)
_INCOMPLETE = Sentence(
    "groups.comparisons-missing",
    "caution",
    "some comparisons within values of {column} are missing: groups are not tested for differences",
)
_UNGROUPED = Sentence(
    "groups.ungrouped",
    "note",
    "{n:count sample has/samples have} no value of {column} and {n:word is/are} not in any group",
)
_MOST_ACCEPTED = 20_000_000  # comparisons accepted at the threshold whose images are listed
BY_GROUP = {_GROUP.code, _EMPTY_GROUP.code}
"""The codes of the sentences of single groups, which say what a table of groups does."""
VERDICTS = {one.code for one in (_NO_THRESHOLD, _DIFFER, _NONE_DIFFER, _NOT_OF_PEOPLE, _INCOMPLETE)}
"""The codes of the sentences that say whether groups differ, or why that is not known."""


@dataclass(frozen=True)
class GroupRates:
    """One group: genuine comparisons of its people, and impostor comparisons within it.

    Attributes
    ----------
    group, n_subjects
        Its name, and its people.
    fnmr, fmr
        With their intervals; None where there is no comparison.
    no_false_non_matches, no_false_matches
        Where no such error is made (or nothing else): what that says; None otherwise.
    """

    group: str
    n_subjects: Count
    fnmr: Estimate | None
    fmr: Estimate | None
    no_false_non_matches: ZeroErrorBounds | None = None
    no_false_matches: ZeroErrorBounds | None = None


@dataclass(frozen=True, eq=False)
class Differential(Result):
    """Error rates by group, at one threshold for all.

    Attributes
    ----------
    column
        What makes the groups.
    groups
        Sorted by name; those too small for any comparison have no rate.
    n_ungrouped
        Samples without a value.
    algorithm, threshold
        Of the scores, and the threshold of all groups; None where everything is rejected.
    fnmr_differences, fmr_differences
        Of every two groups, those of one rate taken together; empty where groups are not groups of people.
    ratio_fnmr_p, ratio_fmr_p
        The chance of so large a ratio if groups were alike; None where it is not tested.
    tested
        Whether differences were tested: only a column of which every person has one value can be dealt over people.
    confidence_level
        Of the simultaneous intervals of the differences, and those of groups.
    several_values
        Whether somebody has several values.
    """

    written = Written(also=("ratio_fnmr", "ratio_fmr"), without=("several_values",))

    algorithm: str
    column: str
    threshold: float | None
    groups: tuple[GroupRates, ...]
    n_ungrouped: Count
    fnmr_differences: tuple[Difference, ...] = ()
    fmr_differences: tuple[Difference, ...] = ()
    ratio_fnmr_p: Rate | None = None
    ratio_fmr_p: Rate | None = None
    tested: bool = False
    confidence_level: Confidence = 0.95
    several_values: bool = False

    def rates(self, rate: str) -> list[Estimate | None]:
        """One error rate, ``fnmr`` or ``fmr``, of every group; None where there is no comparison."""
        return [group.fnmr if rate == "fnmr" else group.fmr for group in self.groups]

    def differences(self, rate: str) -> tuple[Difference, ...]:
        """The differences of every two groups in one error rate, ``fnmr`` or ``fmr``."""
        return self.fnmr_differences if rate == "fnmr" else self.fmr_differences

    def ratio(self, rate: str) -> float | None:
        """Find the largest rate over the smallest, of groups whose rate rests on enough errors; None with fewer than two.

        It describes these groups: the largest of several equal ones exceeds the smallest by chance alone.
        """
        values = [own.value for own in self.rates(rate) if own is not None and own.supported]
        return max(values) / min(values) if len(values) > 1 else None

    def sentences(self) -> list[Note]:
        """Say what is compared, then one line for each group, and the ratios."""
        of = {"algorithm": self.algorithm, "column": self.column}
        said = [
            _NO_THRESHOLD(**of) if self.threshold is None else _AT_THRESHOLD(**of, threshold=self.threshold)
        ]
        for group in self.groups:
            named = {**of, "group": group.group, "people": group.n_subjects}
            both = ("FNMR", group.fnmr), ("FMR", group.fmr)
            rates = tuple(_rate(name, rate) for name, rate in both if rate is not None)
            said.append(_GROUP(**named, rates=rates) if rates else _EMPTY_GROUP(**named))
        for name in ("fnmr", "fmr"):
            ratio, p = self.ratio(name), getattr(self, f"ratio_{name}_p")
            if ratio is not None and p is None:
                said.append(_RATIO(algorithm=self.algorithm, rate=name.upper(), ratio=ratio))
            elif ratio is not None:
                floor = next((pair.method.floor for pair in self.differences(name)), None)
                said.append(
                    _TESTED_RATIO(algorithm=self.algorithm, rate=name.upper(), ratio=ratio, p=(p, floor))
                )
            said += self._differing(name)
        if not self.tested and len(self.groups) > 1:
            said.append((_NOT_OF_PEOPLE if self.several_values else _INCOMPLETE)(column=self.column))
        if self.n_ungrouped:
            said.append(_UNGROUPED(n=self.n_ungrouped, column=self.column))
        return said

    def _differing(self, rate: str) -> list[Note]:
        """The differences that leave 0 out, or that there is none."""
        of = self.differences(rate)
        named = {"algorithm": self.algorithm, "rate": rate.upper()}
        apart = [
            _DIFFER(
                **named, first=pair.first, second=pair.second, difference=pair.value, low=pair.low,
                high=pair.high, p=(pair.p_adjusted, pair.method.floor),
            )
            for pair in of
            if pair.told_apart
        ]  # fmt: skip
        return apart or [_NONE_DIFFER(**named, p=min(pair.p_adjusted or 1.0 for pair in of))] if of else []

    @property
    def ratio_fnmr(self) -> float | None:
        """The largest FNMR of a group by the smallest."""
        return self.ratio("fnmr")

    @property
    def ratio_fmr(self) -> float | None:
        """The largest FMR of a group by the smallest."""
        return self.ratio("fmr")


def _rate(name: str, rate: Estimate) -> Note:
    said = _RATE if rate.supported else _UNSUPPORTED_RATE
    counts = {"errors": rate.rests_on.n_events, "n": rate.rests_on.n}
    return said(rate=name, value=rate.value, low=rate.low, high=rate.high, **counts)


@on_engine
def error_rates_by(
    scores: Scores,
    within: Experiment | Samples,
    column: str,
    point: OperatingPoint,
    *,
    confidence_level: float = 0.95,
    seed: int = 0,
    engine: Engine = None,
) -> Differential:
    """Find the error rates of each group at a threshold that is the same for all (after ISO/IEC 19795-10).

    A group's genuine comparisons are those of its samples with each other, its impostor comparisons those within the group:
    people of one group are taken for each other more easily than for others. People of each group vary; the threshold stays.
    Intervals are those of `false_match_rate` and `false_non_match_rate`. Every two groups are compared, and the largest rate with
    the smallest, by dealing the labels of groups anew over people (`differences_of_groups`).
    """
    samples = within.samples if isinstance(within, Experiment) else within
    if column not in samples.frame.columns:
        raise unknown_name("column", column, samples.frame.columns, "to form groups")
    values = samples.frame[column]
    require_values(values, "the samples table")
    kinds = sorted(values.drop_nulls().unique().to_list(), key=str)
    if len(kinds) > 50:
        raise DesignError(
            f"{column} has {count(len(kinds))} values, too many for groups.", "divide it into bands first."
        )
    closeness = _closeness(point, scores)
    made = []
    for kind in kinds:
        chosen = (values == kind).fill_null(False).to_numpy()
        pairs = _pairs_of(scores, within, samples, chosen)
        made.append(None if pairs is None else _shared(scores, pairs, closeness))
    lent = Lent.by(shared.alike for shared in made if shared is not None)
    who = Who(algorithm=scores.name, column=column, threshold=point.threshold)
    groups = [
        GroupRates(str(kind), 0, None, None)
        if shared is None
        else _rates(replace(who, group=str(kind)), replace(shared, lent=lent), closeness, confidence_level)
        for kind, shared in zip(kinds, made, strict=True)
    ]
    differential = Differential(
        scores.name,
        column,
        point.threshold,
        tuple(groups),
        int(values.null_count()),
        confidence_level=confidence_level,
    )
    return _with_test(differential, scores, within, samples, closeness, seed)


def _with_test(
    differential: Differential,
    scores: Scores,
    within: Experiment | Samples,
    samples: Samples,
    closeness: float,
    seed: int,
) -> Differential:
    """Deal the labels of groups anew over people, where each has one."""
    names, who = (
        [group.group for group in differential.groups],
        Who(algorithm=scores.name, column=differential.column, threshold=differential.threshold),
    )
    chosen = samples.frame[differential.column].is_not_null().to_numpy()
    if isinstance(within, Samples):
        within = samples = samples.take(np.flatnonzero(chosen))
        chosen = np.ones(len(samples), dtype=np.bool_)
    labels = _labels(samples, differential.column, names)
    if labels is None:
        return replace(differential, several_values=True)
    pairs = None if len(names) < 2 else _pairs_of(scores, within, samples, chosen)
    if pairs is None:
        return differential
    shared = Shared.of(scores, pairs, closeness)
    if not isinstance(shared.comparisons, Comparisons):
        return differential
    near = pairs.acquired
    of = labels[np.unique(np.concatenate([near.row_codes, near.column_codes]))]
    accepted = shared.tail >= closeness
    genuine = GenuineErrors(shared.genuine_people, shared.genuine < closeness, len(of))
    impostor = ImpostorErrors(shared.first[accepted], shared.second[accepted], shared.comparisons)
    tests = {}
    kinds: tuple[tuple[str, GenuineErrors | ImpostorErrors], ...] = (("fnmr", genuine), ("fmr", impostor))
    for rate, errors in kinds:
        supported = np.array([own is not None and own.supported for own in differential.rates(rate)])
        tests[rate] = differences_of_groups(
            errors, of, names, supported, differential.confidence_level, seed, who
        )
    return replace(
        differential,
        fnmr_differences=tuple(replace(pair, measure="fnmr") for pair in tests["fnmr"].differences),
        fmr_differences=tuple(replace(pair, measure="fmr") for pair in tests["fmr"].differences),
        ratio_fnmr_p=tests["fnmr"].ratio_p,
        ratio_fmr_p=tests["fmr"].ratio_p,
        tested=True,
    )


def _labels(samples: Samples, column: str, names: list[str]) -> Ints | None:
    """The group of every person as a number; None where somebody is in two."""
    numbers = {name: place for place, name in enumerate(names)}
    values = samples.frame[column]
    there = values.is_not_null().to_numpy()
    of = np.array([numbers[str(one)] for one in values.drop_nulls().to_list()], dtype=np.int64)
    labels = np.zeros(int(samples.codes.max(initial=0)) + 1, dtype=np.int64)
    labels[samples.codes[there]] = of
    return labels if (labels[samples.codes[there]] == of).all() else None


def _closeness(point: OperatingPoint, scores: Scores) -> float:
    if point.threshold is None:
        return float("inf")
    return point.threshold if scores.larger_is_closer else -point.threshold


def _pairs_of(
    scores: Scores, within: Experiment | Samples, samples: Samples, chosen: npt.NDArray[np.bool_]
) -> PairSet | None:
    """The comparisons whose samples are both in a group; None if one side has none."""
    if isinstance(within, Experiment):
        gallery, probes = within.gallery[chosen[within.gallery]], within.probes[chosen[within.probes]]
        if not len(gallery) or not len(probes):
            return None
        part = Experiment(samples, Selection(frozen(gallery), "group"), Selection(frozen(probes), "group"))
        return PairSet.of(scores, part)
    own = samples.take(np.flatnonzero(chosen))
    known = [any(name in axis for name in own.ids) for axis in (scores.queries, scores.targets)]
    return PairSet.of(scores, own) if all(known) else None


def _shared(scores: Scores, pairs: PairSet, closeness: float) -> Shared:
    """Who errs at a closeness; where fewer than two do, the thirty closest impostors too, to see how alike they are."""
    shared = Shared.of(scores, pairs, closeness)
    if len(shared.tail) > 1 or not shared.comparisons.n_impostor:
        return shared
    reached = min(closeness, room_for_thirty(count_pairs(scores, pairs)))
    return replace(shared, whole=Shared.of(scores, pairs, reached))


def _rates(who: Who, shared: Shared, closeness: float, level: float) -> GroupRates:
    fmr = rate_of(shared.fmr_at(closeness, level), who) if shared.comparisons.n_impostor else None
    fnmr = rate_of(shared.fnmr_at(closeness, level), who) if len(shared.genuine) else None
    return GroupRates(
        who.group,
        shared.comparisons.n_subjects,
        fnmr,
        fmr,
        None if fnmr is None else bounds_without_errors(fnmr, fnmr.rests_on.n_units or 1),
        None if fmr is None else shared.bounds_of(fmr),
    )


@on_engine
def hard_subjects_of(
    scores: Scores,
    within: Experiment | Samples,
    point: OperatingPoint,
    *,
    pseudonyms: bool = False,
    seed: int = 0,
    engine: Engine = None,
) -> HardSubjects:
    """Say whom the errors at an operating point fall on, and whether there is anything to see.

    The test is that of `hard_subjects`.
    """
    samples = within.samples if isinstance(within, Experiment) else within
    pairs = PairSet.of(scores, within)
    closeness = _closeness(point, scores)
    shared = Shared.of(scores, pairs, closeness)
    accepted = shared.tail >= closeness
    near = pairs.acquired
    codes = np.unique(np.concatenate([near.row_codes, near.column_codes]))
    return hard_subjects(
        [str(samples.subjects[code]) for code in codes],
        shared.comparisons,
        shared.genuine_people,
        shared.genuine < closeness,
        shared.first[accepted],
        shared.second[accepted],
        _errors_of_images(scores, near, codes, closeness)
        if isinstance(shared.comparisons, Comparisons)
        else None,
        pseudonyms=pseudonyms,
        seed=seed,
    )


def _errors_of_images(
    scores: Scores, pairs: PairSet, codes: npt.NDArray[np.int64], closeness: float
) -> ImageErrors:
    """Which images are falsely matched or not: every image is taken for a person of its own, and those accepted are listed."""
    n_rows = len(pairs.rows)
    columns = np.arange(len(pairs.columns)) if pairs.symmetric else n_rows + np.arange(len(pairs.columns))
    images = replace(
        pairs, row_codes=np.arange(n_rows, dtype=np.int32), column_codes=columns.astype(np.int32)
    )
    one, other, _ = tail_pairs(scores, images, closeness, _MOST_ACCEPTED)
    query, target = one.astype(np.int64), other.astype(np.int64) - (0 if pairs.symmetric else n_rows)
    queries, targets = (np.searchsorted(codes, side) for side in (pairs.row_codes, pairs.column_codes))
    same = queries[query] == targets[target]
    rejected = _genuine_but(queries, targets, pairs.symmetric, query[same], target[same])
    return ImageErrors(queries, targets, pairs.symmetric, (query[~same], target[~same]), rejected)


def _genuine_but(
    queries: Ints, targets: Ints, symmetric: bool, query: Ints, target: Ints
) -> tuple[Ints, Ints]:
    """The genuine comparisons that are not among those accepted."""
    order = np.argsort(targets, kind="stable")
    sizes = np.bincount(targets, minlength=1 + int(queries.max(initial=0)))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    one = np.repeat(np.arange(len(queries)), sizes[queries])
    within = np.arange(len(one)) - np.searchsorted(one, one)
    other = order[starts[queries[one]] + within]
    if symmetric:
        one, other = one[one < other], other[one < other]
    width = 1 + len(targets)
    if symmetric:
        query, target = np.minimum(query, target), np.maximum(query, target)
    left = ~np.isin(one * width + other, query * width + target)
    return one[left], other[left]
