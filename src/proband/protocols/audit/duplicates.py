"""Samples with the same image: exact copies regardless of file format, and near copies, without a table of all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.algorithms.pictures.pictures import Grey, reason
from proband.engine import Engine, Progress, Silent, on_engine, one_blas_thread, run_blocks
from proband.engine.frames import frame_of_rows
from proband.errors import ProbandError
from proband.protocols.audit.picture_codes import VIEWS, WORDS, Words, code, content
from proband.protocols.audit.registration import grain_likeness, likeness
from proband.samples.ids import Positions
from proband.samples.table import frozen
from proband.words import count, fixed

LIKENESS = 0.95
"""The minimum likeness of near copies. Of 5,208 pairs of different photographs of one person, 2 reach it (docs/methods/audit.md)."""

GRAIN = 0.4
"""The minimum share of common grain in near copies. Two exposures of one sitting reach 0.23, copies of JPEG's quality 50 fall to 0.5 (docs/methods/audit.md)."""

BITS = 30
"""The maximum number of different bits (of 242) between an image and a view of another for the pair to be examined."""

SPREADS = 5.0
"""The number of robust standard deviations by which a suspicious distance is below the median of same-subject distances."""

_FEWEST = 20  # samples with a mate, from which a threshold can be set
_IDENTICAL = 1e-6  # of one minus a cosine: beyond it float32 vectors differ
_PLACES = 9  # of distances; the rest is rounding
_ROWS = 256
_SLACK = 1e-5  # what cosines of float32 may get wrong; settled in float64
_CELLS = 1 << 21  # pairs of codes in a block
_MOST_PAIRS = 100_000

Load = Callable[[str], Grey]


@dataclass(frozen=True, eq=False, repr=False)
class Duplicates:
    """Groups and pairs of samples that are copies.

    Attributes
    ----------
    ids
        The samples that were compared.
    groups
        A number for each sample, the same for exact copies.
    pairs
        Pairs that are similar: the columns one and other (numbers of groups), distance, whether one is
        mirrored, and whether the two are near copies (otherwise they may be two exposures).
    exact, near, alike
        The criteria for exact copies, near copies and merely similar images, in words.
    unread
        (id, reason) of samples that could not be compared.
    capped
        Whether there are more near pairs than are listed.
    of_vectors
        Whether vectors were compared: unlike images, two vectors may be equal by chance.
    """

    ids: tuple[str, ...]
    groups: Positions
    pairs: pl.DataFrame
    exact: str
    near: str
    alike: str = ""
    unread: tuple[tuple[str, str], ...] = ()
    capped: bool = False
    of_vectors: bool = False

    def __repr__(self) -> str:
        copies = len(self.ids) - len(np.unique(self.groups))
        near = int(self.pairs["near"].sum())
        alike = count(self.pairs.height - near)
        return f"Duplicates({count(len(self.ids))} samples: {count(copies)} exact copies, {count(near)} near pairs, {alike} only alike)"


