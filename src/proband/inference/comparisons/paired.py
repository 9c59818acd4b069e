"""Two algorithms on the same probes: the difference of a measure, its interval and a test, under each paired design."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs import Binomial, Bootstrap, ClusteredMcNemar, SignFlip
from proband.designs.designs import BLOCK
from proband.errors import DesignError, UsageError
from proband.inference.comparisons.clustered_mcnemar import clustered_mcnemar
from proband.inference.comparisons.mcnemar import PairedOutcomes, mcnemar, tango_counts
from proband.inference.comparisons.sign_flip import sign_flip
from proband.inference.estimates.bootstrap import units_of
from proband.inference.estimates.tallies import Tally, tally
from proband.inference.proportions import Interval, normal_quantile, t_quantile
from proband.measures import Outcomes, RecognitionRate
from proband.words import Method, count

Floats = npt.NDArray[np.float64]
_SWAPS = 9_999
_OVER_PROBES = Method(
    "mcnemar",
    "McNemar over probes (mid-p)",
    "McNemar's test over probes (mid-p)",
    ("mcnemar1947", "fagerland2013"),
)
_TANGO = Method("tango", "Tango interval", "Tango's score interval of the paired difference", ("tango1998",))
_TANGO_OVER_PEOPLE = Method(
    "tango-over-people",
    "Tango interval with the design effect",
    "Tango's score interval of the paired difference, its counts divided by the design effect over people",
    ("tango1998", "rao1992"),
)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two algorithms' outcomes of the same probes, and the measure to compare."""

    measure: Any
    first: Outcomes
    second: Outcomes
    confidence_level: float
    seed: int

    @property
    def subjects(self) -> npt.NDArray[np.intp]:
        """Each probe's person, numbered from 0."""
        return np.unique(self.first.subjects, return_inverse=True)[1].astype(np.intp)

    def successes(self) -> tuple[Floats, Floats]:
        """Whether each algorithm recognises each probe: 0 or 1."""
        if not isinstance(self.measure, RecognitionRate):
            raise DesignError(
                f"The {self.measure.estimand} has no successes to count.", "compare it under Bootstrap()."
            )
        if self.first.fractional or self.second.fractional:
            raise DesignError(
                "Fractions of a success cannot be counted.",
                "compare under Bootstrap(), or choose pessimistic or optimistic ties.",
            )
        return self.first.success(self.measure.rank), self.second.success(self.measure.rank)


@dataclass(frozen=True)
class Tested:
    """A paired difference: its interval, the narrower one of two one-sided tests, and the p-value."""

    difference: float
    interval: Interval
    one_sided: Interval
    standard_error: float
    p_value: float
    method: Method
    n_sf: int | None = None
    n_fs: int | None = None
    n_discordant_subjects: int | None = None


def joined(test: Method, interval: Method) -> Method:
    """A test and an interval beside it, told and cited apart."""
    label = f"{test}, {interval}"
    return Method(f"{test.key}+{interval.key}", label, draws=test.draws, parts=(test, interval))


@singledispatch
def paired(design: object, pair: Pair) -> Tested:
    """Compare a pair under a design."""
    raise UsageError(
        f"{design!r} does not compare algorithms.",
        "use SignFlip(), ClusteredMcNemar(), Binomial(), Bootstrap() or 'auto'.",
    )


@paired.register
def _(design: SignFlip, pair: Pair) -> Tested:
    a, b = pair.successes()
    sums = np.bincount(pair.subjects, weights=a - b).astype(np.float64)
    flipped = sign_flip(sums, pair.seed)
    effect = _design_effect(a - b, pair.subjects)
    test = replace(design.as_method, draws=flipped.draws)
    return _counted(pair, flipped.p_mid, effect, test, over_people=True)


@paired.register
def _(design: ClusteredMcNemar, pair: Pair) -> Tested:
    a, b = pair.successes()
    sums = np.bincount(pair.subjects, weights=a - b).astype(np.float64)
    sizes = np.bincount(pair.subjects).astype(np.float64)
    p_value = clustered_mcnemar(sums, sizes, design.method).p_value
    effect = _design_effect(a - b, pair.subjects)
    return _counted(pair, p_value, effect, design.as_method, over_people=True)


@paired.register
def _(design: Binomial, pair: Pair) -> Tested:
    counts = PairedOutcomes.of(*pair.successes())
    p_value = mcnemar(counts.sf, counts.fs).p_mid
    return _counted(pair, p_value, 1.0, _OVER_PROBES, over_people=False)


