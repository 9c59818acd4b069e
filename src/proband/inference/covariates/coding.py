"""Covariates as columns of numbers, and what cannot be told from these data: refused before anything is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from scipy.linalg import qr
from scipy.optimize import linprog

from proband.errors import DesignError, Hint, first_few
from proband.inference.covariates.formula import Covariate, Formula, Term, term_name
from proband.inference.covariates.regression import Fit, Floats
from proband.inference.covariates.values import CovariateRows, Values
from proband.words import count, counted

FEWEST = 2
"""People who must have a level."""
_DEPENDENT = 1e-9  # of a column's length: what is left of it after the others
_OUTSIDE = 1e-6


@dataclass(frozen=True, eq=False)
class Coding:
    """The columns of a model.

    Attributes
    ----------
    formula, rows
        What is modelled, and the values.
    """

    formula: Formula
    rows: CovariateRows

    @cached_property
    def by_covariate(self) -> dict[Covariate, Values]:
        """The values of each covariate."""
        return {one.covariate: one for one in self.rows.values}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the columns are called: ``probe.glasses=on``."""
        return ("intercept", *(name for term in self.formula.terms for name in self._names(term)))

    @cached_property
    def places(self) -> dict[str, range]:
        """Where the columns of each term stand."""
        made, at = {}, 1
        for term in self.formula.terms:
            width = len(self._names(term))
            made[term_name(term)] = range(at, at + width)
            at += width
        return made

    @cached_property
    def matrix(self) -> Floats:
        """The columns of the rows as they are."""
        return self.at({})

    def at(self, settings: Mapping[Covariate, float]) -> Floats:
        """The columns if every row had these values: numbers, or places of levels."""
        n = len(self.rows.probe)
        single = {
            one: _columns(values, np.full(n, settings[one]) if one in settings else values.numbers)
            for one, values in self.by_covariate.items()
        }
        made = [np.ones((n, 1))]
        for term in self.formula.terms:
            columns = single[term[0]]
            for one in term[1:]:
                columns = np.einsum("na,nb->nab", columns, single[one]).reshape(n, -1)
            made.append(columns)
        return np.concatenate(made, axis=1)

    def _names(self, term: Term) -> list[str]:
        found = [""]
        for one in term:
            own = _column_names(self.by_covariate[one])
            found = [f"{before}:{name}" if before else name for before in found for name in own]
        return found

    def check(self) -> None:
        """Refuse what does not vary, what too few people have, and what follows from the rest."""
        for values in self.by_covariate.values():
            self._check_varying(values)
        people, called = int(self.rows.person.max()) + 1, self.rows.called
        widths = {one: len(_column_names(values)) for one, values in self.by_covariate.items()}
        wide = 1 + sum(prod(widths[one] for one in term) for term in self.formula.terms)
        if people <= wide:
            raise DesignError(
                f"{counted(people, called.unit, called.units)} are too few to estimate {count(wide)} "
                "coefficients.",
                "use fewer covariates or fewer groups.",
            )
        self._check_crossed()
        x = self.matrix
        unit = x / np.sqrt((x**2).sum(axis=0))
        _, r, order = qr(unit, mode="economic", pivoting=True)
        dependent = [self.names[int(order[at])] for at in range(len(order)) if abs(r[at, at]) < _DEPENDENT]
        if dependent:
            raise DesignError(
                f"{first_few(dependent)} follow{'s' if len(dependent) == 1 else ''} from the other "
                f"covariates of these {called.rows}, so their effects cannot be separated.",
                "leave one of these covariates out.",
            )

    def _check_varying(self, values: Values) -> None:
        one, called = values.covariate, self.rows.called
        if values.is_number:
            if np.ptp(values.numbers) == 0:
                raise DesignError(f"{one} is the same for all {called.rows}.", "leave it out.")
            return
        if len(values.levels) < 2:
            raise DesignError(
                f"{one} is {values.levels[0]!r} for all {called.rows}.",
                "pass scores of several algorithms, or leave it out."
                if one.kind == "algorithm"
                else "leave it out.",
            )
        if one.kind == "algorithm":
            return
        people = [len(np.unique(self.rows.person[values.numbers == at])) for at in range(len(values.levels))]
        few = [name for name, n in zip(values.levels, people, strict=True) if n < FEWEST]
        if len(few) > len(people) // 2 and len(few) > 2:
            raise DesignError(
                f"{one} identifies {called.units}: {count(len(few))} of its {count(len(people))} values "
                f"occur for one {called.unit} only, so its effect cannot be separated from differences "
                f"between {called.units}.",
                f"use a covariate that {called.units} share, or group a number with cut(…).",
            )
        if few:
            raise DesignError(
                f"{one} is {first_few(few)} for only one {called.unit}, so its effect on other "
                f"{called.units} cannot be estimated.",
                "merge levels in the table, or leave such rows out."
                if one.kind == "column"
                else Hint("merge levels in the table, or leave such probes out: {option:probes}"),
            )

    def _check_crossed(self) -> None:
        """Refuse combinations of levels that no probe has."""
        for first, second in self.formula.crossed:
            left, right = self.by_covariate[first], self.by_covariate[second]
            if left.is_number or right.is_number:
                continue
            for at, name in enumerate(left.levels):
                for other_at, other in enumerate(right.levels):
                    if not np.any((left.numbers == at) & (right.numbers == other_at)):
                        raise DesignError(
                            f"No {self.rows.called.row} has {first} {name!r} and {second} {other!r}, so "
                            "their interaction cannot be estimated.",
                            f"write {first} + {second}, or merge levels.",
                        )

    def check_separated(self, fit: Fit) -> None:
        """Refuse a model in which a covariate predicts outcomes perfectly: its odds have no limit."""
        if not fit.at_the_edge:
            return
        for values in self.by_covariate.values():
            for at, name in enumerate(values.levels):
                own = fit.y[values.numbers == at]
                if np.all(own == own[0]) and own[0] in (0.0, 1.0):
                    became = "succeed" if own[0] else "fail"
                    raise DesignError(
                        f"All {counted(len(own), 'row')} with {values.covariate} {name!r} {became}: this "
                        "value predicts the outcome perfectly, so its odds are infinite.",
                        "leave such rows out, or merge levels."
                        if values.covariate.kind == "column"
                        else Hint(
                            "leave such probes out ({option:probes}), merge levels, use another rank "
                            "({option:rank}), or model the ranks of probes that did not fail: {option:outcome=log-rank}"
                        ),
                    )
        direction = _separating(fit)
        if direction is not None or not fit.converged:
            guilty = (
                []
                if direction is None
                else [self.names[at] for at in np.flatnonzero(np.abs(direction) > _OUTSIDE)]
            )
            named = first_few([one for one in guilty if one != "intercept"] or ["the covariates together"])
            raise DesignError(
                f"{named} predict{'s' if len(guilty) == 1 else ''} the outcome of some "
                f"{self.rows.called.rows} perfectly, so the odds are infinite.",
                "leave an interaction out, or merge levels."
                if self.formula.terms[0][0].kind == "column"
                else Hint(
                    "leave an interaction out, merge levels, or model the ranks of probes that did not fail: {option:outcome=log-rank}"
                ),
            )


