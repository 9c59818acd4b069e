"""Estimates of a survey: values at the final weights, and a covariance linearised or from replicates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from proband.errors import DesignError, Hint, UsageError
from proband.inference.proportions import check_level
from proband.inference.strata.estimates import NO_WIDTH
from proband.inference.survey.adjusting import Fitted
from proband.inference.survey.columns import Flags, Floats, crossed, labels_of
from proband.inference.survey.quantiles import QuantileInterval, proportion_ends, weighted_quantile
from proband.inference.survey.replication import ReplicateWeights
from proband.inference.survey.results import SurveyEstimate, SurveyEstimates, quantile_of, reaches
from proband.inference.survey.stages import Stages
from proband.inference.survey.statistics import Bound, BoundQuantile, Statistic
from proband.results.base import Answers
from proband.words import Method, Note, Sentence, Target, count, counted

if TYPE_CHECKING:
    from proband.inference.survey.survey import Survey

Interval = Literal["t", "normal", "logit", "asin", "beta"]
DesignEffect = Literal["none", "with-replacement", "without-replacement"]

_FEW = 10
_TAYLOR = Method(
    "taylor",
    "Taylor linearisation",
    "linearised variances over the units drawn within strata",
    ("wolter2007", "lumley2004"),
)
_SEVERAL = Target("survey", "estimates for the population sampled")
_UNITS = Target("survey-units", "which units of the population were drawn, within the strata")
_ROWS = Target("survey-rows", "which rows of the population were drawn, within the strata")
_AS_SUPPLIED = Target("survey-replicates", "what the replicate weights that came with the data vary")
_FIXED = Target("survey-population", "the population, its strata and the outcome of every row in it")
_REPLACED = Target(
    "survey-with-replacement", "units are drawn independently within strata, and the weights are right"
)
_FINITE = Target(
    "survey-without-replacement",
    "units are drawn by chance and without replacement within strata, and the weights are right",
)
_FEW_UNITS = Sentence(
    "survey.few-units",
    "caution",
    "{freedom:count degree} of freedom: with so few units intervals of skewed columns and of shares near 0 or 1 cover too seldom",
)
_OUTSIDE = Sentence(
    "survey.missing", "note", "{n:count row lacks/rows lack} a value and {n:word is/are} outside the domain"
)
_PAST = Sentence(
    "survey.past-limits",
    "caution",
    "an interval of a share passes 0 or 1; a logit interval does not",
)
_EXTREME = Sentence(
    "survey.extreme-quantile",
    "caution",
    "a quantile is of a share less than that of the smallest value, where R's rules give the second smallest; hf1 gives the smallest",
)
_NO_END = Sentence(
    "survey.quantile-without-end",
    "caution",
    "an interval of a quantile has no end: the share below it may be 0 or 1",
)


@dataclass(frozen=True)
class Options:
    """How estimates are told."""

    confidence_level: float
    interval: Interval
    freedom: float | None
    design_effect: DesignEffect
    quantile_interval: QuantileInterval
    drop: bool

    def __post_init__(self) -> None:
        check_level(self.confidence_level)
        if self.freedom is not None and not self.freedom > 0:
            raise UsageError(f"Degrees of freedom are above 0, got {self.freedom!r}.")


@dataclass(frozen=True, eq=False)
class Domain:
    """A part of the rows, and what makes it."""

    values: tuple[tuple[str, str], ...]
    inside: Flags


@dataclass(frozen=True, eq=False)
class Sample:
    """What variances are made of: the stages, the weights before and after adjustment, and the replicates."""

    stages: Stages
    base: Floats
    weights: Floats
    adjustments: tuple[Fitted, ...]
    replicates: ReplicateWeights | None
    _known: dict[bytes, float] = field(default_factory=dict)

    @classmethod
    def of(cls, survey: Survey) -> Sample:
        """Take them from a survey."""
        return cls(
            survey.stages,
            survey.base_weights,
            survey.final_weights,
            survey.adjustments,
            survey.replicate_weights,
        )

    def covariance(self, scores: Floats) -> Floats:
        """The linearised covariance of totals of scores, less what the adjustments explain of them."""
        for one in self.adjustments:
            scores = one.residuals(scores)
        return self.stages.covariance(scores)

    def blocks(self) -> Iterator[Floats]:
        """The weights of replicates, adjusted like those of the sample, some at a time."""
        assert self.replicates is not None  # asked only where there are any
        for block in self.replicates.blocks(self.base):
            for one in self.adjustments:
                block = np.stack([one.again(row) for row in block])
            yield block

    def tallied(self, one: Bound, inside: Flags) -> Floats | None:
        """A statistic of sums in all replicates, from the sums of units; None where rows are needed, or adjusted in every replicate."""
        summed = one.summed
        if self.replicates is None or self.adjustments or summed is None:
            return None
        sums = self.replicates.sums(summed * inside[:, None], self.base)
        return one.of_sums(sums, int((inside & (self.weights != 0)).sum()))

    def freedom(self, inside: Flags) -> float:
        """Degrees of freedom in a domain."""
        kept = inside & (self.weights != 0)
        key = kept.tobytes()
        if key not in self._known:
            if self.replicates is None:
                self._known[key] = self.stages.freedom(kept)
            else:
                self._known[key] = self.replicates.freedom_in(kept)
        return self._known[key]


def estimated(
    survey: Survey, statistics: Sequence[Statistic], by: Sequence[str], differences: bool, options: Options
) -> SurveyEstimates:
    """Estimate statistics in every domain, with the covariance of all."""
    sample, table = Sample.of(survey), survey.frame
    bound = [one.bind(table, options.drop) for one in statistics]
    domains = _domains(table, by, survey._inside)
    _require_suitable(bound, sample, options)
    parts = [(domain, one, _inside(one, domain)) for domain in domains for one in bound]
    for domain, _, inside in parts:
        if not (inside & (sample.weights > 0)).any():
            raise DesignError(
                f"The domain {_words(domain) or 'of all rows'} has no row with a value and a weight.",
                "leave it out, or join it with another.",
            )
    values = np.concatenate(
        [one.values((sample.weights * inside)[None, :], _n(sample, inside))[0] for _, one, inside in parts]
    )
    replicates = None if sample.replicates is None else _replicated(sample, parts)
    covariance = _covariance(sample, parts, values, replicates)
    names = _names(parts)
    estimates: list[SurveyEstimate] = []
    notes = _notes(survey, bound, options)
    start = 0
    for domain, one, inside in parts:
        stop = start + len(one.labels)
        rows = _rows(
            sample, domain, one, inside, values[start:stop], covariance[start:stop, start:stop], options
        )
        estimates += [replace(row, name=name) for row, name in zip(rows, names[start:stop], strict=True)]
        start = stop
    errors = np.array([one.standard_error for one in estimates])
    for place, estimate in enumerate(estimates):  # Woodruff's errors come with his intervals
        if estimate.label.statistic == "quantile" and options.quantile_interval != "replicates":
            covariance[place, :] = covariance[:, place] = np.nan
            covariance[place, place] = errors[place] ** 2
    inside = survey._inside
    stages, kept = survey.stages, inside & (sample.weights != 0)
    units = np.unique(stages.first.codes[kept])
    freedom = sample.freedom(inside)
    if freedom < _FEW and options.freedom is None:
        notes.append(_FEW_UNITS(freedom=int(freedom)))
    if options.interval in ("t", "normal") and any(
        one.label.share and not 0 <= one.low <= one.high <= 1 for one in estimates
    ):
        notes.append(_PAST())
    if any(
        isinstance(one, BoundQuantile) and one.extreme(sample.weights * inside) for _, one, inside in parts
    ):
        notes.append(_EXTREME())
    if any(one.standard_error == 0 for one in estimates):
        notes.append(NO_WIDTH())
    if any(
        one.label.statistic == "quantile" and not np.isfinite([one.low, one.high]).all() for one in estimates
    ):
        notes.append(_NO_END())
    found = SurveyEstimates(
        tuple(estimates),
        covariance,
        options.confidence_level,
        _TAYLOR if sample.replicates is None else sample.replicates.method,
        Answers(
            _SEVERAL,
            _varying(survey),
            _FIXED,
            _REPLACED if stages.first.populations is None else _FINITE,
        ),
        int(inside.sum()),
        len(units),
        len(np.unique(stages.first.strata[units])),
        float(sample.weights[inside].sum()),
        freedom,
        (),
        replicates,
        tuple(notes),
    )
    return replace(found, differences=found.pairwise()) if differences and len(domains) > 1 else found


def _varying(survey: Survey) -> Target:
    if survey.units:
        return _UNITS
    given = survey.replicate_weights is not None and survey.replicate_weights.supplied
    return _AS_SUPPLIED if given else _ROWS


def _n(sample: Sample, inside: Flags) -> int:
    return int((inside & (sample.weights != 0)).sum())


def _inside(one: Bound, domain: Domain) -> Flags:
    return domain.inside & one.complete


def _domains(table: pl.DataFrame, by: Sequence[str], inside: Flags) -> list[Domain]:
    if not by:
        return [Domain((), inside)]
    labels, codes = crossed([labels_of(table, name, "by") for name in by])
    return [
        Domain(tuple(zip(by, label, strict=True)), (codes == place) & inside)
        for place, label in enumerate(labels)
        if ((codes == place) & inside).any()
    ]


def _words(domain: Domain) -> str:
    return ", ".join(f"{name}={value}" for name, value in domain.values)


def _names(parts: Sequence[tuple[Domain, Bound, Flags]]) -> list[str]:
    found = [
        label.name + (f" [{_words(domain)}]" if domain.values else "")
        for domain, one, _ in parts
        for label in one.labels
    ]
    if len(set(found)) < len(found):
        twice = next(one for one in found if found.count(one) > 1)
        raise UsageError(f"{twice!r} is asked for twice.", "ask for each statistic once.")
    return found


def _require_suitable(bound: Sequence[Bound], sample: Sample, options: Options) -> None:
    of_quantiles = any(isinstance(one, BoundQuantile) for one in bound)
    if of_quantiles and options.quantile_interval == "replicates":
        if sample.replicates is None:
            raise UsageError(
                "Quantiles have an interval of replicates only where there are replicates.",
                Hint("{give:method=brr}, or leave it out for Woodruff's interval."),
            )
        if sample.replicates.method.key in ("jackknife", "jackknife-stratified"):
            raise DesignError(
                "The jackknife's variance is not valid for quantiles.",
                Hint("take {option:method=brr}, fay or bootstrap, or Woodruff's interval."),
            )
    if options.interval in ("logit", "asin", "beta"):
        for one in bound:
            for label, column in zip(one.labels, one.columns.T, strict=False):
                if label.statistic != "mean" or column.min() < 0 or column.max() > 1:
                    raise UsageError(
                        f"{label.name!r} is not a share, so it has no {options.interval} interval.",
                        Hint("{option:interval=t}"),
                    )


def _replicated(sample: Sample, parts: Sequence[tuple[Domain, Bound, Flags]]) -> Floats:
    """All numbers in all replicates (replicates × numbers)."""
    made: list[Floats | None] = [sample.tallied(one, inside) for _, one, inside in parts]
    whole = [place for place, one in enumerate(made) if one is None]
    if whole:
        blocks: dict[int, list[Floats]] = {place: [] for place in whole}
        for block in sample.blocks():
            for place in whole:
                _, one, inside = parts[place]
                blocks[place].append(one.values(block * inside, _n(sample, inside)))
        for place, values in blocks.items():
            made[place] = np.concatenate(values)
    found = np.concatenate([one for one in made if one is not None], axis=1)
    if not np.isfinite(found).all():
        lost = int((~np.isfinite(found)).any(axis=1).sum())
        raise DesignError(
            f"In {counted(lost, 'replicate')} of {count(len(found))} a statistic is not a finite number: a domain is left without "
            "any row.",
            Hint("{option:method=fay} keeps some of every unit, {option:method=taylor} needs no replicates."),
        )
    return found


def _covariance(
    sample: Sample, parts: Sequence[tuple[Domain, Bound, Flags]], values: Floats, replicates: Floats | None
) -> Floats:
    if replicates is not None:
        assert sample.replicates is not None  # they were made of these
        return sample.replicates.covariance(replicates, values)
    scores, start = [], 0
    for _, one, inside in parts:
        stop = start + len(one.labels)
        scores.append(one.scores(sample.weights * inside, values[start:stop]))
        start = stop
    return sample.covariance(np.concatenate(scores, axis=1))


def _rows(
    sample: Sample,
    domain: Domain,
    one: Bound,
    inside: Flags,
    values: Floats,
    covariance: Floats,
    options: Options,
) -> list[SurveyEstimate]:
    """The numbers of a statistic in a domain, with their intervals."""
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
    if isinstance(one, BoundQuantile) and options.quantile_interval != "replicates":
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
    return [
        SurveyEstimate(
            label.name,
            label,
            dict(domain.values),
            float(values[place]),
            float(errors[place]),
            float(lows[place]),
            float(highs[place]),
            freedom,
            None if np.isnan(effects[place]) else float(effects[place]),
            int(inside.sum()),
            units,
            float(weights.sum()),
        )
        for place, label in enumerate(one.labels)
    ]


def _woodruff(
    sample: Sample, one: BoundQuantile, weights: Floats, values: Floats, freedom: float, options: Options
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


def _notes(survey: Survey, bound: Sequence[Bound], options: Options) -> list[Note]:
    found = [*survey.notes]
    replicates = survey.replicate_weights
    if replicates is not None:
        found += replicates.notes
    lacking = int((~np.all([one.complete for one in bound], axis=0) & survey._inside).sum())
    if options.drop and lacking:
        found.append(_OUTSIDE(n=lacking))
    return found
