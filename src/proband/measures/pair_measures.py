"""Measures of pairs: the false non-match rate at a false match rate, the area under the ROC and the equal error rate."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from proband.engine.arguments import published
from proband.engine.limits import TargetFalseMatchRate
from proband.errors import DesignError, Said, UsageError
from proband.measures.base import MEASURES, Measure, View, Weights, weighing
from proband.measures.pairs.counts import PairCounts, count_pairs, tail_pairs
from proband.measures.pairs.pair_set import PairSet
from proband.measures.pairs.weighted import Floats, WeightedRates
from proband.measures.pairs.weighted_pairs import Units, WeightedPairs
from proband.measures.verification import ErrorRates, admitting
from proband.results.base import Facts, describing
from proband.results.compared import Compared
from proband.results.estimate import Measurement
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.scores.trials import Trials
from proband.words import Note, Target, digits


class PairMeasure(Measure):
    """A measure of pairs, which a subclass computes from their error rates.

    Attributes
    ----------
    weights
        What is weighted equally: every comparison (``probe``), or, for measures with this field, every ``person``: the genuine
        comparisons of a person then share one weight, as do the impostor comparisons of each pair of people.
    """

    view: View = "pairs"
    in_points = True
    weights: Weights = "probe"

    @property
    def code(self) -> str:
        """The code in results, with its parameters."""
        at = getattr(self, "at_fmr", None)
        own = self.key if at is None else f"{self.key}@{digits(at, 6)}"
        return own if self.weights == "probe" else f"{own}-by-person"

    @abstractmethod
    def of_rates(self, rates: ErrorRates) -> tuple[float, float | None]:
        """Return the measure, and its number of events."""

    def of_weighted(self, rates: WeightedRates) -> Floats:
        """Return the measure of every replicate of weighted comparisons; an error unless defined."""
        raise DesignError(
            f"The {self.estimand} is not defined for comparisons with unequal weights, so it cannot be "
            "replicated.",
            "use the design 'auto'.",
        )

    def __call__(self, scores: Scores, experiment: Experiment | Samples | None = None) -> Measurement:
        """Measure scores within an experiment or, given the samples table, of every query with every target."""
        rates, facts = rates_of(scores, experiment)
        value, events = self.of_rates(rates)
        if self.weights == "person":
            pairs = PairSet.of(scores, experiment)  # type: ignore[arg-type]  # of an experiment or a table, as its rates are
            units = Units.people(pairs)
            held = WeightedPairs.of(scores, pairs, units, by_person=True)
            value, events = float(held.values(self, np.ones((1, units.n)))[0]), None
        return Measurement(value, events, describing(self.estimand), facts)


def rates_of(
    scores: Scores, within: Experiment | Samples | None, fmr: float | None = None
) -> tuple[ErrorRates, Facts]:
    """Count every comparison of an experiment or a table, and return the error rates and their facts.

    With `fmr`, impostors are also counted at the least strict threshold with at most this false match rate.
    """
    if not isinstance(within, Experiment | Samples):
        raise UsageError(
            f"No subject IDs were given for the samples of {scores.name}.",
            "pass the samples table or an experiment.",
            source=Said(scores.name),
        )
    pairs = PairSet.of(scores, within)
    counts = count_pairs(scores, pairs)
    people = np.unique(
        np.concatenate([pairs.row_codes[~pairs.row_failed], pairs.column_codes[~pairs.column_failed]])
    )
    notes = (*scores.notes, *pairs.notes)
    rates = ErrorRates(scores.name, scores.larger_is_closer, counts, notes)
    if fmr is not None:
        most = rates.allowed_at(fmr)
        rates = admitting(rates, tail_pairs(scores, pairs, counts.closeness_to_admit(most))[2], [most])
    return rates, facts_of_pairs(scores, within, counts, len(people), notes)


def compared_pairs(
    scores: Scores | Trials, within: Experiment | Samples | None, counts: PairCounts
) -> Compared:
    """Describe which comparisons were counted."""
    if isinstance(scores, Trials):
        return Compared("list", scores.metric, counts.n_genuine, counts.n_impostor)
    gallery, probes = (
        (within.gallery_rule, within.probe_rule) if isinstance(within, Experiment) else (None, None)
    )
    return Compared(
        "experiment" if isinstance(within, Experiment) else "all",
        scores.metric,
        counts.n_genuine,
        counts.n_impostor,
        gallery,
        probes,
        counts.n_dont_care_genuine + counts.n_dont_care_impostor,
    )


def facts_of_pairs(
    scores: Scores | Trials,
    within: Experiment | Samples | None,
    counts: PairCounts,
    n_subjects: int,
    notes: tuple[Note, ...],
) -> Facts:
    """Return the facts of a measurement over comparisons."""
    if isinstance(scores, Trials):
        name = gallery = probes = "the listed pairs"
        n_targets = scores.frame["target"].drop_nulls().n_unique()
    else:
        n_targets = len(scores.targets)
        name, gallery, probes = "all pairs", "every target", "every query"
        if isinstance(within, Experiment):
            name, gallery, probes = within.fingerprint, within.gallery_rule, within.probe_rule
    digest = hashlib.sha256(f"{name} {counts.n_genuine} {counts.n_impostor}".encode()).hexdigest()[:16]
    return Facts(
        algorithm=scores.name,
        n_probes=counts.n_genuine,
        n_probe_subjects=n_subjects,
        n_gallery_images=n_targets,
        n_gallery_subjects=n_subjects,
        n_ranks=0,
        n_failed=counts.n_failed_genuine,
        n_gallery_failed=0,
        n_unmated=0,
        n_tied=0,
        ties="at-threshold",
        counting="comparisons",
        on_failure="left-out",
        universe="verification",
        gallery_rule=gallery,
        probe_rule=probes,
        experiment=digest,
        notes=notes,
        metric=scores.metric,
        compared=compared_pairs(scores, within, counts),
    )


@published
@MEASURES.register("fnmr")
@dataclass(frozen=True)
class FNMR(PairMeasure):
    """The false non-match rate at a false match rate: the share of genuine comparisons below its threshold.

    The threshold t is the least strict with FMR(t) ≤ `at_fmr`; FNMR = Σ 1[s_i < t] / n over genuine comparisons.

    Parameters
    ----------
    at_fmr
        The false match rate that determines the threshold.
    weights
        What is weighted equally: every comparison (``probe``), or every ``person`` and every pair of people.

    Examples
    --------
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb")})
    >>> similarity = np.array([[1, 0.9, 0.2, 0.6], [0.9, 1, 0.3, 0.1], [0.2, 0.3, 1, 0.5], [0.6, 0.1, 0.5, 1]])
    >>> FNMR(0.1)(Scores.from_array(similarity, samples.ids, orientation="similarity"), samples).value
    0.5
    """

    key = "fnmr"
    spelled = ("FNMR at FMR {}", "FNMR @ FMR {}")
    form = "threshold"
    larger_is_better = False
    at_fmr: TargetFalseMatchRate = 1e-3
    weights: Weights = "probe"

    @property
    def estimand(self) -> Target:
        """What it measures."""
        at = digits(self.at_fmr, 6)
        return weighing(self.weights, Target(f"fnmr@{at}", f"FNMR at an FMR of {at}"))

    def of_rates(self, rates: ErrorRates) -> tuple[float, float | None]:
        """Return the rate at the threshold, and its number of errors.

        Parameters
        ----------
        rates
            The error rates of one algorithm.

        Returns
        -------
        tuple of float
            The rate, and the number of false non-matches.
        """
        misses = rates.misses_at_fmr(self.at_fmr)
        return misses / rates.counts.n_genuine, float(misses)

    def of_weighted(self, rates: WeightedRates) -> Floats:
        """The rate in every replicate.

        Parameters
        ----------
        rates
            The error rates of weighted comparisons, replicate by replicate.

        Returns
        -------
        numpy.ndarray
            One rate for each replicate.
        """
        return rates.fnmr_at(self.at_fmr)


@published
@MEASURES.register("tar")
@dataclass(frozen=True)
class TAR(PairMeasure):
    """The true accept rate at a false match rate, 1 − FNMR: the share of genuine comparisons at or above its threshold.

    It is estimated and compared like `FNMR`, with reversed ends and differences.

    Parameters
    ----------
    at_fmr
        The false match rate that determines the threshold.
    weights
        What is weighted equally: every comparison (``probe``), or every ``person`` and every pair of people.

    Examples
    --------
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb")})
    >>> similarity = np.array([[1, 0.9, 0.2, 0.6], [0.9, 1, 0.3, 0.1], [0.2, 0.3, 1, 0.5], [0.6, 0.1, 0.5, 1]])
    >>> TAR(0.1)(Scores.from_array(similarity, samples.ids, orientation="similarity"), samples).value
    0.5
    """

    key = "tar"
    spelled = ("TAR at FMR {}", "TAR @ FMR {}")
    form = "threshold"
    at_fmr: TargetFalseMatchRate = 1e-3
    weights: Weights = "probe"

    @property
    def estimand(self) -> Target:
        """What it measures."""
        return weighing(
            self.weights,
            Target(f"tar@{digits(self.at_fmr, 6)}", f"TAR at an FMR of {digits(self.at_fmr, 6)}"),
        )

    @property
    def complement(self) -> FNMR:
        """`FNMR` at the same false match rate."""
        return FNMR(self.at_fmr, self.weights)

    def of_rates(self, rates: ErrorRates) -> tuple[float, float | None]:
        """Return the rate at the threshold, and its number of matches.

        Parameters
        ----------
        rates
            The error rates of one algorithm.

        Returns
        -------
        tuple of float
            The rate, and the number of genuine comparisons that match.
        """
        missed, misses = self.complement.of_rates(rates)
        return 1 - missed, rates.counts.n_genuine - (misses or 0.0)

    def of_weighted(self, rates: WeightedRates) -> Floats:
        """The rate in every replicate.

        Parameters
        ----------
        rates
            The error rates of weighted comparisons, replicate by replicate.

        Returns
        -------
        numpy.ndarray
            One rate for each replicate.
        """
        return 1 - self.complement.of_weighted(rates)


@published
@MEASURES.register("auc")
@dataclass(frozen=True)
class AUC(PairMeasure):
    """The probability that a genuine comparison is closer than an impostor comparison, with ties counted as half: the area under the ROC.

    Parameters
    ----------
    weights
        What is weighted equally: every comparison (``probe``), or every ``person`` and every pair of people.

    Examples
    --------
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb")})
    >>> similarity = np.array([[1, 0.9, 0.2, 0.6], [0.9, 1, 0.3, 0.1], [0.2, 0.3, 1, 0.5], [0.6, 0.1, 0.5, 1]])
    >>> AUC()(Scores.from_array(similarity, samples.ids, orientation="similarity"), samples).value  # 7 of 8
    0.875
    """

    key = "auc"
    form = "area"
    weights: Weights = "probe"

    @property
    def estimand(self) -> Target:
        """What it measures."""
        return weighing(self.weights, Target(self.key, "area under the ROC"))

    def of_rates(self, rates: ErrorRates) -> tuple[float, float | None]:
        """Return the area.

        Parameters
        ----------
        rates
            The error rates of one algorithm.

        Returns
        -------
        tuple
            The area, and None, since it has no count of events.
        """
        return rates.auc(), None

    def of_weighted(self, rates: WeightedRates) -> Floats:
        """Return the area in every replicate.

        Parameters
        ----------
        rates
            The error rates of weighted comparisons, replicate by replicate.

        Returns
        -------
        numpy.ndarray
            One area for each replicate.
        """
        return rates.auc()


@published
@MEASURES.register("eer")
@dataclass(frozen=True)
class EER(PairMeasure):
    """The equal error rate: the value at which FMR and FNMR are equal, or their mean where they are closest.

    Parameters
    ----------
    weights
        What is weighted equally: every comparison (``probe``), or every ``person`` and every pair of people.

    Examples
    --------
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb")})
    >>> similarity = np.array([[1, 0.9, 0.2, 0.6], [0.9, 1, 0.3, 0.1], [0.2, 0.3, 1, 0.5], [0.6, 0.1, 0.5, 1]])
    >>> EER()(Scores.from_array(similarity, samples.ids, orientation="similarity"), samples).value  # FMR ¼, FNMR 0
    0.125
    """

    key = "eer"
    form = "crossing"
    larger_is_better = False
    weights: Weights = "probe"

    @property
    def estimand(self) -> Target:
        """What it measures."""
        return weighing(self.weights, Target(self.key, "equal error rate"))

    def of_rates(self, rates: ErrorRates) -> tuple[float, float | None]:
        """Return the rate.

        Parameters
        ----------
        rates
            The error rates of one algorithm.

        Returns
        -------
        tuple
            The rate, and None, since it has no count of events.
        """
        return rates.eer().value, None

    def of_weighted(self, rates: WeightedRates) -> Floats:
        """The rate in every replicate.

        Parameters
        ----------
        rates
            The error rates of weighted comparisons, replicate by replicate.

        Returns
        -------
        numpy.ndarray
            One rate for each replicate.
        """
        return rates.eer()
