"""Register one image to another: which parts correspond, and how similar they are everywhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.algorithms.pictures.pictures import Grey
from proband.protocols.audit.picture_codes import PictureView, Span, averaged

Floats = npt.NDArray[np.float64]

_SIDES = (32, 64)  # pixels of the longer side at which pictures are laid over each other, coarse first
_FINE = (128, 192)  # the same for the grain, after these
_WINDOW = 9  # pixels a side of what is compared at once: about a mouth's height
_BLUR = 5  # pixels a side of the means that are taken off to leave the grain
_BLOCK = 8  # pixels a side of the blocks whose grain is compared
_NO_GRAIN = 0.3  # grey levels, squared: rounding to whole levels leaves about a quarter of that
_FEWEST_BLOCKS = 3
_PLAIN = 0.1  # share of a picture's variance below which a window shows next to nothing
_STEPS = 15
_SMALL = 1e-4  # of half a side: a step that moves nothing
_FARTHEST = 0.35  # of half a side: no small cut moves an edge further
_LEAST_SHARED = 0.7  # of each side, that both must show


class Placement(NamedTuple):
    """The position of a point (y, x) in the other image: (scale_y · y + shift_y, …), with edges at −1 and 1."""

    scale_y: float
    shift_y: float
    scale_x: float
    shift_x: float


def placement_of(view: PictureView) -> Placement:
    """Return the placement of a whole image in the other (mirrored if the view is), given this view."""
    top, bottom, left, right = view.cut
    if view.mirrored:
        left, right = right, left
    return Placement(1 - top - bottom, top - bottom, 1 - left - right, left - right)


def likeness(one: Grey, other: Grey, view: PictureView) -> float:
    """Return the similarity of two images where they are least similar: 1 for copies of any brightness and size.

    The second image is registered to the first, starting from the most similar view, by Lucas and Kanade's
    (1981) steps in size, shift, brightness and contrast. The common part is resampled to the same pixels and
    correlated in every window of 9 × 9 pixels of 64; nearly uniform windows count as similar. The result is
    the smallest of these correlations: another expression changes little but the mouth, which the correlation
    of whole images (0.98 and more) does not reveal.
    """
    shared = _overlaid(one, other, view, _SIDES)
    return -1.0 if shared is None else _least_alike(*shared)


def grain_likeness(one: Grey, other: Grey, view: PictureView) -> float:
    """Return the share of common grain of two similar images: about 1 for copies, about 0 for two exposures.

    Sensor noise differs between exposures, and heads move slightly. A copy keeps the grain, except what
    compression, a smaller size or blur remove, so the covariance of the two grains is divided by the smaller
    of their variances instead of both. It is computed over the plainer half of the blocks in which both have
    grain, which contain little but noise. With hardly any such blocks the result is 0: there is no evidence
    of a copy.
    """
    shared = _overlaid(one, other, view, (*_SIDES, *_FINE))
    if shared is None:
        return 0.0
    spread = float(min(picture.std() for picture in shared))
    standard = [_standard(picture) for picture in shared]
    first, second = (_blocks(_grain(spread * picture)) for picture in standard if picture is not None)
    vary = np.stack([first.var(axis=1), second.var(axis=1)])
    together = np.mean((first - first.mean(axis=1)[:, None]) * second, axis=1)
    grainy = np.flatnonzero(vary.min(axis=0) > _NO_GRAIN)
    plainer = grainy[np.argsort(vary.max(axis=0)[grainy], kind="stable")][: (len(grainy) + 1) // 2]
    if len(plainer) < _FEWEST_BLOCKS:
        return 0.0
    return float(together[plainer].sum() / vary.min(axis=0)[plainer].sum())


def _grain(picture: Floats) -> Floats:
    """What is left of a picture without its means over small squares."""
    padded = np.pad(picture, _BLUR // 2, mode="edge")
    return picture - _means(padded, _BLUR)


def _blocks(picture: Floats) -> Floats:
    """The pixels of every whole block, a row each."""
    down, across = (length // _BLOCK for length in picture.shape)
    whole = picture[: down * _BLOCK, : across * _BLOCK].reshape(down, _BLOCK, across, _BLOCK)
    return whole.transpose(0, 2, 1, 3).reshape(down * across, _BLOCK**2)


def _overlaid(
    one: Grey, other: Grey, view: PictureView, sides: tuple[int, ...]
) -> tuple[Floats, Floats] | None:
    """Lay the other over the one, step by step at these sizes; what both show at the last."""
    turned = other[:, ::-1] if view.mirrored else other
    placed = placement_of(view)
    for side in sides:
        placed = _placed(_shrunk(one, side), _shrunk(turned, side), placed)
    return _shared(one, turned, placed, sides[-1])


def _shrunk(picture: Grey, side: int) -> Floats:
    scale = min(1.0, side / max(picture.shape))
    return averaged(picture, *(max(2, round(scale * length)) for length in picture.shape))


def _placed(one: Floats, other: Floats, begun: Placement) -> Placement:
    """Improve where one picture lies in the other; of all steps the place at which they correlate best."""
    rows, columns = (_centres(length) for length in one.shape)
    best, place, here = -2.0, begun, np.array(begun)
    for _ in range(_STEPS):
        down, across = here[0] * rows + here[1], here[2] * columns + here[3]
        seen = np.ix_(np.abs(down) <= 1, np.abs(across) <= 1)
        if seen[0].size < 3 or seen[1].size < 3:
            break
        found = _sampled(other, down, across)[seen]
        gap_y, gap_x = 1 / other.shape[0], 1 / other.shape[1]
        slope_y = (_sampled(other, down + gap_y, across) - _sampled(other, down - gap_y, across))[seen] / (
            2 * gap_y
        )
        slope_x = (_sampled(other, down, across + gap_x) - _sampled(other, down, across - gap_x))[seen] / (
            2 * gap_x
        )
        wanted, got = one[seen] - one[seen].mean(), found - found.mean()
        spread, own = float(np.sqrt(np.mean(got**2))), float(np.sqrt(np.mean(wanted**2)))
        if spread < 1e-9 or own < 1e-9:
            break
        alike = float(np.mean(wanted * got)) / (spread * own)
        if alike > best:
            best, place = alike, Placement(*map(float, here))
        y, x = rows[seen[0]], columns[seen[1]]
        moves = np.stack(
            [slope_y * y, slope_y, slope_x * x, slope_x, got, np.ones_like(got)], axis=-1
        ).reshape(-1, 6)
        normal = moves.T @ moves
        normal += 1e-6 * np.trace(normal) / 6 * np.eye(6)
        step = np.linalg.solve(normal, moves.T @ (wanted * spread / own - got).ravel())[:4]
        here = here + step
        if np.abs(step).max() < _SMALL or np.abs(here - np.array(begun)).max() > _FARTHEST:
            break
    return place


def _centres(n: int) -> Floats:
    return (2 * np.arange(n) + 1) / n - 1


def _sampled(picture: Floats, down: Floats, across: Floats) -> Floats:
    """The picture between its pixels, along lines and columns."""
    (upper, y), (left, x) = (_between(at, n) for at, n in zip((down, across), picture.shape, strict=True))
    lines = picture[upper] * (1 - y)[:, None] + picture[upper + 1] * y[:, None]
    return np.asarray(lines[:, left] * (1 - x) + lines[:, left + 1] * x)


def _between(at: Floats, n: int) -> tuple[npt.NDArray[np.intp], Floats]:
    pixels = np.clip((at + 1) * n / 2 - 0.5, 0, n - 1)
    first = np.minimum(pixels.astype(np.intp), n - 2)
    return first, pixels - first


def _shared(one: Grey, other: Grey, placed: Placement, side: int) -> tuple[Floats, Floats] | None:
    """What both show, averaged to the same pixels; None if that is too little."""
    spans = []
    for scale, shift in ((placed.scale_y, placed.shift_y), (placed.scale_x, placed.shift_x)):
        low, high = max(-1.0, (-1 - shift) / scale), min(1.0, (1 - shift) / scale)
        if high - low < 2 * _LEAST_SHARED or scale * (high - low) < 2 * _LEAST_SHARED:
            return None
        spans.append(((low, high), (scale * low + shift, scale * high + shift)))
    windows = [
        (_pixels(picture.shape[0], spans[0][which]), _pixels(picture.shape[1], spans[1][which]))
        for which, picture in enumerate((one, other))
    ]
    lengths = [min(window[axis][1] - window[axis][0] for window in windows) for axis in (0, 1)]
    scale = min(1.0, side / max(lengths))
    height, width = (max(2, round(scale * length)) for length in lengths)
    first, second = (
        averaged(picture, height, width, window)
        for picture, window in zip((one, other), windows, strict=True)
    )
    return first, second


def _pixels(length: int, span: Span) -> Span:
    return length * (span[0] + 1) / 2, length * (span[1] + 1) / 2


def _least_alike(one: Floats, other: Floats) -> float:
    """The smallest correlation of any window."""
    first, second = (_standard(picture) for picture in (one, other))
    if first is None or second is None:
        return -1.0
    size = min(_WINDOW, *one.shape)
    mean_one, mean_other = _means(first, size), _means(second, size)
    vary_one = np.maximum(_means(first * first, size) - mean_one**2, 0)
    vary_other = np.maximum(_means(second * second, size) - mean_other**2, 0)
    together = _means(first * second, size) - mean_one * mean_other
    return float(np.min((together + _PLAIN) / (np.sqrt(vary_one * vary_other) + _PLAIN)))


def _standard(picture: Floats) -> Floats | None:
    spread = float(picture.std())
    return None if spread < 1e-9 else np.asarray((picture - picture.mean()) / spread)


def _means(picture: Floats, size: int) -> Floats:
    """The mean of every window."""
    sums = np.cumsum(np.cumsum(np.pad(picture, ((1, 0), (1, 0))), axis=0), axis=1)
    corners = sums[size:, size:] - sums[:-size, size:] - sums[size:, :-size] + sums[:-size, :-size]
    return np.asarray(corners / size**2)
