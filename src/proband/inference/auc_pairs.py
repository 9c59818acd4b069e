"""The area under the ROC as an estimate, and two algorithms compared by it: DeLong over people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from proband.errors import DesignError
from proband.inference.comparison import Comparison, PairComparison, Verdict
from proband.inference.dyadic_auc import AucInterval, Closeness, People, auc_difference, auc_interval
from proband.inference.estimates import Estimate
from proband.inference.multiplicity import holm
from proband.inference.verification_pairs import answers_of_verification, facts_of_verification
from proband.inference.verifying import Verification, verify
from proband.measures.pair_counts import genuine_pairs, tail_pairs
from proband.measures.pairs import PairSet
from proband.measures.verification import AUC
from proband.samples import Experiment, Samples
from proband.scores import Scores

_MOST = 20_000_000  # impostor comparisons that are held at once


@dataclass(frozen=True, eq=False)
class _Comparisons:
    """Every comparison of one algorithm."""

    made: Verification
    closeness: Closeness
    people: People

    @classmethod
    def of(cls, scores: Scores, within: Experiment | Samples, level: float) -> _Comparisons:
        made = verify(scores, within, fmrs=[0.01], confidence_level=level, n_resamples=0)
        samples = within.samples if isinstance(within, Experiment) else within
        pairs = PairSet.of(scores, samples, within if isinstance(within, Experiment) else None)
        own, genuine = genuine_pairs(scores, pairs)
        first, second, impostor = tail_pairs(scores, pairs, -np.inf, _MOST)
        return cls(made, Closeness(genuine, impostor), People(own, first, second))


def estimate_auc(
    measure: AUC, scores: Scores, within: Experiment | Samples, level: float, seed: int
) -> Estimate:
    """The area with an interval over people."""
    held = _Comparisons.of(scores, within, level)
    return _estimate(measure, held, scores, within, auc_interval(held.closeness, held.people, level), seed)


def _estimate(
    measure: AUC,
    held: _Comparisons,
    scores: Scores,
    within: Experiment | Samples,
    found: AucInterval,
    seed: int,
) -> Estimate:
    return Estimate(
        value=found.value,
        low=found.low,
        high=found.high,
        confidence_level=found.confidence_level,
        standard_error=found.standard_error,
        events=None,
        degrees_of_freedom=found.degrees_of_freedom,
        replicates=None,
        design=found.method,
        seed=None,
        answers=answers_of_verification(measure.estimand, "other people, with as many images each"),
        facts=facts_of_verification(scores, within, held.made),
        clusters=None,
        notes=held.made.notes,
    )


def compare_auc(
    measure: AUC,
    algorithms: Mapping[str, Scores],
    within: Experiment | Samples,
    margin: float | None,
    level: float,
    seed: int,
) -> Comparison:
    """Compare areas on the same comparisons, with people as units."""
    held = {name: _Comparisons.of(scores, within, level) for name, scores in algorithms.items()}
    estimates = []
    for name, scores in algorithms.items():
        one = _estimate(
            measure,
            held[name],
            scores,
            within,
            auc_interval(held[name].closeness, held[name].people, level),
            seed,
        )
        estimates.append(replace(one, facts=replace(one.facts, algorithm=name)))
    pairs = [_pair(a, b, held[a], held[b], margin, level) for a, b in combinations(algorithms, 2)]
    adjusted = holm([pair.p_value for pair in pairs])
    return Comparison(
        tuple(estimates),
        tuple(replace(pair, p_adjusted=p) for pair, p in zip(pairs, adjusted, strict=True)),
        None,
        margin,
        level,
        answers_of_verification(
            f"difference of {measure.estimand}", "other people, with as many images each"
        ),
        (),
    )


def _pair(
    first: str, second: str, a: _Comparisons, b: _Comparisons, margin: float | None, level: float
) -> PairComparison:
    if not all(np.array_equal(x, y) for x, y in zip(a.people, b.people, strict=True)):
        raise DesignError(
            f"{first} and {second} were not measured on the same comparisons, in the same order."
        )
    found = auc_difference(a.closeness, b.closeness, a.people, level)
    verdict: Verdict = "undecided"
    if found.low > 0:
        verdict = "better"
    elif found.high < 0:
        verdict = "worse"
    elif margin is not None and -margin < found.low and found.high < margin:
        verdict = "equivalent"
    p_value = 1.0 if found.p_value is None else found.p_value
    return PairComparison(
        first=first,
        second=second,
        difference=found.value,
        low=found.low,
        high=found.high,
        p_value=p_value,
        p_adjusted=p_value,
        n_sf=None,
        n_fs=None,
        n_discordant_subjects=None,
        verdict=verdict,
        not_inferior=None,
        subjects_needed=None,
        method=found.method,
    )
