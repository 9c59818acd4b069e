"""People whose own rates are known: how much they differ, in which way, and how many probes each has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError
from proband.words import Target, count

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Kind = Literal["beta", "normal", "skewed", "classes"]
KINDS: dict[Kind, Target] = {
    "beta": Target("beta", "the rates of people follow a beta distribution"),
    "normal": Target("normal", "the ability of people is normal on a probit scale"),
    "skewed": Target(
        "skewed", "the difficulty of people is exponential on a probit scale: a few people are very hard"
    ),
    "classes": Target("classes", "there are two classes of people: most are easy and some are hard"),
}
"""In which way people can differ."""

_GRID = 2_000  # places at which distributions are integrated
_HARD = 0.1  # of two classes of people, the share that is hard where nothing forbids it
_TIED = 0.7  # the correlation of difficulty with the number of probes, where numbers are informative
_SHARED = 0.9  # that of how easy a person is to one of two algorithms with how easy to algorithms in general
_LARGEST = 1_000_000  # probes of one data set


@dataclass(frozen=True)
class SimulatedPeople:
    """People with so many probes each, whose own rates differ.

    Attributes
    ----------
    numbers
        The number of probes of each person.
    rate
        The mean of people's own rates.
    icc
        The intraclass correlation of a person's probes: the variance of own rates over rate × (1 − rate).
    kind
        In which way own rates differ: ``beta``, ``normal``, ``skewed`` or ``classes``.
    informative
        Whether hard people have more probes. Numbers are then drawn anew from `numbers` for every data set.
    """

    numbers: tuple[int, ...]
    rate: float
    icc: float
    kind: Kind = "beta"
    informative: bool = False

    @classmethod
    def of(
        cls,
        subjects: int,
        probes_per_subject: int | Sequence[int],
        *,
        rate: float,
        icc: float,
        kind: Kind = "beta",
        informative: bool = False,
    ) -> SimulatedPeople:
        """Make a population, checked; several numbers of probes are dealt to people in turn."""
        each = (
            [probes_per_subject]
            if isinstance(probes_per_subject, int | np.integer)
            else list(probes_per_subject)
        )
        if not isinstance(subjects, int | np.integer) or subjects < 2:
            raise UsageError(f"A simulation of new people needs at least two people, got {subjects!r}.")
        if not each or any(not isinstance(n, int | np.integer) or n < 1 for n in each):
            raise UsageError(
                "The number of probes per person must be a whole number of at least 1, got "
                f"{probes_per_subject!r}."
            )
        if subjects > _LARGEST:
            raise UsageError(
                f"A simulated data set may have at most {count(_LARGEST)} probes, but has more people.",
                "use fewer people.",
            )
        numbers = tuple(int(each[place % len(each)]) for place in range(subjects))
        return cls(numbers, rate, icc, kind, informative).checked()

    def checked(self) -> SimulatedPeople:
        """Return the population if there can be such people."""
        if not 0 < self.rate < 1:
            raise UsageError(
                f"A rate to simulate must be between 0 and 1, got {self.rate!r}.", "use 0.95, for example."
            )
        if not 0 <= self.icc < 1:
            raise UsageError(
                f"An intraclass correlation to simulate must be from 0 to below 1, got {self.icc!r}.",
                "use 0.2, for example; estimate reports it for a rate.",
            )
        if self.kind not in get_args(Kind):
            raise UsageError(f"Unknown kind of people: {self.kind!r}.", f"use one of: {', '.join(KINDS)}.")
        if self.informative and len(set(self.numbers)) == 1:
            raise UsageError(
                "All people have the same number of probes, so it cannot depend on their difficulty.",
                "pass several numbers of probes, or a samples table.",
            )
        if sum(self.numbers) > _LARGEST:
            raise UsageError(f"More than {count(_LARGEST)} probes in a data set are not simulated.")
        return self

    @property
    def subjects(self) -> int:
        """How many people a data set has."""
        return len(self.numbers)

    @property
    def cv(self) -> float:
        """The coefficient of variation of the numbers of probes."""
        return float(np.std(self.numbers) / np.mean(self.numbers))

    def own_rate(self, easiness: Floats) -> Floats:
        """Return the own rate of people at these quantiles of easiness."""
        return self._curve(easiness)

    @cached_property
    def _curve(self) -> Callable[[Floats], Floats]:
        from scipy.special import betaincinv, ndtr, ndtri

        rate, icc = self.rate, self.icc
        if icc == 0:
            return lambda u: np.full_like(u, rate)
        if self.kind == "beta":
            a, b = rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc
            return lambda u: np.asarray(betaincinv(a, b, u))
        if self.kind == "classes":
            # Neither class may leave the unit interval.
            least, most = icc * (1 - rate) / rate, (1 - rate) / (icc * rate)
            odds = min(max(_HARD / (1 - _HARD), least), most)
            hard = odds / (1 + odds)
            gap = np.sqrt(icc * rate * (1 - rate) / (hard * (1 - hard)))
            low, high = max(0.0, rate - (1 - hard) * gap), min(1.0, rate + hard * gap)
            return lambda u: np.where(u < hard, low, high)
        # ln u is the latent difficulty of skewed people, turned around: exponential, the hard ones far out.
        latent: Callable[[Floats], Floats] = (
            (lambda u: np.asarray(ndtri(u))) if self.kind == "normal" else (lambda u: 1 + np.log(u))
        )
        shift, scale = _fitted(latent, rate, icc * rate * (1 - rate))
        return lambda u: np.asarray(ndtr(shift + scale * latent(u)))

    @cached_property
    def probe_rate(self) -> float:
        """The rate of new people's probes, ΣE[m p]/ΣE[m]: other than `rate` where numbers are informative."""
        return self._weighted_rate(_TIED)

    @cached_property
    def probe_rate_of_two(self) -> float:
        """The same for one of two algorithms, to which people are easy each in its own way."""
        return self._weighted_rate(_TIED * _SHARED)

    def _weighted_rate(self, tied: float) -> float:
        if not self.informative:
            return self.rate
        from scipy.special import ndtr, ndtri

        u = _middles(_GRID)
        own = self.own_rate(u)
        values, places = np.unique(self.numbers, return_counts=True)
        ends = ndtri(np.concatenate(([0.0], places.cumsum() / self.subjects)))
        hard = -ndtri(u)
        below = ndtr((ends[:, None] - tied * hard) / np.sqrt(1 - tied**2))
        expected = values @ np.diff(below, axis=0)
        return float((expected * own).sum() / expected.sum())

    def draw(self, rng: np.random.Generator) -> tuple[Floats, Integers]:
        """Draw new people: the quantile of easiness of each, and the number of probes."""
        easiness = rng.random(self.subjects)
        numbers = np.asarray(self.numbers, dtype=np.int64)
        if not self.informative:
            return easiness, numbers
        from scipy.special import ndtr, ndtri

        noise = rng.standard_normal(self.subjects)
        order = ndtr(-_TIED * ndtri(easiness) + np.sqrt(1 - _TIED**2) * noise)
        return easiness, np.sort(numbers)[
            np.minimum((order * self.subjects).astype(np.int64), self.subjects - 1)
        ]


