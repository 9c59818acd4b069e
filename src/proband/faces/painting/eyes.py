"""Eyes, brows and glasses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.faces.appearance import Sitting
from proband.faces.identity import Identity
from proband.faces.layout import Layout
from proband.faces.painting.grid import Array, PixelGrid, Slices, clamp, line, mix, ramp, within
from proband.faces.studio import Light

SCLERA, PUPIL, LASH = 0.66, 0.03, 0.08  # albedo of the white of the eye, of the pupil and of the lashes
LENS_TINT = 0.06  # how much light the lenses of glasses keep back


@dataclass(frozen=True)
class Lids:
    """One eye on its own window of the face.

    Parameters
    ----------
    grid, where
        The window.
    x, y
        Coordinates of the eye: ``x`` runs from -1 at the inner corner to 1 at the outer one, ``y`` is the
        depth below the axis through the corners.
    upper, lower
        Edges of the lids over ``x``.
    opening
        Opacity of what lies between the lids.
    """

    grid: PixelGrid
    where: Slices
    x: Array
    y: Array
    upper: Array
    lower: Array
    opening: Array


def open_lids(grid: PixelGrid, layout: Layout, index: int) -> Lids:
    """Shape the lids of one eye; ``index`` is 0 for the eye on the image's left."""
    a, e = layout.anatomy, layout.shot.expression
    (u, v), width = layout.eyes[index], layout.eye_widths[index]
    window, where = grid.window(u - 0.36, u + 0.36, v - 0.30, v + 0.24)
    outward = 2.0 * index - 1.0
    x = (window.u - u) * (outward / width)
    y = (window.v - v) + a.eye_tilt * x
    inside = np.maximum(1.0 - x * x, 0.0)
    squint = within(1.0 - 0.42 * e.squint, 0.45, 1.35)
    skew = 1.0 + 0.5 * a.eye_skew * clamp(x, -1.0, 1.0)
    upper = -a.lid_upper * squint * inside**0.75 * skew
    lower = a.lid_lower * (0.4 + 0.6 * squint) * inside**0.9 * (2.0 - skew)
    opening = window.cover(y - upper) * window.cover(lower - y) * window.cover((1.0 - np.abs(x)) * width)
    return Lids(window, where, x, y, upper, lower, opening)


def paint_eye(lids: Lids, layout: Layout, index: int, sitting: Sitting, albedo: Array) -> None:
    """Lay eyeball, lashes and the crease of the lid into the albedo of the face."""
    a, grid, skin = layout.anatomy, lids.grid, albedo[lids.where]
    beside = np.abs(lids.x)
    # The fold above the lid, strongest over the middle and the outer half.
    fold = lids.upper - a.crease * (1.1 - 0.35 * np.square(clamp(lids.x, -1.2, 1.2)))
    crease = a.crease_depth * ramp(np.abs(lids.x - 0.08), 1.25, 0.55)
    skin *= 1.0 - crease * line(lids.y - fold, 0.024)
    lid = grid.cover(lids.upper - lids.y) * grid.cover(lids.y - fold)
    skin *= 1.0 - 0.8 * sitting.makeup * lid
    skin *= 1.0 - 0.16 * ramp(beside, 1.1, 0.5) * line(lids.y - lids.lower - 0.035, 0.025)

    ball = SCLERA * (1.0 - 0.30 * np.square(clamp(lids.x, -1.0, 1.0)))
    ball = ball * (0.52 + 0.48 * ramp(lids.y - lids.upper, 0.0, 0.085))  # the shadow of the upper lid
    u, v = layout.eyes[index]
    radius = np.sqrt(np.square(grid.u - u) + np.square(grid.v - v))
    iris = within(a.iris_tone, 0.07, 0.42) * (1.0 - 0.55 * ramp(radius, 0.65 * a.iris, 0.98 * a.iris))
    mix(ball, iris, grid.cover(a.iris - radius, 0.008))
    mix(ball, PUPIL, grid.cover(0.42 * a.iris - radius, 0.008))
    mix(skin, ball, lids.opening)

    length = ramp(beside, 1.12, 0.80)
    mix(skin, LASH, (0.62 + 0.8 * sitting.makeup) * length * line(lids.y - lids.upper + 0.006, 0.021))
    mix(skin, LASH, (0.20 + 0.5 * sitting.makeup) * length * line(lids.y - lids.lower, 0.014))


