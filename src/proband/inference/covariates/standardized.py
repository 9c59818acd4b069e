"""Rates and differences instead of odds: the expected rate if every probe had one value of a covariate, and all else as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from proband.inference.covariates.coding import Coding
from proband.inference.covariates.formula import Covariate
from proband.inference.covariates.regression import Floats
from proband.inference.covariates.results import StandardizedCurve, StandardizedDifference, StandardizedRate
from proband.inference.covariates.sandwich import Contrast, Sandwich, rate_interval
from proband.results.base import Interval
from proband.words import digits

_QUARTILES = (0.25, 0.5, 0.75)
_CURVE = np.linspace(0.05, 0.95, 19)
Settings = Mapping[Covariate, float]


@dataclass(frozen=True, eq=False)
class Standardizer:
    """Makes standardised rates of a fitted model.

    With μ_i(s) the expected outcome of row i with the covariates s set and all others as they are, the standardised rate is the mean of
    μ_i(s) over all n rows as they count (marginal standardisation, the g-formula; Lane & Nelder 1982). Its gradient in the coefficients gives its error by the delta
    method with the covariance over people, and its degrees of freedom. The rows' other covariates are held fixed.

    Attributes
    ----------
    coding, sandwich
        The model and its errors.
    confidence_level
        Of the intervals.
    """

    coding: Coding
    sandwich: Sandwich
    confidence_level: float

    @property
    def in_points(self) -> bool:
        """Whether outcomes are rates."""
        return self.sandwich.fit.family == "logistic"

    @cached_property
    def levels(self) -> dict[Covariate, list[tuple[str, float]]]:
        """What each covariate is set to: its levels, or the quartiles of a number."""
        made = {}
        for one, values in self.coding.by_covariate.items():
            if values.is_number:
                known = np.quantile(self._once(values.numbers), _QUARTILES)
                made[one] = [(digits(value, 4), float(value)) for value in np.unique(known)]
            else:
                made[one] = [(name, float(at)) for at, name in enumerate(values.levels)]
        return made

    def _once(self, numbers: Floats) -> Floats:
        """The numbers of every probe once."""
        first = np.unique(self.coding.rows.probe, return_index=True)[1]
        return numbers[first]

    def _at(self, settings: Settings) -> tuple[float, Floats]:
        fit = self.sandwich.fit
        x = self.coding.at(settings)
        expected = fit.expected(x)
        return fit.mean(expected), fit.gradient(x, expected)

    def _rate(self, settings: Settings) -> tuple[Contrast, Interval]:
        value, gradient = self._at(settings)
        found = self.sandwich.contrast(gradient, self.confidence_level, value)
        ends = (
            rate_interval(found, self.confidence_level) if self.in_points else Interval(found.low, found.high)
        )
        return found, ends

    def rates(self) -> Iterator[StandardizedRate]:
        """Every covariate by itself, then those that act on each other."""
        for one, levels in self.levels.items():
            for name, value in levels:
                yield self._standardized({one: (name, value)})
        for first, second in self.coding.formula.crossed:
            for other, other_value in self.levels[second]:
                for name, value in self.levels[first]:
                    yield self._standardized({first: (name, value), second: (other, other_value)})

    def _standardized(self, settings: Mapping[Covariate, tuple[str, float]]) -> StandardizedRate:
        found, ends = self._rate({one: value for one, (_, value) in settings.items()})
        (first, (name, value)), *others = settings.items()
        by_level = not any(self.coding.by_covariate[one].is_number for one in settings)
        having = np.logical_and.reduce(
            [self.coding.by_covariate[one].numbers == at for one, (_, at) in settings.items()]
        )
        rows = self.coding.rows
        return StandardizedRate(
            str(first),
            name,
            value if self.coding.by_covariate[first].is_number else None,
            str(others[0][0]) if others else None,
            others[0][1][0] if others else None,
            found.value,
            ends.low,
            ends.high,
            found.standard_error,
            found.degrees_of_freedom,
            len(np.unique(rows.probe[having])) if by_level else None,
            len(np.unique(rows.person[having])) if by_level else None,
            self.sandwich.fit.mean(self.sandwich.fit.y, having) if by_level else None,
        )

    def differences(self) -> Iterator[StandardizedDifference]:
        """Every level less the first, or the upper quartile less the lower; within the levels of what it is crossed with; and how these differ."""
        for one in self.levels:
            for pair in self._compared(one):
                yield self._difference(one, pair)
        for first, second in self.coding.formula.crossed:
            reference = self.levels[second][0]
            for pair in self._compared(first):
                for level in self.levels[second]:
                    yield self._difference(first, pair, second, level)
                for level in self._acted_on(second):
                    yield self._difference(first, pair, second, level, reference)

    def _compared(self, one: Covariate) -> list[tuple[tuple[str, float], tuple[str, float]]]:
        levels = self.levels[one]
        if self.coding.by_covariate[one].is_number:
            return [(levels[-1], levels[0])] if len(levels) > 1 else []
        return [(level, levels[0]) for level in levels[1:]]

    def _acted_on(self, one: Covariate) -> list[tuple[str, float]]:
        levels = self.levels[one]
        return levels[-1:] if self.coding.by_covariate[one].is_number else levels[1:]

    def _difference(
        self,
        one: Covariate,
        pair: tuple[tuple[str, float], tuple[str, float]],
        other: Covariate | None = None,
        level: tuple[str, float] | None = None,
        reference: tuple[str, float] | None = None,
    ) -> StandardizedDifference:
        (name, value), (base, least) = pair
        signed: list[tuple[float, Settings]] = []
        for sign, within in ((1.0, level), (-1.0, reference)):
            if within is None and sign < 0:
                continue
            fixed = {} if other is None or within is None else {other: within[1]}
            signed += [(sign, {one: value, **fixed}), (-sign, {one: least, **fixed})]
        parts = [(sign, *self._at(settings)) for sign, settings in signed]
        total = sum(sign * rate for sign, rate, _ in parts)
        gradient = np.sum([sign * slope for sign, _, slope in parts], axis=0)
        found = self.sandwich.contrast(gradient, self.confidence_level, total)
        return StandardizedDifference(
            str(one),
            name,
            base,
            value if self.coding.by_covariate[one].is_number else None,
            None if other is None else str(other),
            None if level is None else level[0],
            None if reference is None else reference[0],
            found.value,
            found.low,
            found.high,
            found.p_value,
            found.standard_error,
            found.degrees_of_freedom,
            self.in_points,
        )

    def curves(self) -> Iterator[StandardizedCurve]:
        """Every number along its values, from the 5 % that are lowest to the 5 % that are highest."""
        for one, values in self.coding.by_covariate.items():
            if not values.is_number:
                continue
            numbers = np.unique(np.quantile(self._once(values.numbers), (0.05, 0.95)))
            grid = np.linspace(numbers[0], numbers[-1], len(_CURVE))
            partner = next(
                (b if a == one else a for a, b in self.coding.formula.crossed if one in (a, b)), None
            )
            if partner is None or self.coding.by_covariate[partner].is_number:
                yield self._curve(one, grid, None, None)
                continue
            for level in self.levels[partner]:
                yield self._curve(one, grid, partner, level)

    def _curve(
        self, one: Covariate, grid: Floats, other: Covariate | None, level: tuple[str, float] | None
    ) -> StandardizedCurve:
        fixed = {} if other is None or level is None else {other: level[1]}
        found = [self._rate({one: float(value), **fixed}) for value in grid]
        return StandardizedCurve(
            str(one),
            None if other is None else str(other),
            None if level is None else level[0],
            grid,
            np.array([each.value for each, _ in found]),
            np.array([ends.low for _, ends in found]),
            np.array([ends.high for _, ends in found]),
        )
