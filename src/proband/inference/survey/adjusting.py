"""Weights made to agree with known totals: post-stratification, raking, linear calibration, and what they leave of a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from proband.errors import DesignError, InputError
from proband.inference.survey.columns import Floats, Integers
from proband.inference.survey.stages import sums
from proband.words import Note, Sentence, count, digits

_SWEEPS = 10  # of the margins in the residuals of raking, as in R's survey
_TIGHT = 1e-9

_POST_STRATIFIED = Sentence(
    "survey.post-stratified",
    "note",
    "weights were post-stratified to {n:count cell} of {columns}; adjustment factors from {least:small} to "
    "{most:small}",
)
_RAKED = Sentence(
    "survey.raked",
    "note",
    "weights were raked to {n:count margin} ({columns}) in {rounds:count round}; adjustment factors from "
    "{least:small} to {most:small}, margins met to {off:small}",
)
_NOT_CONVERGED = Sentence(
    "survey.raking-not-converged",
    "caution",
    "raking did not converge in {rounds:count round}: the margins are met to {off:small} of their totals",
)
_CALIBRATED = Sentence(
    "survey.calibrated",
    "note",
    "weights were calibrated to {n:count total} (linear); adjustment factors from {least:small} to "
    "{most:small}",
)
_NEGATIVE = Sentence(
    "survey.negative-weights",
    "caution",
    "{n:count weight is/weights are} negative after linear calibration: use raking instead",
)


@dataclass(frozen=True, eq=False)
class Fitted(ABC):
    """An adjustment as it was made of the weights of the sample.

    Attributes
    ----------
    weights
        After it.
    notes
        What a reader should know of it.
    """

    weights: Floats
    notes: tuple[Note, ...]

    @abstractmethod
    def residuals(self, scores: Floats) -> Floats:
        """What the adjustment leaves of scores that carry the adjusted weights (rows × statistics)."""

    @abstractmethod
    def again(self, weights: Floats) -> Floats:
        """Adjust other weights, those of a replicate, to the same totals."""


@dataclass(frozen=True, eq=False)
class Cells:
    """A margin: the cell of each row, and the totals that cells have in the population.

    Attributes
    ----------
    what
        The columns that make the cells.
    codes, names
        The cell of each row, and what cells are called.
    totals
        Their totals in the population.
    """

    what: str
    codes: Integers
    names: tuple[str, ...]
    totals: Floats

    def scaled(self, weights: Floats) -> Floats:
        """Weights that sum to the cells' totals."""
        held = np.bincount(self.codes, weights=weights, minlength=len(self.totals))
        empty = np.flatnonzero((held <= 0) & (self.totals > 0))
        if len(empty):
            raise DesignError(
                f"The cell {self.names[empty[0]]!r} of {self.what} has no weight in a replicate, so it "
                "cannot be scaled to its total.",
                "merge it with another cell, or use a method that gives every unit some weight: fay.",
            )
        factors = np.divide(self.totals, held, out=np.zeros_like(held), where=held > 0)
        found: Floats = weights * factors[self.codes]
        return found

    def check(self, weights: Floats) -> None:
        """Refuse cells that the sample has and the population has not, and the other way about."""
        held = np.bincount(self.codes, weights=weights, minlength=len(self.totals))
        bare = np.flatnonzero((held <= 0) & (self.totals > 0))
        if len(bare):
            raise DesignError(
                f"The cell {self.names[bare[0]]!r} of {self.what} has a total of {digits(float(self.totals[bare[0]]), 8)} in the "
                "population and no row in the sample.",
                "merge it with another cell, in the totals and in the table.",
            )
        surplus = np.flatnonzero((held > 0) & (self.totals <= 0))
        if len(surplus):
            raise DesignError(
                f"The cell {self.names[surplus[0]]!r} of {self.what} is in the sample but has no population "
                "total.",
                "add its total, or leave its rows out.",
            )

    def off(self, weights: Floats) -> float:
        """How far sums of weights are from the totals, as a share of the largest."""
        held = np.bincount(self.codes, weights=weights, minlength=len(self.totals))
        return float(np.abs(held - self.totals).max() / self.totals.max())


@dataclass(frozen=True, eq=False)
class PostStratified(Fitted):
    """Weights scaled to the totals of cells; a score keeps what differs from the mean of its cell.

    Attributes
    ----------
    cells
        The cells.
    before
        The weights before.
    """

    cells: Cells
    before: Floats

    def residuals(self, scores: Floats) -> Floats:
        """Scores less the weighted mean of their post-stratum."""
        codes, n = self.cells.codes, len(self.cells.totals)
        plain = _over(scores, self.weights)
        held = np.maximum(np.bincount(codes, weights=self.before, minlength=n), np.finfo(float).tiny)
        means = sums(plain * self.before[:, None], codes, n) / held[:, None]
        found: Floats = scores - means[codes] * self.weights[:, None]
        return found

    def again(self, weights: Floats) -> Floats:
        """Scale the weights of a replicate."""
        return self.cells.scaled(weights)


