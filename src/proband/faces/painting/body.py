"""What surrounds the face: backdrop, neck, shoulders, clothes and ears."""

from __future__ import annotations

import numpy as np

from proband.faces.appearance import Sitting
from proband.faces.identity import Identity
from proband.faces.layout import Layout
from proband.faces.painting.grid import Array, PixelGrid, clamp, cosine, line, mix, outline_distance, ramp
from proband.faces.painting.light import lambert, round_slope
from proband.faces.studio import Light

SHOULDER_V = 2.34  # the height at which the neck turns into the shoulders
NECK_TOP = 0.9  # above this the neck is always hidden behind the head
OPEN_COLLAR = 0.6  # above this share, clothes have an open collar; below, a round neckline


def backdrop(grid: PixelGrid, sitting: Sitting, light: Light) -> Array:
    """Paint a studio wall, a little brighter towards the light and in the middle."""
    x, y = grid.u / np.abs(grid.u).max(), grid.v / np.abs(grid.v).max()
    across = 0.07 * light.x * x - 0.11 * sitting.backdrop * np.square(x)
    down = 0.07 * light.y * y - 0.09 * sitting.backdrop * np.square(y)
    wall: Array = across + (sitting.backdrop + down)
    return wall


def paint_body(
    grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting, light: Light, image: Array
) -> None:
    """Paint neck and shoulders, dress them, and let the chin cast its shadow."""
    neck = identity.anatomy.neck_width + 0.5 * sitting.weight
    window, where = grid.window(float(grid.u[0, 0]), float(grid.u[0, -1]), NECK_TOP, float(grid.v[-1, 0]))
    if min(window.shape) < 3:
        return
    patch = image[where]
    # A smooth hinge: straight down the neck, then out along the shoulder.
    hinge = 0.10 * np.logaddexp(np.float32(0.0), (window.v - SHOULDER_V) / 0.10)
    width = neck * (1.0 - 0.06 * ramp(window.v, 1.4, 2.0)) + 2.3 * hinge
    body = window.cover(outline_distance(window, width), 0.01)
    skin = lambert(light, round_slope(clamp(window.u / neck, -1.0, 1.0), 1.0), 0.0)
    skin = skin * (0.88 * (identity.skin + sitting.tan))
    under_chin = window.v + 0.30 * np.square(window.u + 0.25 * light.x)
    skin = skin * (1.0 - 0.48 * ramp(under_chin, layout.chin + 0.66, layout.chin + 0.06))
    sinew = np.abs(window.u) - 0.30 - 0.35 * (2.6 - window.v)
    skin *= 1.0 - 0.05 * line(sinew, 0.07)
    mix(patch, skin, body)
    lower, below = window.window(float(grid.u[0, 0]), float(grid.u[0, -1]), 1.6, float(grid.v[-1, 0]))
    mix(patch[below], clothes(lower, sitting, light, neck), body[below] * clothed(lower, sitting, neck))


def neckline(window: PixelGrid, sitting: Sitting, neck: float) -> Array:
    """Give the upper edge of the clothes: round for a shirt, pointed for an open collar."""
    offset = np.abs(window.u) / neck
    if sitting.collar > OPEN_COLLAR:
        return sitting.neckline + 0.25 - 0.55 * offset
    return sitting.neckline - 0.42 * np.square(offset)


def clothed(window: PixelGrid, sitting: Sitting, neck: float) -> Array:
    """Cover the body from the neckline down."""
    edge = neckline(window, sitting, neck)
    return window.cover((window.v - edge) * cosine(edge[0], window.px), 0.01)


def clothes(window: PixelGrid, sitting: Sitting, light: Light, neck: float) -> Array:
    """Shade the cloth and its hem, with a lapel for those who wear a collar."""
    slope = round_slope(clamp(window.u / 2.4, -1.0, 1.0), 0.7)
    folds = 0.12 * np.sin(5.0 * window.u + 4.0 * window.v + 6.0 * sitting.cloth)
    cloth = sitting.cloth * lambert(light, slope + folds, 0.35)
    edge = neckline(window, sitting, neck)
    if sitting.collar > OPEN_COLLAR:
        band = window.v - edge - 0.20 - 0.15 * np.abs(window.u) / neck
        lapel = min(0.9, sitting.cloth + 0.25) * lambert(light, slope, 0.2)
        mix(cloth, lapel, window.cover(-band, 0.01))
        cloth *= 1.0 - 0.35 * line(band, 0.03)
    else:
        cloth *= 1.0 - 0.22 * line(window.v - edge - 0.09, 0.02)
    return cloth


def paint_ears(
    grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting, light: Light, image: Array
) -> None:
    """Paint both ears beside the head: a rim that catches the light round a darker shell."""
    a = identity.anatomy
    tone = 0.92 * (identity.skin + sitting.tan)
    broad = 0.085 + 0.5 * a.ear_out
    for side in (-1.0, 1.0):
        at_u = side * (0.97 * layout.cheek_width + 0.7 * a.ear_out) - 0.12 * layout.turn
        window, where = grid.window(at_u - 0.3, at_u + 0.3, -0.35, 0.65)
        if min(window.shape) < 3:
            continue
        y = (window.v - 0.16) / a.ear_size
        x = (window.u - at_u + 0.05 * side * y) / broad
        radius = np.sqrt(np.square(x) + np.square(y))
        shade = lambert(light, round_slope(clamp(0.8 * x, -1.0, 1.0), 0.8) - 0.3 * side, 0.3 * y)
        lit = tone * shade * (1.0 - 0.38 * ramp(radius, 0.85, 0.45))
        beside = 1.0 - window.cover(outline_distance(window, layout.half_width(window.v)), 0.015)
        mix(image[where], lit, window.cover((1.0 - radius) * broad) * beside)