@on_engine
def duplicate_pictures(
    load: Load,
    ids: Sequence[str],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> Duplicates:
    """Find copies among images.

    Exact copies have the same pixels after decoding to grey. Near copies are first searched for with a code
    of 242 bits (see :func:`proband.protocols.audit.picture_codes.code`): the code of every whole image is
    compared with the codes of views of the others (mirrored, cropped on all sides by 3, 6 and 10 %, cropped
    on one side by 5 %), by the number of different bits, block by block. Pairs that differ in at most 30 bits
    are registered, and are similar if every part has a likeness of at least 0.95
    (:func:`proband.protocols.audit.registration.likeness`). They are near copies if they also share at least
    0.4 of their grain (:func:`proband.protocols.audit.registration.grain_likeness`). This finds images that
    were recompressed, brightened, resized, mirrored or cropped; another expression of the same person in the
    same pose is not a copy, and two exposures of one expression are only similar.

    Parameters
    ----------
    load
        Returns the grey image of a sample; called again for pairs that are examined twice.
    ids
        The samples.
    """
    told = progress or Silent()
    with one_blas_thread():  # products of small matrices, which threads only slow down
        read, digests, codes, unread = _read(load, ids, told)
    groups, firsts = _grouped(digests)
    coded = [(group, codes[place]) for group, place in enumerate(firsts) if codes[place] is not None]
    words = np.array([views for _, views in coded], dtype=np.uint64).reshape(len(coded), len(VIEWS), WORDS)
    candidates = close_codes(words, BITS, threads, told)
    near: list[_Near] = []
    told.begin("comparing pictures", min(len(candidates), _MOST_PAIRS))
    with one_blas_thread():
        for one, other, number in candidates[:_MOST_PAIRS]:
            first, second, view = coded[one][0], coded[other][0], VIEWS[number]
            pictures = load(read[firsts[first]]), load(read[firsts[second]])
            alike = likeness(*pictures, view)
            if alike >= LIKENESS:
                copied = grain_likeness(*pictures, view) >= GRAIN
                pair = (min(first, second), max(first, second))
                near.append(_Near(*pair, max(0.0, 1.0 - alike), view.mirrored, copied))
            told.advance(1)
    return Duplicates(
        tuple(read),
        groups,
        _pairs(near),
        "the same pixels",
        f"nearly the same pixels (similarity {LIKENESS} or more in every part, and the same grain)",
        "nearly the same content but different grain (two exposures, or a strongly compressed copy)",
        tuple(unread),
        len(candidates) > _MOST_PAIRS,
    )


def _read(
    load: Load, ids: Sequence[str], progress: Progress
) -> tuple[list[str], list[bytes], list[Words | None], list[tuple[str, str]]]:
    """Look at every picture once: who was read, their digests and the codes of their views, and who could not be read and why."""
    progress.begin("reading pictures", len(ids))
    read: list[str] = []
    digests: list[bytes] = []
    codes: list[Words | None] = []
    unread: list[tuple[str, str]] = []
    for name in ids:
        try:
            picture = load(name)
        except ProbandError as error:
            unread.append((name, reason(error)))
        else:
            read.append(name)
            digests.append(content(picture))
            codes.append(_codes(picture))
        progress.advance(1)
    return read, digests, codes, unread


def _codes(picture: Grey) -> Words | None:
    """The codes of all views of a picture, a row each; None if it shows nothing."""
    found = [one for view in VIEWS if (one := code(picture, view)) is not None]
    return np.stack(found) if found else None


def close_codes(
    codes: Words, most: int, threads: int | None = None, progress: Progress | None = None
) -> list[tuple[int, int, int]]:
    """Find the pairs of images whose codes differ in at most `most` bits from a view of the other, computed in blocks.

    Parameters
    ----------
    codes
        Pictures × views × words; the first view is the whole picture.

    Returns
    -------
    pairs
        Every pair once, with its closest view: an image, the other image, and the number of its view.
    """
    told = progress or Silent()
    n = len(codes)
    height = max(1, _CELLS // max(1, n))
    told.begin("comparing codes", n)
    best: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    for found in run_blocks(_CloseCodes(codes, height, most), range(0, n, height), threads):
        for bits, number, one, other in found:
            pair = (min(one, other), max(one, other))
            best[pair] = min(best.get(pair, (bits, number, one, other)), (bits, number, one, other))
        told.advance(height)
    return [(one, other, number) for _, number, one, other in (best[pair] for pair in sorted(best))]


@dataclass(frozen=True, eq=False)
class _CloseCodes:
    """The pairs of a block of whole pictures with views of others that differ in few bits: bits, view, picture, other."""

    codes: Words
    height: int
    most: int

    def __call__(self, start: int) -> list[tuple[int, int, int, int]]:
        block = self.codes[start : start + self.height, 0]
        found: list[tuple[int, int, int, int]] = []
        for number in range(self.codes.shape[1]):
            views = self.codes[:, number]
            # The first words rule most pairs out; only of the others are the rest looked at.
            bits = sum(
                np.bitwise_count(block[:, None, word] ^ views[None, :, word])
                for word in range(min(2, views.shape[1]))
            )
            rows, others = np.nonzero(bits <= self.most)
            # Whole pictures are compared once; a view of one with the whole of the other, and the other way round.
            wanted = others > rows + start if number == 0 else others != rows + start
            rows, others = rows[wanted], others[wanted]
            counts = np.bitwise_count(block[rows] ^ views[others]).sum(axis=1)
            close = counts <= self.most
            found += zip(
                counts[close].tolist(), [number] * int(close.sum()), (rows[close] + start).tolist(), others[close].tolist(),
                strict=True,
            )  # fmt: skip
        return found


@on_engine
def duplicate_vectors(
    vectors: npt.NDArray[np.floating],
    ids: Sequence[str],
    subjects: npt.NDArray[np.generic],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> Duplicates:
    """Find copies among embeddings or features, by cosines.

    Exact copies have the same vector. The threshold for suspicious pairs is estimated from the data: for
    every sample with other samples of its subject, the distance (one minus the cosine) to the nearest is
    taken; a pair is suspicious if its
    distance is five robust standard deviations (1.4826 × the median absolute deviation) below the median of
    these, in logarithms. With fewer than 20 such samples, or if half of them are copies, only vectors with
    the same direction count.

    Parameters
    ----------
    vectors
        One row per sample; rows of zeros have no direction and are skipped.
    subjects
        The subject of each.
    """
    told = progress or Silent()
    lengths = np.linalg.norm(np.asarray(vectors, np.float64), axis=1)
    kept = np.flatnonzero(lengths > 0)
    units = np.asarray(vectors[kept], np.float64) / lengths[kept, None]
    groups, firsts = _grouped([row.tobytes() for row in np.ascontiguousarray(vectors[kept])])
    limit = _suspicious(units, np.asarray(subjects)[kept])
    near: list[_Near] = []
    representatives = units[firsts]
    capped = False
    for pairs in _close_vectors(representatives, limit, threads, told):
        near += [_Near(*pair, mirrored=False, near=True) for pair in pairs]
        if len(near) > _MOST_PAIRS:
            near, capped = near[:_MOST_PAIRS], True
            break
    names = list(ids)
    return Duplicates(
        tuple(names[place] for place in kept),
        groups,
        _pairs(near),
        "the same vector",
        f"cosines above {fixed(1 - limit, 5)}, higher than two samples of one subject reach here",
        unread=tuple((names[place], "its vector is all zero") for place in np.flatnonzero(lengths == 0)),
        capped=capped,
        of_vectors=True,
    )


def _suspicious(units: npt.NDArray[np.float64], subjects: npt.NDArray[np.generic]) -> float:
    """The distance below which a pair is suspicious."""
    order = np.argsort(subjects, kind="stable")
    starts = np.flatnonzero(np.r_[True, subjects[order][1:] != subjects[order][:-1]])
    nearest = []
    for own in np.split(order, starts[1:]):
        for begin in range(0, len(own), _ROWS) if len(own) > 1 else ():
            part = own[begin : begin + _ROWS]
            cosines = units[part] @ units[own].T
            cosines[np.arange(len(part)), begin + np.arange(len(part))] = -1.0
            nearest.append(1.0 - cosines.max(axis=1))
    distances = np.concatenate(nearest) if nearest else np.zeros(0)
    distances = distances[distances > _IDENTICAL]  # exact copies say nothing of what distances are usual
    if len(distances) < _FEWEST:
        return _IDENTICAL
    logs = np.log(distances)
    middle = float(np.median(logs))
    spread = 1.4826 * float(np.median(np.abs(logs - middle)))
    return max(_IDENTICAL, float(np.exp(middle - SPREADS * spread)) if spread > 0 else 0.0)


def _close_vectors(
    units: npt.NDArray[np.float64], limit: float, threads: int | None, progress: Progress
) -> Iterator[list[tuple[int, int, float]]]:
    progress.begin("comparing vectors", len(units))
    with one_blas_thread():
        for found in run_blocks(
            _CloseVectors(units, units.astype(np.float32), limit), range(0, len(units), _ROWS), threads
        ):
            progress.advance(_ROWS)
            yield found


@dataclass(frozen=True, eq=False)
class _CloseVectors:
    """The pairs of a block of rows with all later ones that are suspiciously near, and how far they are apart."""

    units: npt.NDArray[np.float64]
    small: npt.NDArray[np.float32]
    limit: float

    def __call__(self, start: int) -> list[tuple[int, int, float]]:
        units, small = self.units, self.small
        least = 1.0 - self.limit - _SLACK
        rows, others = np.nonzero(small[start : start + _ROWS] @ small[start:].T >= least)
        later = others > rows
        rows, others = rows[later] + start, others[later] + start
        apart = 1.0 - np.einsum("ij,ij->i", units[rows], units[others])
        close = apart <= self.limit
        found = zip(rows[close].tolist(), others[close].tolist(), apart[close].tolist(), strict=True)
        return [(one, other, max(0.0, distance)) for one, other, distance in found]


def _grouped(contents: list[bytes]) -> tuple[Positions, list[int]]:
    """Number what is different in the order of appearance; also give the place of each one's first."""
    numbers: dict[bytes, int] = {}
    groups = np.fromiter((numbers.setdefault(one, len(numbers)) for one in contents), np.intp, len(contents))
    firsts = np.unique(groups, return_index=True)[1].tolist()
    return frozen(groups), firsts


class _Near(NamedTuple):
    """Two groups that are alike, how far apart they are, and whether they are near copies."""

    one: int
    other: int
    distance: float
    mirrored: bool
    near: bool


def _pairs(near: list[_Near]) -> pl.DataFrame:
    flags = {"mirrored": pl.Boolean, "near": pl.Boolean}
    schema = {"one": pl.Int64, "other": pl.Int64, "distance": pl.Float64, **flags}
    found = frame_of_rows(near, schema).with_columns(pl.col("distance").round(_PLACES))
    return found.sort("distance", maintain_order=True)
