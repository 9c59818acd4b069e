"""Open-set identification: searches for people who may not be enrolled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.distributions import hypergeometric_cdf, hypergeometric_pmf
from proband.engine import Engine, Progress, Silent, on_engine, run_blocks, slices
from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.engine.limits import Threads
from proband.errors import DesignError, Hint, UsageError
from proband.kernels.codes import OK
from proband.measures.outcomes import FailurePolicy
from proband.measures.pairs.counts import allowed_errors
from proband.results.base import Count, Rank, Rate
from proband.results.several import for_each
from proband.samples import Experiment, Positions
from proband.scores import Scores, axis_positions, require_orientation
from proband.words import Note, Sentence, count, counted

Floats = npt.NDArray[np.float64]
Fusion = Literal["max", "mean"]
_TILE_CELLS = 1 << 22

_FAILED = Sentence(
    "open-set.failed-probes",
    "note",
    "{n:count probe} failed to be acquired: such a search returns no candidates",
)


@dataclass(frozen=True)
class SearchPoint:
    """One threshold of a search that returns at most `rank` candidates.

    FPIR is the share of non-mated searches that return any candidate, FNIR(R, t) the share of mated searches whose
    mate is not among the first R candidates that reach t (ISO/IEC 19795-1).

    Attributes
    ----------
    rank
        The maximum number of candidates of a search.
    threshold
        The threshold that the score of a candidate must reach; None if no candidate is returned.
    false_positives, n_nonmated, fpir
        Non-mated searches that return any candidate, all non-mated searches, and their ratio.
    misses, n_mated, fnir
        Mated searches whose mate is not among the candidates, all mated searches, and their ratio.
    target_fpir
        The target FPIR, if any.
    """

    rank: Rank
    threshold: float | None
    false_positives: Count
    n_nonmated: Count
    misses: Count
    n_mated: Count
    target_fpir: Rate | None = None

    @property
    def fpir(self) -> Rate:
        """False positive identification rate."""
        return self.false_positives / self.n_nonmated

    @property
    def fnir(self) -> Rate:
        """False negative identification rate."""
        return self.misses / self.n_mated

    @property
    def dir(self) -> Rate:
        """Detection and identification rate."""
        return 1.0 - self.fnir


@published
@dataclass(frozen=True, eq=False)
class Searches:
    """The results of all searches; larger values are closer.

    Attributes
    ----------
    mate, place
        For each mated search: the closeness of the mate (its samples fused), and the place of the mate among enrolled people,
        with tied non-mates before it. A failure has minus infinity, and a place after all others.
    best
        For each non-mated search: the closeness of the closest enrolled person; minus infinity for a failure.
    mated_subjects, nonmated_subjects
        The subjects of the searches.
    counted_at, reaching
        Closeness values, and the number of enrolled people who reach them for every non-mated search (searches × values), if
        requested.
    metric
        The metric of embeddings; None for supplied scores.
    algorithm, larger_is_closer, fusion
        The name and orientation of the scores, and how samples of a person are fused.
    n_enrolled, notes
        The number of people in the gallery, and notes.

    Examples
    --------
    Three searches for enrolled people, whose mates are closest, closest and second; four for strangers:

    >>> found = Searches(
    ...     "net", True, "max", 10, np.array([0.9, 0.6, 0.7]), np.array([1, 1, 2]), np.array([0.2, 0.3, 0.5, 0.65]),
    ...     np.arange(3, dtype=np.int32), np.arange(3, 7, dtype=np.int32), (),
    ... )
    >>> found.at_threshold(0.6).fpir, round(found.at_threshold(0.6).fnir, 4)
    (0.25, 0.3333)
    >>> found.at_threshold(0.6, rank=2).misses, found.at_fpir(0.1).threshold
    (0, 0.7)
    >>> found.curve().select("threshold", "fpir").rows()
    [(0.6, 0.25), (0.7, 0.0), (0.9, 0.0)]
    """

    algorithm: str
    larger_is_closer: bool
    fusion: Fusion
    n_enrolled: Count
    mate: Floats
    place: npt.NDArray[np.int64]
    best: Floats
    mated_subjects: npt.NDArray[np.int32]
    nonmated_subjects: npt.NDArray[np.int32]
    notes: tuple[Note, ...]
    counted_at: Floats = field(default_factory=lambda: np.empty(0))
    reaching: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    metric: str | None = None

    def __post_init__(self) -> None:
        require_both(self.algorithm, len(self.mate), len(self.best))
        mated, others = (self.mate, self.place, self.mated_subjects), (self.best, self.nonmated_subjects)
        if any(len({len(part) for part in side}) > 1 for side in (mated, others)) or any(
            np.isnan(part).any() for part in (self.mate, self.best, self.counted_at)
        ):
            raise UsageError(
                "Every search needs a score, a rank and a person.",
                "create them with search(scores, experiment).",
            )

    def __repr__(self) -> str:
        return (
            f"{self.algorithm}: {count(len(self.mate))} mated and {counted(len(self.best), 'non-mated search', 'non-mated searches')} among "
            f"{counted(self.n_enrolled, 'person', 'people')}"
        )

    def point(self, closeness: float, rank: Rank = 1, target_fpir: Rate | None = None) -> SearchPoint:
        """Return the errors if candidates must reach a closeness (the negative of a distance).

        Parameters
        ----------
        closeness
            The threshold as closeness: the score, or the negative of a distance.
        rank
            The maximum number of candidates.
        target_fpir
            The target FPIR of the point, if any.

        Returns
        -------
        SearchPoint
            The errors.
        """
        if rank < 1:
            raise UsageError(f"A search must return at least one candidate, got {rank}.")
        found = (self.mate >= closeness) & (self.place <= rank) & np.isfinite(self.mate)
        threshold = None if np.isinf(closeness) else closeness * (1.0 if self.larger_is_closer else -1.0)
        return SearchPoint(
            rank,
            threshold,
            int((self.best >= closeness).sum()) if np.isfinite(closeness) or closeness < 0 else 0,
            len(self.best),
            int((~found).sum()),
            len(self.mate),
            target_fpir,
        )

    def at_threshold(self, threshold: float, rank: Rank = 1) -> SearchPoint:
        """Return the errors at a threshold in the orientation of the scores.

        Parameters
        ----------
        threshold
            A score.
        rank
            The maximum number of candidates.

        Returns
        -------
        SearchPoint
            The errors.
        """
        return self.point(threshold if self.larger_is_closer else -threshold, rank)

    def at_fpir(self, fpir: float, rank: Rank = 1) -> SearchPoint:
        """Find the least strict threshold with an FPIR of at most `fpir`.

        Parameters
        ----------
        fpir
            The false positive identification rate, between 0 and 1.
        rank
            The maximum number of candidates.

        Returns
        -------
        SearchPoint
            The threshold and the errors at it.
        """
        if not 0 < fpir < 1:
            raise UsageError(f"A false positive identification rate must be between 0 and 1, got {fpir!r}.")
        allowed = int(allowed_errors(fpir, len(self.best)))
        ordered = np.sort(self.best)[::-1]
        limit = ordered[allowed] if allowed < len(ordered) else -np.inf
        every = np.concatenate([self.mate, self.best])
        return self.point(float(every[every > limit].min(initial=np.inf)), rank, fpir)

    def by_gallery_size(self, sizes: Sequence[int], rank: Rank = 1) -> pl.DataFrame:
        """Compute the expected errors at each counted threshold if a random subset of the people, with the mate, is enrolled.

        Exact, without simulation: of K people who reach a threshold, the number in a subset of s out of n is hypergeometric, so
        FPIR = mean of 1 − C(n − K, s)/C(n, s); so is the number of those ahead of a mate that are in the subset, with n − 1 and s
        − 1.

        Parameters
        ----------
        sizes
            Gallery sizes, each from 1 to the number of people enrolled.
        rank
            The maximum number of candidates.

        Returns
        -------
        polars.DataFrame
            A row for each size and threshold: algorithm, gallery, threshold, fpir, fnir.

        Examples
        --------
        A search for a stranger whom 2 of 10 enrolled people reach, and one for a mate that stands first:

        >>> found = Searches(
        ...     "net", True, "max", 10, np.array([0.9]), np.array([1]), np.array([0.7]), np.zeros(1, np.int32),
        ...     np.ones(1, np.int32), (), np.array([0.6]), np.array([[2]]),
        ... )
        >>> found.by_gallery_size([5, 10]).select("gallery", pl.col("fpir").round(4), "fnir").rows()  # 1 − 56/252
        [(5, 0.7778, 0.0), (10, 1.0, 0.0)]
        """
        n = self.n_enrolled
        rows = []
        for size in sizes:
            if not 1 <= size <= n:
                raise UsageError(
                    Hint(
                        "{named:sizes}: {enrolled} enrolled, so a size must be from 1 to {n}; got {size}.",
                        enrolled=counted(n, "person is", "people are"),
                        n=count(n),
                        size=count(size),
                    )
                )
            before = np.minimum(self.place - 1, n - 1)
            placed = np.where(
                np.isfinite(self.mate), hypergeometric_cdf(rank - 1, n - 1, before, size - 1), 0.0
            )
            for k, closeness in enumerate(self.counted_at):
                none = hypergeometric_pmf(0, n, self.reaching[:, k], size)
                rows.append(
                    {
                        "algorithm": self.algorithm,
                        "gallery": size,
                        "threshold": float(closeness) * (1.0 if self.larger_is_closer else -1.0),
                        "fpir": float(1.0 - np.mean(none)),
                        "fnir": float(1.0 - (placed * (self.mate >= closeness)).mean()),
                    }
                )
        return frame_of_rows(rows)

    @cached_property
    def _thresholds(self) -> Floats:
        return np.unique(self.mate[np.isfinite(self.mate)])

    def curve(self, rank: Rank = 1) -> pl.DataFrame:
        """Return FPIR and FNIR at every attainable threshold.

        Parameters
        ----------
        rank
            The maximum number of candidates.

        Returns
        -------
        polars.DataFrame
            A row for each threshold: algorithm, threshold, fpir, fnir.
        """
        edges = self._thresholds
        positives = len(self.best) - np.searchsorted(np.sort(self.best), edges, side="left")
        found = np.sort(self.mate[(self.place <= rank) & np.isfinite(self.mate)])
        hits = len(found) - np.searchsorted(found, edges, side="left")
        return pl.DataFrame(
            {
                "algorithm": [self.algorithm] * len(edges),
                "threshold": edges * (1.0 if self.larger_is_closer else -1.0),
                "fpir": positives / len(self.best),
                "fnir": 1.0 - hits / len(self.mate),
            }
        )


@for_each
def require_both(algorithm: str, n_mated: int, n_strangers: int) -> None:
    """Refuse searches without any mated, or without any non-mated, search.

    Examples
    --------
    >>> require_both("net", 3, 0)
    Traceback (most recent call last):
        ...
    proband.errors.DesignError: net: every probe has a mate in the gallery, so there are no false positives to count. hint:
    enrol only some of the people, ...
    """
    if not n_strangers:
        raise DesignError(
            "every probe has a mate in the gallery, so there are no false positives to count.",
            "enrol only some of the people, by a condition on a column: an open-set test also needs probes of people who are not enrolled.",
            source=algorithm,
        )
    if not n_mated:
        raise DesignError(
            "no probe has a mate in the gallery.",
            "keep some samples of the enrolled people out of the gallery, as probes.",
            source=algorithm,
        )


@published
@on_engine
def search(
    scores: Scores,
    experiment: Experiment,
    *,
    fusion: Fusion = "max",
    on_failure: FailurePolicy = "miss",
    counted_at: Sequence[float] = (),
    check_orientation: bool = True,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> Searches:
    """Search every probe in the gallery of enrolled people.

    Probes of enrolled people are mated searches, all others are non-mated; FPIR and FNIR at any threshold follow from their
    candidates (ISO/IEC 19795-1).

    Parameters
    ----------
    fusion
        How scores of several samples of a person are combined: the closest (``max``), or the ``mean``.
    on_failure
        ``miss``: a failed probe returns no candidates, which is a miss for a mated search and not a false positive for a
        non-mated search; failed gallery samples are not enrolled. ``as_scored``: marks are ignored.
    counted_at
        Thresholds, in the orientation of the scores, at which candidates are counted: for errors by gallery size.
    scores
        Scores or embeddings of one algorithm.
    experiment
        The gallery, and probes of enrolled people and of people not enrolled.
    check_orientation
        Whether scores that look reversed raise an error.
    threads, progress, engine
        The number of threads, the progress callback, and where computations run.

    Returns
    -------
    Searches
        The results of every search, from which FPIR and FNIR follow at any threshold.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "b1", "a2", "b2", "c2"], "subject": list("ababc")})
    >>> scores = Scores.from_array(
    ...     [[0.9, 0.2], [0.4, 0.7], [0.5, 0.1]], ["a2", "b2", "c2"], ["a1", "b1"], orientation="similarity"
    ... )
    >>> found = search(scores, Experiment(samples, gallery=["a1", "b1"]))
    >>> found.mate, found.place, found.best
    (array([0.9, 0.7]), array([1, 1]), array([0.5]))
    """
    if check_orientation and experiment.mated.any():
        require_orientation(scores, experiment)
    samples = experiment.samples
    failed = samples.failed if on_failure == "miss" else np.zeros(len(samples), dtype=np.bool_)
    rows, columns = axis_positions(experiment, scores)
    enrolled = ~failed[experiment.gallery]
    codes = samples.codes[experiment.gallery][enrolled]
    order = np.argsort(codes, kind="stable")
    columns, codes = columns[enrolled][order], codes[order]
    if not len(codes):
        raise DesignError("Every gallery sample failed to be acquired, so no one is enrolled.")
    people, starts = np.unique(codes, return_index=True)
    probe_codes = samples.codes[experiment.probes]
    own = np.searchsorted(people, probe_codes)
    mated = (own < len(people)) & (people[np.minimum(own, len(people) - 1)] == probe_codes)
    lost = failed[experiment.probes]
    n = len(experiment.probes)
    mate, best = np.full(n, -np.inf), np.full(n, -np.inf)
    place = np.full(n, len(people) + 1, dtype=np.int64)
    levels = (1.0 if scores.larger_is_closer else -1.0) * np.asarray(counted_at, dtype=np.float64)
    reaching = np.zeros((n, len(levels)), dtype=np.int64)
    shown = progress or Silent()
    shown.begin(f"searching {scores.name}", n)
    step = max(1, _TILE_CELLS // len(columns))
    blocks = list(slices(n, step))
    searched = run_blocks(
        _Searched(scores, rows, columns, starts, fusion, np.where(mated, own, -1), levels), blocks, threads
    )
    for block, found in zip(blocks, searched, strict=True):
        mate[block], place[block], best[block], reaching[block] = found
        shown.advance(block.stop - block.start)
    mate[lost], best[lost], place[lost], reaching[lost] = -np.inf, -np.inf, len(people) + 1, 0
    notes = [*scores.notes, *experiment.notes]
    if lost.any():
        notes.append(_FAILED(n=int(lost.sum())))
    # A mated search whose person failed to be enrolled is a miss, not a non-mated search.
    ours = experiment.mated
    return Searches(
        scores.name,
        scores.larger_is_closer,
        fusion,
        len(people),
        np.where(mated, mate, -np.inf)[ours],
        np.where(mated, place, len(people) + 1)[ours],
        best[~ours],
        probe_codes[ours],
        probe_codes[~ours],
        tuple(notes),
        levels,
        reaching[~ours],
        scores.metric,
    )


@dataclass(frozen=True, eq=False)
class _Searched:
    """Searches of a block of probes: closeness and place of the mate, the best score, and the number reaching each level.

    Columns of people begin at `starts`; `own` is the index of a probe's person among them, or -1.
    """

    scores: Scores
    rows: Positions
    columns: Positions
    starts: Positions
    fusion: Fusion
    own: Positions
    levels: Floats

    def __call__(self, block: slice) -> tuple[Floats, npt.NDArray[np.int64], Floats, npt.NDArray[np.int64]]:
        fused, own = self._fused(self.rows[block]), self.own[block]
        n, n_people = fused.shape
        mate, best = np.full(n, -np.inf), np.full(n, -np.inf)
        place = np.full(n, n_people + 1, dtype=np.int64)
        reaching = np.zeros((n, len(self.levels)), dtype=np.int64)
        at = np.flatnonzero(own >= 0)
        value = fused[at, own[at]]
        mate[at] = value
        place[at] = np.where(np.isfinite(value), (fused[at] >= value[:, None]).sum(axis=1), n_people + 1)
        others = np.flatnonzero(own < 0)
        best[others] = fused[others].max(axis=1)
        for k, closeness in enumerate(self.levels):
            reaching[others, k] = (fused[others] >= closeness).sum(axis=1)
        return mate, place, best, reaching

    def _fused(self, rows: Positions) -> Floats:
        """The fused closeness of each probe to each person."""
        sign = 1.0 if self.scores.larger_is_closer else -1.0
        tile = sign * self.scores.tile(rows, self.columns).astype(np.float64)
        cells = self.scores.cells(rows, self.columns)
        if cells is not None:
            tile = np.where(cells == OK, tile, -np.inf)
        if self.fusion == "max":
            return np.maximum.reduceat(tile, self.starts, axis=1)
        sizes = np.diff(np.append(self.starts, tile.shape[1]))
        return np.asarray(np.add.reduceat(tile, self.starts, axis=1) / sizes)


def chance_by_gallery_size(ahead: npt.NDArray[np.int64], n_gallery: int, size: int, rank: int = 1) -> Floats:
    """Compute the probability of finding a mate with `ahead` others before it, if a random subset with the mate is enrolled.

    Exact, without simulation: the number of the `ahead` in a subset of `size` out of `n_gallery` is hypergeometric, and the mate
    is at rank τ or better if it is less than τ.
    """
    if not 1 <= size <= n_gallery:
        raise UsageError(
            f"A part of a gallery of {count(n_gallery)} has 1 to {count(n_gallery)} people, got {size}."
        )
    chance = hypergeometric_cdf(rank - 1, n_gallery - 1, np.minimum(ahead, n_gallery - 1), size - 1)
    return np.asarray(chance, np.float64)