def _counted(pair: Pair, p_value: float, effect: float, test: Method, *, over_people: bool) -> Tested:
    """Tango's score interval, its counts divided by the design effect of the differences."""
    a, b = pair.successes()
    counts = PairedOutcomes.of(a, b)
    level = pair.confidence_level
    shrunk = (counts.sf / effect, counts.fs / effect, counts.n / effect)
    people = len(np.unique(pair.subjects))
    over_people = over_people and people < counts.n

    def quantile(two_sided: float) -> float:
        return t_quantile(two_sided, people - 1) if over_people else normal_quantile(two_sided)

    interval = tango_counts(*shrunk, level, quantile(level))
    return Tested(
        difference=(counts.sf - counts.fs) / counts.n,
        interval=interval,
        one_sided=tango_counts(*shrunk, level, quantile(2 * level - 1)) if level > 0.5 else interval,
        standard_error=(interval.high - interval.low) / (2 * normal_quantile(level)),
        p_value=p_value,
        method=joined(test, _TANGO_OVER_PEOPLE if over_people else _TANGO),
        n_sf=counts.sf,
        n_fs=counts.fs,
        n_discordant_subjects=int(np.count_nonzero(np.bincount(pair.subjects, weights=a - b))),
    )


def _design_effect(difference: Floats, subjects: npt.NDArray[np.intp]) -> float:
    """How much more the mean difference varies over people than over independent probes; at least one."""
    sizes = np.bincount(subjects).astype(np.float64)
    if len(sizes) == len(difference):
        return 1.0
    n, k = len(difference), len(sizes)
    mean = difference.mean()
    independent = float(((difference - mean) ** 2).mean()) / n
    if k < 2 or independent == 0:
        return n / k  # nothing shows how alike a person's probes are: each person counts once
    residuals = np.bincount(subjects, weights=difference) - mean * sizes
    clustered = k / (k - 1) * float(residuals @ residuals) / n**2
    return max(1.0, clustered / independent)


@paired.register
def _(design: Bootstrap, pair: Pair) -> Tested:
    """Any measure: units are drawn alike for both, and the test swaps the algorithms' outcomes unit by unit."""
    units = units_of(pair.first, design)
    n = int(units.max()) + 1
    both = tally(pair.measure, _stacked(pair.first, pair.second), np.concatenate([units, units + n]))
    ones, none = np.ones((1, n), dtype=np.int64), np.zeros((1, n), dtype=np.int64)
    difference = float(_differences(both, ones, none)[0])
    draws = np.concatenate([_differences(both, w, np.zeros_like(w)) for w in design.weights(n, pair.seed)])
    level = pair.confidence_level
    if not np.isfinite(draws).all():
        raise DesignError(
            f"The difference of the {pair.measure.estimand} is infinite in some replicates.",
            "censor the ranks: MedianCensoredRank(50).",
        )
    tails = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2, 1 - level, level])
    swapped = Method(
        "swapped",
        f"outcomes swapped by {design.unit} ({count(_SWAPS)} times)",
        "a permutation test that swaps the algorithms' outcomes",
        ("fisher1935",),
        draws=_SWAPS,
    )
    return Tested(
        difference=difference,
        interval=Interval(float(tails[0]), float(tails[1])),
        one_sided=Interval(float(min(tails[2:])), float(max(tails[2:]))),
        standard_error=float(draws.std(ddof=1)),
        p_value=_swapped(both, difference, n, pair.seed),
        method=joined(swapped, replace(design, interval="percentile").as_method),
    )


def _stacked(first: Outcomes, second: Outcomes) -> Outcomes:
    """Both algorithms' outcomes as if of one, so that one tally holds both."""
    names = ("probes", "closer", "tied", "best_mates", "failed")
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in names
    }
    return replace(first, **joined)


def _differences(both: Tally, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> Floats:
    """The measure of one algorithm less that of the other, unit by unit.

    One takes its own outcome of a unit `first` times and the other's `second` times; the other the other way round.
    """
    return both.values(np.hstack([first, second])) - both.values(np.hstack([second, first]))


def _swapped(both: Tally, observed: float, n: int, seed: int) -> float:
    """How often swapping the algorithms' outcomes at random gives as large a difference."""
    slack = 1e-12 * max(1.0, abs(observed))
    as_large = 1
    for block, done in enumerate(range(0, _SWAPS, BLOCK)):
        rng = np.random.default_rng([seed, block, 1])
        kept = rng.integers(0, 2, (min(BLOCK, _SWAPS - done), n))
        as_large += int((np.abs(_differences(both, kept, 1 - kept)) >= abs(observed) - slack).sum())
    return as_large / (_SWAPS + 1)
