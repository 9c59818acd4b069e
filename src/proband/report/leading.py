"""Who leads in what was found, and the look that each algorithm has in every chart and figure of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from proband.inference import Comparison, Evaluation
from proband.inference.comparisons.comparison import Standings
from proband.inference.estimates.evaluation import Entry
from proband.inference.verification.verification import Verification, VerificationPoint
from proband.report.charts.palette import places_of

if TYPE_CHECKING:
    from proband.study.findings import Findings


def main_comparison(found: Findings) -> Comparison | None:
    """The comparison the verdict is about; a stratified or FERET study brings its own."""
    if found.comparisons:
        return next(iter(found.comparisons.values()))
    if found.strat is not None:
        return found.strat.comparison
    return None if found.feret is None else found.feret.results[0].comparison


def main_standings(found: Findings) -> Standings | None:
    """The algorithms, models or systems that the verdict ranks."""
    classified = None if found.classification is None else found.classification.comparison
    return main_comparison(found) or found.outcomes or classified


def main_evaluation(found: Findings) -> Evaluation | None:
    """The evaluation of the study, or the one within a FERET study."""
    if found.evaluation is not None:
        return found.evaluation
    return None if found.feret is None else found.feret.evaluation


def best_first(evaluation: Evaluation) -> list[Entry]:
    """The algorithms on the first set of probes, the highest rate at the first rank first."""
    rank = evaluation.ranks[0]
    return sorted(evaluation.of(evaluation.categories[0]), key=lambda entry: -entry.curve.at(rank))


def lowest_fnmr_first(results: Sequence[Verification]) -> list[tuple[Verification, VerificationPoint]]:
    """Every algorithm at the first false match rate asked for, the lowest FNMR first; empty where only thresholds were."""
    points = [(one, next((p for p in one.points if p.point.asked is not None), None)) for one in results]
    made = [(one, point) for one, point in points if point is not None]
    return sorted(made, key=lambda pair: pair[1].point.fnmr)


def leading(found: Findings) -> tuple[str, ...]:
    """Every algorithm, the best first as far as that was measured."""
    standings, evaluation = main_standings(found), main_evaluation(found)
    named: list[str] = []
    if standings is not None:
        named += [one.facts.algorithm for one in standings.ordered]
    if evaluation is not None:
        named += [entry.algorithm for entry in best_first(evaluation)]
    named += [one.algorithm for one, _ in lowest_fnmr_first(found.verification)]
    return tuple(dict.fromkeys([*named, *found.algorithms]))


def leading_group(comparison: Standings) -> list[str]:
    """The algorithms that no other is significantly better than, the best first: no two of them differ significantly."""
    places = comparison.places()
    ordered = (one.facts.algorithm for one in comparison.ordered)
    return [name for name in ordered if places[name][0] == 1]


def looks(found: Findings) -> dict[str, int]:
    """The place of every algorithm's look: of many, the leaders have the colours."""
    order = leading(found)
    names = list(dict.fromkeys([*found.algorithms, *order]))
    return places_of(names, order)
