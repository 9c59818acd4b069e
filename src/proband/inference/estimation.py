"""A measure under a design: how good is this algorithm, and how sure can we be?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from proband.designs import Binomial, Bootstrap, Clustered, Design
from proband.errors import DesignError, UsageError
from proband.inference.clusters import Clusters, cluster_statistics
from proband.inference.estimates import Band, Estimate
from proband.inference.proportions import check_level, proportion_interval, t_quantile, wilson_interval
from proband.inference.resampling import bootstrap_interval, replicate
from proband.inference.tallies import Floats, tally
from proband.measures import CMC, Outcomes, RecognitionRate
from proband.measures.identification import outcomes_of
from proband.measures.results import Answers, Facts
from proband.samples import Experiment
from proband.scores import Scores

Auto = Literal["auto"]
_GALLERY = "the algorithm and the gallery"
_ALIKE = 0.1  # a standard error that is off by more than this share is worth a sentence


@dataclass(frozen=True)
class _Choice:
    design: Design
    why: str


def estimate(
    measure: Any,
    data: Outcomes | Scores,
    within: Experiment | None = None,
    design: Design | Auto = "auto",
    *,
    confidence_level: float = 0.95,
    rng: int = 0,
    population: int | None = None,
) -> Estimate:
    """Estimate a measure with its interval.

    Parameters
    ----------
    measure
        A recognition rate, a median rank, or a `RankStatistic`. For a whole curve use `estimate_cmc`.
    data, within
        Outcomes, or scores and the experiment they are ranked in.
    design
        What varies: `Binomial`, `Clustered`, `Bootstrap`, or ``"auto"``, which asks about *other people* and says which
        method it took and why.
    confidence_level
        0.95 by default.
    rng
        The seed of replicates.
    population
        The number of people the tested ones were drawn from, without replacement, if it is finite: the standard error
        then shrinks by √(1 − n/N). None for an endless population.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(20)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = np.eye(20); values[:4] = 0.5
    >>> scores = Scores.from_array(values, ids[20:], ids[:20], orientation="similarity", name="net")
    >>> estimate(RecognitionRate(1), scores, Experiment(samples, gallery=ids[:20]))
    net: recognition rate at rank 1 0.8000 ± 0.0894, 95% [0.5840, 0.9193], varying other probes, one of each person
    """
    check_level(confidence_level)
    if isinstance(measure, CMC):
        raise UsageError("A whole curve has a band, not an interval.", "use estimate_cmc.")
    outcomes = outcomes_of(data, within)
    chosen = _choose(measure, outcomes) if design == "auto" else _Choice(design, "")
    if population is not None and isinstance(chosen.design, Bootstrap):
        raise UsageError("A finite population is allowed for with closed forms, not with a bootstrap.")
    clusters = _clusters(measure, outcomes)
    notes = [chosen.why] if chosen.why else []
    if isinstance(chosen.design, Bootstrap):
        made = _bootstrapped(measure, outcomes, chosen.design, confidence_level, rng)
    else:
        made = _closed(measure, outcomes, chosen.design, clusters, confidence_level, population)
    notes += _dependence(clusters, chosen.design)
    return Estimate(
        **made,
        confidence_level=confidence_level,
        design=str(chosen.design),
        answers=_answers(measure.estimand, chosen.design, outcomes),
        facts=Facts.of(outcomes),
        clusters=clusters,
        notes=tuple(notes),
    )


def _choose(measure: Any, outcomes: Outcomes) -> _Choice:
    several = _several(outcomes)
    if isinstance(measure, RecognitionRate) and outcomes.ties != "mean":
        if several:
            return _Choice(
                Clustered(),
                "people have several probes, so people are the units (Wilson, effective sample size)",
            )
        return _Choice(Binomial(), "each person has one probe, so successes are binomial (Wilson)")
    what = "fractions of a success" if isinstance(measure, RecognitionRate) else f"the {measure.estimand}"
    return _Choice(Bootstrap("subject"), f"{what} has no closed form, so people's outcomes are bootstrapped")


def _several(outcomes: Outcomes) -> bool:
    return len(np.unique(outcomes.subjects)) < len(outcomes)


def _clusters(measure: Any, outcomes: Outcomes) -> Clusters | None:
    if not isinstance(measure, RecognitionRate) or not _several(outcomes):
        return None
    return cluster_statistics(outcomes.success(measure.rank), outcomes.subjects)


def _closed(
    measure: Any,
    outcomes: Outcomes,
    design: Binomial | Clustered,
    clusters: Clusters | None,
    level: float,
    population: int | None,
) -> dict[str, Any]:
    if not isinstance(measure, RecognitionRate):
        raise DesignError(f"{design} is for rates; the {measure.estimand} is none.", "use Bootstrap().")
    if outcomes.ties == "mean":
        raise DesignError(
            f"{design} counts successes, and ties='mean' makes fractions of them.", "use Bootstrap()."
        )
    events = float(outcomes.success(measure.rank).sum())
    n = len(outcomes)
    rate = events / n
    size = float(n) if isinstance(design, Binomial) or clusters is None else effective_size(clusters)
    if population is not None:
        size /= max(_correction(outcomes, population), 1e-12)
    freedom = None
    if isinstance(design, Binomial):
        low, high = proportion_interval(rate * size, size, design.method, level)
    else:
        freedom = float(len(np.unique(outcomes.subjects)) - 1)
        low, high = wilson_interval(rate, size, t_quantile(level, freedom))
    return {
        "value": rate,
        "low": low,
        "high": high,
        "standard_error": float(np.sqrt(rate * (1 - rate) / size)),
        "events": events,
        "degrees_of_freedom": freedom,
        "replicates": None,
        "seed": None,
    }


def effective_size(clusters: Clusters) -> float:
    """How many independent probes tell as much about other people.

    Never more than there are probes: a design effect below one is chance or design, and not to be relied on for other people.
    Without any failure (or success) nothing shows how alike a person's probes are, so each person counts once.
    """
    if clusters.rate in (0.0, 1.0):
        return float(clusters.n_clusters)
    return clusters.n / max(1.0, clusters.design_effect)


def _correction(outcomes: Outcomes, population: int) -> float:
    people = len(np.unique(outcomes.subjects))
    if population < people:
        raise UsageError(f"A population of {population:,} cannot hold the {people:,} people tested.")
    return 1.0 - people / population


def _bootstrapped(
    measure: Any, outcomes: Outcomes, design: Bootstrap, level: float, seed: int
) -> dict[str, Any]:
    units = units_of(outcomes, design)
    counted = tally(measure, outcomes, units)
    value = float(counted.value())
    replicates = replicate(measure, outcomes, counted, design, seed)
    low, high = bootstrap_interval(counted, value, replicates, design.interval, level)
    finite = np.isfinite(replicates).all()
    rate = isinstance(measure, RecognitionRate)
    return {
        "value": value,
        "low": low,
        "high": high,
        "standard_error": float(replicates.std(ddof=1)) if finite else None,
        "events": float(outcomes.success(measure.rank).sum()) if rate else None,
        "degrees_of_freedom": None,
        "replicates": replicates,
        "seed": seed,
    }


def units_of(outcomes: Outcomes, design: Bootstrap) -> npt.NDArray[np.intp]:
    """Number the units that a bootstrap draws."""
    if design.unit == "probe":
        return np.arange(len(outcomes))
    codes = np.unique(outcomes.subjects, return_inverse=True)[1]
    if codes.max() == 0:
        raise DesignError(
            "All probes are of one person, so nothing can be said about other people.",
            "use Bootstrap('probe').",
        )
    return codes.astype(np.intp)


def _dependence(clusters: Clusters | None, design: Design) -> list[str]:
    """Say in one sentence whether taking probes for independent would mislead."""
    if clusters is None:
        return []
    ratio = float(np.sqrt(clusters.design_effect))
    told = (
        f"{clusters.n:,} probes of {clusters.n_clusters:,} people tell as much as {clusters.effective_n:,.0f} independent ones "
        f"(intraclass correlation {clusters.icc:.2f}, design effect {clusters.design_effect:.2f})"
    )
    if abs(ratio - 1) < _ALIKE:
        return [f"{told}: a binomial interval would be about right"]
    side = "narrow" if ratio > 1 else "wide"
    factor = ratio if ratio > 1 else 1 / ratio
    warned = "this" if isinstance(design, Binomial) else "a binomial"
    return [
        f"{told}: {warned} interval {'is' if warned == 'this' else 'would be'} too {side} by a factor of {factor:.2f}"
    ]


def _answers(of: str, design: Design, outcomes: Outcomes) -> Answers:
    if isinstance(design, Binomial):
        one = "" if _several(outcomes) else ", one of each person"
        return Answers(of, f"other probes{one}", _GALLERY, "probes are independent and alike in distribution")
    if isinstance(design, Bootstrap) and design.unit == "probe":
        return Answers(of, "other probes", _GALLERY, "probes are independent and alike in distribution")
    return Answers(
        of,
        "other people, with as many probes each",
        _GALLERY,
        "people are independent and alike in distribution",
    )


def estimate_cmc(
    data: Outcomes | Scores,
    within: Experiment | None = None,
    design: Bootstrap | Auto = "auto",
    *,
    max_rank: int | None = None,
    confidence_level: float = 0.95,
    simultaneous: bool = False,
    rng: int = 0,
) -> Band:
    """Estimate a whole cumulative match characteristic with a band.

    Parameters
    ----------
    design
        ``"auto"`` gives each rank the interval that `estimate` would; a `Bootstrap` gives percentiles at each rank.
    simultaneous
        Make the band hold the whole curve at once: as many standard errors either side as the largest deviation of a
        bootstrap replicate needs.
    """
    outcomes = outcomes_of(data, within)
    measure = CMC(max_rank)
    last = min(outcomes.n_ranks, max_rank or outcomes.n_ranks)
    notes: tuple[str, ...] = ()
    seed: int | None = None
    if design == "auto" and not simultaneous and outcomes.ties != "mean":
        points = [
            estimate(RecognitionRate(t), outcomes, confidence_level=confidence_level)
            for t in range(1, last + 1)
        ]
        values, low, high = (
            np.array([getattr(p, name) for p in points]) for name in ("value", "low", "high")
        )
        answers, named, notes = points[0].answers, points[0].design, points[0].notes
    else:
        chosen = Bootstrap("subject" if _several(outcomes) else "probe") if design == "auto" else design
        counted = tally(measure, outcomes, units_of(outcomes, chosen))
        values, seed = counted.value(), rng
        replicates = np.concatenate([counted.values(w) for w in chosen.weights(len(counted.rows), rng)])
        low, high = _band(values, replicates, confidence_level, simultaneous)
        answers, named = _answers("", chosen, outcomes), str(chosen)
    said = Answers(measure.estimand, answers.varying, answers.fixed, answers.assuming)
    return Band(
        values, low, high, confidence_level, simultaneous, named, seed, said, Facts.of(outcomes), notes
    )


def _band(values: Floats, replicates: Floats, level: float, simultaneous: bool) -> tuple[Floats, Floats]:
    if not simultaneous:
        tail = (1 - level) / 2
        ends = np.quantile(replicates, [tail, 1 - tail], axis=0)
        return ends[0], ends[1]
    errors = replicates.std(axis=0, ddof=1)
    moving = errors > 0
    largest = (
        np.max(np.abs(replicates[:, moving] - values[moving]) / errors[moving], axis=1)
        if moving.any()
        else np.zeros(1)
    )
    reach = float(np.quantile(largest, level)) * errors
    return np.clip(values - reach, 0, 1), np.clip(values + reach, 0, 1)
