"""Genuine and impostor scores counted at every threshold that matters, exactly, without keeping the scores.

The rate of false non-matches changes only at genuine scores, and those are few. So they are collected first; then all
scores stream by in tiles and are counted between and upon the distinct genuine scores (and any thresholds asked for).
Everything here is *closeness*: similarities as they are, distances negated, so that larger is always closer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import log, nan
from typing import Any, TypeVar

import numpy as np
import polars as pl

from proband.engine import Engine, Progress, Silent, on_engine, one_blas_thread, run_blocks
from proband.errors import InputError, Said, UsageError
from proband.measures.pairs.accumulator import Counted, PairAccumulator, ScoreGrid
from proband.measures.pairs.histogram import Histogram, bin_edges, histogram_of
from proband.measures.pairs.lists import genuine_pairs, impostor_meetings, tail_pairs
from proband.measures.pairs.pair_set import Counts, Floats, PairSet
from proband.measures.pairs.products import Block, Products
from proband.measures.pairs.tiles import collect_genuine, read_tile, row_blocks, sample_impostors, sign_of
from proband.samples.table import frozen
from proband.scores import Embeddings, Scores
from proband.scores.base import ORIENTATION_HINT
from proband.scores.names import n_repeats
from proband.scores.trials import Trials
from proband.words import Note, Sentence, count, counted

__all__ = [
    "Histogram",
    "PairAccumulator",
    "PairCounts",
    "allowed_errors",
    "count_each",
    "count_pairs",
    "count_trials",
    "each_pair_once",
    "genuine_pairs",
    "impostor_meetings",
    "tail_pairs",
]

Work = TypeVar("Work")

_EDGES_A_BLOCK = 1 << 16  # so many are merged in a small part of the time that a block takes
_MOST_MORE, _WORTH_ONE_MORE = (
    4,
    1 << 28,
)  # blocks in a run beyond that; of so many pairs there are runs enough to share out

_REPEATED = Sentence(
    "pairs.repeated-ids",
    "caution",
    "{n:count comparison repeats/comparisons repeat} the ids of an earlier one; every one counts",
)
_WITH_ITSELF = Sentence("pairs.with-itself", "note", "{n:count comparison} of a sample with itself; left out")
_BOTH_WAYS = Sentence(
    "pairs.both-ways-round", "note", "{n:count pair is/pairs are} listed in both orders; the first counts"
)


@dataclass(frozen=True, eq=False)
class PairCounts:
    """How many genuine and impostor comparisons lie at and above every threshold that matters.

    Attributes
    ----------
    edges
        The distinct genuine scores and the thresholds asked for, as closeness, ascending.
    genuine_at
        Genuine scores equal to each edge.
    impostor_ge, impostor_gt
        Impostor scores at or above, and above, each edge.
    n_genuine, n_impostor
        Comparisons that have a score.
    n_failed_genuine, n_failed_impostor
        Comparisons lost to samples that failed to acquire, and comparisons that failed themselves.
    n_dont_care_genuine, n_dont_care_impostor
        Comparisons not to be counted either way.
    lowest_impostor, highest_impostor
        NaN where no impostor has a score.
    histogram
        Both kinds over the whole range of scores.
    genuine_bits, impostor_bits
        The sums of log₂(1 + e^−s) over genuine and of log₂(1 + e^s) over impostor scores s, where they were asked for.
        They make Cllr, and mean something for natural logarithms of likelihood ratios only.
    notes
        What a reader of results should know.

    """

    edges: Floats
    genuine_at: Counts
    impostor_ge: Counts
    impostor_gt: Counts
    n_genuine: int
    n_impostor: int
    n_failed_genuine: int
    n_failed_impostor: int
    n_dont_care_genuine: int
    n_dont_care_impostor: int
    lowest_impostor: float
    highest_impostor: float
    histogram: Histogram
    genuine_bits: float | None = None
    impostor_bits: float | None = None
    notes: tuple[Note, ...] = ()

    def closeness_reached_by(self, n: int) -> float:
        """Find a closeness that at least `n` impostors reach, as high as the edges and the histogram tell; the lowest if there are fewer."""
        reached = np.cumsum(self.histogram.impostor[::-1])[::-1]  # from each bin on
        return max(
            float(self.lowest_impostor),
            float(self.edges[self.impostor_ge >= n].max(initial=-np.inf)),
            float(self.histogram.edges[:-1][reached >= n].max(initial=-np.inf)),
        )

    def closeness_to_admit(self, most: int) -> float:
        """Find the closeness down to which impostors must be known for `admitting` at most so many."""
        place = int(np.searchsorted(-self.impostor_ge, -most))
        if place and self.impostor_gt[place - 1] <= most:
            return float(np.nextafter(self.edges[place - 1], np.inf))
        return self.closeness_reached_by(most + 1)

    def admitting(self, impostors: Floats, most: Iterable[int]) -> PairCounts:
        """Count as well at the laxest thresholds that admit at most so many impostors.

        Such a threshold is the lowest score, genuine or impostor, above that of the first impostor who is one too many.

        Parameters
        ----------
        impostors
            The closeness of impostor comparisons, in any order: all above the first who is one too many, and that one, unless its
            score is an edge.
        most
            Numbers of impostors to admit.
        """
        added: set[float] = set()
        for allowed in most:
            if allowed >= len(impostors):
                above = impostors
            else:
                excess = np.partition(impostors, -1 - allowed)[-1 - allowed]
                above = impostors[impostors > excess]
                if (
                    len(above) < allowed
                ):  # others have the same score: it is an edge too, so that none seems to be missing
                    added.add(float(excess))
            if len(above):
                added.add(float(above.min()))
        new = np.setdiff1d(np.array(sorted(added)) + 0.0, self.edges)  # no minus zero
        ordered = np.sort(impostors[impostors >= new.min(initial=np.inf)])
        at = np.searchsorted(self.edges, new)
        inserted = {
            "edges": new,
            "genuine_at": np.zeros(len(new), dtype=np.int64),
            "impostor_ge": len(ordered) - np.searchsorted(ordered, new),
            "impostor_gt": len(ordered) - np.searchsorted(ordered, new, side="right"),
        }
        changed = {
            name: frozen(np.insert(getattr(self, name), at, values)) for name, values in inserted.items()
        }
        return replace(self, **changed)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        failed = self.n_failed_genuine + self.n_failed_impostor
        lost = f"; {count(failed)} failed" if failed else ""
        return f"PairCounts({count(self.n_genuine)} genuine, {counted(self.n_impostor, 'impostor comparison')}{lost})"


@on_engine
def count_pairs(
    scores: Scores,
    pairs: PairSet,
    thresholds: Sequence[float] = (),
    threads: int | None = None,
    progress: Progress | None = None,
    *,
    log_ratios: bool = False,
    engine: Engine = None,
) -> PairCounts:
    """Count genuine and impostor comparisons at every genuine score and at the thresholds.

    Memory grows with the number of genuine comparisons, never with that of all pairs.

    Parameters
    ----------
    scores
        A matrix or embeddings. Of embeddings no matrix is ever made, yet the counts are those of the defined float64
        scores.
    pairs
        Which comparisons count.
    thresholds
        More closeness values to count at (a distance t is the closeness −t).
    log_ratios
        Add up what Cllr needs: for scores that are natural logarithms of likelihood ratios.
    """
    near = pairs.acquired
    genuine = collect_genuine(scores, near, threads)
    impostors = sample_impostors(scores, near)
    edges = _Edges.of(genuine.closeness, thresholds, impostors)
    progress = progress or Silent()
    progress.begin(f"comparisons of {scores.name}", near.n_genuine + near.n_impostor)
    if isinstance(scores, Embeddings) and scores.is_product and impostors.size and not log_ratios:
        total = _count_products(scores, near, edges.every, impostors, threads, progress)
    else:
        grid = ScoreGrid.of(edges.every, edges.every, 0.0, impostors)
        total = _added(_OfTiles(scores, near, grid, log_ratios), row_blocks(near), threads, progress)
    total.take_out(_equal_to(edges.every, genuine.closeness))
    n_dont_care, n_failed = total.excluded.tolist()
    return _counts(
        genuine.closeness,
        _Tails(total.n, total.at_least, total.above, total.extremes, total.cost),
        edges,
        log_ratios=log_ratios,
        failed=(
            pairs.n_failed_genuine + genuine.n_failed,
            pairs.n_failed_impostor + n_failed - genuine.n_failed,
        ),
        dont_care=(genuine.n_dont_care, n_dont_care - genuine.n_dont_care),
        notes=(*scores.notes, *pairs.notes),
    )


def count_trials(trials: Trials, thresholds: Sequence[float] = (), *, log_ratios: bool = False) -> PairCounts:
    """Count a list of comparisons that says which are mated, at every genuine score and at the thresholds.

    A sample compared with itself, and a pair that is listed both ways round, count as in a matrix: not at all, and once.
    Where a list repeats a pair the same way round, its ids do not tell samples apart and every row counts.
    """
    if trials.orientation is None:
        raise UsageError(
            f"{trials.name} does not say whether larger scores are closer.",
            ORIENTATION_HINT,
            source=Said(trials.name),
        )
    return count_each(each_pair_once(trials), thresholds, log_ratios=log_ratios)


def count_each(trials: Trials, thresholds: Sequence[float] = (), *, log_ratios: bool = False) -> PairCounts:
    """Count every comparison of a list: as `count_trials`, of what `each_pair_once` leaves of it."""
    frame = trials.frame
    unknown = frame["mated"].null_count()
    if unknown:
        raise InputError(
            f"whether {count(unknown)} of {count(frame.height)} comparisons are of one subject is not known.",
            "give a column 'mated', or the subjects of both sides.",
            source=trials.name,
        )
    mated, failed = frame["mated"].to_numpy(), frame["failed"].to_numpy()
    sign = 1.0 if trials.orientation == "similarity" else -1.0
    score = frame["score"].to_numpy()  # of failed comparisons there is none, and none is taken
    genuine, impostors = sign * score[mated & ~failed], sign * score[~mated & ~failed]
    genuine.sort()
    impostors.sort()
    edges = _Edges.of(genuine, thresholds, impostors[[0, -1]] if len(impostors) else impostors)
    return _counts(
        genuine,
        _Tails.of_sorted(impostors, edges.every, log_ratios),
        edges,
        log_ratios=log_ratios,
        failed=(int((mated & failed).sum()), int((~mated & failed).sum())),
        dont_care=(0, 0),
        notes=trials.notes,
    )


def allowed_errors(rate: float, n: Counts | int) -> Counts:
    """Find the most errors among `n` for a rate not to be exceeded: the largest count whose share is not above it."""
    allowed: Counts = np.floor(rate * np.asarray(n)).astype(np.int64) + 1
    for _ in range(2):
        allowed -= allowed / n > rate
    return allowed


def each_pair_once(trials: Trials) -> Trials:
    """Leave out self-comparisons and pairs listed both ways round, as far as ids tell samples apart."""
    frame = trials.frame
    query, target = frame["query"], frame["target"]
    named = (query.is_not_null() & target.is_not_null()).to_numpy()
    if not set(query.unique().drop_nulls()) & set(target.unique().drop_nulls()):
        return trials
    one, other = (side.to_physical().fill_null(0).to_numpy().astype(np.int64) for side in (query, target))
    n_names = 1 + int(max(one.max(), other.max()))
    repeated = n_repeats((one * n_names + other)[named])
    if repeated:
        return replace(trials, notes=tuple(dict.fromkeys((*trials.notes, _REPEATED(n=repeated)))))
    itself = named & (one == other)
    either_way = np.minimum(one, other) * n_names + np.maximum(one, other)
    again = np.zeros(len(named), dtype=np.bool_)
    if n_repeats(either_way[named]):
        again[named] = ~pl.Series(either_way[named]).is_first_distinct().to_numpy()
    notes = [
        said(n=int(which.sum()))
        for which, said in ((itself, _WITH_ITSELF), (again, _BOTH_WAYS))
        if which.any()
    ]
    if not notes:
        return trials
    return replace(trials, frame=frame.filter(~(itself | again)), notes=(*trials.notes, *notes))


@dataclass(frozen=True)
class _Edges:
    """Where to count: the edges asked for, and those of the histogram's bins."""

    every: Floats
    wanted: Floats
    bins: Floats

    @classmethod
    def of(cls, genuine: Floats, thresholds: Sequence[float], impostors: Floats) -> _Edges:
        extra = np.asarray(thresholds, dtype=np.float64).ravel()
        if np.isnan(extra).any():
            raise UsageError("A threshold must be a number.")
        wanted = np.unique(np.concatenate([genuine, extra])) + 0.0  # no minus zero
        bins = bin_edges(genuine, impostors)
        return cls(np.unique(np.concatenate([wanted, bins])), wanted, bins)


