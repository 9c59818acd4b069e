"""Replicate weights: made over the primary sampling units by a design, or supplied with the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from proband.designs import BRR, Fay, Jackknife, RaoWu, StratifiedDesign
from proband.designs.strata import Strata
from proband.designs.stratified import Centre
from proband.engine.foreign import complete_from
from proband.errors import DesignError, Hint, UsageError
from proband.inference.survey.columns import Flags, Floats, Integers
from proband.inference.survey.hadamard import half_samples, pairs_in_order
from proband.inference.survey.stages import Stages, sums
from proband.words import Method, Note, Sentence, count, digits

ReplicateKind = Literal["brr", "fay", "jk1", "jkn", "jk2", "bootstrap", "successive-difference", "other"]
ReplicateMethod = Literal["jk1", "jkn", "brr", "fay", "bootstrap"]

_BLOCK_CELLS = 1 << 22
_MOST_RANKED = 4e9  # operations to find the rank of replicate weights
_PAIRED = Sentence(
    "survey.units-paired",
    "note",
    "{n:count stratum/strata} of more than two units were divided into pairs in table order, for balanced "
    "half-samples",
)
_NO_FPC = Sentence(
    "survey.fpc-unused",
    "caution",
    "the finite-population correction is not used by {method}: the standard errors are too large rather than too small",
)
_FIRST_FPC = Sentence(
    "survey.fpc-first-stage",
    "note",
    "replicates use the units of the first stage and only its finite-population correction",
)
_LONELY = Sentence(
    "survey.lonely",
    "caution",
    "{n:count stratum has/strata have} one unit, handled by the rule '{rule}'",
)
_GIVEN = Method(
    "replicate-weights",
    "replicate weights as supplied",
    "replicate weights supplied with the data",
    ("wolter2007",),
)


@dataclass(frozen=True, eq=False)
class ReplicateWeights:
    """Replicates of the weights, and how a variance follows from them.

    Attributes
    ----------
    factors
        Factors on the weights, or whole weights if `combined` (replicates × units).
    codes
        The unit of each row.
    scales
        What each squared deviation counts.
    centre
        Whether deviations are from the ``estimate`` or from the replicates' ``mean``.
    method, notes
        How they were made, and what a reader should know.
    freedom
        Degrees of freedom where they are known; None for the rank of the weights less one.
    groups
        The stratum, or the pair, of each unit, if all units vary within theirs: units less groups is that rank less one.
    """

    factors: Floats
    codes: Integers
    scales: Floats
    centre: Centre
    method: Method
    notes: tuple[Note, ...] = ()
    combined: bool = False
    freedom: float | None = None
    groups: Integers | None = None

    def blocks(self, base: Floats) -> Iterator[Floats]:
        """The weights of rows, some replicates at a time (replicates × rows)."""
        step = max(1, _BLOCK_CELLS // len(base))
        for start in range(0, len(self.factors), step):
            made = self.factors[start : start + step][:, self.codes]
            yield made if self.combined else made * base

    def sums(self, columns: Floats, base: Floats) -> Floats:
        """The weighted sums of columns of rows in every replicate (replicates × columns), by way of those of units."""
        weighted = columns if self.combined else columns * base[:, None]
        return self.factors @ sums(weighted, self.codes, self.factors.shape[1])

    def covariance(self, values: Floats, estimates: Floats) -> Floats:
        """Return Σ_α c_α (θ_α − centre)(θ_α − centre)′ over replicates (replicates × statistics)."""
        middle = estimates if self.centre == "estimate" else values[self.scales > 0].mean(axis=0)
        apart = values - middle
        found: Floats = (apart * self.scales[:, None]).T @ apart
        return found

    @property
    def supplied(self) -> bool:
        """Whether they came with the data."""
        return self.method is _GIVEN

    def freedom_in(self, inside: Flags) -> float:
        """Degrees of freedom in a domain: the rank of the replicates of its units, less one."""
        if self.freedom is not None:
            return self.freedom
        units = np.unique(self.codes[inside])
        if self.groups is not None:
            own = self.groups[units]
            by_groups = float(len(own) - len(np.unique(own)))
            if len(units) == len(self.groups) and len(self.factors) > by_groups:
                return by_groups
        rows = self.factors[:, units].T
        if rows.shape[0] * rows.shape[1] * min(rows.shape) > _MOST_RANKED:
            return float(min(rows.shape) - 1) if self.groups is None else min(by_groups, len(rows.T) - 1.0)
        return float(rank_of(rows) - 1)


def rank_of(columns: Floats, tolerance: float = 1e-5) -> int:
    """The number of columns that are not made of others, to the tolerance at which R counts degrees of freedom."""
    from scipy.linalg import qr

    sizes = np.linalg.norm(columns, axis=0)
    triangle = qr(columns[:, sizes > 0] / sizes[sizes > 0], mode="r", pivoting=True)[0]
    return int((np.abs(np.diag(triangle)) > tolerance).sum())


def design_called(
    method: ReplicateMethod, *, rho: float = 0.5, n_resamples: int = 2_000, centre: Centre = "estimate"
) -> StratifiedDesign:
    """Make the design that a method's name stands for."""
    if method == "brr":
        return BRR(centre=centre)
    if method == "fay":
        return Fay(rho=rho, centre=centre)
    if method == "bootstrap":
        return RaoWu(n_resamples=n_resamples, centre=centre)
    return Jackknife(kind="JK1" if method == "jk1" else "JKn", centre=centre)