@dataclass(frozen=True, eq=False)
class Raked(Fitted):
    """Weights scaled to one margin after another until all are met; a score keeps what no margin explains.

    Attributes
    ----------
    margins
        The margins, in the order in which weights are scaled to them.
    at
        The weights after each of them in the last round.
    rounds
        How many rounds it took.
    """

    margins: tuple[Cells, ...]
    at: tuple[Floats, ...]
    rounds: int

    def residuals(self, scores: Floats) -> Floats:
        """Scores less the means of each margin in turn, ten times over (R's svyrecvar)."""
        for _ in range(_SWEEPS):
            for margin, weights in zip(self.margins, self.at, strict=True):
                n = len(margin.totals)
                held = np.maximum(np.bincount(margin.codes, minlength=n), 1)
                means = sums(_over(scores, weights), margin.codes, n) / held[:, None]
                scores = scores - means[margin.codes] * weights[:, None]
        return scores

    def again(self, weights: Floats) -> Floats:
        """Rake the weights of a replicate, as many rounds as those of the sample took."""
        for _ in range(self.rounds):
            for margin in self.margins:
                weights = margin.scaled(weights)
        return weights


@dataclass(frozen=True, eq=False)
class Calibrated(Fitted):
    """Weights with factors linear in known columns, so that these meet their totals; a score keeps its regression residual.

    Attributes
    ----------
    matrix, totals
        The columns, and what they are to sum to.
    before
        The weights before.
    """

    matrix: Floats
    totals: Floats
    before: Floats

    def residuals(self, scores: Floats) -> Floats:
        """Residuals of the weighted regression on the columns."""
        half = np.sqrt(self.before)
        own = np.divide(self.weights, half, out=np.zeros_like(half), where=half > 0)  # g √w
        plain = _over(scores, own)
        columns = self.matrix * half[:, None]
        fit = np.linalg.lstsq(columns, plain, rcond=None)[0]
        found: Floats = (plain - columns @ fit) * own[:, None]
        return found

    def again(self, weights: Floats) -> Floats:
        """Calibrate the weights of a replicate."""
        return weights * _linear_factors(self.matrix, weights, self.totals)


def post_stratify(cells: Cells, weights: Floats) -> PostStratified:
    """Scale weights to the totals of cells (Holt & Smith 1979)."""
    cells.check(weights)
    made = cells.scaled(weights)
    note = _POST_STRATIFIED(n=len(cells.totals), columns=cells.what, **_factors(made, weights))
    return PostStratified(made, (note,), cells, weights)


def rake(
    margins: tuple[Cells, ...], weights: Floats, epsilon: float | None = None, max_rounds: int = 200
) -> Raked:
    """Scale weights to each margin in turn until all are met (Deming & Stephan 1940).

    A round ends the work when no cell of the crossed table changed by `epsilon`: below 1 a share of the sum of weights, from 1
    on a number, as R's rake has it.
    """
    grand = [float(one.totals.sum()) for one in margins]
    if max(grand) - min(grand) > 1e-6 * max(grand):
        raise InputError(
            f"The margins have different sums: {', '.join(digits(one, 8) for one in grand)}.",
            "make the sums agree: all margins are totals of one population.",
        )
    for one in margins:
        one.check(weights)
    limit = _TIGHT if epsilon is None else epsilon
    limit *= float(weights.sum()) if limit < 1 else 1.0
    joint = np.zeros(len(weights), dtype=np.intp)
    for one in margins:
        joint = joint * len(one.totals) + one.codes
    joint = np.unique(joint, return_inverse=True)[1].ravel()
    made, held, rounds, converged = weights, np.bincount(joint, weights=weights), 0, False
    at: list[Floats] = []
    while rounds < max_rounds and not converged:
        at = []
        for one in margins:
            made = one.scaled(made)
            at.append(made)
        now = np.bincount(joint, weights=made)
        converged = bool(np.abs(now - held).max() < limit)
        held, rounds = now, rounds + 1
    off = max(one.off(made) for one in margins)
    said: list[Note] = [
        _RAKED(
            n=len(margins),
            columns=", ".join(one.what for one in margins),
            rounds=rounds,
            off=off,
            **_factors(made, weights),
        )
    ]
    if not converged:
        said.insert(0, _NOT_CONVERGED(rounds=rounds, off=off))
    return Raked(made, tuple(said), margins, tuple(at), rounds)


def calibrate(matrix: Floats, totals: Floats, weights: Floats) -> Calibrated:
    """Give weights factors linear in columns, so that the columns have known totals (Deville & Särndal 1992)."""
    made = weights * _linear_factors(matrix, weights, totals)
    said: list[Note] = [_CALIBRATED(n=len(totals), **_factors(made, weights))]
    negative = int((made < 0).sum())
    if negative:
        said.insert(0, _NEGATIVE(n=negative))
    return Calibrated(made, tuple(said), matrix, totals, weights)


def _linear_factors(matrix: Floats, weights: Floats, totals: Floats) -> Floats:
    weighted = matrix * weights[:, None]
    gap = totals - weighted.sum(axis=0)
    slopes = np.linalg.lstsq(matrix.T @ weighted, gap, rcond=None)[0]
    factors: Floats = 1.0 + matrix @ slopes
    off = np.abs((weighted * factors[:, None]).sum(axis=0) - totals)
    if (off > 1e-6 * np.maximum(np.abs(totals), 1.0)).any():
        raise DesignError(
            f"The {count(len(totals))} totals cannot be met together: they contradict each other, or a "
            "column is constant.",
            "check their sums, and remove redundant columns.",
        )
    return factors


def _over(scores: Floats, weights: Floats) -> Floats:
    """Scores without the weights they carry; none where the weight is none."""
    found: Floats = np.divide(
        scores, weights[:, None], out=np.zeros_like(scores), where=(weights != 0)[:, None]
    )
    return found


def _factors(made: Floats, before: Floats) -> dict[str, Any]:
    used = before > 0
    factors = made[used] / before[used]
    return {"least": float(factors.min()), "most": float(factors.max())}