def _equal_to(edges: Floats, values: Floats) -> Counts:
    """How many values equal each edge; every value is one."""
    return np.bincount(np.searchsorted(edges, values), minlength=len(edges))


def _count_products(
    scores: Embeddings,
    pairs: PairSet,
    edges: Floats,
    impostors: Floats,
    threads: int | None,
    progress: Progress,
) -> PairAccumulator:
    """Count in tiles of matrix products, settling by the exact score what they cannot tell."""
    products = Products.of(scores, pairs).settled_by(edges, impostors)
    grid = ScoreGrid.of(edges, products.keys(edges), products.band, products.keys(impostors), products.dtype)
    with one_blas_thread():
        return _added(_OfProducts(products, pairs, grid), products.blocks(pairs), threads, progress)


@dataclass(frozen=True, eq=False)
class _OfProducts:
    """Counts of some blocks of products, and how many pairs they hold."""

    products: Products
    pairs: PairSet
    grid: ScoreGrid

    def __call__(self, blocks: Sequence[Block]) -> tuple[Counted, int]:
        total, sign = PairAccumulator(self.grid), sign_of(self.products.embeddings)
        for block in blocks:
            for tile in self.products.tiles(block, self.pairs):
                total.add_products(*tile.arrays, sign)
        return total.counted, sum(block.n_pairs(self.pairs) for block in blocks)


