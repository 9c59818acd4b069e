"""What simulated data sets showed: how often intervals held the truth, how wide they were, how often tests rejected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from proband.engine import Progress, Silent
from proband.errors import DesignError
from proband.inference.comparisons.compare import compare
from proband.inference.proportions import normal_quantile, proportion_interval
from proband.inference.simulation.asking import Answered, Ask
from proband.inference.simulation.populations import Floats
from proband.inference.simulation.worlds import OutcomesWorld, TwoAlgorithms, World
from proband.results.base import Confidence, Count, Rate, Result

MONTE_CARLO = 0.99
"""The confidence with which a simulated share is known to lie between its ends."""


@dataclass(frozen=True)
class Share(Result):
    """A share of simulated data sets, with its Monte Carlo error.

    Attributes
    ----------
    value
        The share.
    standard_error
        Its Monte Carlo error, √(p(1 − p)/n).
    low, high
        Clopper and Pearson's 99 % interval of what endlessly many data sets would show.
    confidence_level
        Of that interval.
    n
        Of how many data sets.
    """

    value: Rate
    standard_error: float
    low: Rate
    high: Rate
    confidence_level: Confidence
    n: Count

    @classmethod
    def of(cls, events: int, n: int) -> Share:
        """Make a share of counts."""
        ends = proportion_interval(events, n, "clopper-pearson", MONTE_CARLO)
        share = events / n
        return cls(share, float(np.sqrt(share * (1 - share) / n)), ends.low, ends.high, MONTE_CARLO, n)


@dataclass(frozen=True)
class Covered(Result):
    """How intervals of simulated data sets fared; of a curve, bands: held is the whole of it, and widths are means over ranks.

    Attributes
    ----------
    covered
        The share of data sets whose interval holds the truth.
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
        Effective carriers S = K·E[e²]²/E[e⁴]: how many people carry the variance; None for other than rates.
    cautioned
        The share of data sets whose estimate comes with a caution.
    refused
        The share of data sets without an interval, which count for nothing else here.
    """

    covered: Share
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


@dataclass(frozen=True)
class Rejected(Result):
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
    rejected: Share
    wrong: Rate
    covered: Share
    mean_width: float
    discordant: Rate
    discordant_subjects: float


def simulate_intervals(
    world: World,
    ask: Ask,
    n_sets: int,
    *,
    confidence_level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Covered, Answered]:
    """Put a question to every data set of a world, and count whose interval holds the truth; the first answer comes along.

    Examples
    --------
    >>> from proband import RecognitionRate
    >>> from proband.inference.simulation.asking import Estimating
    >>> from proband.inference.simulation.populations import Population
    >>> world = OutcomesWorld(Population.of(40, 1, rate=0.8, icc=0.0), RecognitionRate(1))
    >>> found, first = simulate_intervals(world, Estimating(RecognitionRate(1), "auto"), 100)
    >>> found.covered.n, first.method.key
    (100, 'binomial-wilson')
    """
    listener = progress or Silent()
    listener.begin("intervals", n_sets)
    rows: list[Floats] = []
    squares, fourths, cautioned, refused = 0.0, 0.0, 0, 0
    first: Answered | None = None
    why: DesignError | None = None
    for number in range(n_sets):
        one = world.draw(seed, number)
        try:
            found = ask(one, confidence_level, number)
        except DesignError as error:
            refused, why = refused + 1, error
            continue
        finally:
            listener.advance(1)
        first = first or found
        cautioned += any(note.level == "caution" for note in found.notes)
        truth = np.nan if one.truth is None else one.truth
        rows.append(np.array(np.broadcast_arrays(found.value, found.low, found.high, truth), np.float64))
        if one.residuals is not None:
            squares += float((one.residuals**2).sum())
            fourths += float((one.residuals**4).sum())
    if first is None:
        raise DesignError("No data set gave an interval.", None if why is None else why.message)
    table = np.array(rows).reshape(len(rows), 4, -1).swapaxes(0, 1)
    carriers = squares**2 / fourths / len(rows) if fourths else None
    return _covered(table, confidence_level, carriers, cautioned, refused), first


def _covered(table: Floats, level: float, carriers: float | None, cautioned: int, refused: int) -> Covered:
    """Count, over tables of values, lower ends, upper ends and truths: data sets × places of a curve."""
    value, low, high, truth = table
    n = len(value)
    # Where no truth is known estimates are taken to be right on average.
    truth = np.where(np.isnan(truth), value.mean(axis=0), truth)
    slack = 1e-12
    below, above = (high < truth - slack).any(axis=1), (low > truth + slack).any(axis=1)
    known = 2 * normal_quantile(level) * float(np.sqrt(((value - truth) ** 2).mean(axis=0)).mean())
    width = float((high - low).mean())
    return Covered(
        covered=Share.of(int((~below & ~above).sum()), n),
        too_low=float(below.mean()),
        too_high=float(above.mean()),
        truth=float(truth.mean()),
        mean_value=float(value.mean()),
        mean_width=width,
        known_width=known,
        width_ratio=width / known if known > 0 else float("inf"),
        carriers=carriers,
        cautioned=cautioned / n,
        refused=refused / (n + refused),
    )


def simulate_tests(
    world: OutcomesWorld,
    design: Any,
    margin: float,
    n_sets: int,
    *,
    discordant: float | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rejected:
    """Compare two algorithms in every data set, the second worse by the margin, and count how often they are told apart.

    Examples
    --------
    >>> from proband import RecognitionRate
    >>> from proband.inference.simulation.populations import Population
    >>> world = OutcomesWorld(Population.of(60, 2, rate=0.8, icc=0.1), RecognitionRate(1))
    >>> found = simulate_tests(world, "auto", 0.2, 40)
    >>> found.rejected.value > 0.8, found.wrong
    (True, 0.0)
    """
    listener = progress or Silent()
    listener.begin("comparisons", n_sets)
    two = TwoAlgorithms(world, margin, discordant)
    truth = two.difference
    counts = dict.fromkeys(("rejected", "wrong", "held"), 0)
    width = apart = people = 0.0
    for number in range(n_sets):
        first, second = two.draw(seed, number)
        (pair,) = compare(
            world.measure, [first, second], design=design, confidence_level=confidence_level, seed=number
        ).pairs
        rejects = pair.p_value <= 1 - confidence_level
        counts["rejected"] += rejects
        counts["wrong"] += rejects and pair.difference < 0
        counts["held"] += pair.low - 1e-12 <= truth <= pair.high + 1e-12
        width += pair.high - pair.low
        differ = world.measure.success(first) - world.measure.success(second)
        apart += float(np.abs(differ).mean())
        people += float(np.count_nonzero(np.bincount(first.subjects, differ)))
        listener.advance(1)
    return Rejected(
        margin=margin,
        rejected=Share.of(counts["rejected"], n_sets),
        wrong=counts["wrong"] / n_sets,
        covered=Share.of(counts["held"], n_sets),
        mean_width=width / n_sets,
        discordant=apart / n_sets,
        discordant_subjects=people / n_sets,
    )
