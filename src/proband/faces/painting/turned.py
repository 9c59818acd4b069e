"""A strongly rotated head: the frontal view is wrapped around a head and seen from the side.

A frontal image shifts and narrows its features for random rotations of a few degrees. A rotated view needs the head in
depth: the nose hides what is behind it, the far eye narrows, and the side of the head becomes visible. Each row of the
canvas is a closed curve around the axis of the head; it is rotated, and the points nearest to the camera are visible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proband.faces.appearance import Sitting
from proband.faces.identity import Identity
from proband.faces.layout import EQUATOR, Layout
from proband.faces.painting.body import SHOULDER_V, paint_body
from proband.faces.painting.eyes import wear_glasses
from proband.faces.painting.face import SKIN_GLOSS, paint_face
from proband.faces.painting.grid import Array, PixelGrid, clamp, mix, ramp
from proband.faces.painting.hair import CUTS, grow_hair, half_width, lay_hairline
from proband.faces.painting.head import base_slopes
from proband.faces.painting.light import lambert, slopes
from proband.faces.studio import Light

Mask = NDArray[np.bool_]

FINER = 2  # times finer than the canvas is what is painted and seen, in both directions
FRONT, BACK = 7, 6  # samples of a row's curve before and behind the ears, for each pixel of a face unit
NOTHING = -9.0  # nearer than this is everything there is
HOLE = 0.15  # how far behind its neighbours a pixel lies that samples have missed
FRONT_DEPTH, BACK_DEPTH = 0.93, 1.16  # of the bare head before and behind the axis of its ears
NAPE = 0.6  # the height at which the back of the head has gone over into the neck
GLASSES_DEPTH = 1.02
STEEP = 3.9  # the slope of the bare head at its sides
LEAST_FACING = 0.06  # a surface seen at a flatter angle than this is shaded as one at it


@dataclass(frozen=True)
class Turn:
    """The turn of a head: how the point (x, z) of a row is seen."""

    cos: float
    sin: float

    @classmethod
    def by(cls, degrees: float) -> Turn:
        """Turn by an angle; positive towards the image's right."""
        return cls(math.cos(math.radians(degrees)), math.sin(math.radians(degrees)))

    def across(self, x: Array | float, z: Array | float) -> Array:
        """Where a point is seen."""
        return np.asarray(x * self.cos + z * self.sin)

    def towards(self, x: Array | float, z: Array | float) -> Array:
        """How near to the camera it is."""
        return np.asarray(z * self.cos - x * self.sin)


@dataclass(frozen=True)
class Layer:
    """Samples of surfaces, rows by samples: where they are seen, how near they are, their light, and whether they are there."""

    x: Array
    z: Array
    lit: Array
    there: Mask


def finer(grid: PixelGrid) -> PixelGrid:
    """Lay the finer raster over the same canvas."""
    height, width = grid.shape
    step = 1.0 / (grid.px * FINER)
    start = (FINER - 1) / 2.0
    u = float(grid.u[0, 0]) + (np.arange(width * FINER) - start) * step
    v = float(grid.v[0, 0]) + (np.arange(height * FINER) - start) * step
    return PixelGrid(u.astype(np.float32)[None, :], v.astype(np.float32)[:, None], grid.px * FINER)


def paint_turned(
    canvas: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting, light: Light, image: Array
) -> None:
    """Paint a person whose head is turned onto the backdrop: far hair, the body, and then what is near.

    `layout` is that of the same head looking straight ahead.
    """
    turn, grid = Turn.by(layout.shot.yaw), finer(canvas)
    locks = _locks(grid, layout, identity, sitting, light)
    skin = _skin(grid, layout, identity, sitting, light, turn, locks)
    hair, far = _hair(grid, layout, identity, sitting, turn, locks)
    behind, _, cover = _seen(grid, [far])
    mix(image, _coarser(behind, cover), _mean(cover))
    paint_body(canvas, layout, identity, sitting, light, image)
    layers = [_neck(grid, layout, identity, sitting, light, turn), skin, hair]
    if not CUTS[sitting.style].covers_ears:
        layers += _ears(grid, layout, identity, sitting, light, turn)
    seen, near, cover = _seen(grid, layers)
    if sitting.glasses:
        _glasses(grid, layout, identity, light, turn, seen, near, cover)
    mix(image, _coarser(seen, cover), _mean(cover))