def easiness_of_two(easiness: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw how easy people are to each of two algorithms, from how easy they are in general."""
    from scipy.special import ndtr, ndtri

    common, rest = _SHARED * ndtri(easiness), np.sqrt(1 - _SHARED**2)
    first, second = (ndtr(common + rest * rng.standard_normal(len(common))) for _ in range(2))
    return first, second


def _middles(n: int) -> Floats:
    return (np.arange(n) + 0.5) / n


def _fitted(latent: Callable[[Floats], Floats], mean: float, variance: float) -> tuple[float, float]:
    """The shift and scale of a latent variable whose probit has this mean and variance."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    at = np.asarray(latent(_middles(_GRID)))

    def shift(scale: float) -> float:
        far = 60.0 + 60.0 * scale
        return float(brentq(lambda one: float(ndtr(one + scale * at).mean()) - mean, -far, far, xtol=1e-9))

    def excess(logarithm: float) -> float:
        scale = float(np.exp(logarithm))
        return float(ndtr(shift(scale) + scale * at).var()) - variance

    least, most = -6.0, 6.0
    if excess(least) > 0 or excess(most) < 0:
        raise UsageError(
            "People with this rate and correlation cannot be simulated.",
            "use an intraclass correlation further from 0 and 1.",
        )
    scale = float(np.exp(brentq(excess, least, most, xtol=1e-8)))
    return shift(scale), scale
