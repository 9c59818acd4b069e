"""Resampling designs: which units are redrawn, and how the interval is computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from proband.designs.base import BLOCK, DESIGNS, Design, Reweighting, Unit
from proband.engine.limits import Count, Positive, Seed, Within
from proband.words import Method, counted

ProportionMethod = Literal["wilson", "clopper-pearson", "jeffreys"]
ClusteredMethod = Literal["obuchowski", "durkalski"]
BootstrapInterval = Literal["percentile", "basic", "bca"]

BOOTSTRAP = "bootstrap"
"""What intervals from replicates of units are known by."""


_ENOUGH = Within(ge=100, le=10_000_000, said="A bootstrap needs from 100 to 10,000,000 replicates")
_PROPORTIONS: dict[ProportionMethod, tuple[str, str]] = {
    "wilson": ("Wilson's score interval over probes, one probe per person", "wilson1927"),
    "clopper-pearson": ("exact binomial limits over probes", "clopper1934"),
    "jeffreys": ("Jeffreys intervals over probes", "brown2001"),
}
_BOOTSTRAPS: dict[BootstrapInterval, tuple[str, str]] = {
    "percentile": ("percentile bootstrap", "efron1979"),
    "basic": ("basic bootstrap", "davison1997"),
    "bca": ("bias-corrected accelerated bootstrap", "efron1987"),
}


@DESIGNS.register("binomial", "mcnemar")
@dataclass(frozen=True)
class Binomial(Design):
    """For new, independent probes searched in the same gallery.

    The count of successes is Binomial(n, p), and its interval Wilson's (1927), Clopper and Pearson's (1934) or Jeffreys' (Brown
    et al. 2001). Valid with one probe per person; with several, it treats the probes of a person as independent, which they are
    not. In comparisons it is McNemar's test over probes.

    Parameters
    ----------
    interval
        ``wilson``, ``clopper-pearson`` or ``jeffreys``.

    Examples
    --------
    >>> Binomial().as_method.cites, Binomial("clopper-pearson").as_method.key
    (('wilson1927',), 'binomial-clopper-pearson')
    """

    capability = "proportion"
    interval: ProportionMethod = "wilson"

    @property
    def as_method(self) -> Method:
        """The binomial interval."""
        account, cite = _PROPORTIONS[self.interval]
        return Method(f"binomial-{self.interval}", f"binomial ({self.interval})", account, (cite,))

    @property
    def over_probes(self) -> bool:
        """True: probes are the units."""
        return True


@DESIGNS.register("clustered")
@dataclass(frozen=True)
class Clustered(Design):
    """For new people with the same numbers of probes, searched in the same gallery: Wilson's interval with the effective sample size.

    The effective size is n divided by the design effect, the ratio of the variance of the rate over people to that of
    independent probes (Wilson 1927; Rao & Scott 1992), and never more than n.

    Examples
    --------
    >>> Clustered().capability, Clustered().over_probes
    ('clusters', False)
    """

    capability = "clusters"

    @property
    def as_method(self) -> Method:
        """Wilson's interval with people as clusters."""
        return Method(
            "clustered",
            "people (Wilson with the effective sample size)",
            "Wilson's score interval with the effective sample size of probes clustered by person",
            ("wilson1927", "rao1992"),
        )


