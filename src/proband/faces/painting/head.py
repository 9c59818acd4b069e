"""The head itself: its relief, the tone of its skin, its wrinkles and its marks."""

from __future__ import annotations

import numpy as np

from proband.faces.appearance import Sitting
from proband.faces.identity import Identity
from proband.faces.layout import EQUATOR, MIDFACE, Layout
from proband.faces.painting.grid import Array, Bump, PixelGrid, clamp, line, ramp, stretch, within
from proband.faces.painting.light import round_slope

FACE_BOX = (-1.7, -2.4, 1.7, 3.0)  # left, top, right, bottom of the fields tied to the face


def base_slopes(grid: PixelGrid, layout: Layout, half_width: Array) -> tuple[Array, Array]:
    """Give the slopes of the bare head: rounded sideways, receding at the forehead and under the chin."""
    slope_u = round_slope(clamp(grid.u / np.maximum(half_width, 0.05), -1.0, 1.0), 0.95)
    up = clamp((-0.55 - grid.v) / (layout.anatomy.skull_top - 0.55))
    down = clamp((grid.v - layout.mouth[1]) / (layout.chin - layout.mouth[1]))
    slope_v = round_slope(down, 0.80) - round_slope(up, 0.85) - 0.06 * ramp(grid.v, EQUATOR, MIDFACE)
    return slope_u, slope_v


def relief(grid: PixelGrid, layout: Layout) -> Array:
    """Raise what stands out on the head and hollow what lies deep, lips excepted."""
    a, e = layout.anatomy, layout.shot.expression
    smile = max(e.smile, 0.0)
    mouth_u, mouth_v = layout.mouth
    below_lip = mouth_v + a.lip_lower + layout.gap + 0.09
    bumps: list[Bump] = [
        (mouth_u, mouth_v, 0.50, 0.34, a.muzzle),
        (mouth_u, layout.chin - 0.22, 0.28, 0.17, a.chin_bump),
        (mouth_u, layout.chin - 0.16, 0.035, 0.12, min(-a.chin_cleft, 0.0)),
        (mouth_u, below_lip, 0.24, 0.06, -0.035),
        (mouth_u, (layout.nose_v + mouth_v) / 2.0, 0.045, 0.10, -0.018),  # the groove below the nose
    ]
    for (u, v), side in zip(layout.eyes, (-1.0, 1.0), strict=True):
        bumps += [
            (u - 0.04 * side, v - 0.07, 0.33, 0.17, -a.socket),
            (u, v + 0.01, 0.20, 0.13, 0.045),  # the eyeball
            (1.28 * u, v + 0.50 - 0.04 * smile, 0.36, 0.26, a.cheekbone + 0.05 * smile),
            (0.85 * u, layout.brow_v + 0.05, 0.42, 0.11, a.brow_ridge),
        ]
    height = grid.hills(bumps)
    raise_nose(grid, layout, height)
    return height


def raise_nose(grid: PixelGrid, layout: Layout, height: Array) -> None:
    """Add the nose to a height map: a ridge that rises and widens towards the tip, and the wings."""
    a = layout.anatomy
    window, where = grid.window(layout.nose_mid - 0.65, layout.nose_mid + 0.65, -0.45, layout.nose_v + 0.25)
    root = -0.16
    t = clamp((window.v - root) / (layout.nose_v - 0.10 - root))
    top = (layout.eyes[0][0] + layout.eyes[1][0]) / 2.0
    ridge = top + (layout.nose_mid + a.nose_bend - top) * t + a.nose_bend * np.sin(np.pi * t)
    width = a.bridge_width * (1.0 + 0.30 * t) + 0.05 * ramp(window.v, 0.0, -0.3)
    rise = a.bridge_height * ramp(window.v, -0.42, 0.0) + (a.nose_height - a.bridge_height) * t**1.3
    # The underside falls off quickly: that makes the dark edge below the tip.
    rise *= ramp(window.v, layout.nose_v + 0.06, layout.nose_v - 0.24)
    nose = rise * np.exp(-np.square((window.u - ridge) / width))
    tip_u, tip_v = layout.nose_mid + a.nose_bend, layout.nose_v - 0.09
    nose += window.hills(
        [
            (tip_u, tip_v, a.nose_tip, a.nose_tip, 0.12),
            (tip_u, tip_v, 1.2 * a.nose_width, 0.14, 0.06),
            (tip_u - 0.88 * a.nose_width, layout.nose_v - 0.06, 0.075, 0.080, 0.065),
            (tip_u + 0.88 * a.nose_width, layout.nose_v - 0.06, 0.075, 0.080, 0.065),
        ]
    )
    height[where] += nose