def _profile(v: Array, layout: Layout) -> tuple[Array, Array]:
    """How deep each row of the head is before and behind its axis."""
    top, chin = layout.anatomy.skull_top, layout.chin
    up = clamp((EQUATOR - v) / (top + EQUATOR))
    down = clamp((v - 0.9) / max(chin - 0.9, 0.3))
    front = FRONT_DEPTH * np.sqrt(np.maximum(1.0 - up**2.6, 0.0)) * (1.0 - 0.16 * down**3)
    back = BACK_DEPTH * np.sqrt(np.maximum(1.0 - up**2.4, 0.0))
    return front, back * (1.0 - ramp(v, 0.0, NAPE)) + 0.02


def _skin(
    grid: PixelGrid,
    layout: Layout,
    identity: Identity,
    sitting: Sitting,
    light: Light,
    turn: Turn,
    locks: Locks,
) -> Layer:
    """The skin: the painted face before the ears, with the roots of the hair, and plain skin behind them."""
    v = grid.v
    outline = layout.half_width(v)
    albedo, height, _ = paint_face(grid, layout, identity, sitting)
    slope_u, slope_v = slopes(height, grid.px)
    bare_u, bare_v = base_slopes(grid, layout, outline)
    width = np.maximum(outline, 0.0)
    front, back = _profile(v, layout)
    # More samples where the face is: evenly over its width, and not over the angle.
    offset = np.sin(np.linspace(-np.pi / 2, np.pi / 2, _samples(grid, FRONT), dtype=np.float32))[None, :]
    x = width * offset
    round_off = np.sqrt(np.maximum(1.0 - offset * offset, 0.0)) ** 0.85
    places = _Places(grid, x)
    z = front * round_off + places.of(height)
    slope_x, slope_y = places.of(slope_u + bare_u), places.of(slope_v + bare_v)
    shade = _lambert(light, turn, -slope_x, -slope_y, 1.0, SKIN_GLOSS)
    lit = places.of(albedo) * shade
    mix(lit, _Places(grid, turn.across(x, z)).of(locks.lit), places.of(locks.front))
    angle = np.linspace(np.pi / 2, 1.5 * np.pi, _samples(grid, BACK), dtype=np.float32)[None, :]
    rear_x, rear_z = width * np.sin(angle), back * np.cos(angle)
    # Where the two halves meet they are shaded alike.
    side = STEEP * np.sin(angle), -bare_v, 1.0 + STEEP * np.cos(angle)
    rear = (identity.skin + sitting.tan) * _lambert(light, turn, *side, SKIN_GLOSS)
    there = np.broadcast_to(width > 0.02, (len(v), x.shape[1] + angle.shape[1]))
    return Layer(
        np.concatenate([turn.across(x, z), turn.across(rear_x, rear_z)], axis=1),
        np.concatenate([turn.towards(x, z), turn.towards(rear_x, rear_z)], axis=1),
        np.concatenate([lit, rear], axis=1),
        there,
    )


def _lambert(
    light: Light, turn: Turn, x: Array, y: Array | float, z: Array | float, gloss: float = 0.0
) -> Array:
    """Light a surface whose normal in the head's frame is (x, y, z)."""
    facing = np.maximum(turn.towards(x, z), LEAST_FACING)
    return lambert(light, -turn.across(x, z) / facing, -y / facing, gloss)


@dataclass(frozen=True)
class Locks:
    """The hair of the frontal head on the whole raster: its light, and its opacity before the head."""

    lit: Array
    front: Array


def _locks(grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting, light: Light) -> Locks:
    hair = grow_hair(grid, layout, identity, sitting, light, lay_hairline(grid, layout, identity, sitting))
    lit = np.full(grid.shape, 0.6 * identity.hair_tone(sitting.grey), np.float32)
    front = np.zeros(grid.shape, np.float32)
    lit[hair.where], front[hair.where] = hair.lit, hair.front
    return Locks(lit, front)


def _neck(
    grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting, light: Light, turn: Turn
) -> Layer:
    """The neck up to the nape, which comes into sight below the hair and behind the jaw."""
    radius = 0.86 * (identity.anatomy.neck_width + 0.5 * sitting.weight)
    angle = np.linspace(-np.pi, np.pi, _samples(grid, FRONT), dtype=np.float32)[None, :]
    x, z = radius * np.sin(angle), 0.82 * radius * np.cos(angle) - 0.34
    shade = _lambert(light, turn, np.sin(angle), 0.0, np.cos(angle))
    below = 1.0 - 0.42 * ramp(grid.v, layout.chin + 0.55, 0.6)
    there = np.broadcast_to((grid.v > 0.3) & (grid.v < SHOULDER_V - 0.1), (len(grid.v), angle.shape[1]))
    lit = 0.88 * (identity.skin + sitting.tan) * shade * below
    return Layer(turn.across(x, z), turn.towards(x, z) - 0.25, lit, there)