@DESIGNS.register("bootstrap")
@dataclass(frozen=True)
class Bootstrap(Reweighting):
    """For new people or new probes, resampled with replacement; the gallery is held fixed.

    Only *outcomes* are resampled. Drawing people into the gallery twice would let a probe match the other copy of its
    mate, so galleries are never bootstrapped (Beveridge et al. 2001, §7.2).

    Over probes (named ``bootstrap-probe``) it is the bootstrap of that paper (§6), which treats probes as independent: for a
    rate c/n the replicated count is exactly Binomial(n, c/n), and is drawn as such. If people have several probes, its
    intervals are too narrow for new people.

    Parameters
    ----------
    unit
        The resampled unit: ``subject`` (with all probes of that person) or ``probe``.
    interval
        ``percentile`` (Efron 1979), ``basic`` (Davison & Hinkley 1997) or ``bca`` (Efron 1987).
    n_resamples
        The number of replicates.

    See Also
    --------
    scipy.stats.bootstrap : For independent values, without clusters of people.

    Examples
    --------
    >>> (block,) = Bootstrap("subject", n_resamples=100).weights(n_units=5, seed=0)
    >>> block.shape, set(block.sum(axis=1).tolist())
    ((100, 5), {5})
    """

    unit: Unit = "subject"
    interval: BootstrapInterval = "percentile"
    n_resamples: Annotated[int, _ENOUGH] = 10_000

    @property
    def as_method(self) -> Method:
        """The bootstrap interval."""
        account, cite = _BOOTSTRAPS[self.interval]
        return Method(
            BOOTSTRAP,
            f"bootstrap over {self.unit}s ({self.interval}, {counted(self.n_resamples, 'replicate')})",
            f"{account} over {'probes' if self.unit == 'probe' else 'people'}",
            (cite,),
        )

    @property
    def with_replacement(self) -> bool:
        """True: units are drawn with replacement and equal probability."""
        return True

    def weights(
        self, n_units: Positive, seed: Seed, first_block: Count = 0
    ) -> Iterator[npt.NDArray[np.int64]]:
        """Draw the counts of units in blocks of replicates × units; the same for the same seed and block number.

        Parameters
        ----------
        n_units
            The number of units.
        seed
            The seed of the random numbers.
        first_block
            The first block, counted from 0.

        Returns
        -------
        iterator of numpy.ndarray
            Blocks of counts, up to `n_resamples` replicates in all.
        """
        done = first_block * BLOCK
        block = first_block
        while done < self.n_resamples:
            size = min(BLOCK, self.n_resamples - done)
            rng = np.random.default_rng([seed, block])
            draws = rng.integers(n_units, size=(size, n_units)) + n_units * np.arange(size)[:, None]
            yield np.bincount(draws.ravel(), minlength=size * n_units).reshape(size, n_units)
            done += size
            block += 1


DESIGNS.register("bootstrap-probe")(Bootstrap("probe"))


@dataclass(frozen=True)
class TrainingSets(Design):
    """For new training sets: one algorithm trained on several different sets, with one score matrix for each.

    Student's interval of the mean over m sets, x̄ ± t_{m−1} s/√m (Student 1908); people and images are held fixed (Beveridge et
    al. 2001, §3.1).

    Examples
    --------
    >>> TrainingSets().capability, TrainingSets().as_method.cites
    ('trainings', ('student1908', 'beveridge2001'))
    """

    capability = "trainings"

    @property
    def as_method(self) -> Method:
        """Student's interval of the mean over training sets."""
        return Method(
            "training-sets",
            "training sets",
            "Student's interval, on the logit scale for rates, of the mean over training sets",
            ("student1908", "beveridge2001"),
        )


@DESIGNS.register("sign-flip")
@dataclass(frozen=True)
class SignFlip(Design):
    """For comparisons on new people: sign flips of the difference of each person (a permutation test).

    If neither algorithm is better, the difference of every person is equally likely to have the opposite sign (Fisher 1935);
    with one probe per person the test is McNemar's (1947). This needs symmetric differences, so with several probes p-values
    and interval widths are at least those of a t test adjusted for skewness (Hall 1992).

    See Also
    --------
    scipy.stats.permutation_test : With ``permutation_type="samples"``, the sign-flip test of independent pairs.

    Examples
    --------
    >>> SignFlip().capability, SignFlip().as_method.cites
    ('sign-flip', ('fisher1935', 'mcnemar1947'))
    """

    capability = "sign-flip"

    @property
    def as_method(self) -> Method:
        """The sign-flip test."""
        return Method(
            "sign-flip",
            "sign-flip over people (mid-p)",
            "a sign-flip permutation test over people (mid-p), which is McNemar's test when each person has "
            "one probe",
            ("fisher1935", "mcnemar1947"),
        )


@DESIGNS.register("obuchowski")
@dataclass(frozen=True)
class ClusteredMcNemar(Design):
    """For comparisons on new people: McNemar's chi-squared with the variance of differences per person.

    ``obuchowski`` (1998) weights people by their probes, ``durkalski`` (2003) equally; see `clustered_mcnemar` for the
    formulas.

    Parameters
    ----------
    method
        ``obuchowski`` or ``durkalski``.

    Examples
    --------
    >>> ClusteredMcNemar("durkalski").as_method.key
    'clustered-mcnemar-durkalski'
    """

    capability = "chi-square"
    method: ClusteredMethod = "obuchowski"

    @property
    def as_method(self) -> Method:
        """The clustered chi-squared test."""
        cite: dict[ClusteredMethod, str] = {"obuchowski": "obuchowski1998", "durkalski": "durkalski2003"}
        return Method(
            f"clustered-mcnemar-{self.method}",
            f"McNemar with clusters ({self.method.capitalize()})",
            "McNemar's test for clustered pairs",
            (cite[self.method],),
        )


DESIGNS.register("durkalski")(ClusteredMcNemar("durkalski"))
