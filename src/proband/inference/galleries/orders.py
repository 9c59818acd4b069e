"""The order of algorithms by identification beside that by verification: one need not predict the other (FERET 2000)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from proband.engine.frames import frame_of_rows
from proband.errors import UsageError
from proband.inference.comparisons.compare import compare
from proband.inference.comparisons.comparison import Comparison
from proband.inference.estimates.evaluation import OfProbes, probes_called
from proband.measures.base import Measure
from proband.results.about import RestsOn, Who
from proband.results.base import Confidence, Count, Rank, Result
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.samples import Experiment
from proband.scores import Scores
from proband.words import Method, Note, Sentence, Target

_TAU = Target("kendall-tau", "Kendall's tau of the orders by identification and by verification")
_BY_TESTS = Method("tau-by-tests", "range allowed by the significant differences in both orders")
_AGREE = Sentence(
    "orders.agreement",
    "note",
    "{category}: the orders by {identification} and by {verification} agree with Kendall's tau {tau:two}; "
    "given the significant differences, tau is between {low:two} and {high:two} ({level:level}, both orders "
    "jointly)",
)
_REVERSED = Sentence(
    "orders.reversal",
    "caution",
    "{category}: {first} is significantly better than {second} by {identification}, and significantly worse by {verification}: "
    "performance on one task does not predict the other",
)
_NO_REVERSAL = Sentence(
    "orders.no-reversal",
    "note",
    "{category}: {seen:count pair} of algorithms {seen:word is/are} in the opposite order by "
    "{verification}, but no pair significantly by both",
)


@dataclass(frozen=True)
class OrderStanding:
    """One algorithm in both orders.

    Attributes
    ----------
    algorithm
        Whose standing it is.
    identification, verification
        Its values by the two measures.
    identification_place, verification_place
        One more than the number of algorithms with a better value.
    identification_places, verification_places
        The places that the tests leave: behind those significantly better, before those it beats.
    """

    algorithm: str
    identification: float
    identification_place: Rank
    identification_places: tuple[Rank, Rank]
    verification: float
    verification_place: Rank
    verification_places: tuple[Rank, Rank]


@dataclass(frozen=True)
class Reversal:
    """Two algorithms in one order by identification and in the other by verification.

    Attributes
    ----------
    first, second
        The better by identification, and the other.
    identification_p, verification_p
        Adjusted p-values of the two differences.
    significant
        Whether both differences are, at half the significance each.
    """

    first: str
    second: str
    identification_p: float
    verification_p: float
    significant: bool


@dataclass(frozen=True)
class Orders(OfProbes, Result):
    """The order of algorithms by identification beside that by verification, on one set of probes.

    Attributes
    ----------
    identification, verification
        The two measures.
    standings
        Each algorithm in both orders, the best by identification first.
    reversals
        Pairs that the two orders turn around.
    tau
        Kendall's τ: concordant less discordant pairs, over all pairs; a tie in either order counts for neither. Its ends are the
        least and the greatest τ that leave every significant difference as it is. Both orders hold together with the
        confidence level, each being tested at half the significance.
    n_pairs, n_concordant, n_discordant
        Pairs, and those that both orders show in the same and in the other order.
    category, confidence_level
        The set of probes (None for all), and how sure what is said of both orders is.
    """

    written = Written({"category": "probe_set"}, also=("sentences",))

    category: str | None
    identification: Target
    verification: Target
    standings: tuple[OrderStanding, ...]
    reversals: tuple[Reversal, ...]
    tau: Estimate
    n_pairs: Count
    n_concordant: Count
    n_discordant: Count
    confidence_level: Confidence

    def sentences(self) -> list[Note]:
        """How the orders agree, and which reversals are significant."""
        about = {
            "category": probes_called(self.category),
            "identification": str(self.identification),
            "verification": str(self.verification),
        }
        said = [
            _AGREE(
                **about,
                tau=self.tau.value,
                low=self.tau.low,
                high=self.tau.high,
                level=self.confidence_level,
            )
        ]
        sure = [one for one in self.reversals if one.significant]
        said += [_REVERSED(**about, first=one.first, second=one.second) for one in sure]
        return said if sure else [*said, _NO_REVERSAL(**about, seen=len(self.reversals))]

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each algorithm."""
        rows = []
        for one in self.standings:
            row = {"category": probes_called(self.category), "algorithm": one.algorithm}
            for task in ("identification", "verification"):
                best, worst = getattr(one, f"{task}_places")
                row |= {
                    task: getattr(one, task),
                    f"{task}_place": getattr(one, f"{task}_place"),
                    f"{task}_best_place": best,
                    f"{task}_worst_place": worst,
                }
            rows.append(row)
        return frame_of_rows(rows)


