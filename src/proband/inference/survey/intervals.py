"""Numbers of a statistic in a domain, with their errors, intervals and design effects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from proband.errors import UsageError
from proband.inference.proportions import check_level
from proband.inference.strata.intervals import Carried, share_ends
from proband.inference.survey.columns import Flags, Floats
from proband.inference.survey.quantiles import QuantileInterval, proportion_ends, weighted_quantile
from proband.inference.survey.results import SurveyRow, quantile_of, reaches
from proband.inference.survey.sampling import Sample
from proband.inference.survey.stages import sums
from proband.inference.survey.statistics import Bound, BoundQuantile
from proband.results.about import RestsOn, Who
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.words import Method

Interval = Literal["auto", "t", "normal", "logit", "asin", "beta"]
DesignEffect = Literal["none", "with-replacement", "without-replacement"]


@dataclass(frozen=True)
class SurveyOptions:
    """How estimates are told.

    Attributes
    ----------
    confidence_level, interval, freedom
        Of the intervals; the degrees of freedom are counted where they are None.
    design_effect, quantile_interval
        As `Survey.estimate` has them.
    drop
        Whether rows without a value are outside the domain, and not refused.
    """

    confidence_level: float
    interval: Interval
    freedom: float | None
    design_effect: DesignEffect
    quantile_interval: QuantileInterval
    drop: bool

    def __post_init__(self) -> None:
        check_level(self.confidence_level)
        if self.freedom is not None and not self.freedom > 0:
            raise UsageError(f"Degrees of freedom must be above 0, got {self.freedom!r}.")


@dataclass(frozen=True, eq=False)
class Domain:
    """A part of the rows, and what makes it.

    Attributes
    ----------
    values
        The columns that make it and their values.
    inside
        The rows that belong to it.
    """

    values: tuple[tuple[str, str], ...]
    inside: Flags

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.values)


@dataclass(frozen=True, eq=False)
class DomainPart:
    """A statistic in a domain: the rows that are inside and have its values.

    Attributes
    ----------
    domain, bound
        Where, and what.
    inside
        The rows of the domain that have the statistic's values.
    """

    domain: Domain
    bound: Bound
    inside: Flags


def rows_of(
    sample: Sample,
    part: DomainPart,
    values: Floats,
    covariance: Floats,
    options: SurveyOptions,
    method: Method,
    answers: Answers,
) -> list[SurveyRow]:
    """The numbers of a statistic in a domain, with their intervals."""
    one, inside = part.bound, part.inside
    weights, level = sample.weights * inside, options.confidence_level
    kept = inside & (sample.weights != 0)
    freedom = options.freedom if options.freedom is not None else sample.freedom(inside)
    freedom = float("inf") if options.interval == "normal" else freedom
    t, errors = quantile_of(level, freedom), np.sqrt(np.maximum(np.diag(covariance), 0.0))
    effects: Floats = np.full(len(values), np.nan)
    if options.design_effect != "none":
        plain = one.srs_variances(weights, values, options.design_effect == "with-replacement")
        effects = np.divide(errors**2, plain, out=effects, where=plain > 0)
    reach = reaches(t, errors)
    lows, highs = values - reach, values + reach
    shared = np.array([label.share for label in one.labels]) & (options.interval == "auto")
    if shared.any():
        made = _of_shares(sample, part, values, errors, freedom, level, shared)
        lows[shared], highs[shared] = (lows[shared], highs[shared]) if made is None else made
    elif isinstance(one, BoundQuantile) and options.quantile_interval != "replicates":
        lows, highs, errors = _woodruff(sample, one, weights, values, freedom, options)
    elif options.interval in ("logit", "asin", "beta"):
        ends = [
            proportion_ends(
                float(v), float(e), t, options.interval, int(kept.sum()), sample.freedom(inside), level
            )
            for v, e in zip(values, errors, strict=True)
        ]
        lows, highs = np.array(ends).T
    units = len(np.unique(sample.stages.first.codes[kept]))
    supported = errors > 0 if (errors > 0).all() else (errors > 0) | _informative(sample, part, values)
    return [
        SurveyRow(
            label,
            dict(part.domain.values),
            Estimate(
                who=Who(
                    category=str(part.domain),
                    column=label.column,
                    group=label.level or "",
                    other_column=label.denominator or "",
                ),
                value=float(values[place]),
                low=float(lows[place]),
                high=float(highs[place]),
                confidence_level=level,
                standard_error=float(errors[place]),
                degrees_of_freedom=freedom if np.isfinite(freedom) else None,
                rests_on=RestsOn(
                    n=int(inside.sum()),
                    of="row",
                    n_units=units,
                    unit="unit",
                    design_effect=None if np.isnan(effects[place]) else float(effects[place]),
                    size=float(weights.sum()),
                ),
                supported=bool(supported[place]),
                method=method,
                answers=replace(answers, of=label.target),
            ),
        )
        for place, label in enumerate(one.labels)
    ]


def _informative(sample: Sample, part: DomainPart, values: Floats) -> Flags:
    """Whether a standard error of 0 means something: units of a stratum differ and totals are known, or all units were sampled."""
    stages, first = sample.stages, sample.stages.first
    strata = first.strata[np.unique(first.codes[part.inside])]
    if not first.left[strata].any():  # nothing is known of rows left out of these units
        return np.full(len(values), not any(stage.left.any() for stage in stages.stages[1:]))
    if not part.bound.linearised:
        return np.zeros(len(values), dtype=np.bool_)
    totals = first.totals(part.bound.scores(sample.weights * part.inside, values))
    means = sums(totals, first.strata, len(first.names)) / first.sizes[:, None]
    alike = np.isclose(totals, means[first.strata], rtol=1e-9, atol=1e-12 * np.abs(values))
    found: Flags = np.logical_not(np.all(alike, axis=0))
    return found


def _of_shares(
    sample: Sample,
    part: DomainPart,
    values: Floats,
    errors: Floats,
    freedom: float,
    level: float,
    which: Flags,
) -> tuple[Floats, Floats] | None:
    """Intervals of shares by the primary units that carry their variance (`share_ends`); None where all units there are were drawn."""
    weights, first = sample.weights * part.inside, sample.stages.first
    left = np.sqrt(np.maximum(first.left, 0.0))[first.strata]
    own = left * first.totals((weights / weights.sum())[:, None])[:, 0]
    if not own.any():
        return None
    totals = first.totals(sample.unexplained(part.bound.scores(weights, values)[:, which]))
    means = sums(totals, first.strata, len(first.names)) / first.sizes[:, None]
    found = (totals - means[first.strata]) * left[:, None]
    units = np.unique(first.codes[weights != 0])
    n_strata = len(np.unique(first.strata[units]))
    squares = found**2
    carried = Carried(
        squares.sum(axis=0),
        (squares**2).sum(axis=0),
        len(units),
        float(max(len(units) - n_strata, 1)),
        float(own @ own),
    )
    low, high, _ = share_ends(values[which], errors[which] ** 2, freedom, level, carried)
    return low, high


def _woodruff(
    sample: Sample,
    one: BoundQuantile,
    weights: Floats,
    values: Floats,
    freedom: float,
    options: SurveyOptions,
) -> tuple[Floats, Floats, Floats]:
    """Woodruff's (1952) interval: that of the share below a quantile, read back as quantiles; the error is half its width over t."""
    t, level, column = (
        quantile_of(options.confidence_level, freedom),
        options.confidence_level,
        one.columns[:, 0],
    )
    below = (one.columns <= values).astype(np.float64)
    shares = (weights @ below) / weights.sum()
    if sample.replicates is None:
        found = sample.covariance(one.scores(weights, values))
    else:
        inside = weights != 0
        made = np.concatenate(
            [(block * inside) @ below / (block * inside).sum(axis=1)[:, None] for block in sample.blocks()]
        )
        found = sample.replicates.covariance(made, shares)
    errors = np.sqrt(np.maximum(np.diag(found), 0.0))
    n, own = int((weights != 0).sum()), sample.freedom(weights != 0)
    ends = [
        proportion_ends(float(v), float(e), t, options.quantile_interval, n, own, level)
        for v, e in zip(shares, errors, strict=True)
    ]
    read = [[weighted_quantile(column, weights, end, one.rule) for end in pair] for pair in ends]
    lows, highs = np.array(read).T
    return lows, highs, (highs - lows) / (2 * t)
