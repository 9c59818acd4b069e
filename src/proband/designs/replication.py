"""Balanced repeated replication and related designs: half-samples as rows of orthogonal arrays (Micheals & Boult)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs.base import DESIGNS
from proband.designs.factors import array_part, half_part, has_arrays, require_cells, some_of
from proband.designs.strata import ROUNDING, Floats, Strata
from proband.designs.stratified import Replicates, StratifiedDesign
from proband.engine.arguments import published
from proband.engine.foreign import complete_from
from proband.engine.limits import Drawn, Rho, Seed
from proband.errors import DesignError, Hint, UsageError
from proband.words import Method, Note, Sentence, count, counted, digits

_ALL_USED = Sentence(
    "strata.all-replicates-used",
    "note",
    "strata with {size:count} units have {n:count replicate}, all of which were used",
)
_DRAWN = Sentence(
    "strata.replicates-drawn",
    "caution",
    "{n:count replicate} of {of:count} of strata with {size:count} units were drawn at random: unbiased but "
    "noisier, which the degrees of freedom account for",
)
_HALVED = Sentence(
    "strata.halved",
    "note",
    "a replicate takes about half of the {size:count} units, by balanced splits, rather than one unit",
)
_GROUPED = Sentence(
    "strata.grouped",
    "note",
    "strata were grouped by their number of units, with a separate array for each group: {sizes}",
)
_NONE_SINGLE = Sentence("strata.none-single", "note", "no stratum has a single unit, so none were paired")
_PAIRED = Sentence(
    "strata.paired",
    "caution",
    "{n:count} strata of one unit were paired {how}; differences within pairs count as variance, so the "
    "standard error is an upper bound",
)

_MOST_ENUMERATED = 1 << 20
_MOST_NAMED = 6  # sizes of strata
_FEW_UNITS = (
    4  # per stratum; one of more is too few for a median, whose intervals covered 76 % with one of eight
)


@DESIGNS.register("brr")
@dataclass(frozen=True)
class BRR(StratifiedDesign):
    """Balanced repeated replication: each replicate has one unit of every stratum, by a row of an orthogonal array.

    v = Σ_α (θ_α − θ)² / (k (n − 1)) over k replicates of strata with n units (McCarthy 1969; Micheals & Boult 2001). Strata
    with the same number of units share an array. Arrays are made for prime powers. For other numbers of units (6, 10, 12, …) a
    replicate has about half of the units, by balanced splits (Sitter 1993; `half_part`); for medians also for more than four
    units. For a linear statistic the variance *equals* the textbook variance, Σ W_h² s_h²/n; for others the replicates are
    evaluated. Results are for new units within the same strata.

    Parameters
    ----------
    array
        An array to use instead (replicates × strata, symbols from 0), if the number of units in every stratum equals its number
        of symbols. It must have strength 2.
    sample
        Use this number k of replicates, drawn at random, instead of all: unbiased but noisier, so there are fewer degrees of
        freedom, 1/ν = 1/ν_strata + 1/(k − 1). The replicates are also evaluated for rates.

    Examples
    --------
    The ratio of R's survey package (scd): 0.00942664 on the estimate, 0.00941840 on the replicates' mean.

    >>> from proband.inference import estimate_weighted
    >>> arrests, alive = np.array([120, 78, 185, 228, 670, 530]), np.array([25, 24, 30, 49, 80, 70])
    >>> designs = BRR(), BRR(centre="mean")
    >>> made = [estimate_weighted(lambda w: (w @ alive) / (w @ arrests), [1, 1, 2, 2, 3, 3], design=one) for one in designs]
    >>> [round(one.standard_error, 8) for one in made]
    [0.00942664, 0.0094184]
    """

    array: npt.NDArray[np.integer[Any]] | None = None
    sample: Drawn | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sample is None:
            return
        if self.centre == "mean":
            raise UsageError(
                "Replicates drawn at random must be centred on the estimate; around their own mean they "
                "vary too little.",
                "leave out centre='mean'.",
            )

    @property
    def linear_is_textbook(self) -> bool:
        """Whether all replicates of a balanced array are used, so that the variance has a closed form."""
        return self.array is None and self.sample is None

    @property
    def is_random(self) -> bool:
        """Whether a random subset of the replicates is used."""
        return self.sample is not None

    @property
    def as_method(self) -> Method:
        """Balanced repeated replication."""
        return Method(
            "brr",
            "balanced repeated replication" + self._drawn,
            f"balanced repeated replication, {self.among}",
            ("mccarthy1969", "micheals2001"),
        )

    @property
    def _drawn(self) -> str:
        return "" if self.sample is None else f", {counted(self.sample, 'replicate')} drawn at random"

    @property
    def whole_units(self) -> bool:
        """True: each replicate takes one unit of every stratum."""
        return True

    @property
    def shrink(self) -> float:
        """The share of weight that units not chosen lose: all of it."""
        return 1.0

    def linear(self, strata: Strata, values: Floats) -> Floats | None:
        """Evaluate all replicates of a balanced array at once by a fast transform; None without a single array.

        Parameters
        ----------
        strata
            The units and their strata.
        values
            One value for each unit.

        Returns
        -------
        numpy.ndarray or None
            The weighted mean in each replicate.
        """
        kinds = np.unique(strata.sizes)
        if len(kinds) > 1 or strata.members is not None or not has_arrays(int(kinds[0])):
            return None
        from proband.arrays import replicate_totals

        if values.shape != strata.codes.shape:
            raise UsageError(
                f"Expected one value for each of {count(len(strata.codes))} units; got {count(values.size)}."
            )
        table = np.empty((len(strata), int(strata.sizes[0])))
        table[strata.codes, strata.places] = values * strata.shares[strata.codes]
        totals = replicate_totals(table)
        kept = 1.0 - self.shrink
        return kept * float(strata.mean(values)) + (1.0 - kept) * totals

    def replicates(self, strata: Strata, seed: Seed = 0) -> Replicates:
        """Make the replicates of an orthogonal array for each number of units.

        Parameters
        ----------
        strata
            The units and their strata.
        seed
            The seed of the random numbers; used only where `sample` replicates are drawn.

        Returns
        -------
        Replicates
            The factors of units' weights in each replicate, and what each replicate counts in the variance.

        Examples
        --------
        >>> made = BRR().replicates(Strata.of([1, 1, 2, 2, 3, 3]))
        >>> factors = next(made.parts[0].blocks(6))
        >>> made.n_replicates, np.unique(factors), factors.mean(axis=0)
        (4, array([0., 2.]), array([1., 1., 1., 1., 1., 1.]))
        """
        return self._made(strata, seed)

    def replicates_of_quantiles(self, strata: Strata, seed: Seed = 0) -> Replicates:
        """Make replicates for medians: half-samples of whole units in strata of more than four units.

        Parameters
        ----------
        strata
            The units and their strata.
        seed
            The seed of the random numbers; used only where `sample` replicates are drawn.

        Returns
        -------
        Replicates
            The factors of units' weights in each replicate, and what each replicate counts in the variance.
        """
        return self._made(strata, seed, _FEW_UNITS)

    def _made(self, strata: Strata, seed: int, most: int | None = None) -> Replicates:
        """Replicates of one unit per stratum if there is an array and at most `most` units; otherwise of halves."""
        strata.require_several()
        notes: list[Note] = []
        parts = []
        kinds = np.unique(strata.sizes)
        if self.array is not None and len(kinds) > 1:
            raise UsageError(
                "A single array needs strata with the same number of units; these have "
                + _sizes(strata)
                + "."
            )
        drawn = []
        for size in kinds.tolist():
            own = np.flatnonzero(strata.sizes == size)
            if self.array is not None or (has_arrays(size) and (most is None or size <= most)):
                part = array_part(strata, own, size, self._rows(size, len(own)), self.shrink)
            else:
                part = half_part(strata, own, size, self.shrink if most is None else 1.0)
                notes.append(_HALVED(size=size))
            if self.sample is not None and self.sample >= part.n_replicates:
                notes.append(_ALL_USED(size=size, n=part.n_replicates))
            elif self.sample is not None:
                rng = np.random.default_rng([seed, size])
                notes.append(_DRAWN(n=self.sample, of=part.n_replicates, size=size))
                part = some_of(part, np.sort(rng.choice(part.n_replicates, self.sample, replace=False)))
                drawn.append(self.sample)
            parts.append(part)
        if len(kinds) > 1:
            notes.append(_GROUPED(sizes=_sizes(strata)))
        return Replicates(tuple(parts), tuple(notes), min(drawn, default=None))

    def _rows(self, size: int, n_strata: int) -> npt.NDArray[np.integer[Any]]:
        from proband.arrays import balance, n_replicates, orthogonal_array

        if self.array is not None:
            rows = complete_from(self.array, "symbols")
            if rows.ndim != 2 or rows.shape[1] < n_strata or rows.min() < 0 or rows.max() >= size:
                raise UsageError(
                    f"The array must have at least {n_strata} columns of symbols 0 to {size - 1}; it is {rows.shape}."
                )
            rows = rows[:, :n_strata]
            if not balance(rows, size).full:
                raise DesignError(
                    "The array is not balanced: some pairs of symbols occur more often than others."
                )
            return rows
        require_cells(n_replicates(size, n_strata) * n_strata, size, n_strata)
        return orthogonal_array(size, n_strata).rows


@DESIGNS.register("fay")
@dataclass(frozen=True)
class Fay(BRR):
    """Fay's method: units that are not chosen keep the share `rho` of their weight.

    Factors are 1 + (1 − ρ)(n·1[chosen] − 1), and v = Σ_α (θ_α − θ)² / (k (n − 1)(1 − ρ)²) (Judkins 1990).

    Parameters
    ----------
    rho
        The share of its weight that a unit keeps when it is not chosen; 0 is `BRR`.

    Examples
    --------
    The ratio of R's survey package (scd), with ρ = 0.3 on the replicates' mean: 0.00952519.

    >>> from proband.inference import estimate_weighted
    >>> arrests, alive = np.array([120, 78, 185, 228, 670, 530]), np.array([25, 24, 30, 49, 80, 70])
    >>> design = Fay(rho=0.3, centre="mean")
    >>> round(estimate_weighted(lambda w: (w @ alive) / (w @ arrests), [1, 1, 2, 2, 3, 3], design=design).standard_error, 8)
    0.00952519
    """

    rho: Rho = 0.5

    @property
    def as_method(self) -> Method:
        """Fay's method."""
        return Method(
            "fay",
            f"balanced repeated replication (Fay, rho {digits(self.rho, 6)}){self._drawn}",
            f"balanced repeated replication with Fay's factor, {self.among}",
            ("judkins1990", "micheals2001"),
        )

    @property
    def whole_units(self) -> bool:
        """False: units keep a share of their weight."""
        return False

    @property
    def shrink(self) -> float:
        """The share of weight that units not chosen lose."""
        return 1.0 - self.rho