def orders(
    category: str | None,
    identified: Comparison,
    scores: Sequence[Scores],
    experiment: Experiment,
    measure: Measure,
    *,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Orders:
    """Put the order of algorithms by a measure of verification beside that by identification, on the same probes.

    FERET 2000 finds algorithms that lead in identification and not in verification. Here both comparisons are over the same
    people, adjusted for all pairs, and each is tested at half the significance, so that what is said of both orders holds
    together (Bonferroni). Other people vary.
    """
    if measure.view != "pairs":
        raise UsageError(
            f"{measure.code} is not a verification measure.", "use fnmr@0.01, auc or eer, for example."
        )
    verified = compare(
        list(scores), experiment, measure=measure, margin=None, confidence_level=confidence_level, seed=seed
    )
    return orders_of(category, identified, verified, confidence_level)


def orders_of(
    category: str | None, identified: Comparison, verified: Comparison, confidence_level: float
) -> Orders:
    """Put two comparisons of the same algorithms beside each other."""
    alpha = (1 - confidence_level) / 2
    better = [_better(one) for one in (identified, verified)]
    signs = [{pair: sign for pair, (sign, _) in one.items()} for one in better]
    sure = [{pair: sign for pair, (sign, p) in one.items() if p <= alpha} for one in better]
    concordant = sum(signs[0][pair] * signs[1][pair] > 0 for pair in signs[0])
    discordant = [pair for pair in signs[0] if signs[0][pair] * signs[1][pair] < 0]
    n = len(signs[0])
    surely = [sure[0][pair] * sure[1][pair] for pair in signs[0] if pair in sure[0] and pair in sure[1]]
    agreed, turned = sum(one > 0 for one in surely), sum(one < 0 for one in surely)
    open_ones = n - agreed - turned
    values = [{one.algorithm: one.value for one in both.estimates} for both in (identified, verified)]
    reach = [both.places() for both in (identified, verified)]
    own = [_places(both) for both in (identified, verified)]
    names = [one.algorithm for one in identified.ordered]
    return Orders(
        category=category,
        identification=identified.estimates[0].answers.of,
        verification=verified.estimates[0].answers.of,
        standings=tuple(
            OrderStanding(
                name,
                values[0][name],
                own[0][name],
                reach[0][name],
                values[1][name],
                own[1][name],
                reach[1][name],
            )
            for name in names
        ),
        reversals=tuple(
            Reversal(
                *(pair if signs[0][pair] > 0 else pair[::-1]),
                better[0][pair][1],
                better[1][pair][1],
                pair in sure[0] and pair in sure[1],
            )
            for pair in discordant
        ),
        tau=Estimate(
            who=Who(category=category or ""),
            value=(concordant - len(discordant)) / n,
            low=(agreed - turned - open_ones) / n,
            high=(agreed - turned + open_ones) / n,
            confidence_level=confidence_level,
            rests_on=RestsOn(n=n, of="pair of algorithms"),
            method=_BY_TESTS,
            answers=replace(identified.answers, of=_TAU),
        ),
        n_pairs=n,
        n_concordant=concordant,
        n_discordant=len(discordant),
        confidence_level=confidence_level,
    )


def _better(comparison: Comparison) -> dict[tuple[str, str], tuple[int, float]]:
    """For every two algorithms in the order of their names: which is better (1, −1, 0), and the adjusted p-value."""
    upward = 1 if comparison.larger_is_better else -1
    found = {}
    for pair in comparison.pairs:
        sign = upward * ((pair.value > 0) - (pair.value < 0))
        straight = pair.first <= pair.second
        names = (pair.first, pair.second) if straight else (pair.second, pair.first)
        judged = pair.varies and pair.why_not is None
        p = pair.p_adjusted if judged and pair.p_adjusted is not None else 1.0
        found[names] = (sign if straight else -sign, p)
    return found


def _places(comparison: Comparison) -> dict[str, int]:
    upward = 1 if comparison.larger_is_better else -1
    values = {one.algorithm: upward * one.value for one in comparison.estimates}
    return {name: 1 + sum(other > value for other in values.values()) for name, value in values.items()}
