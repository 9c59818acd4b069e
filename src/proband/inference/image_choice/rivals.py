"""Who can beat whose mate: a score matrix made ready for millions of virtual experiments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.errors import AlignmentError, DesignError, InputError, Said, first_few
from proband.kernels.codes import DONT_CARE, OK
from proband.measures.outcomes import FailurePolicy
from proband.samples import Pool
from proband.samples.pool import Options
from proband.scores import Scores
from proband.words import agreeing, count

Bits = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.floating[Any]]

_TILE_CELLS = 1 << 22  # scores held at once
_OPTIONS_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Closeness:
    """The scores of a pool's images with each other, larger is closer, read a few people at a time.

    Attributes
    ----------
    unusable
        Options that cannot succeed: an image that was not acquired, or a comparison that failed.
    rivals
        Images that can stand before a mate: all that were enrolled.
    scores, options
        The scores, and everyone's choices.
    rows, columns
        Where each image is on the axes of the scores; −1 where it is not.
    """

    scores: Scores
    options: Options
    rows: npt.NDArray[np.intp]
    columns: npt.NDArray[np.intp]
    unusable: npt.NDArray[np.bool_]
    rivals: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, scores: Scores, pool: Pool, on_failure: FailurePolicy) -> Closeness:
        """Find the pool's images on the axes of the scores; images on neither as needed are an error."""
        options, names = pool.options, pool.samples.ids
        wanted = {
            "query": (scores.queries, _occurring(options.probe[: options.n_searched_choices], options)),
            "target": (scores.targets, _occurring(options.gallery, options)),
        }
        places: dict[str, npt.NDArray[np.intp]] = {}
        for role, (axis, images) in wanted.items():
            if role == "target" and axis is scores.queries and np.array_equal(images, wanted["query"][1]):
                places[role] = places["query"]
                break
            own = list(map(names[:].__getitem__, options.images[images].tolist()))
            try:
                found = axis.positions(own)
            except InputError:
                absent = [name for name in own if name not in axis]
                raise AlignmentError(
                    f"{count(len(absent))} of {count(len(own))} images of the pool {agreeing(len(absent))} not among the {role} ids of {scores.name}: "
                    f"{first_few(absent)}.",
                    "restrict the pool to scored images: pool_over(scores, samples, groups).",
                    source=Said(scores.name),
                ) from None
            full = np.full(len(options.images), -1, dtype=np.intp)
            full[images] = found
            places[role] = full
        failed = pool.samples.failed[options.images]
        if on_failure == "as_scored":
            failed = np.zeros_like(failed)
        enrolled = np.zeros(len(options.images), dtype=np.bool_)
        enrolled[options.gallery] = True
        unusable = failed[options.gallery] | failed[options.probe]
        unusable[options.n_searched_choices :] = True  # nobody searches for a distractor
        made = cls(scores, options, places["query"], places["target"], unusable, enrolled & ~failed)
        made._mates_that_failed()
        return made

    def _mates_that_failed(self) -> None:
        """Mark options whose own comparison failed; refuse those that were never to be made."""
        for first, last, _, cells in self._tiles():
            if cells is None:
                continue
            own = np.arange(self.options.starts[first], self.options.starts[last])
            own = own[own < self.options.n_searched_choices]
            at = self.options.probe[own] - self.options.image_starts[first]
            codes = cells[at, self.options.gallery[own]]
            if (codes == DONT_CARE).any():
                raise DesignError(
                    f"{self.scores.name}: some genuine comparisons are don't-care cells, so these pairs "
                    "cannot be chosen.",
                    "leave those images out of the pool.",
                )
            self.unusable[own] |= codes != OK

    def tiles(self) -> Iterator[tuple[int, int, Rows]]:
        """Closeness of some people's images with all images: first and last person, and the scores.

        A cell that holds no score is below all others, so it never beats a mate.
        """
        sign = 1 if self.scores.larger_is_closer else -1
        for first, last, values, cells in self._tiles():
            closeness = values if sign == 1 else -values
            if cells is not None:
                closeness = np.where(cells == OK, closeness, -np.inf)
            yield first, last, np.ascontiguousarray(closeness)

    def _tiles(self) -> Iterator[tuple[int, int, Rows, npt.NDArray[np.uint8] | None]]:
        starts = self.options.image_starts
        n_images = len(self.options.images)
        first = 0
        # An image that is only a probe (or only a gallery image) has no place on the other axis: any place will do there.
        rows, columns = np.maximum(self.rows, 0), np.maximum(self.columns, 0)
        while first < self.options.n_subjects:
            reach = starts[first] + max(1, _TILE_CELLS // n_images)
            last = max(first + 1, int(np.searchsorted(starts, reach, side="right")) - 1)
            part = rows[starts[first] : starts[last]]
            yield first, last, self.scores.tile(part, columns), self.scores.cells(part, columns)
            first = last


def _occurring(images: npt.NDArray[np.int64], options: Options) -> npt.NDArray[np.intp]:
    """Return which of the images occur, in order."""
    return np.flatnonzero(np.bincount(images, minlength=len(options.images)))


@dataclass(frozen=True, eq=False)
class Marks:
    """For every option, the gallery images closer than the mate, and those as close, as bits (the bitset kernels).

    Attributes
    ----------
    options, unusable
        Everyone's choices, and those that cannot succeed.
    closer, tied
        Options × words of 64 gallery images.
    """

    options: Options
    unusable: npt.NDArray[np.bool_]
    closer: Bits
    tied: Bits

    @classmethod
    def of(cls, closeness: Closeness, compiled: bool) -> Marks:
        """Compare every mate with every gallery image."""
        options = closeness.options
        words = -(-len(options.images) // 64)
        closer, tied = (np.zeros((len(options.gallery), words), dtype=np.uint64) for _ in range(2))
        owner = np.repeat(np.arange(options.n_subjects), np.diff(options.image_starts))
        mark = _marker(compiled)
        for first, last, rows in closeness.tiles():
            own = np.arange(options.starts[first], options.starts[last])
            mark(
                rows, own, options.gallery, options.probe, int(options.image_starts[first]), closeness.rivals,
                owner, closer[own[0] : own[-1] + 1], tied[own[0] : own[-1] + 1],
            )  # fmt: skip
        return cls(options, closeness.unusable, closer, tied)

    @cached_property
    def any_tied(self) -> bool:
        """Whether any non-mate is exactly as close as a mate."""
        return bool(self.tied.any())


def _marker(compiled: bool) -> Any:
    if compiled:
        from proband.kernels.choices import mark_rivals

        return mark_rivals
    return _mark_rivals


def _mark_rivals(
    closeness: Rows,
    own: npt.NDArray[np.int64],
    gallery: npt.NDArray[np.int64],
    probe: npt.NDArray[np.int64],
    first_row: int,
    rivals: npt.NDArray[np.bool_],
    owner: npt.NDArray[np.int64],
    closer: Bits,
    tied: Bits,
) -> None:
    """What the compiled marker does, some options at a time."""
    width = closer.shape[1] * 64
    for start in range(0, len(own), _OPTIONS_AT_ONCE):
        part = own[start : start + _OPTIONS_AT_ONCE]
        rows = closeness[probe[part] - first_row]
        mates = rows[np.arange(len(part)), gallery[part]][:, None]
        other = rivals & (owner != owner[gallery[part]][:, None])
        padded = np.zeros((len(part), width), dtype=np.bool_)
        for bits, found in ((closer, rows > mates), (tied, rows == mates)):
            padded[:, : rows.shape[1]] = found & other
            bits[start : start + len(part)] = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


@dataclass(frozen=True, eq=False)
class Slices:
    """The same, in the form of the bit-sliced kernel: per person, who can beat a mate and in which trials.

    Attributes
    ----------
    level_starts, level_option, level_end
        Every person's usable options by probe image and, within it, from the closest mate down: where each person's begin,
        which they are, and whether one is the last of its probe image.
    group_starts, entry_starts
        Where each person's groups of rivals begin, and each group's entries.
    entry_masks, entry_subsets
        Entries × rivals of a group: at which levels images of an entry beat the mate, and which subset of the rival's images
        they are.
    """

    level_starts: npt.NDArray[np.int64]
    level_option: npt.NDArray[np.int64]
    level_end: npt.NDArray[np.bool_]
    group_starts: npt.NDArray[np.int64]
    entry_starts: npt.NDArray[np.int64]
    entry_masks: npt.NDArray[np.uint16]
    entry_subsets: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, closeness: Closeness, layout: PoolLayout, strictly: bool) -> Slices | None:
        """List rivals tile by tile; None if there would be more entries than memory is worth."""
        from proband.kernels.choices import list_rivals, order_levels
        from proband.kernels.vectorised import GROUP

        options = closeness.options
        parts: list[tuple[npt.NDArray[Any], ...]] = []
        total = 0
        for first, last, rows in closeness.tiles():
            n = int(options.starts[last] - options.starts[first])
            level_option, level_end = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.bool_)
            first_row = int(options.image_starts[first])
            levels = order_levels(
                rows, first, last, options.starts, options.gallery, options.probe, closeness.unusable, first_row,
                level_option, level_end,
            )  # fmt: skip
            given = (
                rows, first, last, first_row, closeness.rivals, layout.owner, layout.chunk_of, layout.bit_of,
                options.gallery, options.probe, levels, level_option, level_end, strictly,
            )  # fmt: skip
            group_starts = np.empty(last - first + 1, dtype=np.int64)
            entry_starts = np.empty((last - first) * -(-options.n_subjects // GROUP) + 1, dtype=np.int64)
            n_entries = _FIRST_GUESS
            while True:
                masks = np.empty(n_entries * GROUP, dtype=np.uint16)
                subsets = np.empty(n_entries * GROUP, dtype=np.uint32)
                n_groups, found = list_rivals(*given, group_starts, entry_starts, masks, subsets)
                if (total + found) * GROUP > _MOST_ENTRIES:
                    return None
                if found <= n_entries:
                    break
                n_entries = found
            total += found
            entry_starts = entry_starts[: n_groups + 1]
            masks, subsets = masks[: found * GROUP], subsets[: found * GROUP]
            used = int(levels[-1])
            parts.append(
                (levels, level_option[:used], level_end[:used], group_starts, entry_starts, masks, subsets)
            )
        return cls(
            _joined_starts([part[0] for part in parts]),
            np.concatenate([part[1] for part in parts]),
            np.concatenate([part[2] for part in parts]),
            _joined_starts([part[3] for part in parts]),
            _joined_starts([part[4] for part in parts]),
            np.concatenate([part[5] for part in parts]),
            np.concatenate([part[6] for part in parts]),
        )


_MOST_ENTRIES = 50_000_000  # 300 MB
_FIRST_GUESS = 1 << 14


def _joined_starts(parts: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Put lists of starts behind one another, each going on where the last ended."""
    joined = [np.zeros(1, dtype=np.int64)]
    for part in parts:
        joined.append(part[1:] + joined[-1][-1])
    return np.concatenate(joined)


@dataclass(frozen=True, eq=False)
class PoolLayout:
    """Where each image stands among the tabulated subsets of its person's images.

    Attributes
    ----------
    owner
        The person of each image.
    chunk_of, bit_of, n_chunks
        The chunk of four that an image is in, its bit there, and how many chunks there are.
    """

    owner: npt.NDArray[np.int64]
    chunk_of: npt.NDArray[np.int64]
    bit_of: npt.NDArray[np.int64]
    n_chunks: int

    @classmethod
    def of(cls, options: Options) -> PoolLayout:
        """Put each person's images into chunks of four."""
        from proband.kernels.choices import SUBSET

        sizes = np.diff(options.image_starts)
        place = np.arange(len(options.images)) - np.repeat(options.image_starts[:-1], sizes)
        chunks = -(-sizes // SUBSET)
        first = np.concatenate([[0], np.cumsum(chunks)])
        owner = np.repeat(np.arange(options.n_subjects), sizes)
        return cls(owner, first[owner] + place // SUBSET, place % SUBSET, int(first[-1]))
