"""Rates and differences instead of odds: the expected rate if every probe had one value of a covariate, and all else as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from proband.inference.covariates.coding import Coding
from proband.inference.covariates.formula import Covariate
from proband.inference.covariates.regression import Floats
from proband.inference.covariates.results import FEW
from proband.inference.covariates.sandwich import Contrast, Sandwich, rate_interval
from proband.results.about import RestsOn, Who
from proband.results.band import Band
from proband.results.base import Answers, Interval, describing
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.targets import derived
from proband.words import Method, digits

_QUARTILES = (0.25, 0.5, 0.75)
_CURVE = np.linspace(0.05, 0.95, 19)
Settings = Mapping[Covariate, float]
Level = tuple[str, float]
Named = Mapping[Covariate, Level]
"""What covariates are set to: the names of their levels, and the numbers that stand for them."""
_MEAN = Method("mean", "mean")


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
    confidence_level, method, answers
        Of the intervals.
    chosen
        The pairs of algorithms that are compared; None for every other with the first.
    """

    coding: Coding
    sandwich: Sandwich
    confidence_level: float
    method: Method
    answers: Answers
    chosen: tuple[tuple[str, str], ...] | None = None

    @property
    def in_points(self) -> bool:
        """Whether outcomes are rates."""
        return self.sandwich.fit.family == "logistic"

    @cached_property
    def levels(self) -> dict[Covariate, list[Level]]:
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

    def settings(self) -> Iterator[Named]:
        """Every covariate by itself, then those that act on each other."""
        for covariate, levels in self.levels.items():
            for level in levels:
                yield {covariate: level}
        for first, second in self.coding.formula.crossed:
            for other_level in self.levels[second]:
                for level in self.levels[first]:
                    yield {first: level, second: other_level}

    def rate(self, settings: Named) -> Estimate:
        """The standardised rate with some covariates set."""
        contrast, ends = self._rate({covariate: value for covariate, (_, value) in settings.items()})
        having, rows = self._having(settings), self.coding.rows
        counted = RestsOn()
        if having is not None:
            probes, people = len(np.unique(rows.probe[having])), len(np.unique(rows.person[having]))
            counted = RestsOn(n=probes, of=rows.called.row, n_units=people, unit=rows.called.unit)
        return Estimate(
            who=self._who(settings),
            value=contrast.value,
            low=ends.low,
            high=ends.high,
            confidence_level=self.confidence_level,
            standard_error=contrast.standard_error,
            degrees_of_freedom=contrast.degrees_of_freedom,
            rests_on=counted,
            supported=contrast.degrees_of_freedom >= FEW,
            method=self.method,
            answers=self.answers,
        )

    def observed(self, settings: Named) -> Estimate | None:
        """The mean outcome of the rows that have these levels, as it is; None where a number is set, which hardly any row has."""
        having = self._having(settings)
        if having is None:
            return None
        return Estimate(
            who=self._who(settings),
            value=self.sandwich.fit.mean(self.sandwich.fit.y, having),
            low=float("nan"),
            high=float("nan"),
            confidence_level=self.confidence_level,
            rests_on=RestsOn(n=int(having.sum()), of="row"),
            method=_MEAN,
            answers=describing(derived("observed", "observed mean compared with the {}", self.answers.of)),
        )

    def _who(self, settings: Named) -> Who:
        (covariate, (name, value)), *others = settings.items()
        number = value if self.coding.by_covariate[covariate].is_number else None
        who = Who(column=str(covariate), group=name, number=number)
        return replace(who, other_column=str(others[0][0]), other_group=others[0][1][0]) if others else who

    def _having(self, settings: Named) -> npt.NDArray[np.bool_] | None:
        """The rows that have these levels; None where a number is among them."""
        if any(self.coding.by_covariate[covariate].is_number for covariate in settings):
            return None
        own = [self.coding.by_covariate[covariate].numbers == at for covariate, (_, at) in settings.items()]
        having: npt.NDArray[np.bool_] = np.logical_and.reduce(own)
        return having

    def differences(self) -> Iterator[Difference]:
        """Every level less the first, the chosen pairs of algorithms, or the upper quartile less the lower; within the levels of what it is crossed with; and how these differ."""
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

    def _compared(self, one: Covariate) -> list[tuple[Level, Level]]:
        levels = self.levels[one]
        if self.coding.by_covariate[one].is_number:
            return [(levels[-1], levels[0])] if len(levels) > 1 else []
        if self.chosen is not None and one.kind == "algorithm":
            named = {level[0]: level for level in levels}
            return [(named[first], named[second]) for first, second in self.chosen]
        return [(level, levels[0]) for level in levels[1:]]

    def _acted_on(self, one: Covariate) -> list[Level]:
        levels = self.levels[one]
        return levels[-1:] if self.coding.by_covariate[one].is_number else levels[1:]

    def _difference(
        self,
        one: Covariate,
        pair: tuple[Level, Level],
        other: Covariate | None = None,
        level: Level | None = None,
        reference: Level | None = None,
    ) -> Difference:
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
        contrast = self.sandwich.contrast(gradient, self.confidence_level, total)
        return Difference(
            who=Who(
                column=str(one),
                number=value if self.coding.by_covariate[one].is_number else None,
                other_column="" if other is None else str(other),
                other_group="" if level is None else level[0],
                other_reference="" if reference is None else reference[0],
            ),
            first=name,
            second=base,
            value=contrast.value,
            low=contrast.low,
            high=contrast.high,
            confidence_level=self.confidence_level,
            standard_error=contrast.standard_error,
            degrees_of_freedom=contrast.degrees_of_freedom,
            p_value=contrast.p_value,
            method=self.method,
            supported=contrast.degrees_of_freedom >= FEW,
            in_points=self.in_points,
            adjustment="none",
        )

    def curves(self) -> Iterator[Band]:
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

    def _curve(self, one: Covariate, grid: Floats, other: Covariate | None, level: Level | None) -> Band:
        fixed = {} if other is None or level is None else {other: level[1]}
        rates = [self._rate({one: float(value), **fixed}) for value in grid]
        return Band(
            values=np.array([contrast.value for contrast, _ in rates]),
            low=np.array([ends.low for _, ends in rates]),
            high=np.array([ends.high for _, ends in rates]),
            confidence_level=self.confidence_level,
            simultaneous=False,
            method=self.method,
            seed=None,
            answers=self.answers,
            who=Who(
                column=str(one),
                other_column="" if other is None else str(other),
                other_group="" if level is None else level[0],
            ),
            along=str(one),
            x=grid,
        )