@published
@DESIGNS.register("enumeration")
@dataclass(frozen=True)
class Enumeration(StratifiedDesign):
    """All choices of one unit per stratum, evaluated one by one, also for rates: a check for few strata.

    v = Σ (θ_α − θ)² / (nᴸ (n − 1)) over all nᴸ replicates of L strata (McCarthy 1969): the variance that a balanced array
    reproduces.

    Examples
    --------
    >>> strata, y = Strata.of([1, 1, 2, 2, 3, 3]), np.array([3.0, 5.0, 7.0, 9.0, 2.0, 1.0])
    >>> plan = Enumeration().replicates(strata)
    >>> values = next(plan.parts[0].blocks(6)) @ (strata.unit_weights * y)
    >>> plan.n_replicates, round(plan.variance(values, float(strata.mean(y)), "estimate"), 6)
    (8, 0.25)
    >>> strata.textbook_variance(y).round(6)
    array([0.25])
    >>> Enumeration().replicates(Strata.of([1, 1, 2, 2, 2]))
    Traceback (most recent call last):
        ...
    proband.errors.DesignError: Using all replicates needs strata with the same number of units; these have ... hint: use a
    design for strata of any size: design='brr', fay or rao-wu.
    """

    @property
    def as_method(self) -> Method:
        """Complete enumeration."""
        return Method(
            "enumeration",
            "all replicates",
            "every choice of one unit per stratum, evaluated",
            ("mccarthy1969",),
        )

    def replicates(self, strata: Strata, seed: Seed = 0) -> Replicates:
        """Make every possible replicate; more than about a million are refused.

        Parameters
        ----------
        strata
            The units and their strata; all strata have equally many units.
        seed
            Not used: nothing is drawn.

        Returns
        -------
        Replicates
            The factors of units' weights in each replicate, and what each replicate counts in the variance.
        """
        strata.require_several()
        if len(np.unique(strata.sizes)) > 1:
            raise DesignError(
                "Using all replicates needs strata with the same number of units; these have "
                f"{_sizes(strata)}.",
                Hint("use a design for strata of any size: {option:design=brr}, fay or rao-wu."),
            )
        size, n_strata = int(strata.sizes[0]), len(strata)
        if n_strata * np.log2(size) > np.log2(_MOST_ENUMERATED):
            raise DesignError(
                f"{size}^{n_strata} replicates are too many to enumerate.", "use the design brr."
            )
        rows = np.stack(np.unravel_index(np.arange(size**n_strata), (size,) * n_strata), axis=1)
        return Replicates((array_part(strata, np.arange(n_strata), size, rows, 1.0),))


