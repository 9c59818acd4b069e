"""Every two of several systems on the same items: tests under the same signs, from which intervals come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt

from proband.designs import SignFlip
from proband.errors import UsageError
from proband.inference.comparisons.chosen_pairs import Names, every_two
from proband.inference.comparisons.compare import margin_for
from proband.inference.comparisons.paired import Pair, Tested, joined, little_apart
from proband.inference.comparisons.paired_rates import SKEWED, sign_flipped_pair
from proband.inference.comparisons.testing.curves import Score, Skewed
from proband.inference.comparisons.testing.sign_flip import Flips
from proband.inference.comparisons.verdicts import Found, judged
from proband.inference.estimates.clusters import variance_over_people
from proband.inference.outcomes.rates import Items, class_variance, over_units
from proband.inference.outcomes.results import OutcomeComparison
from proband.inference.proportions import normal_quantile
from proband.measures import Outcomes, RecognitionRate
from proband.results.base import Answers
from proband.results.difference import Adjustment
from proband.results.estimate import Estimate
from proband.results.sides import ONE_SIDED, Side, two_sided_level
from proband.words import Method, Note, Sentence

Floats = npt.NDArray[np.float64]
_FEW_DISCORDANT = 20  # units; below, tests and intervals were simulated to be rough
_TANGO = Method("tango", "Tango interval", "Tango's score interval of the paired difference", ("tango1998",))
_TANGO_WEIGHTED = Method(
    "tango-weighted",
    "Tango interval with the effective sample size",
    "Tango's score interval of the paired difference, with the effective sample size of the differences",
    ("tango1998", "rao1992"),
)
_FEW = Sentence(
    "outcomes.few-discordant",
    "caution",
    "fewer than {few:count} {unit}s are correct for only one of the two, so little can be concluded about {pairs:parts}",
)


@dataclass(frozen=True, eq=False)
class _CountedPairs:
    """What a comparison over people reads of outcomes: successes and the units they belong to."""

    correct: Floats
    subjects: npt.NDArray[np.intp]
    fractional: bool = False

    def success(self, rank: int) -> Floats:
        return self.correct


def compared(
    rates: tuple[Estimate, ...],
    outcomes: Mapping[str, Floats],
    items: Items,
    answers: Answers,
    *,
    margin: float | None,
    confidence_level: float,
    seed: int,
    adjust: Adjustment,
    chosen: tuple[Names, ...] | None = None,
    side: Side | None = None,
) -> OutcomeComparison:
    """Compare every two systems, or the pairs chosen, by their outcomes of the same items."""
    worth = margin_for(margin, is_rate=True)
    assert worth is not None  # rates have one
    found = paired_tests(outcomes, items, confidence_level, seed, chosen)
    few = little_apart(found, _FEW_DISCORDANT, items.unit, f"{items.unit}s")
    notes: tuple[Note, ...] = (_FEW(few=_FEW_DISCORDANT, unit=items.unit, pairs=few),) if few else ()
    if side is not None:
        both = two_sided_level(confidence_level, side)
        notes = (*notes, ONE_SIDED(side=side, level=confidence_level, both=both))
    pairs = judged(
        found, worth, confidence_level, True, True, adjust, items.unit, side=side, measure=rates[0].measure
    )
    return OutcomeComparison(rates, pairs, worth, items.unit, confidence_level, answers, notes)


def paired_tests(
    outcomes: Mapping[str, Floats],
    items: Items,
    confidence_level: float,
    seed: int,
    chosen: tuple[Names, ...] | None = None,
) -> list[Found]:
    """Test every two systems, or the pairs chosen, by turning around each unit's difference (Fisher 1935), under the same signs for all.

    Successes of single items make McNemar's (1947) test, those of units with several the test of `sign_flipped_pair`. Fractions of a
    success, and classes that weigh the same, have the test of `weighted_pair`.
    """
    if len(outcomes) < 2:
        raise UsageError("A comparison needs at least two systems.")
    counted = items.classes is None and all(np.isin(one, (0.0, 1.0)).all() for one in outcomes.values())
    names, rows = list(outcomes), np.stack(list(outcomes.values()))
    flips = None
    if not counted or len(names) > 2:
        flips = _flips(rows, items, seed)
    found: list[Found] = []
    for a, b in (tuple(map(names.index, two)) for two in every_two(names, chosen)):
        if counted:
            one, other = (cast("Outcomes", _CountedPairs(rows[k], items.units)) for k in (a, b))
            pair = Pair(RecognitionRate(1), one, other, confidence_level, seed)
            flipped = sign_flipped_pair(SignFlip(), pair)
            tested = replace(flipped, method=_method(items, flipped.method.draws))
        else:
            assert flips is not None  # made above
            tested = weighted_pair(flips, (a, b), rows[a] - rows[b], items, confidence_level)
        if flips is not None:
            tested = replace(tested, statistics=flips.sizes_of(a, b))
        if items.allowance > 1:
            tested = tested.times(items.allowance)
        found.append((names[a], names[b], items.n_units, tested))
    return found


def _method(items: Items, draws: int | None) -> Method:
    """How two systems are compared, said of the units that they are compared on."""
    if items.independent and items.classes is None and draws is None:
        test = Method(
            "mcnemar",
            "McNemar's test (mid-p)",
            "McNemar's exact test (mid-p)",
            ("mcnemar1947", "fagerland2013"),
        )
        return joined(test, _TANGO)
    label = f"sign flip over {items.unit}s (mid-p)"
    account = f"a permutation test that flips the sign of the difference of each {items.unit} (mid-p)"
    return joined(
        Method(f"sign-flip-of-{items.unit}s", label, account, ("fisher1935",), draws), _TANGO_WEIGHTED, SKEWED
    )


def _flips(rows: Floats, items: Items, seed: int) -> Flips:
    """Signs of units, for their weighted sums of outcomes."""
    made = [_by_unit(row, items) for row in rows]
    return Flips.of(np.column_stack([sums for sums, _ in made]), made[0][1], seed)


def weighted_pair(
    flips: Flips, places: tuple[int, int], differences: Floats, items: Items, confidence_level: float
) -> Tested:
    """Compare two systems by items' differences from −1 to 1, each with its weight.

    A hypothetical difference δ leaves x = Σ w(d − δ) of every unit, which is turned around (`Flips`). The interval holds what neither
    this test nor Tango's (1998) rejects, with the weighted sums of positive and of negative differences as counts, scaled to the
    variance of the mean over units; nor, where classes do not weigh the same, `Skewed`.
    """
    n, weights = len(differences), items.weights
    weighted = weights * differences
    gained, lost = float(weighted[weighted > 0].sum()), float(-weighted[weighted < 0].sum())
    variance, freedom = _spread(differences, items)
    implied = (gained + lost) / n - ((gained - lost) / n) ** 2
    alone = float((weights**2).sum()) / n * (1.0 if items.independent else n / items.n_units)
    effect = variance * n / implied if implied > 0 and variance > 0 else alone

    def at(delta: float) -> float:
        return flips.p_value(*places, delta)

    moving = bool(differences.any())
    curve = Score(
        gained / effect,
        lost / effect,
        n / effect,
        freedom,
        at(0.0) if moving else 1.0,
        at if moving else None,
        None if items.classes is not None else Skewed.of(*_by_unit(differences, items)),
    )
    low, high = curve.interval(1 - confidence_level)
    return Tested(
        difference=(gained - lost) / n,
        curve=curve,
        standard_error=(high - low) / (2 * normal_quantile(confidence_level)),
        method=_method(items, flips.draws),
        n_discordant_subjects=int(np.count_nonzero(_by_unit(np.abs(differences), items)[0])),
    )


def _by_unit(values: Floats, items: Items) -> tuple[Floats, Floats]:
    """The weighted sum of each unit, and what it weighs."""
    codes = np.unique(items.units, return_inverse=True)[1]
    sums, sizes = (np.bincount(codes, weights=one) for one in (items.weights * values, items.weights))
    return sums.astype(np.float64), sizes.astype(np.float64)


def _spread(differences: Floats, items: Items) -> tuple[float, float | None]:
    """The variance of the mean difference over units, and the degrees of freedom it is known with."""
    n_units = items.n_units
    if items.classes is None:
        return variance_over_people(differences, items.units), n_units - 1.0
    codes = np.unique(items.classes, return_inverse=True)[1]
    independent = class_variance(differences, codes)
    if items.independent:
        return independent, None
    over, freedom = over_units(differences, codes, items.units)
    return max(independent, over), freedom
