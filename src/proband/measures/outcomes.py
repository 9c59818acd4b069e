"""The result of each probe: its rank, or why it has none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from proband.engine.limits import Count, Rank
from proband.errors import DesignError, UsageError
from proband.results.base import Facts
from proband.samples import Experiment, Positions
from proband.samples.sampling import observed
from proband.words import Note, SampledColumn, count, counted

TiePolicy = Literal["pessimistic", "optimistic", "mean"]
Counting = Literal["images", "subjects"]
FailurePolicy = Literal["miss", "as_scored"]

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The result of one experiment for one algorithm, with one row per probe with a mate in the gallery.

    Attributes
    ----------
    algorithm
        The name of the scores.
    experiment
        The gallery and probes.
    probes
        The probes that are scored, as positions in the samples table: those with a mate in the gallery.
    closer, tied, best_mates
        Per probe: non-mates strictly closer than the best mate, non-mates exactly as close, and mates that share the
        best score. Every rank under every tie policy follows from these.
    failed
        Probes without a rank: not acquired, or without an enrolled mate. Their rank is infinite.
    ties
        How tied scores are ordered. ``pessimistic``: every tied non-mate comes before the mate. ``optimistic``: after it.
        ``mean``: the expectation if ties are broken at random; successes are then fractions.
    counting
        Whether a rank counts gallery ``images`` or ``subjects`` (each by its best image).
    on_failure
        ``miss``: samples marked as failed are not enrolled, and failed probes stay in the denominator as misses. ``as_scored``:
        marks are ignored and every score is used.
    n_ranks
        The largest possible rank: the number of enrolled images (or subjects).
    n_unmated
        Probes left out because their subject is not in the gallery (an open universe).
    n_gallery_failed
        Gallery samples that were not enrolled.
    notes
        Notes.
    metric
        The metric of embeddings; None for supplied scores.

    """

    made_by = "rank(scores, experiment)"

    algorithm: str
    experiment: Experiment
    probes: Positions
    closer: Integers
    tied: Integers
    best_mates: Integers
    failed: npt.NDArray[np.bool_]
    ties: TiePolicy
    counting: Counting
    on_failure: FailurePolicy
    n_ranks: Count
    n_unmated: Count
    n_gallery_failed: Count
    notes: tuple[Note, ...] = ()
    metric: str | None = None

    def __repr__(self) -> str:
        first = int((self.ranks <= 1).sum())
        failed = f", {count(int(self.failed.sum()))} failed" if self.failed.any() else ""
        return (
            f"{self.algorithm}: {counted(len(self), 'probe')} ranked among {count(self.n_ranks)} {self.counting}, "
            f"{count(first)} at rank 1{failed}"
        )

    def __post_init__(self) -> None:
        if not len(self.probes):
            raise DesignError(
                "No probe can be scored: no probe was compared with a mate in the gallery.",
                "check the subject column, and that the mask leaves at least one genuine pair.",
            )
        if (
            len({len(part) for part in (self.probes, self.closer, self.tied, self.best_mates, self.failed)})
            > 1
        ):
            raise UsageError(
                "Every field of outcomes needs one number per probe.", f"create them with {self.made_by}."
            )
        for array in (self.probes, self.closer, self.tied, self.best_mates, self.failed):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.probes)

    @cached_property
    def subjects(self) -> npt.NDArray[np.int32]:
        """The subject code of each probe in the samples table."""
        codes: npt.NDArray[np.int32] = self.experiment.samples.codes[self.probes]
        codes.flags.writeable = False
        return codes

    @property
    def n_gallery_images(self) -> int:
        """The number of images in the gallery."""
        return len(self.experiment.gallery)

    @property
    def n_gallery_subjects(self) -> int:
        """The size of the gallery as FERET counts it: the number of people in it."""
        return self.experiment.n_gallery_subjects

    @cached_property
    def n_tied(self) -> int:
        """The number of probes with a non-mate exactly as close as the best mate."""
        return int(np.count_nonzero(self.tied[~self.failed]))

    @property
    def fractional(self) -> bool:
        """Whether successes can be fractions: ties are broken at random, and there are ties."""
        return self.ties == "mean" and self.n_tied > 0

    @cached_property
    def ranks(self) -> Floats:
        """Each probe's rank (expected rank under ``mean``); infinite for a failure."""
        if self.ties == "pessimistic":
            ranks = 1.0 + self.closer + self.tied
        elif self.ties == "optimistic":
            ranks = 1.0 + self.closer
        else:
            # In random order, the first of u marked items among t + u is at position (t + u + 1)/(u + 1) on average.
            ranks = self.closer + (self.tied + self.best_mates + 1) / (self.best_mates + 1)
        placed: Floats = np.where(self.failed, np.inf, ranks)
        placed.flags.writeable = False
        return placed

    def restricted(self, experiment: Experiment) -> Outcomes:
        """Return the outcomes of an experiment with the same gallery and some of the probes.

        Another gallery is refused, since ranks would differ.

        Parameters
        ----------
        experiment
            The same gallery, with some of the probes.

        Returns
        -------
        Outcomes
            The outcomes of these probes.

        Examples
        --------
        >>> from proband import Samples, Scores, rank
        >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
        >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity")
        >>> outcomes = rank(scores, Experiment(samples, gallery="session == 1"))
        >>> part = Experiment(samples, gallery="session == 1", probes=["b2"])
        >>> outcomes.ranks, outcomes.censored(1), outcomes.restricted(part).ranks
        (array([1., 2.]), array([1., 1.]), array([2.]))
        """
        if not np.array_equal(experiment.gallery, self.experiment.gallery):
            raise DesignError(
                "These probes were ranked in a different gallery from the one they are searched in.",
                "rank them in this gallery: rank(scores, experiment).",
            )
        kept = np.isin(self.probes, experiment.probes)
        return replace(
            self,
            experiment=experiment,
            probes=self.probes[kept],
            closer=self.closer[kept],
            tied=self.tied[kept],
            best_mates=self.best_mates[kept],
            failed=self.failed[kept],
            n_unmated=int((~experiment.mated).sum()),
            notes=tuple(dict.fromkeys((*self.notes, *experiment.notes))),
        )

    def success(self, rank: Rank) -> Floats:
        """Return whether each probe is recognised at `rank` or better: 0 or 1, or a probability under ``mean``.

        Parameters
        ----------
        rank
            From 1.

        Returns
        -------
        numpy.ndarray
            One number for each probe.

        Examples
        --------
        >>> from proband import Samples, Scores, rank
        >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
        >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.7]], ["a2", "b2"], ["a1", "b1"], orientation="similarity")
        >>> tied = rank(scores, Experiment(samples, gallery="session == 1"), ties="mean")
        >>> tied.success(1), tied.success(2), tied.ranks
        (array([1. , 0.5]), array([1., 1.]), array([1. , 1.5]))
        """
        if self.ties != "mean":
            return (self.ranks <= rank).astype(np.float64)
        return np.where(self.failed, 0.0, first_mate_within(rank - self.closer, self.tied, self.best_mates))

    def censored(self, rank: Rank) -> Floats:
        """Return each probe's rank censored at `rank`: min(r, rank).

        Parameters
        ----------
        rank
            The rank to censor at.

        Returns
        -------
        numpy.ndarray
            One rank for each probe.
        """
        censored: Floats = np.minimum(self.ranks, np.float64(rank))
        return censored

    @property
    def relative_ranks(self) -> Floats:
        """The rank of each probe divided by the number of people in the gallery (Micheals & Boult 2001)."""
        return self.ranks / self.n_gallery_subjects

    @cached_property
    def sampling(self) -> tuple[SampledColumn, ...]:
        """Observations on the columns declared as sampling levels, in these probes and the gallery."""
        return self.sampling_within(None)

    def sampling_within(self, strata: str | None) -> tuple[SampledColumn, ...]:
        """Return observations on the declared columns within the strata of a design.

        Parameters
        ----------
        strata
            The column of strata; None if people are the strata.

        Returns
        -------
        tuple of SampledColumn
            One for each declared column.
        """
        return observed(self.experiment.samples, self.probes, self.experiment.gallery, strata=strata)

    @cached_property
    def facts(self) -> Facts:
        """The facts of a measurement of these outcomes."""
        return Facts(
            algorithm=self.algorithm,
            n_probes=len(self),
            n_probe_subjects=len(np.unique(self.subjects)),
            n_gallery_images=self.n_gallery_images,
            n_gallery_subjects=self.n_gallery_subjects,
            n_ranks=self.n_ranks,
            n_failed=int(self.failed.sum()),
            n_gallery_failed=self.n_gallery_failed,
            n_unmated=self.n_unmated,
            n_tied=self.n_tied,
            ties=self.ties,
            counting=self.counting,
            on_failure=self.on_failure,
            universe=self.experiment.universe,
            gallery_rule=self.experiment.gallery_rule,
            probe_rule=self.experiment.probe_rule,
            experiment=self.experiment.fingerprint,
            notes=self.notes,
            metric=self.metric,
            n_probes_marked=int(self.experiment.samples.failed[self.probes].sum()),
        )


def first_mate_within(k: Integers, tied: Integers, mates: Integers) -> Floats:
    """Return the probability that the first of `mates` is among the first `k` of ``tied + mates`` in random order.

    It is 1 − C(t, k)/C(t + u, k), which for one mate is k/(t + 1). The quotient is a product of u factors.
    """
    k = np.asarray(k)
    missed = np.ones(np.broadcast(k, tied, mates).shape)
    for j in range(1, int(np.max(mates, initial=0)) + 1):
        factor = np.clip((tied + j - k) / (tied + j), 0.0, 1.0)
        missed = np.where(mates >= j, missed * factor, missed)
    return np.where(k <= 0, 0.0, np.where(k > tied, 1.0, 1.0 - missed))
