"""Mouth, nostrils and the hair that grows around them."""

from __future__ import annotations

import numpy as np

from proband.faces.appearance import Sitting
from proband.faces.identity import Identity
from proband.faces.layout import Layout
from proband.faces.painting.grid import Array, PixelGrid, clamp, line, mix, ramp, stretch, within
from proband.faces.painting.head import FACE_BOX

TEETH, CAVITY, NOSTRIL = 0.74, 0.07, 0.05  # albedo of the teeth, of the dark between them and of the nostrils


def paint_mouth(grid: PixelGrid, layout: Layout, sitting: Sitting, albedo: Array, height: Array) -> None:
    """Lay the lips into albedo and relief, and what shows between them."""
    a, smile = layout.anatomy, layout.shot.expression.smile
    mouth_u, mouth_v = layout.mouth
    half = layout.mouth_width
    window, where = grid.window(mouth_u - 0.65, mouth_u + 0.65, mouth_v - 0.35, mouth_v + 0.50)
    x = (window.u - mouth_u) / half
    near = clamp(x, -1.15, 1.15)
    inside = np.maximum(1.0 - x * x, 0.0)
    # The line between the lips: corners rise with a smile and sink with a frown.
    bend = a.mouth_curve + 0.105 * smile
    y = window.v - (mouth_v - bend * (near * near - 0.35) + a.mouth_skew * near)
    thin = 1.0 - 0.28 * max(smile, 0.0)
    bow = 1.0 - a.cupid * line(x, 0.16) + 0.12 * line(np.abs(x) - 0.3, 0.2)
    gap = layout.gap * inside**0.6
    inner_top, inner_bottom = -0.45 * gap, 0.55 * gap
    top = inner_top - a.lip_upper * thin * inside**0.8 * bow
    bottom = inner_bottom + a.lip_lower * thin * inside**0.65
    ends = window.cover((1.0 - np.abs(x)) * half, 0.03)
    lips = window.cover(y - top, 0.02) * window.cover(bottom - y, 0.025) * ends
    skin = albedo[where]
    tone = within(a.lip_tone - 0.5 * sitting.makeup, 0.4, 0.95)
    upper_lip = 1.0 - 0.13 * window.cover(-y, 0.01)  # the upper lip faces down and is the darker one
    skin *= 1.0 - (1.0 - tone * upper_lip) * lips
    seam = 0.66 * ramp(np.abs(x), 1.06, 0.86) * (0.55 + 0.45 * ramp(gap, 0.05, 0.01))
    mix(skin, CAVITY, seam * line(y - inner_top, 0.016))
    for corner in (-1.0, 1.0):
        at = (mouth_u + corner * half, mouth_v - 0.65 * bend + a.mouth_skew * corner)
        skin *= 1.0 - window.blob(at, (0.045, 0.035), 0.30)
    if layout.gap > 0.004:
        # A smile bares the upper teeth; a mouth that merely opens shows little more than dark.
        edge = inner_top + (0.25 + 0.45 * within(smile, 0.0, 1.0)) * layout.gap + 0.01
        shown = within(0.40 + 0.6 * smile, 0.0, 1.0) * window.cover(edge - y)
        teeth = CAVITY + (TEETH * (1.0 - 0.35 * x * x) - CAVITY) * shown
        mix(skin, teeth, window.cover(y - inner_top) * window.cover(inner_bottom - y) * ends)

    swell = 0.030 * line(y - 0.5 * (top + inner_top), 0.045)
    swell += 0.052 * line(y - 0.5 * (bottom + inner_bottom), 0.055)
    height[where] += swell * inside


def paint_nostrils(grid: PixelGrid, layout: Layout, albedo: Array) -> None:
    """Darken the nostrils and the groove round the wings of the nose."""
    a = layout.anatomy
    middle, base = layout.nose_mid + a.nose_bend, layout.nose_v
    window, where = grid.window(middle - 0.42, middle + 0.42, base - 0.25, base + 0.14)
    skin = albedo[where]
    for side in (-1.0, 1.0):
        hole = window.u - (middle + side * a.nose_width * 0.52)
        tilted = window.v - (base - 0.005) - (0.30 * side) * hole
        depth = within(a.nostril, 0.2, 0.9) * line(hole, 0.065 + 0.10 * (a.nose_width - 0.19))
        mix(skin, NOSTRIL, depth * line(tilted, 0.032))
        ring_u = (window.u - (middle + side * a.nose_width * 0.80)) / 0.105
        ring = np.sqrt(np.square(ring_u) + np.square((window.v - base + 0.065) / 0.115)) - 1.0
        skin *= 1.0 - 0.24 * ramp(ring_u * side, -0.1, 0.7) * line(ring, 0.28)
    skin *= 1.0 - window.blob((middle, base + 0.035), (0.19, 0.045), 0.15)


def moustache_shape(grid: PixelGrid, layout: Layout, offset: Array) -> Array:
    """Shape a moustache: two wings that fall from under the nose towards the corners of the mouth."""
    mouth_v, smile = layout.mouth[1], layout.shot.expression.smile
    lip = mouth_v - layout.anatomy.lip_upper - 0.45 * layout.gap
    t = np.minimum(offset / (layout.mouth_width + 0.08), 1.2)
    middle = (layout.nose_v + 0.05 + lip) / 2.0 + 0.02
    fall = (mouth_v - 0.07 * smile - middle) * t**1.8
    thick = (0.55 * (lip - layout.nose_v) + 0.035) * np.sqrt(np.maximum(1.02 - t * t, 0.0)) + 0.01
    across = np.square((grid.v - middle - fall) / thick)
    groove = 1.0 - 0.35 * line(offset, 0.05)
    shape: Array = np.exp(-0.9 * across * across) * (ramp(t, 1.12, 0.8) * groove)
    return shape


def grow_beard(grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting, albedo: Array) -> None:
    """Lay beard and moustache over the skin, thinning towards their edges."""
    if sitting.beard == 0.0 and sitting.moustache == 0.0:
        return
    mouth_u, mouth_v = layout.mouth
    window, where = grid.window(-2.0, 2.0, layout.nose_v - 0.3, layout.chin + 1.0)
    skin = albedo[where]
    uneven = stretch(identity.whiskers, window, FACE_BOX)
    tone = identity.hair_tone(sitting.grey) * (1.0 + 0.25 * uneven)
    offset = np.abs(window.u - mouth_u)
    moustache = moustache_shape(window, layout, offset)
    if sitting.moustache > 0.0:
        mix(skin, tone, clamp(sitting.moustache * moustache * (0.9 + 0.15 * uneven)))
    if sitting.beard > 0.0:
        # The cheek line falls from the ear to the corner of the mouth; lips and the spot below stay free.
        jaw = ramp(window.v + 0.75 * np.square(offset), mouth_v + 0.05, mouth_v + 0.26)
        around = np.square(offset / (1.15 * layout.mouth_width))
        around = around + np.square(
            (window.v - mouth_v - 0.05 - 0.2 * layout.gap) / (0.20 + 0.5 * layout.gap)
        )
        beard = np.maximum(jaw * ramp(around, 0.7, 1.35), 0.6 * moustache)
        mix(skin, tone, clamp(sitting.beard * beard * (0.92 + 0.15 * uneven)))
