"""Is A better than B? Effects with intervals, tests that know people are shared, and a verdict in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.errors import DesignError, UsageError
from proband.inference.estimates import Estimate
from proband.inference.estimation import estimate
from proband.inference.mcnemar import PairedOutcomes, tango_counts
from proband.inference.multiplicity import holm
from proband.inference.overall import CochranQ, cochran_q
from proband.inference.proportions import check_level, normal_quantile
from proband.inference.signflip import sign_flip
from proband.measures import Outcomes, RecognitionRate
from proband.measures.identification import outcomes_of
from proband.measures.results import Answers
from proband.samples import Experiment
from proband.scores import Scores

Verdict = Literal["better", "worse", "equivalent", "undecided"]
POWER = 0.8
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PairComparison:
    """The first algorithm against the second.

    Attributes
    ----------
    difference, low, high
        The first's rate less the second's, and its interval.
    p_value, p_adjusted
        Two-sided, by itself and adjusted for the number of comparisons.
    n_sf, n_fs
        Probes that only the first, and only the second recognises.
    n_discordant_subjects
        People for whom they differ.
    verdict
        From the interval: ``better``, ``worse``, ``equivalent`` (within the margin either way), or ``undecided``.
    subjects_needed
        How many people would settle a true difference of the margin, with a power of 0.8; None if it is decided.
    method
        The test and the interval.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    n_sf: int
    n_fs: int
    n_discordant_subjects: int
    verdict: Verdict
    subjects_needed: int | None
    method: str

    def sentence(self, margin: float) -> str:
        """The verdict in words."""
        effect = f"{100 * self.difference:+.2f} points [{100 * self.low:+.2f}, {100 * self.high:+.2f}]"
        if self.verdict == "better":
            return f"{self.first} is better than {self.second}: {effect}, adjusted p = {self.p_adjusted:.2g}."
        if self.verdict == "worse":
            return f"{self.first} is worse than {self.second}: {effect}, adjusted p = {self.p_adjusted:.2g}."
        if self.verdict == "equivalent":
            return f"{self.first} and {self.second} are equivalent within {100 * margin:g} points: {effect}."
        need = (
            ""
            if self.subjects_needed is None
            else (
                f" About {self.subjects_needed:,} people would settle a difference of {100 * margin:g} points."
            )
        )
        return f"{self.first} against {self.second} is undecided: {effect}, adjusted p = {self.p_adjusted:.2g}.{need}"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several algorithms on the same probes.

    Attributes
    ----------
    estimates
        Each algorithm's own rate with its interval.
    pairs
        Every two of them, in the order given.
    overall
        Cochran's Q: do they differ at all?
    margin
        What counts as a difference worth having.
    """

    estimates: tuple[Estimate, ...]
    pairs: tuple[PairComparison, ...]
    overall: CochranQ | None
    margin: float
    confidence_level: float
    answers: Answers
    notes: tuple[str, ...]

    @property
    def significance(self) -> float:
        """The level at which adjusted p-values count as significant."""
        return 1.0 - self.confidence_level

    def beaten_by(self, name: str) -> list[str]:
        """The algorithms that `name` is significantly better than, after adjustment."""
        wins = []
        for pair in self.pairs:
            if pair.p_adjusted <= self.significance and name in (pair.first, pair.second):
                ahead = pair.first if pair.difference > 0 else pair.second
                if ahead == name:
                    wins.append(pair.second if ahead == pair.first else pair.first)
        return wins

    def places(self) -> dict[str, tuple[int, int]]:
        """The places each algorithm can hold: one more than are significantly better, up to all but those it beats."""
        names = [one.facts.algorithm for one in self.estimates]
        beats = {name: set(self.beaten_by(name)) for name in names}
        return {
            name: (1 + sum(name in beaten for beaten in beats.values()), len(names) - len(beats[name]))
            for name in names
        }

    def sentences(self) -> list[str]:
        """Every verdict in words."""
        return [pair.sentence(self.margin) for pair in self.pairs]

    def to_frame(self) -> pl.DataFrame:
        """One row for each pair."""
        return pl.DataFrame([asdict(pair) for pair in self.pairs])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "margin": self.margin,
            "confidence_level": self.confidence_level,
            "answers": asdict(self.answers),
            "estimates": [one.to_dict() for one in self.estimates],
            "places": {name: list(place) for name, place in self.places().items()},
            "pairs": [{**asdict(pair), "sentence": pair.sentence(self.margin)} for pair in self.pairs],
            "overall": None if self.overall is None else asdict(self.overall),
            "notes": list(self.notes),
        }


def compare(
    measure: RecognitionRate,
    algorithms: Sequence[Outcomes | Scores],
    within: Experiment | None = None,
    *,
    margin: float = 0.01,
    confidence_level: float = 0.95,
    rng: int = 0,
) -> Comparison:
    """Compare the recognition rates of two or more algorithms on the same probes.

    The test turns each *person's* difference around (a sign-flip permutation test, mid-p): with one probe for each person it is
    McNemar's, with several it stays right where McNemar's rejects far too often. The interval of a difference is Tango's
    score interval, with counts divided by the design effect of the differences. p-values are adjusted by Holm's method.

    Parameters
    ----------
    measure
        A recognition rate.
    algorithms, within
        Outcomes of the same experiment, or scores to be ranked in it.
    margin
        The smallest difference worth having, for the verdict and for the number of people needed.
    """
    check_level(confidence_level)
    if not 0 < margin < 1:
        raise UsageError(
            f"The margin is a difference of rates between 0 and 1, got {margin!r}.", "0.01 is one point."
        )
    if not isinstance(measure, RecognitionRate):
        raise DesignError(f"{type(measure).__name__} cannot be compared this way; recognition rates can.")
    outcomes = [outcomes_of(one, within) for one in algorithms]
    _require_same(outcomes)
    success = [one.success(measure.rank) for one in outcomes]
    estimates = tuple(estimate(measure, one, confidence_level=confidence_level, rng=rng) for one in outcomes)
    subjects = np.unique(outcomes[0].subjects, return_inverse=True)[1]
    raw = [
        _pair(
            outcomes[i].algorithm,
            outcomes[j].algorithm,
            success[i],
            success[j],
            subjects,
            margin,
            confidence_level,
            rng,
        )
        for i, j in combinations(range(len(outcomes)), 2)
    ]
    adjusted = holm([pair["p_value"] for pair in raw])
    pairs = tuple(PairComparison(**pair, p_adjusted=p) for pair, p in zip(raw, adjusted, strict=True))
    several = len(set(subjects.tolist())) < len(subjects)
    why = (
        "people have several probes, so people are the units of the tests"
        if several
        else "each person has one probe"
    )
    answers = Answers(
        f"difference of {measure.estimand}s",
        "other people, with as many probes each",
        "the algorithms and the gallery",
        "people are independent, and without a difference each could as well have gone the other way",
    )
    overall = cochran_q(np.column_stack(success), subjects, rng) if len(outcomes) > 2 else None
    return Comparison(
        estimates, pairs, overall, margin, confidence_level, answers, (why, *estimates[0].notes[1:])
    )


def _require_same(outcomes: Sequence[Outcomes]) -> None:
    if len(outcomes) < 2:
        raise UsageError("A comparison needs at least two algorithms.")
    names = [one.algorithm for one in outcomes]
    if len(set(names)) < len(names):
        raise UsageError(f"Algorithms need names of their own; got {', '.join(names)}.")
    first = outcomes[0]
    for one in outcomes[1:]:
        same = (
            one.experiment.fingerprint == first.experiment.fingerprint
            and np.array_equal(one.probes, first.probes)
            and (one.ties, one.counting, one.on_failure) == (first.ties, first.counting, first.on_failure)
        )
        if not same:
            raise DesignError(
                f"{first.algorithm} and {one.algorithm} were not measured on the same probes in the same way."
            )
    if first.ties == "mean":
        raise DesignError(
            "Fractions of a success cannot be compared this way.", "choose pessimistic or optimistic ties."
        )


def _pair(
    first: str,
    second: str,
    a: Floats,
    b: Floats,
    subjects: npt.NDArray[np.intp],
    margin: float,
    level: float,
    seed: int,
) -> dict[str, Any]:
    pairs = PairedOutcomes.of(a, b)
    sums = np.bincount(subjects, weights=a - b).astype(np.float64)
    tested = sign_flip(sums, seed)
    effect = _difference_effect(a - b, subjects)
    low, high = tango_counts(pairs.sf / effect, pairs.fs / effect, pairs.n / effect, level)
    difference = (pairs.sf - pairs.fs) / pairs.n
    narrow = tango_counts(pairs.sf / effect, pairs.fs / effect, pairs.n / effect, 2 * level - 1)
    if low > 0:
        verdict: Verdict = "better"
    elif high < 0:
        verdict = "worse"
    elif -margin < narrow.low and narrow.high < margin:
        verdict = "equivalent"  # two one-sided tests
    else:
        verdict = "undecided"
    error = (high - low) / (2 * normal_quantile(level))
    return {
        "first": first,
        "second": second,
        "difference": difference,
        "low": low,
        "high": high,
        "p_value": tested.p_mid,
        "n_sf": pairs.sf,
        "n_fs": pairs.fs,
        "n_discordant_subjects": tested.n_discordant,
        "verdict": verdict,
        "subjects_needed": _needed(error, len(sums), margin, level) if verdict == "undecided" else None,
        "method": "sign-flip over people (mid-p), Tango interval with the design effect",
    }


def _difference_effect(difference: Floats, subjects: npt.NDArray[np.intp]) -> float:
    """How much more the mean difference varies over people than over independent probes; at least one."""
    sizes = np.bincount(subjects).astype(np.float64)
    if len(sizes) == len(difference):
        return 1.0
    if not difference.any():
        return len(difference) / len(sizes)  # nothing shows how alike a person's probes are: each counts once
    n, k = len(difference), len(sizes)
    if k < 2:
        return 1.0
    mean = difference.mean()
    residuals = np.bincount(subjects, weights=difference) - mean * sizes
    clustered = k / (k - 1) * float(residuals @ residuals) / n**2
    independent = float(((difference - mean) ** 2).mean()) / n
    return max(1.0, clustered / independent) if independent > 0 else 1.0


def _needed(error: float, people: int, margin: float, level: float) -> int:
    """People needed to find a true difference of the margin, from how much one person tells now."""
    from scipy.special import ndtri

    reach = normal_quantile(level) + float(ndtri(POWER))
    return int(np.ceil(people * (error * reach / margin) ** 2))
