"""Is a set of probes too easy, too hard, or apt to tell the leading algorithms apart? FERET calls it the three bears problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from proband.errors import DesignError, UsageError
from proband.inference.comparisons.compare import compare
from proband.inference.comparisons.comparison import Comparison
from proband.inference.estimates.evaluation import OfProbes, probes_called
from proband.inference.planning.sizes import least_margin, test_of
from proband.measures import Outcomes, RecognitionRate
from proband.results.base import Count, Rank, Rate, Record
from proband.results.difference import Difference
from proband.results.serializing import Written
from proband.words import Note, Sentence

Verdict = Literal["apt", "too easy", "too hard", "too few people", "one algorithm"]

POWER = 0.8
"""The power at which a difference counts as one that could be shown, unless another is asked for."""

_WITH_POWER = (
    "a difference of {smallest:span} or more between algorithms like {first} and {second} would be detected "
    "with a power of {power:power} ({people:count person/people}, {probes:count probe})"
)
_LEADERS = "{first} leads {second} by {effect}, {tested}"
_SAID: dict[Verdict, Sentence] = {
    "apt": Sentence(
        "difficulty.apt",
        "note",
        "{category}: suitable for comparing leading algorithms: {first} misses {headroom:hundredth} at rank {rank}, and "
        + _WITH_POWER
        + "; "
        + _LEADERS,
    ),
    "too easy": Sentence(
        "difficulty.too-easy",
        "caution",
        "{category}: too easy for the leading algorithms: {first} misses {headroom:hundredth} at rank "
        "{rank}, so even an algorithm without errors could not be expected to be significantly better; "
        + _WITH_POWER
        + "; "
        + _LEADERS,
    ),
    "too hard": Sentence(
        "difficulty.too-hard",
        "caution",
        "{category}: too hard for the leading algorithms: {first} recognises {rate:hundredth} at rank "
        "{rank}, so it could not be expected to be significantly better than guessing; "
        + _WITH_POWER
        + "; "
        + _LEADERS,
    ),
    "too few people": Sentence(
        "difficulty.too-few-people",
        "caution",
        "{category}: too few people ({people:count}) to distinguish leading algorithms with a power of {power:power}, whatever "
        "the rate; " + _LEADERS,
    ),
    "one algorithm": Sentence(
        "difficulty.one-algorithm", "note", "{category}: only one algorithm, so there is nothing to compare"
    ),
}


@dataclass(frozen=True)
class Difficulty(OfProbes, Record):
    """How well one set of probes tells the two leading algorithms apart at a rank.

    All of it is about the two with the highest rates, but for `leaders`, `separated` and `n_pairs`, so weaker algorithms
    change nothing.

    Attributes
    ----------
    first, second
        The two with the highest rates; None where there is one algorithm.
    rate, chance
        The rate of the best, and that of guessing.
    both_right, both_missed
        The shares of probes that both recognise, and that neither does. Only the others tell anything.
    lead
        The first less the second, paired and by itself. They were picked as the best on these very probes.
    power, smallest_difference
        The least true difference that two such algorithms would be shown to have with this power; None where none would.
    separated, n_pairs
        How many pairs of all algorithms are told apart (adjusted), and how many there are.
    leaders
        The algorithms that no other significantly beats.
    verdict
        ``too easy`` where the best misses less than the smallest difference, ``too hard`` where it recognises less than that
        above chance, ``too few people`` where both hold, else ``apt``; or ``one algorithm``.
    category, rank, n_probes, n_probe_subjects
        The probes, and whose they are.
    """

    written = Written({"category": "probe_set"}, also=("sentence",))

    category: str | None
    rank: Rank
    n_probes: Count
    n_probe_subjects: Count
    first: str | None
    second: str | None
    rate: Rate
    chance: Rate
    both_right: Rate
    both_missed: Rate
    lead: Difference | None
    power: Rate
    smallest_difference: float | None
    separated: int
    n_pairs: Count
    leaders: tuple[str, ...]
    verdict: Verdict

    def sentence(self) -> Note:
        """The verdict in words, with what it rests on."""
        said = _SAID[self.verdict]
        if self.lead is None:
            return said(category=probes_called(self.category))
        return said(
            category=probes_called(self.category),
            people=self.n_probe_subjects,
            probes=self.n_probes,
            rank=self.rank,
            first=self.first,
            second=self.second,
            rate=self.rate,
            headroom=1 - self.rate,
            smallest=self.smallest_difference,
            power=self.power,
            effect=self.lead.effect,
            tested=self.lead.tested,
        )


def difficulty(
    category: str | None,
    outcomes: Sequence[Outcomes],
    rank: int,
    comparison: Comparison | None,
    *,
    power: float = POWER,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Difficulty:
    """Judge a set of probes by what its two leading algorithms made of it; `comparison` is None for one algorithm.

    FERET asks whether a set is too easy or too hard to tell algorithms apart, the three bears problem (Phillips et al. 2000).
    Here it is asked of the two best: with the share of probes that only one of them recognises and the people who had them,
    which true difference would be found with the given power (`smallest_difference`)? Where the best misses less than that,
    nothing better could be shown to be better. A description of these probes and algorithms.
    """
    if not 0.5 <= power < 1:
        raise UsageError(f"A power must be between 0.5 and 1, got {power!r}.", "use 0.8, for example.")
    measure = RecognitionRate(rank)
    order = np.argsort([-float(one.success(rank).mean()) for one in outcomes], kind="stable")
    best = outcomes[order[0]]
    first = best.success(rank)
    rate, chance = float(first.mean()), min(1.0, rank / best.n_ranks)
    separated, n_pairs, leaders = 0, 0, tuple(one.algorithm for one in outcomes)
    names: tuple[str | None, str | None] = (None, None)
    lead, smallest, second = None, None, first
    verdict: Verdict = "one algorithm"
    if comparison is not None:
        rival = outcomes[order[1]]
        second = rival.success(rank)
        names = (best.algorithm, rival.algorithm)
        n_pairs = len(comparison.pairs)
        separated = sum(pair.told_apart for pair in comparison.pairs)
        leaders = tuple(name for name, (place, _) in comparison.places().items() if place == 1)
        (lead,) = compare([best, rival], measure=measure, confidence_level=confidence_level, seed=seed).pairs
        smallest = smallest_difference(first - second, best.subjects, power, confidence_level)
        verdict = _verdict(rate, chance, smallest)
    return Difficulty(
        category=category,
        rank=rank,
        n_probes=len(best),
        n_probe_subjects=len(np.unique(best.subjects)),
        first=names[0],
        second=names[1],
        rate=rate,
        chance=chance,
        both_right=float((np.minimum(first, second) >= 1.0).mean()),
        both_missed=float((np.maximum(first, second) <= 0.0).mean()),
        lead=lead,
        power=power,
        smallest_difference=smallest,
        separated=separated,
        n_pairs=n_pairs,
        leaders=leaders,
        verdict=verdict,
    )


def smallest_difference(
    differences: npt.NDArray[np.float64],
    people: npt.NDArray[np.integer[Any]],
    power: float,
    confidence_level: float,
) -> float | None:
    """Find the least true difference that a paired test of two algorithms would find with a power; None if there is none.

    The δ with δ√n = z_α √ψ + z_β √(ψ − δ²) (McNemar's test, Connor 1987), where ψ is the larger of δ and the share of probes
    that only one of the two recognises, and n how many independent probes these are worth: the variance of a probe's
    difference over that of their mean, people being the units. Where the two never differ each person counts once.
    """
    codes = np.unique(people, return_inverse=True)[1]
    n, k = len(differences), int(codes.max()) + 1
    spread = float((differences**2).mean() - differences.mean() ** 2)
    residuals = np.bincount(codes, weights=differences - differences.mean(), minlength=k)
    variance = float(residuals @ residuals) / n**2 * (k / (k - 1) if k > 1 and k < n else 1.0)
    worth = min(float(n), spread / variance) if variance > 0 else float(k)
    discordant = float((differences**2).mean())
    fewest = test_of("difference", 1.0, None, confidence_level).fewest

    def enough(margin: float) -> bool:
        test = test_of("difference", max(margin, discordant), None, confidence_level)
        return k >= fewest and test.power(margin, worth) >= power

    try:
        return least_margin(enough, 1.0, k)
    except DesignError:
        return None


def _verdict(rate: float, chance: float, smallest: float | None) -> Verdict:
    if smallest is None:
        return "too few people"
    easy, hard = 1 - rate < smallest, rate - chance < smallest
    if easy and hard:
        return "too few people"
    return "too easy" if easy else "too hard" if hard else "apt"