def _hair(
    grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting, turn: Turn, locks: Locks
) -> tuple[Layer, Layer]:
    """The hair, a shell round the head: what is seen before the body, and what hangs behind it."""
    cut = CUTS[sitting.style]
    volume = max(layout.anatomy.hair_volume + sitting.volume, 0.05)
    crown = layout.anatomy.skull_top + cut.top * volume
    v = grid.v
    width = np.maximum(half_width(v, cut, crown, layout.cheek_width + cut.side * volume), 0.0)
    off = 0.6 * max(cut.side, cut.top) * volume + 0.02
    up = clamp((EQUATOR - v) / (crown + EQUATOR))
    dome = np.sqrt(np.maximum(1.0 - up**2.6, 0.0))
    depth = (FRONT_DEPTH + off) * dome, (BACK_DEPTH + off) * dome
    angle = np.concatenate(
        [
            np.linspace(-np.pi / 2, np.pi / 2, _samples(grid, FRONT), dtype=np.float32),
            np.linspace(np.pi / 2, 1.5 * np.pi, _samples(grid, BACK), dtype=np.float32),
        ]
    )[None, :]
    before = np.cos(angle) >= 0
    x = width * np.sin(angle)
    z = np.where(before, depth[0], depth[1]) * np.cos(angle)
    seen = turn.across(x, z)
    # Strands are taken from where they are seen: shade and sheen then suit the light, which does not turn.
    edge = float(grid.u[0, -1])
    shades = _Places(grid, clamp(seen, -edge, edge)).of(locks.lit)
    shades += (0.8 * (identity.skin + sitting.tan) - shades) * (1.0 - cut.strength)
    nape = cut.end if cut.falls else min(cut.end + 0.25, 0.78)
    thin = -0.75 if sitting.style == "bald" else -9.0
    rear = (v < nape) & (v > thin)
    # At the very edge of the frontal silhouette its opacity fades, where the shell goes on.
    grown = _Places(grid, 0.94 * x).of(locks.front) > 0.7 * cut.strength
    there = np.where(before, grown, rear) & (width > 0.02)
    close = turn.towards(x, z)
    near = Layer(seen, close + 0.04, shades, there & ((v < 1.5) | (close > -0.1)))
    far = Layer(seen, close, shades * 0.8, there & (~before | (v >= 1.5)) & (close <= 0.2))
    return near, far


def _ears(
    grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting, light: Light, turn: Turn
) -> list[Layer]:
    """Both ears: shells that stand off the side of the head, the more so at their rear edge."""
    a = identity.anatomy
    tone = 0.92 * (identity.skin + sitting.tan)
    high = (grid.v - 0.16) / (1.05 * a.ear_size)
    along = np.linspace(-1.0, 1.0, 2 * _samples(grid, 1), dtype=np.float32)[None, :]
    reach = np.sqrt(np.maximum(1.0 - high * high, 0.0))
    rear = (along + 1.0) / 2.0
    radius = np.sqrt(np.square(along * reach) + np.square(high))
    made = []
    for side in (-1.0, 1.0):
        x = side * (0.985 * layout.half_width(grid.v) + (0.02 + 1.1 * a.ear_out) * (0.15 + 0.85 * rear))
        z = 0.02 - 0.15 * (1.0 + along * reach * (1.0 - 0.25 * high))
        shade = _lambert(light, turn, np.float32(side) + 0.0 * along, 0.25 * high, 0.35 - 0.5 * along * reach)
        lit = tone * shade * (1.0 - 0.36 * ramp(radius, 0.82, 0.42) + 0.06 * ramp(radius, 0.85, 0.98))
        there = np.broadcast_to((np.abs(high) < 1.0), lit.shape)
        made.append(Layer(turn.across(x, z), turn.towards(x, z) + 0.06, lit, there))
    return made