def skin_albedo(grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting) -> Array:
    """Tone the skin: an uneven complexion, darker cheeks and nose, a shaved chin, marks and wrinkles."""
    a = identity.anatomy
    albedo = 1.0 + a.blotches * stretch(sitting.complexion, grid, FACE_BOX)
    marks: list[Bump] = [(layout.nose_mid, layout.nose_v - 0.08, 0.17, 0.14, 0.06)]
    bags = max(a.bags + sitting.tired + 0.10 * sitting.wrinkles, 0.0)
    for u, v in layout.eyes:
        marks += [(1.25 * u, v + 0.62, 0.34, 0.26, 0.07), (0.96 * u, v + 0.17, 0.22, 0.075, bags)]
    marks += [(u + layout.cheek_shift, v, radius, radius, dark) for u, v, radius, dark in identity.moles]
    albedo *= 1.0 - grid.hills(marks)
    shaved = ramp(grid.v, layout.nose_v - 0.05, layout.mouth[1] + 0.15)
    albedo *= (identity.skin + sitting.tan) * (1.0 - 0.5 * sitting.stubble * shaved)
    draw_wrinkles(grid, layout, sitting, albedo)
    return albedo


def draw_wrinkles(grid: PixelGrid, layout: Layout, sitting: Sitting, albedo: Array) -> None:
    """Darken the folds beside the mouth, the lines of the forehead and those between the brows."""
    e, a = layout.shot.expression, layout.anatomy
    mouth_u, mouth_v = layout.mouth
    fold = within(a.folds + 0.10 * sitting.wrinkles + 0.13 * max(e.smile, 0.0), 0.0, 0.45)
    top, bottom = layout.nose_v - 0.10, mouth_v + 0.14
    window, where = grid.window(mouth_u - 0.85, mouth_u + 0.85, top, bottom + 0.05)
    t = clamp((window.v - top) / (bottom - top), 0.0, 1.1)
    bow = a.nose_width + 0.07 + (layout.mouth_width + 0.06 - a.nose_width) * np.sqrt(t)
    ends = fold * ramp(t, 0.0, 0.25) * ramp(t, 1.08, 0.40)
    albedo[where] *= 1.0 - ends * line(np.abs(window.u - mouth_u) - bow, 0.060)
    forehead = within(0.10 * (sitting.wrinkles - 0.2) + 0.10 * e.raised, 0.0, 0.2)
    if forehead > 0.005:
        window, where = grid.window(layout.brow_mid - 0.8, layout.brow_mid + 0.8, -1.05, layout.brow_v - 0.1)
        rows = line(np.sin((window.v + 0.05 * np.square(window.u)) * (np.pi / 0.15)), 0.35)
        albedo[where] *= 1.0 - rows * window.blob((layout.brow_mid, -0.68), (0.40, 0.19), forehead)
    scowl = within(0.08 * sitting.wrinkles + 0.22 * e.frown, 0.0, 0.35)
    if scowl > 0.005:
        window, where = grid.window(layout.brow_mid - 0.2, layout.brow_mid + 0.2, layout.brow_v - 0.3, 0.1)
        for side in (-1.0, 1.0):
            at = (layout.brow_mid + 0.06 * side, layout.brow_v + 0.03)
            albedo[where] *= 1.0 - window.blob(at, (0.022, 0.10), scowl)
