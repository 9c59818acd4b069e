"""From a subject, a sitting and a shot to a grey image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proband.faces.appearance import Shot, Sitting
from proband.faces.identity import Identity
from proband.faces.layout import Layout, lay_out
from proband.faces.painting.body import backdrop, paint_body, paint_ears
from proband.faces.painting.camera import expose, frame, rotate
from proband.faces.painting.eyes import catchlight, wear_glasses
from proband.faces.painting.face import SKIN_GLOSS, paint_face
from proband.faces.painting.grid import Array, PixelGrid, mix, outline_distance, ramp
from proband.faces.painting.hair import CUTS, Hairline, grow_hair, lay_hairline
from proband.faces.painting.head import base_slopes
from proband.faces.painting.light import lambert, slopes
from proband.faces.painting.turned import paint_turned


def render_image(
    identity: Identity, sitting: Sitting, shot: Shot, height: int, width: int, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Paint one image, from the backdrop forward; ``rng`` supplies the noise of the sensor."""
    layout = lay_out(identity.anatomy, sitting, shot)
    framing = frame(shot, height, width)
    grid = framing.grid()
    image = backdrop(grid, sitting, shot.light)
    if shot.view is not None:
        paint_turned(grid, layout, identity, sitting, shot.light, image)
        return expose(rotate(image, framing), shot.camera, framing.roll != 0.0, rng)
    hairline = lay_hairline(grid, layout, identity, sitting)
    hair = grow_hair(grid, layout, identity, sitting, shot.light, hairline)
    mix(image[hair.where], hair.lit, hair.behind)
    paint_body(grid, layout, identity, sitting, shot.light, image)
    paint_head(grid, layout, identity, sitting, hairline, image)
    mix(image[hair.where], hair.lit, hair.front)
    if not CUTS[sitting.style].covers_ears:
        paint_ears(grid, layout, identity, sitting, shot.light, image)
    if sitting.glasses:
        wear_glasses(grid, layout, identity, shot.light, image)
    return expose(rotate(image, framing), shot.camera, framing.roll != 0.0, rng)


def paint_head(
    grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting, hairline: Hairline, image: Array
) -> None:
    """Paint the head with all its features onto the image."""
    light = layout.shot.light
    half = layout.cheek_width + 0.12
    window, where = grid.window(-half, half, -identity.anatomy.skull_top - 0.05, layout.chin + 0.06)
    outline = layout.half_width(window.v)
    albedo, height, eyes = paint_face(window, layout, identity, sitting)
    slope_u, slope_v = slopes(height, grid.px)
    bare_u, bare_v = base_slopes(window, layout, outline)
    slope_u += bare_u
    slope_v += bare_v
    lit = albedo * lambert(light, slope_u, slope_v, SKIN_GLOSS)
    # The hair shades the forehead below it.
    lit *= 1.0 - 0.30 * ramp(hairline.above(window, where[1]), -0.22, 0.02)
    for index, lids in enumerate(eyes):
        catchlight(lids, layout, index, light, lit)
    mix(image[where], lit, window.cover(outline_distance(window, outline), 0.015))