def _glasses(
    grid: PixelGrid,
    layout: Layout,
    identity: Identity,
    light: Light,
    turn: Turn,
    seen: Array,
    near: Array,
    cover: Mask,
) -> None:
    """Put glasses on: lenses in a plane before the eyes, and arms that run back to the ears."""
    # What is painted over black and over white tells colour and opacity apart.
    dark, bright = np.zeros(grid.shape, np.float32), np.ones(grid.shape, np.float32)
    wear_glasses(grid, layout, identity, light, dark)
    wear_glasses(grid, layout, identity, light, bright)
    hinge = abs(layout.eyes[0][0]) + identity.frame[0] + 0.02
    u = np.linspace(-1.0, 1.0, _samples(grid, FRONT), dtype=np.float32)[None, :] * (layout.cheek_width + 0.03)
    back = clamp((np.abs(u) - hinge) / max(layout.cheek_width - hinge, 0.05))
    z = (GLASSES_DEPTH - 0.12 * np.square(np.minimum(np.abs(u), hinge))) * (1.0 - back)
    x = np.sign(u) * (np.minimum(np.abs(u), hinge) + np.sqrt(back) * (layout.cheek_width + 0.04 - hinge))
    rows = np.zeros_like(grid.v)
    places = _Places(grid, u + rows)
    colour, through = places.of(dark), 1.0 + places.of(dark - bright)
    there = through > 0.02
    layer = Layer(
        np.broadcast_to(turn.across(x, z), there.shape),
        np.broadcast_to(turn.towards(x, z), there.shape),
        colour,
        there,
    )
    opacity = Layer(layer.x, layer.z, through, there)
    painted, depth, worn = _seen(grid, [layer])
    opaque, _, _ = _seen(grid, [opacity])
    shown = worn * (cover > 0) * (depth >= near - 0.12)
    np.copyto(seen, seen * (1.0 - opaque * shown) + painted * shown)


class _Places:
    """Places between the columns of a texture, in every row: where to look, for several textures of one raster."""

    def __init__(self, grid: PixelGrid, x: Array) -> None:
        height, width = grid.shape
        place = (x - float(grid.u[0, 0])) * grid.px
        before = np.clip(place.astype(np.intp), 0, width - 2)
        self.inside = (place >= 0) & (place <= width - 1)
        self.share = (place - before).astype(np.float32)
        self.left = before + np.arange(height)[:, None] * width

    def of(self, texture: Array) -> Array:
        """What the texture has there; 0 beyond its edges."""
        flat = texture.ravel()
        left, right = flat.take(self.left), flat[1:].take(self.left)
        found: Array = np.where(self.inside, left + (right - left) * self.share, 0.0)
        return found


def _seen(grid: PixelGrid, layers: list[Layer]) -> tuple[Array, Array, Mask]:
    """What is nearest in every pixel of the finer raster: its light, how near it is, and whether there is anything."""
    height, width = grid.shape
    found, closest = np.zeros(height * width, np.float32), np.full(height * width, NOTHING, np.float32)
    for one in layers:
        shape = one.there.shape
        column = np.floor((one.x - float(grid.u[0, 0])) * grid.px + 0.5).astype(np.int32)
        there = one.there & (column >= 0) & (column < width)
        place = (np.arange(height, dtype=np.int32)[:, None] * np.int32(width) + column)[there]
        z, lit = (np.broadcast_to(values, shape)[there].astype(np.float32) for values in (one.z, one.lit))
        np.maximum.at(closest, place, z)
        nearest = z == closest[place]
        found[place[nearest]] = lit[nearest]
    seen, near = found.reshape(height, width), closest.reshape(height, width)
    lower = np.minimum(near[:, :-2], near[:, 2:])
    missed = near[:, 1:-1] < lower - HOLE
    seen[:, 1:-1][missed] = 0.5 * (seen[:, :-2] + seen[:, 2:])[missed]
    near[:, 1:-1][missed] = lower[missed]
    return seen, near, near > NOTHING


def _samples(grid: PixelGrid, each: int) -> int:
    return round(each * grid.px)


def _mean(values: Array | Mask) -> Array:
    """Average the finer raster over the pixels of the canvas."""
    height, width = values.shape
    blocks = values.astype(np.float32).reshape(height // FINER, FINER, width // FINER, FINER)
    mean: Array = blocks.mean(axis=(1, 3))
    return mean


def _coarser(seen: Array, cover: Mask) -> Array:
    """Average the light of what is there over the pixels of the canvas."""
    return _mean(seen * cover) / np.maximum(_mean(cover), 1e-6)
