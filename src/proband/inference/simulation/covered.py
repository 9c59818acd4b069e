"""What simulated data sets showed: how often intervals held the truth, how wide they were, how often tests rejected."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from proband.engine import Progress, Silent
from proband.errors import DesignError
from proband.inference.proportions import normal_quantile, proportion_interval
from proband.inference.simulation.asking import Answered, Ask
from proband.inference.simulation.worlds import DataSet, World
from proband.results.about import NOBODY, RestsOn
from proband.results.base import Answers, Rate
from proband.results.estimate import Estimate
from proband.words import Method, Target

MONTE_CARLO = 0.99
"""The confidence with which a simulated share is known to lie between its ends."""
HOLDS = Target("data-sets-that-hold-the-truth", "share of data sets whose interval contains the true value")
REJECTS = Target("data-sets-that-reject", "share of data sets whose test rejects")
_OTHER_DATA = Target("simulated-data-sets", "other simulated data sets")
_WORLD = Target("simulated-people", "the simulated people and probes, the procedure and its level")
_INDEPENDENT = Target("data-sets-independent", "data sets are independent")
_EXACT = Method("clopper-pearson", "exact binomial limits", cites=("clopper1934",))
_SLACK = 1e-12


@dataclass(frozen=True)
class SimulationTally:
    """Counts and sums over data sets, of which everything else follows; those of two runs of numbers add up.

    Attributes
    ----------
    n, refused
        Data sets asked, and those among them without an answer, which count for nothing else here.
    bounded, covered, too_low, too_high
        Those with an interval, and those whose interval holds the truth, lies below it, and above it (of a curve, anywhere).
    tested, null, rejected, wrong
        Those with a test, those among them in which something does not differ, those with p ≤ 1 − level (of several comparisons, any
        without a difference), and those with the wrong sign besides.
    cautioned
        Those that come with a caution.
    value, truth, width
        Sums, of a curve of its means.
    squared
        Sums of squared errors, at every place of a curve.
    squares, fourths
        Sums of the powers of what people add to the error.
    facts
        Sums of what data sets have besides.
    """

    n: int = 0
    refused: int = 0
    bounded: int = 0
    covered: int = 0
    too_low: int = 0
    too_high: int = 0
    tested: int = 0
    null: int = 0
    rejected: int = 0
    wrong: int = 0
    cautioned: int = 0
    value: float = 0.0
    truth: float = 0.0
    width: float = 0.0
    squared: tuple[float, ...] = ()
    squares: float = 0.0
    fourths: float = 0.0
    facts: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, one: DataSet, found: Answered, confidence_level: float) -> SimulationTally:
        """Count one data set."""
        value, low, high, truth = np.broadcast_arrays(found.value, found.low, found.high, one.truth)
        below, above = bool((high < truth - _SLACK).any()), bool((low > truth + _SLACK).any())
        width = float((high - low).mean())
        null = rejected = wrong = False
        if found.p_value is not None:
            apart = np.broadcast_to(found.p_value, truth.shape) <= 1 - confidence_level
            same = np.abs(truth) <= _SLACK
            null = bool(same.any())
            rejected = bool(apart[same].any() if null else apart.any())
            wrong = bool((apart & (value * np.where(same, 1, truth) < 0)).any())
        residuals = np.zeros(1) if one.residuals is None else one.residuals
        return cls(
            n=1,
            bounded=int(np.isfinite(low).all() or np.isfinite(high).all()),
            covered=int(not below and not above),
            too_low=int(below),
            too_high=int(above),
            tested=int(found.p_value is not None),
            null=int(null),
            rejected=int(rejected),
            wrong=int(wrong),
            cautioned=int(any(note.level == "caution" for note in found.notes)),
            value=float(value.mean()),
            truth=float(truth.mean()),
            width=width if np.isfinite(width) else 0.0,
            squared=tuple(np.atleast_1d((value - truth) ** 2).tolist()),
            squares=float((residuals**2).sum()),
            fourths=float((residuals**4).sum()),
            facts=dict(one.facts),
        )

    def __add__(self, other: SimulationTally) -> SimulationTally:
        """Add up."""
        if not self.n or not other.n:
            return self if self.n else other
        added: dict[str, Any] = {
            one.name: getattr(self, one.name) + getattr(other, one.name)
            for one in fields(self)
            if one.name not in ("squared", "facts")
        }
        # Where nothing was answered there are no places.
        places = max(len(self.squared), len(other.squared))
        padded = ((*one.squared, *(0.0,) * (places - len(one.squared))) for one in (self, other))
        names = dict.fromkeys((*self.facts, *other.facts))
        return SimulationTally(
            **added,
            squared=tuple(map(sum, zip(*padded, strict=True))),
            facts={name: self.facts.get(name, 0.0) + other.facts.get(name, 0.0) for name in names},
        )

    @property
    def answered(self) -> int:
        """Data sets with an answer."""
        return self.n - self.refused

    @property
    def carriers(self) -> float | None:
        """How many people carry the variance."""
        return self.squares**2 / self.fourths / self.answered if self.fourths else None

    def known_width(self, confidence_level: float) -> float:
        """The length of an interval that knows the true variance of the error."""
        return (
            2
            * normal_quantile(confidence_level)
            * float(np.sqrt(np.array(self.squared) / self.answered).mean())
        )


def share_of(events: int, n: int, of: Target = HOLDS, among: Answers | None = None) -> Estimate:
    """Estimate a share of simulated data sets: its Monte Carlo error √(p(1 − p)/n), and Clopper and Pearson's interval.

    The interval is of what endlessly many would show; `among` are the answers of a share of something else.
    """
    low, high = proportion_interval(events, n, "clopper-pearson", MONTE_CARLO)
    share = events / n
    return Estimate(
        who=NOBODY,
        value=share,
        low=low,
        high=high,
        confidence_level=MONTE_CARLO,
        standard_error=float(np.sqrt(share * (1 - share) / n)),
        rests_on=RestsOn(n=n, of="data set" if among is None else "split", events=events),
        method=_EXACT,
        answers=among or Answers(of, _OTHER_DATA, _WORLD, _INDEPENDENT),
    )


@dataclass(frozen=True)
class Covered:
    """How intervals of simulated data sets fared; of a curve, bands: held is the whole of it, and widths are means over ranks.

    Attributes
    ----------
    covered
        The share of data sets whose interval contains the true value.
    too_low, too_high
        The shares whose interval lies below the truth, and above it.
    truth
        What is to be held, in the mean over data sets.
    mean_value, mean_width
        The means of the estimates and of the lengths of their intervals.
    known_width
        The length of an interval that knows the true variance of the error: 2 z × its root mean square.
    width_ratio
        The one over the other.
    carriers
        Effective carriers S = K·E[e²]²/E[e⁴]: how many people carry the variance; None where what each adds is not known.
    cautioned
        The share of data sets whose estimate comes with a caution.
    refused
        The share of data sets without an interval, which count for nothing else here.
    """

    covered: Estimate
    too_low: Rate
    too_high: Rate
    truth: float
    mean_value: float
    mean_width: float
    known_width: float
    width_ratio: float
    carriers: float | None
    cautioned: Rate
    refused: Rate

    @classmethod
    def of(cls, tally: SimulationTally, confidence_level: float) -> Covered:
        """Make it of counts and sums."""
        n, known = tally.answered, tally.known_width(confidence_level)
        width = tally.width / n
        return cls(
            covered=share_of(tally.covered, n),
            too_low=tally.too_low / n,
            too_high=tally.too_high / n,
            truth=tally.truth / n,
            mean_value=tally.value / n,
            mean_width=width,
            known_width=known,
            width_ratio=width / known if known > 0 else float("inf"),
            carriers=tally.carriers,
            cautioned=tally.cautioned / n,
            refused=tally.refused / tally.n,
        )


@dataclass(frozen=True)
class RejectionRates:
    """How tests of two algorithms on the same simulated probes fared.

    Attributes
    ----------
    margin
        By how much the second algorithm is truly worse.
    rejected
        The share of data sets with p ≤ 1 − level: power, or without a difference the type I error.
    wrong
        The share of data sets in which the second is called significantly better.
    covered
        The share whose interval holds the true difference.
    mean_width
        Of these intervals.
    discordant
        The share of probes that only one of the two recognises.
    discordant_subjects
        How many people, on average, are recognised differently often by the two.
    """

    margin: float
    rejected: Estimate
    wrong: Rate
    covered: Estimate
    mean_width: float
    discordant: Rate
    discordant_subjects: float

    @classmethod
    def of(cls, tally: SimulationTally, margin: float) -> RejectionRates:
        """Make it of counts and sums."""
        n = tally.answered
        return cls(
            margin=margin,
            rejected=share_of(tally.rejected, n, REJECTS),
            wrong=tally.wrong / n,
            covered=share_of(tally.covered, n),
            mean_width=tally.width / n,
            **{name: total / n for name, total in tally.facts.items()},
        )


def simulate(
    world: World,
    ask: Ask,
    n_sets: int,
    *,
    first: int = 0,
    confidence_level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[SimulationTally, Answered | None]:
    """Put a question to so many data sets of a world, from the `first` on, and count; the last answer comes along."""
    listener = progress or Silent()
    listener.begin("data sets", n_sets)
    tally, answer = SimulationTally(), None
    for number in range(first, first + n_sets):
        drawn = world.draw(seed, number)
        try:
            answer = ask(drawn, confidence_level, number)
            tally += SimulationTally.of(drawn, answer, confidence_level)
        except DesignError:
            tally += SimulationTally(n=1, refused=1)
        listener.advance(1)
    return tally, answer