def catchlight(lids: Lids, layout: Layout, index: int, light: Light, image: Array) -> None:
    """Put the reflection of the key light on an eyeball."""
    u, v = layout.eyes[index]
    at = (u + 0.045 * within(light.x, -1.0, 1.0) + 0.018, v + 0.05 * max(light.y, -0.8))
    mix(image[lids.where], 0.92, lids.grid.blob(at, (0.026, 0.026), 0.75) * lids.opening)


def paint_brows(grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting, albedo: Array) -> None:
    """Draw both brows as tapering arcs of fine hair."""
    a, e = layout.anatomy, layout.shot.expression
    tone = 0.75 * identity.hair + 0.12 * sitting.grey
    begin, span = a.brow_inner - 0.03 * e.frown, a.brow_outer - a.brow_inner
    for index, outward in enumerate((-1.0, 1.0)):
        eye_u = layout.eyes[index][0]
        window, where = grid.window(eye_u - 0.48, eye_u + 0.48, layout.brow_v - 0.28, layout.brow_v + 0.24)
        offset = (window.u - layout.brow_mid) * outward
        along = (offset - begin) / span
        t = clamp(along, -0.2, 1.2)
        arch = 4.0 * (a.brow_arch + 0.03 * e.raised) * t * (1.0 - t) * (0.7 + 0.6 * t)
        middle = (
            layout.brow_v + outward * a.brow_uneven + a.brow_slope * t - arch + 0.06 * e.frown * (1.0 - t)
        )
        thick = a.brow_thick * (1.0 - 0.55 * clamp(t))
        across = np.square((window.v - middle) / thick)
        ends = a.brow_density * ramp(along, -0.08, 0.14) * ramp(along, 1.05, 0.72)
        hairs = 0.92 + 0.07 * np.sin(61.0 * offset + 38.0 * window.v)
        mix(albedo[where], tone, np.minimum(np.exp(-0.8 * across * across) * hairs * ends, 1.0))


def wear_glasses(grid: PixelGrid, layout: Layout, identity: Identity, light: Light, image: Array) -> None:
    """Put on glasses: tinted lenses, a glint, frames, the bridge and the arms."""
    half_u, half_v, thick = identity.frame
    wire = 0.50 if identity.skin < 0.45 else 0.25  # metal shows as brighter than dark skin
    tone = wire if thick < 0.022 else 0.10
    centre = (layout.eyes[0][0] + layout.eyes[1][0]) / 2.0
    for (u, v), outward in zip(layout.eyes, (-1.0, 1.0), strict=True):
        left, right = min(u + 0.75 * outward, centre), max(u + 0.75 * outward, centre)
        window, where = grid.window(left, right, v - 0.35, v + 0.45)
        patch = image[where]
        x = (window.u - (u + 0.03 * outward)) / half_u
        y = (window.v - (v + 0.06)) / half_v
        # Between an ellipse and a rectangle; the level falls off about evenly near the rim.
        level = np.sqrt(np.sqrt(np.square(x * x) + np.square(y * y)))
        rim = (level - 1.0) * (0.95 * half_v)
        lens = window.cover(-rim)
        patch *= 1.0 - LENS_TINT * lens
        mix(patch, 0.95, 0.16 * lens * line(0.8 * x + 0.5 * y - (0.35 + 0.5 * light.x), 0.16))
        mix(patch, tone, 0.9 * window.cover(thick - np.abs(rim), 0.01))
        beyond = (window.u - u) * outward - half_u - 0.02
        on_head = window.cover(layout.cheek_width + 0.03 - np.abs(window.u))
        mix(
            patch,
            tone,
            0.85 * window.cover(thick - np.abs(window.v - v), 0.015) * window.cover(beyond) * on_head,
        )
        inward = window.cover((u - window.u) * outward - half_u + 0.05)
        bridge = v - 0.02 + 0.4 * np.square(window.u - centre)
        mix(patch, tone, 0.9 * window.cover(thick - np.abs(window.v - bridge), 0.01) * inward)