@published
@DESIGNS.register("collapsed-strata")
@dataclass(frozen=True)
class CollapsedStrata(StratifiedDesign):
    """Strata of one unit, collapsed in pairs, then balanced repeated replication (Wolter 2007).

    Each stratum keeps its own weight, so the estimate stays Σ W_h y_h. The difference between the two counts as variance, so
    the standard error is an upper bound. For a rate, the variance of two collapsed strata is (W_1(y_1 − θ) − W_2(y_2 − θ))²;
    with equal weights it is W²(y_1 − y_2)².

    Parameters
    ----------
    by
        The column by which neighbours are paired: a covariate known beforehand, never the outcome. By default table order.

    Examples
    --------
    Four strata of one unit and a quarter of the weight each: (1/4)²[(1 − 0)² + (1 − 1)²] = 1/16.

    >>> put, _ = CollapsedStrata().collapsed(Strata.of([1, 2, 3, 4]), None)
    >>> put.codes.tolist(), put.textbook_variance(np.array([1.0, 0.0, 1.0, 1.0]))
    ([0, 0, 1, 1], array([0.0625]))
    """

    by: str | None = None

    @property
    def linear_is_textbook(self) -> bool:
        """True for the collapsed strata."""
        return True

    @property
    def as_method(self) -> Method:
        """Collapsed strata."""
        return Method(
            "collapsed-strata",
            "collapsed strata" + (f" by {self.by}" if self.by else ""),
            "strata of one unit collapsed two by two, then balanced repeated replication",
            ("wolter2007", "mccarthy1969"),
        )

    @property
    def neighbours(self) -> str | None:
        """The column by which strata are paired."""
        return self.by

    def collapsed(self, strata: Strata, keys: npt.NDArray[Any] | None) -> tuple[Strata, tuple[Note, ...]]:
        """Pair the strata of one unit; the last three make one group if their number is odd.

        Parameters
        ----------
        strata
            The units and their strata.
        keys
            A value for each unit, by which strata of one unit are sorted before they are paired; None keeps
            their order.

        Returns
        -------
        tuple
            The collapsed strata, and notes on how they were paired.
        """
        single = np.flatnonzero(strata.sizes == 1)
        if not len(single):
            return strata, (_NONE_SINGLE(),)
        if len(single) == 1:
            raise DesignError(
                f"Only one stratum has a single unit ({strata.names[single[0]]}); there is no other stratum "
                "to pair it with.",
                "leave this stratum out.",
            )
        first_unit = np.empty(len(strata), dtype=np.intp)
        first_unit[strata.codes[::-1]] = np.arange(len(strata.codes))[::-1]
        order = single if keys is None else single[np.argsort(keys[first_unit[single]], kind="stable")]
        groups = np.arange(len(order)) // 2
        if len(order) % 2:
            groups[-1] = groups[-2]
        label = strata.codes.copy()
        target = np.arange(len(strata))
        heads = order[2 * groups]
        target[order] = heads
        label = target[label]
        kept, codes = np.unique(label, return_inverse=True)
        shares = np.bincount(target, weights=strata.shares, minlength=len(strata))[kept].astype(np.float64)
        note = _PAIRED(n=len(single), how=f"by {self.by}" if self.by else "in the order of the table")
        names = tuple(strata.names[place] for place in kept)
        put = Strata(codes.astype(np.intp), shares, names, members=strata.members, within=strata.within)
        if not np.allclose(put.unit_weights, strata.unit_weights, rtol=ROUNDING, atol=0.0):
            put = replace(put, uneven=strata.unit_weights)
        return put, (note,)

    @property
    def whole_units(self) -> bool:
        """True: each replicate takes one unit of every pair of strata."""
        return True

    def replicates(self, strata: Strata, seed: Seed = 0) -> Replicates:
        """Make balanced replicates of the collapsed strata.

        Parameters
        ----------
        strata
            The units and the collapsed strata.
        seed
            Not used: nothing is drawn.

        Returns
        -------
        Replicates
            The factors of units' weights in each replicate, and what each replicate counts in the variance.
        """
        return BRR(centre=self.centre).replicates(strata, seed)


def _sizes(strata: Strata) -> str:
    kinds, counts = np.unique(strata.sizes, return_counts=True)
    named = [f"{count(n)} of {size} units" for size, n in zip(kinds, counts, strict=True)]
    more = f" and {count(len(named) - _MOST_NAMED)} more" if len(named) > _MOST_NAMED else ""
    return ", ".join(named[:_MOST_NAMED]) + more