@dataclass(frozen=True, eq=False)
class _OfTiles:
    """Counts of some tiles of whole rows, and how many pairs they hold."""

    scores: Scores
    pairs: PairSet
    grid: ScoreGrid
    log_ratios: bool

    def __call__(self, blocks: Sequence[slice]) -> tuple[Counted, int]:
        total = PairAccumulator(self.grid)
        for rows in blocks:
            tile = read_tile(self.scores, self.pairs, rows)
            total.add_tile(*tile.arrays)
            if self.log_ratios:
                total.add_costs(*tile.arrays)
        firsts = np.concatenate([self.pairs.firsts[rows] for rows in blocks])
        return total.counted, int((len(self.pairs.columns) - firsts).sum())


def _added(
    task: _OfProducts | _OfTiles, work: Iterable[Any], threads: int | None, progress: Progress
) -> PairAccumulator:
    """Add up what is counted in runs of blocks, long enough that merging costs little; it comes to the same in any order."""
    merged = PairAccumulator(task.grid)
    n_pairs = task.pairs.n_genuine + task.pairs.n_impostor
    length = 1 + task.grid.n_edges // _EDGES_A_BLOCK + min(_MOST_MORE, n_pairs // _WORTH_ONE_MORE)
    for part, done in run_blocks(task, _runs(work, length), threads):
        merged.take(part)
        progress.advance(done)
    return merged