def replicate_weights(design: StratifiedDesign, stages: Stages, seed: int) -> ReplicateWeights:
    """Make replicates over primary sampling units.

    Strata that were drawn whole do not vary. Of lonely units, ``certainty`` lets them stay; the stratified jackknife also knows
    ``adjust`` (left out of all strata alike) and ``average`` (the variance of the others, made larger).
    """
    first, jackknife = stages.first, isinstance(design, Jackknife)
    if jackknife and not design.knows_strata and stages.stratified:
        raise UsageError(
            "JK1 does not use strata, but this survey has strata.",
            Hint("use the jackknife within strata: {option:method=jkn}"),
        )
    notes: list[Note] = []
    lonely = first.lonely
    if lonely.any():
        if stages.lonely == "fail" or (not jackknife and stages.lonely != "certainty"):
            replace(stages, lonely="fail").check()
        notes.append(_LONELY(n=int(lonely.sum()), rule=stages.lonely))
    varies = ~lonely & (first.left >= 1e-7)
    used = np.flatnonzero(varies[first.strata])
    if not len(used):
        raise DesignError(
            "No stratum has at least two units of which only some were sampled, so there is no sampling "
            "variance.",
            Hint("use strata with several units: {option:strata}"),
        )
    strata = Strata.of(first.strata[used])
    chosen = design
    if isinstance(design, BRR) and design.array is None and design.sample is None:
        kinds, codes = np.unique(first.strata[used], return_inverse=True)
        pairs = pairs_in_order(codes.ravel(), [first.names[one] for one in kinds])
        if pairs is not None:
            large = int((np.bincount(codes.ravel()) > 2).sum())
            notes += [_PAIRED(n=large)] if large else []
            strata = Strata.of(pairs)
            order = pairs[np.sort(np.unique(pairs, return_index=True)[1])]
            chosen = replace(design, array=half_samples(len(order))[:, order])
    plan = chosen.replicates(strata, seed)
    made = np.concatenate([block for part in plan.parts for block in part.blocks(len(used))])
    factors = np.ones((len(made), len(first.strata)))
    factors[:, used] = made
    scales = np.concatenate([part.scale for part in plan.parts])
    if first.populations is not None and not jackknife:
        notes.append(_NO_FPC(method=design.as_method))
    elif first.populations is not None:
        scales = scales * first.left[first.strata[used]]
        notes += [_FIRST_FPC()] if stages.later else []
    if jackknife and lonely.any() and stages.lonely == "adjust":
        more, n = np.flatnonzero(lonely), len(first.names)
        extra = np.full((len(more), len(first.strata)), n / (n - 1))
        extra[first.strata[None, :] == more[:, None]] = 0.0
        factors = np.concatenate([factors, extra])
        scales = np.concatenate([scales, np.full(len(more), (n - 1) / n)])
    elif jackknife and lonely.any() and stages.lonely == "average":
        scales = scales * (len(first.strata) / len(scales))
    return ReplicateWeights(
        factors,
        first.codes,
        scales,
        design.centre,
        design.as_method,
        (*notes, *plan.notes),
        groups=strata.codes if len(used) == len(first.strata) else None,
    )


def given_weights(
    weights: Floats,
    kind: ReplicateKind = "other",
    *,
    scale: float | None = None,
    rscales: Sequence[float] | None = None,
    rho: float | None = None,
    combined: bool = True,
    centre: Centre = "estimate",
    freedom: float | None = None,
) -> ReplicateWeights:
    """Take replicate weights supplied with the data (rows × replicates), as R's svrepdesign does.

    The kind says what a squared deviation counts, unless `scale` and `rscales` do: 1/R for BRR, 1/(R(1 − ρ)²) for Fay's method,
    (R − 1)/R for JK1, 1/(R − 1) for the bootstrap, 4/R for successive differences, 1 for JK2; JKn needs `rscales`.
    """
    n = weights.shape[1]
    if n < 2:
        raise UsageError(f"A variance needs at least two replicates, got {count(n)}.")
    if not np.isfinite(weights).all():
        raise UsageError("Replicate weights must be finite numbers.")
    if kind == "fay" and (rho is None or not 0 <= rho < 1):
        raise UsageError("Fay's replicate weights need rho, from 0 up to 1.", Hint("{give:rho}"))
    if kind == "jkn" and rscales is None:
        raise UsageError(
            "Replicate weights of the stratified jackknife need rscales.",
            Hint("pass (n − 1)/n of the stratum of each replicate: {option:rscales}"),
        )
    if kind == "other" and scale is None and rscales is None:
        raise UsageError(
            "The scale of the replicates is unknown.",
            Hint("specify their kind, {option:replicate_kind=brr}, or {give:scale}"),
        )
    usual = {
        "brr": 1 / n,
        "fay": 1 / (n * (1 - (rho or 0.0)) ** 2),
        "jk1": (n - 1) / n,
        "bootstrap": 1 / (n - 1),
        "successive-difference": 4 / n,
    }.get(kind, 1.0)
    each = np.ones(n) if rscales is None else complete_from(rscales, "rscales").astype(np.float64)
    each = np.full(n, each[0]) if each.shape == (1,) else each
    if each.shape != (n,) or not np.isfinite(each).all() or (each < 0).any():
        raise UsageError(
            f"rscales must have one number of at least 0 for each of the {count(n)} replicates; got "
            f"{count(each.size)}."
        )
    total = usual if scale is None else scale
    if not (np.isfinite(total) and total > 0):
        raise UsageError(f"The scale of the replicates must be above 0, got {digits(total, 6)}.")
    rows = np.ascontiguousarray(weights.T)
    return ReplicateWeights(
        rows, np.arange(rows.shape[1], dtype=np.intp), total * each, centre, _GIVEN, (), combined, freedom
    )