def _separating(fit: Fit) -> Floats | None:
    """A direction in which the likelihood grows for ever (Albert & Anderson 1984), by a linear programme; None if there is none."""
    sign = np.where(fit.y >= 1, 1.0, np.where(fit.y <= 0, -1.0, 0.0))
    scale = np.sqrt(np.mean(fit.x**2, axis=0))
    decided, whole = (fit.x / scale) * sign[:, None], sign != 0
    rows = np.unique(decided[whole], axis=0)
    mixed = np.unique((fit.x / scale)[~whole], axis=0)
    found = linprog(
        -rows.sum(axis=0),
        A_ub=-rows,
        b_ub=np.zeros(len(rows)),
        A_eq=mixed if len(mixed) else None,
        b_eq=np.zeros(len(mixed)) if len(mixed) else None,
        bounds=(-1, 1),
    )
    separated = found.status == 0 and found.fun is not None and found.fun < -_OUTSIDE
    return np.asarray(found.x) if separated else None


def _columns(values: Values, numbers: Floats) -> Floats:
    if not values.is_number:
        made: Floats = (numbers[:, None] == np.arange(1, len(values.levels))).astype(np.float64)
        return made
    if values.covariate.form == "squared":
        return np.column_stack([numbers, numbers**2])
    return numbers[:, None]


def _column_names(values: Values) -> list[str]:
    one = values.covariate
    if not values.is_number:
        return [f"{one}={name}" for name in values.levels[1:]]
    return [one.of, f"{one.of}²"] if one.form == "squared" else [str(one)]