def _runs(work: Iterable[Work], length: int) -> Iterator[list[Work]]:
    remaining = iter(work)
    while run := list(islice(remaining, length)):
        yield run


@dataclass(frozen=True)
class _Tails:
    """How many impostor scores there are, how many at or above and above every edge, the lowest and the highest, and their cost."""

    n: int
    at_least: Counts
    above: Counts
    extremes: Floats
    cost: float

    @classmethod
    def of_sorted(cls, closeness: Floats, edges: Floats, log_ratios: bool) -> _Tails:
        """Count scores that are all in memory, in ascending order: sorting them takes less than looking among many edges."""
        below, up_to = (np.searchsorted(closeness, edges, side) for side in ("left", "right"))
        costs = PairAccumulator(np.empty(0))
        if log_ratios:
            costs.add(closeness, log_ratios=True)
        n = len(closeness)
        return cls(n, n - below, n - up_to, closeness[[0, -1]] if n else closeness, costs.cost)


def _counts(
    genuine: Floats,
    impostors: _Tails,
    edges: _Edges,
    *,
    log_ratios: bool,
    failed: tuple[int, int],
    dont_care: tuple[int, int],
    notes: tuple[Note, ...],
) -> PairCounts:
    n_impostor, at_least = impostors.n, impostors.at_least
    extremes = impostors.extremes
    wanted, bins = (np.searchsorted(edges.every, some) for some in (edges.wanted, edges.bins))
    return PairCounts(
        edges=frozen(edges.wanted),
        genuine_at=frozen(_equal_to(edges.wanted, genuine)),
        impostor_ge=frozen(at_least[wanted]),
        impostor_gt=frozen(impostors.above[wanted]),
        n_genuine=len(genuine),
        n_impostor=n_impostor,
        n_failed_genuine=failed[0],
        n_failed_impostor=failed[1],
        n_dont_care_genuine=dont_care[0],
        n_dont_care_impostor=dont_care[1],
        lowest_impostor=float(extremes[0]) if extremes.size else nan,
        highest_impostor=float(extremes[1]) if extremes.size else nan,
        histogram=histogram_of(edges.bins, genuine, extremes, at_least[bins], n_impostor),
        genuine_bits=float(np.logaddexp(0.0, -genuine).sum()) / log(2) if log_ratios else None,
        impostor_bits=impostors.cost / log(2) if log_ratios else None,
        notes=notes,
    )
