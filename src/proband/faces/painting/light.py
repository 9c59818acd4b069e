"""Light on a surface: Lambert's law on slopes, with a little gloss."""

from __future__ import annotations

import math

import numpy as np

from proband.faces.painting.grid import Array
from proband.faces.studio import Light

KEY_STRENGTH = 1.15  # brightness of a white surface that faces the key light, ambient light included
WRAP = 0.18  # how far light reaches round the limb: skin scatters, and studio lamps are large


def lambert(light: Light, slope_u: Array, slope_v: Array | float, gloss: float = 0.0) -> Array:
    """Light a surface of given slopes (height towards the camera, per face unit).

    Parameters
    ----------
    light
        Direction and share of ambient light.
    slope_u, slope_v
        Derivatives of the height along the rows and down the columns; broadcast together.
    gloss
        Strength of the highlight where the surface mirrors the key light.

    Returns
    -------
    array
        Irradiance to multiply the albedo with, gloss included.
    """
    norm = math.sqrt(light.x**2 + light.y**2 + 1.0)
    x, y, z = light.x / norm, light.y / norm, 1.0 / norm
    facing = (z - slope_u * x - slope_v * y) / np.sqrt(slope_u * slope_u + (1.0 + slope_v * slope_v))
    diffuse = np.maximum((facing + WRAP) * (1.0 / (1.0 + WRAP)), 0.0)
    shade = light.ambient + (KEY_STRENGTH - light.ambient) * diffuse
    if gloss > 0.0:
        sharp = np.square(np.square(np.square(diffuse)))
        shade += gloss * sharp
    return shade


def slopes(height: Array, px: float) -> tuple[Array, Array]:
    """Differentiate a height map by central differences; the border is level."""
    slope_u, slope_v = np.zeros_like(height), np.zeros_like(height)
    np.subtract(height[:, 2:], height[:, :-2], out=slope_u[:, 1:-1])
    np.subtract(height[2:], height[:-2], out=slope_v[1:-1])
    slope_u *= 0.5 * px
    slope_v *= 0.5 * px
    return slope_u, slope_v


def round_slope(offset: Array, bulge: float) -> Array:
    """Give the slope of a rounded cross-section, flat in the middle, at an offset of -1 to 1 from it."""
    square = np.minimum(offset * offset, 1.0)
    return -bulge * offset * (0.4 + 0.6 * square) / np.sqrt(1.06 - square)
