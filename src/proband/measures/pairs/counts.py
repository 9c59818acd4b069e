"""Exact counts of genuine and impostor scores at every relevant threshold, without keeping the scores.

The false non-match rate changes only at genuine scores, which are few, so these are collected first; then all scores
are read in tiles and counted between and at the distinct genuine scores (and any requested thresholds). Everything
here is *closeness*: similarities unchanged, distances negated, so that larger is always closer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise
from math import log, nan
from operator import call
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine import Engine, Progress, Silent, on_engine, one_blas_thread, run_blocks, slices
from proband.engine.sending import working
from proband.engine.threads import default_threads, in_threads
from proband.errors import InputError, Said, UsageError
from proband.measures.pairs.accumulator import LONG, TYPICAL, Counted, PairAccumulator, ScoreGrid
from proband.measures.pairs.histogram import Histogram, bin_edges, histogram_of
from proband.measures.pairs.lists import genuine_pairs, impostor_meetings, tail_pairs
from proband.measures.pairs.pair_set import Counts, Floats, PairSet
from proband.measures.pairs.products import Block, Products
from proband.measures.pairs.tiles import (
    collect_genuine,
    collect_impostors,
    read_tile,
    row_blocks,
    sample_impostors,
    sign_of,
)
from proband.samples.table import frozen
from proband.scores import Embeddings, Scores
from proband.scores.base import ORIENTATION_HINT
from proband.scores.names import keys_of_pairs, n_repeats
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

FEW_PAIRS = LONG  # up to this number, pairs of a matrix or embeddings are scored and sorted
_IMPOSTORS_AN_EDGE = 4  # fewer do not justify another part of the list, whose counts must be merged
_RUN = 1 << 15
_EDGES_A_BLOCK = 1 << 16  # merging these takes a small part of the time of a block
_MOST_MORE, _WORTH_ONE_MORE = (
    4,
    1 << 28,
)  # blocks in a longer run; with this number of pairs there are enough runs to distribute

_REPEATED = Sentence(
    "pairs.repeated-ids",
    "caution",
    "{n:count comparison repeats/comparisons repeat} the ids of an earlier comparison; all are counted",
)
_REPEATED_APART = Sentence(
    "pairs.repeated-with-other-scores",
    "caution",
    "{n:count comparison repeats/comparisons repeat} the ids of an earlier comparison, "
    "{apart:count pair} with different scores; all are counted",
)
_WITH_ITSELF = Sentence(
    "pairs.with-itself", "note", "{n:count comparison} of a sample with itself {n:word was/were} left out"
)
_BOTH_WAYS = Sentence(
    "pairs.both-ways-round",
    "note",
    "{n:count pair is/pairs are} listed in both orders; only the first is counted",
)
_BOTH_WAYS_APART = Sentence(
    "pairs.both-ways-with-other-scores",
    "caution",
    "{n:count pair is/pairs are} listed in both orders, {apart:count} of them with different scores; only the first is counted",
)
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class PairCounts:
    """The numbers of genuine and impostor comparisons at and above every relevant threshold.

    Attributes
    ----------
    edges
        The distinct genuine scores and the requested thresholds, as closeness, ascending.
    genuine_at
        Genuine scores equal to each edge.
    impostor_ge, impostor_gt
        Impostor scores at or above, and above, each edge.
    n_genuine, n_impostor
        The numbers of comparisons with a score.
    n_failed_genuine, n_failed_impostor
        Comparisons lost to samples that failed to be acquired, and comparisons that failed themselves.
    n_dont_care_genuine, n_dont_care_impostor
        Don't-care comparisons, which are not counted.
    lowest_impostor, highest_impostor
        The extreme impostor closeness; NaN if no impostor has a score.
    histogram
        The histogram of both kinds over the whole range of scores.
    genuine_bits, impostor_bits
        The sums of log₂(1 + e^−s) over genuine and of log₂(1 + e^s) over impostor scores s, if requested, for Cllr. They are
        only meaningful for natural logarithms of likelihood ratios.
    notes
        Notes for readers of results.

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
        """Find the highest known closeness that at least `n` impostors reach, from edges and histogram; the lowest if there are fewer."""
        reached = np.cumsum(self.histogram.impostor[::-1])[::-1]  # from each bin upwards
        return max(
            float(self.lowest_impostor),
            float(self.edges[self.impostor_ge >= n].max(initial=-np.inf)),
            float(self.histogram.edges[:-1][reached >= n].max(initial=-np.inf)),
        )

    def closeness_to_admit(self, most: int) -> float:
        """Find the closeness down to which impostors must be known for `admitting` at most `most`."""
        place = int(np.searchsorted(-self.impostor_ge, -most))
        if place and self.impostor_gt[place - 1] <= most:
            return float(np.nextafter(self.edges[place - 1], np.inf))
        return self.closeness_reached_by(most + 1)

    def reaching(self, closeness: float) -> tuple[int, int]:
        """Find the minimum and maximum number of impostors that reach a closeness, from edges and histogram."""
        binned = self.histogram
        from_bin = np.append(np.cumsum(binned.impostor[::-1])[::-1], 0)
        edge, step = (int(np.searchsorted(edges, closeness)) for edges in (self.edges, binned.edges[:-1]))
        least = max(int(np.append(self.impostor_ge, 0)[edge]), int(from_bin[step]))
        most = min(
            int(self.impostor_gt[edge - 1]) if edge else self.n_impostor,
            int(from_bin[step - 1]) if step else self.n_impostor,
        )
        return least, most

    def window_to_admit(self, most: int) -> tuple[float, float, int]:
        """Find a closeness window with the last of `most` admitted impostors, and the number closer than that."""
        place = int(np.searchsorted(-self.impostor_ge, -most))
        if place == len(self.edges):
            return self.closeness_to_admit(most), np.inf, 0
        return self.closeness_to_admit(most), float(self.edges[place]), int(self.impostor_ge[place])

    def admitting(self, impostors: Floats, most: Iterable[int], closer: int = 0) -> PairCounts:
        """Also count at the least strict thresholds that admit at most the given numbers of impostors.

        Such a threshold is the lowest score, genuine or impostor, above the first impostor score that is not admitted.

        Parameters
        ----------
        impostors
            The closeness of impostor comparisons, in any order: all above the first that is not admitted, and that one, unless its
            score is an edge.
        most
            Numbers of impostors to admit.
        closer
            The number left out of `impostors` because they are closer than all of these: they reach an edge that is closer.
        """
        added: set[float] = set()
        for allowed in (admitted - closer for admitted in most):
            if allowed >= len(impostors):
                above = impostors
            else:
                excess = np.partition(impostors, -1 - allowed)[-1 - allowed]
                above = impostors[impostors > excess]
                if (
                    len(above) < allowed
                ):  # others are tied: their score becomes an edge too, so that none is lost
                    added.add(float(excess))
            if len(above):
                added.add(float(above.min()))
        new = np.setdiff1d(np.array(sorted(added)) + 0.0, self.edges)  # avoids minus zero
        ordered = np.sort(impostors[impostors >= new.min(initial=np.inf)])
        at = np.searchsorted(self.edges, new)
        inserted = {
            "edges": new,
            "genuine_at": np.zeros(len(new), dtype=np.int64),
            "impostor_ge": closer + len(ordered) - np.searchsorted(ordered, new),
            "impostor_gt": closer + len(ordered) - np.searchsorted(ordered, new, side="right"),
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

    Memory grows with the number of genuine comparisons, not with that of all pairs.

    Parameters
    ----------
    scores
        A matrix or embeddings. For embeddings no matrix is built, but the counts are those of the defined float64
        scores.
    pairs
        Which comparisons count.
    thresholds
        Additional closeness values to count at (a distance t is the closeness −t).
    log_ratios
        Whether to compute the sums for Cllr, if scores are natural logarithms of likelihood ratios.
    """
    near = pairs.acquired
    genuine = collect_genuine(scores, near, threads)
    ordered = np.sort(genuine.closeness)
    impostors = sample_impostors(scores, near)
    edges = _Edges.of(ordered, thresholds, impostors)
    progress = progress or Silent()
    progress.begin(f"counting comparisons of {scores.name}", near.n_genuine + near.n_impostor)
    bits = None
    if near.n_genuine + near.n_impostor < FEW_PAIRS and not log_ratios:
        found = collect_impostors(scores, near)
        tails = _Tails.of_sorted(found.closeness, edges)
        n_dont_care, n_failed = found.n_dont_care, found.n_failed
        progress.advance(near.n_genuine + near.n_impostor)
    else:
        if isinstance(scores, Embeddings) and scores.is_product and impostors.size and not log_ratios:
            total = _count_products(scores, near, edges.every, impostors, threads, progress)
        else:
            grid = ScoreGrid.of(edges.ended, edges.ended, 0.0, impostors)
            total = _added(_OfTiles(scores, near, grid, log_ratios), row_blocks(near), threads, progress)
        total.take_out(edges.genuine_at_every)
        tails = _Tails.of(total, total.extremes)
        n_dont_care = int(total.excluded[0]) - genuine.n_dont_care
        n_failed = int(total.excluded[1]) - genuine.n_failed
        bits = _bits(genuine.closeness, total.cost) if log_ratios else None
    return _counts(
        ordered,
        tails,
        edges,
        bits=bits,
        failed=(pairs.n_failed_genuine + genuine.n_failed, pairs.n_failed_impostor + n_failed),
        dont_care=(genuine.n_dont_care, n_dont_care),
        notes=(*scores.notes, *pairs.notes),
    )


def count_trials(trials: Trials, thresholds: Sequence[float] = (), *, log_ratios: bool = False) -> PairCounts:
    """Count a list of comparisons with mated flags, at every genuine score and at the thresholds.

    As in a matrix, a sample compared with itself is not counted, and a pair listed in both orders counts once. If a list
    repeats a pair in the same order, its ids do not identify samples and every row counts.
    """
    if trials.orientation is None:
        raise UsageError(
            f"{trials.name} has no score orientation.",
            ORIENTATION_HINT,
            source=Said(trials.name),
        )
    return count_each(each_pair_once(trials), thresholds, log_ratios=log_ratios)


def count_each(trials: Trials, thresholds: Sequence[float] = (), *, log_ratios: bool = False) -> PairCounts:
    """Count every row of a list, such as the result of `each_pair_once`; otherwise like `count_trials`."""
    frame = trials.frame
    unknown = frame["mated"].null_count()
    if unknown:
        raise InputError(
            f"whether {count(unknown)} of {count(frame.height)} comparisons are of one subject is not known.",
            "add a column 'mated', or the subjects of both samples.",
            source=trials.name,
        )
    sign = 1.0 if trials.orientation == "similarity" else -1.0
    mated, failed, score = frame["mated"], frame["failed"], frame["score"]
    genuine = sign * score.filter(mated & ~failed).to_numpy()
    impostors = score.filter(~mated & ~failed)
    tails, edges = _of_list(genuine, thresholds, impostors, sign)
    return _counts(
        genuine,
        tails,
        edges,
        bits=_bits(genuine, _cost_of_list(impostors, sign)) if log_ratios else None,
        failed=(int((mated & failed).sum()), int((~mated & failed).sum())),
        dont_care=(0, 0),
        notes=trials.notes,
    )


def allowed_errors(rate: float, n: Counts | int) -> Counts:
    """Find the largest number of errors among `n` that does not exceed a rate."""
    allowed: Counts = np.floor(rate * np.asarray(n)).astype(np.int64) + 1
    for _ in range(2):
        allowed -= allowed / n > rate
    return allowed


def each_pair_once(trials: Trials) -> Trials:
    """Leave out self-comparisons and pairs listed in both orders, if ids identify samples."""
    frame = trials.frame
    query, target = frame["query"], frame["target"]
    if max(query.null_count(), target.null_count()) == frame.height:
        return trials
    if not query.unique().drop_nulls().is_in(target.unique().drop_nulls().implode()).any():
        return trials
    named = (query.is_not_null() & target.is_not_null()).to_numpy()
    one, other = (side.to_physical().fill_null(0).to_numpy() for side in (query, target))
    n_names = 1 + int(max(one.max(), other.max()))
    either_way = keys_of_pairs(np.minimum(one, other), np.maximum(one, other), n_names)
    itself = named & (one == other)
    again = np.zeros(len(named), dtype=np.bool_)
    notes = [_WITH_ITSELF(n=int(itself.sum()))] if itself.any() else []
    if n_repeats(either_way[named]):
        apart = _with_several_scores(frame, either_way, named & ~itself)
        repeated = n_repeats(keys_of_pairs(one, other, n_names)[named])
        if repeated:
            said = _REPEATED_APART(n=repeated, apart=apart) if apart else _REPEATED(n=repeated)
            return replace(trials, notes=tuple(dict.fromkeys((*trials.notes, said))))
        again[named] = ~pl.Series(either_way[named]).is_first_distinct().to_numpy()
        n = int(again.sum())
        notes.append(_BOTH_WAYS_APART(n=n, apart=apart) if apart else _BOTH_WAYS(n=n))
    if not notes:
        return trials
    return replace(trials, frame=frame.filter(~(itself | again)), notes=(*trials.notes, *notes))


def _with_several_scores(frame: pl.DataFrame, pairs: npt.NDArray[Any], named: npt.NDArray[np.bool_]) -> int:
    """The number of pairs with scores that differ by more than rounding."""
    listed = pl.DataFrame({"pair": pairs, "score": frame["score"]}).filter(
        named & ~frame["failed"].to_numpy()
    )
    low, high = pl.col("score").min(), pl.col("score").max()
    ends = listed.group_by("pair").agg(apart=high - low, size=pl.max_horizontal(low.abs(), high.abs()))
    return int((ends["apart"] > _ROUNDING * ends["size"]).sum())


@dataclass(frozen=True)
class _Edges:
    """The edges to count at: those requested, and those of the histogram bins.

    Attributes
    ----------
    ended
        All edges, and infinity.
    wanted, genuine_at
        The distinct genuine scores and the thresholds, and the number of genuine scores equal to each.
    bins
        The edges of the histogram bins.
    places
        The insertion positions, among the wanted edges, of edges of the histogram only.
    """

    ended: Floats
    wanted: Floats
    genuine_at: Counts
    bins: Floats
    places: Counts

    @classmethod
    def of(cls, genuine: Floats, thresholds: Sequence[float], impostors: Floats) -> _Edges:
        """Make edges from ascending genuine scores, thresholds, and some impostors, including the extremes if known."""
        extra = np.asarray(thresholds, dtype=np.float64).ravel()
        if np.isnan(extra).any():
            raise UsageError("A threshold must be a number.")
        wanted, at = _distinct(genuine)
        places, new = _new_among(wanted, np.unique(extra) + 0.0)
        if len(new):
            wanted, at = np.insert(wanted, places, new), np.insert(at, places, 0)
        bins = bin_edges(genuine[[0, -1]] if len(genuine) else genuine, impostors)
        places, new = _new_among(wanted, bins)
        ended = np.insert(wanted, [*places, len(wanted)], [*new, np.inf])
        return cls(ended, wanted, at, bins, places)

    @property
    def every(self) -> Floats:
        """All edges."""
        return self.ended[:-1]

    @property
    def genuine_at_every(self) -> Counts:
        """The number of genuine scores equal to each edge, for all edges."""
        return np.insert(self.genuine_at, self.places, 0)

    def move_together(self, counts: Counts) -> Counts:
        """Move the rows of counts for the requested edges to the front, and return them."""
        behind = self.places + np.arange(1, len(self.places) + 1)  # the edges of bins only
        for left_out, (start, stop) in enumerate(pairwise([0, *behind, len(counts) + 1])):
            counts[start - left_out : stop - 1 - left_out] = counts[start : stop - 1]
        return counts[: len(self.wanted)]


def _distinct(ascending: Floats) -> tuple[Floats, Counts]:
    """Replace minus zeros; return the distinct numbers and their counts."""
    first = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    ascending += 0.0  # in place: allocating new memory takes longer than adding
    if first.all():
        return ascending, np.ones(len(ascending), dtype=np.int64)
    places = np.flatnonzero(first)
    return ascending[places], np.diff(places, append=len(ascending))


def _new_among(edges: Floats, more: Floats) -> tuple[Counts, Floats]:
    """The numbers that are not among the edges, and their insertion positions; both inputs are ascending and distinct."""
    places = np.searchsorted(edges, more)
    new = np.searchsorted(edges, more, side="right") == places
    return places[new], more[new]


def _count_products(
    scores: Embeddings,
    pairs: PairSet,
    edges: Floats,
    impostors: Floats,
    threads: int | None,
    progress: Progress,
) -> PairAccumulator:
    """Count in tiles of matrix products, and decide doubtful pairs by the exact score."""
    products = Products.of(scores, pairs).settled_by(edges, impostors)
    ended, keys = (np.append(values, np.inf) for values in (edges, products.keys(edges)))
    grid = ScoreGrid.of(ended, keys, products.band, products.keys(impostors), products.dtype)
    with one_blas_thread():
        return _added(_OfProducts(products, pairs, grid), products.blocks(pairs), threads, progress)


@dataclass(frozen=True, eq=False)
class _OfProducts:
    """The counts of some blocks of products, and their number of pairs."""

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
    """The counts of some tiles of whole rows, and their number of pairs."""

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
    """Sum the counts of runs of blocks, long enough that merging is cheap; the result does not depend on the order."""
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


class _Tails(NamedTuple):
    """The number of impostor scores, the numbers at or above and above every edge (one row each), and the extremes."""

    n: int
    reaching: Counts
    extremes: Floats

    @classmethod
    def of(cls, total: PairAccumulator, extremes: Floats) -> _Tails:
        """Cumulate the counts from above, in place: allocating new memory takes longer than adding."""
        slots = total.pour()
        np.cumsum(slots[::-1], out=slots[::-1])
        return cls(int(slots[0]), slots[1:].reshape(-1, 2), extremes)

    @classmethod
    def of_sorted(cls, closeness: Floats, edges: _Edges) -> _Tails:
        """Count scores in ascending order; for few scores, this is faster than compiling a kernel."""
        n = len(closeness)
        not_above = [np.searchsorted(closeness, edges.every, side) for side in ("left", "right")]
        return cls(n, n - np.stack(not_above, axis=1), closeness[[0, -1]] if n else closeness)


def _of_list(
    genuine: Floats, thresholds: Sequence[float], impostors: pl.Series, sign: float
) -> tuple[_Tails, _Edges]:
    """Sort the genuine scores, and count impostor scores in memory at every edge.

    A short list of impostors is sorted; in a long one, each score is placed separately.
    """
    n = len(impostors)
    if n < LONG:
        genuine.sort()
        closeness = np.sort(sign * impostors.to_numpy())
        edges = _Edges.of(genuine, thresholds, closeness[[0, -1]] if n else closeness)
        return _Tails.of_sorted(closeness, edges), edges
    chunks = [chunk.to_numpy() for chunk in impostors.get_chunks()]
    parts = _parts_of(chunks, max(-(-n // default_threads()), _IMPOSTORS_AN_EDGE * len(genuine)))
    threads = min(len(parts), 1 if working.get() else default_threads())
    beside: list[Callable[[], Any]] = [genuine.sort, *(partial(_ends_of, part) for part in parts)]
    ends = np.concatenate(list(in_threads(call, beside, threads))[1:])
    extremes = np.sort(sign * np.array([ends.min(), ends.max()]))
    edges = _Edges.of(genuine, thresholds, extremes)
    typical = np.concatenate([extremes, *(sign * chunk[:: -(-n // TYPICAL)] for chunk in chunks)])
    grid = ScoreGrid.of(edges.ended, edges.ended, 0.0, typical)
    total, *others = in_threads(partial(_count_part, grid, sign), parts, threads)
    for other in others:
        total.take(other.counted)
    return _Tails.of(total, extremes), edges


def _parts_of(chunks: Iterable[Floats], length: int) -> list[list[Floats]]:
    """Split the scores of a list into parts of a given length, the last one shorter, without copying."""
    parts: list[list[Floats]] = []
    room = 0
    for chunk in chunks:
        while len(chunk):
            if not room:
                parts.append([])
                room = length
            parts[-1].append(chunk[:room])
            chunk, room = chunk[room:], room - min(room, len(chunk))
    return parts


def _ends_of(part: Iterable[Floats]) -> Floats:
    """The lowest and the highest score of runs that fit into the cache, so that each is read once."""
    runs = (values[some] for values in part for some in slices(len(values), _RUN))
    return np.array([(run.min(), run.max()) for run in runs])


def _count_part(grid: ScoreGrid, sign: float, part: Iterable[Floats]) -> PairAccumulator:
    """Count a part of a list."""
    total = PairAccumulator(grid)
    for values in part:
        total.add_list(values, sign)
    total.pour()
    return total


def _cost_of_list(impostors: pl.Series, sign: float) -> float:
    """The sum of ln(1 + e^s) over impostor scores, added in ascending order."""
    costs = PairAccumulator(np.empty(0))
    costs.add_costs_of_list(np.sort(sign * impostors.to_numpy()))
    return costs.cost


def _bits(genuine: Floats, cost: float) -> tuple[float, float]:
    """The sums of log₂(1 + e^−s) over genuine and, of their sum in nats, of log₂(1 + e^s) over impostor scores."""
    return float(np.logaddexp(0.0, -genuine).sum()) / log(2), cost / log(2)


def _counts(
    genuine: Floats,
    impostors: _Tails,
    edges: _Edges,
    *,
    bits: tuple[float, float] | None,
    failed: tuple[int, int],
    dont_care: tuple[int, int],
    notes: tuple[Note, ...],
) -> PairCounts:
    """Assemble the counts; genuine scores are ascending."""
    extremes = impostors.extremes
    bins = np.searchsorted(edges.every, edges.bins)
    at_bins = impostors.reaching[bins, 0]
    at_least, above = edges.move_together(impostors.reaching).T
    genuine_bits, impostor_bits = bits or (None, None)
    return PairCounts(
        edges=frozen(edges.wanted),
        genuine_at=frozen(edges.genuine_at),
        impostor_ge=frozen(at_least),
        impostor_gt=frozen(above),
        n_genuine=len(genuine),
        n_impostor=impostors.n,
        n_failed_genuine=failed[0],
        n_failed_impostor=failed[1],
        n_dont_care_genuine=dont_care[0],
        n_dont_care_impostor=dont_care[1],
        lowest_impostor=float(extremes[0]) if extremes.size else nan,
        highest_impostor=float(extremes[1]) if extremes.size else nan,
        histogram=histogram_of(edges.bins, genuine, extremes, at_bins, impostors.n),
        genuine_bits=genuine_bits,
        impostor_bits=impostor_bits,
        notes=notes,
    )
