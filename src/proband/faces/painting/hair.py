"""Hair: its silhouette behind the head, its fall over the forehead, its strands and its sheen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.faces.appearance import Sitting
from proband.faces.identity import HairStyle, Identity
from proband.faces.layout import EQUATOR, HAIRLINE_DEPTH, Layout
from proband.faces.painting.grid import (
    Array,
    PixelGrid,
    Slices,
    clamp,
    cosine,
    line,
    outline_distance,
    ramp,
    signed_power,
    stretch,
    within,
)
from proband.faces.painting.light import lambert, round_slope
from proband.faces.studio import Light

CURL_BOX = (-4.0, -4.0, 4.0, 4.0)  # where the field of the curls is defined: beyond any edge of the canvas
CURL_TURNS = 3.0
ROUNDNESS = 2.6  # of the silhouette above the ears: 2 is an ellipse, more is fuller at the crown


@dataclass(frozen=True)
class Cut:
    """A hair style.

    Parameters
    ----------
    top, side
        How far the hair stands off the skull, as multiples of the subject's hair volume.
    end
        How far down the hair hangs.
    flare
        How much wider it gets towards its end.
    fringe
        How far the front edge is moved from the natural hairline; negative is up.
    curtain
        How much lower the front edge is at the sides than at the parting.
    temple
        Where, as a share of the half-width of the head, the hair at the sides has come down.
    sideburn
        How far down the front edge comes at the sides.
    strength
        Opacity: cropped hair lets the scalp through.
    swept, parted
        Whether the strands run across the head instead of down from the crown; whether there is a parting.
    falls, covers_ears
        Whether the hair hangs about the neck; whether it hides the ears.
    curl
        How much the hair curls, 0 to 1.
    """

    top: float
    side: float
    end: float
    flare: float
    fringe: float
    curtain: float
    temple: float
    sideburn: float
    strength: float = 1.0
    swept: bool = False
    parted: bool = False
    falls: bool = False
    covers_ears: bool = False
    curl: float = 0.0


CUTS: dict[HairStyle, Cut] = {
    "bald": Cut(0.05, 0.12, 0.45, 0.0, -1.60, 0.60, 1.00, 0.10, strength=0.75),
    "buzz": Cut(0.25, 0.15, 0.40, 0.0, 0.0, 0.10, 0.97, 0.20, strength=0.80),
    "short": Cut(1.10, 0.45, 0.50, 0.0, 0.02, 0.15, 0.97, 0.24, parted=True),
    "swept": Cut(1.30, 0.45, 0.50, 0.0, -0.06, 0.15, 0.97, 0.20, parted=True, swept=True),
    "tied": Cut(0.70, 0.35, 0.45, 0.0, 0.0, 0.45, 0.94, 0.05, swept=True),
    "fringe": Cut(1.10, 1.20, 1.75, 0.12, 0.44, 0.12, 0.88, 1.65, falls=True, covers_ears=True),
    "bob": Cut(1.10, 1.30, 1.55, 0.12, 0.02, 0.85, 0.90, 1.45, parted=True, falls=True, covers_ears=True),
    "long": Cut(1.05, 1.15, 2.90, 0.16, 0.0, 1.00, 0.90, 2.80, parted=True, falls=True, covers_ears=True),
    "curly": Cut(1.80, 2.00, 1.25, 0.02, 0.05, 0.40, 0.95, 0.70, curl=1.0, covers_ears=True),
}


@dataclass(frozen=True)
class Hair:
    """A head of hair on its window of the canvas: its light, and its opacity behind and before the head."""

    where: Slices
    lit: Array
    behind: Array
    front: Array


@dataclass(frozen=True)
class Hairline:
    """The front edge of the hair: its height over each column, and the cosine of its slope."""

    edge: Array
    cosine: Array

    def above(self, window: PixelGrid, columns: slice) -> Array:
        """Measure how far above the edge each pixel of a window lies (below it: negative)."""
        return (self.edge[:, columns] - window.v) * self.cosine[:, columns]


def grow_hair(
    grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting, light: Light, hairline: Hairline
) -> Hair:
    """Draw the hair for one image."""
    cut = CUTS[sitting.style]
    volume = max(layout.anatomy.hair_volume + sitting.volume, 0.05)
    crown = layout.anatomy.skull_top + cut.top * volume
    widest = layout.cheek_width + cut.side * volume
    reach = widest * (1.0 + cut.flare) + 0.2
    window, where = grid.window(-reach, reach, -crown - 0.2, cut.end + 0.1)
    curls = curl_field(window, identity) if cut.curl > 0.0 else None
    width = half_width(window.v, cut, crown, widest)
    # Near the crown rows run along the outline; there the parabola through the crown measures better.
    curved = crown / (ROUNDNESS * widest * widest)
    distance = np.minimum(outline_distance(window, width), window.v + crown - curved * np.square(window.u))
    if curls is not None:
        distance += 0.06 * cut.curl * curls
    cover = window.cover(distance, 0.06) * cut.strength
    behind = cover if cut.falls else cover * ramp(window.v, 0.5, 0.2)
    front = cover * window.cover(hairline.above(window, where[1]), 0.09)
    lit = lit_hair(window, width, crown, curls, identity, sitting, light)
    return Hair(where, lit, behind, front)


def half_width(v: Array, cut: Cut, crown: float, widest: float) -> Array:
    """Give the half-width of the silhouette at each height, negative beyond its ends."""
    up = np.maximum((EQUATOR - v) / (crown + EQUATOR), 0.0)
    down = np.maximum((v - EQUATOR) / (cut.end - EQUATOR), 0.0)
    tuck = 9.0 if cut.falls else 3.0  # hair that hangs ends abruptly, short hair tucks in behind the ears
    width = signed_power(1.0 - up**ROUNDNESS, 0.5) * signed_power(1.0 - down**tuck, 0.5)
    return width * widest * (1.0 + cut.flare * ramp(v, 0.0, 1.6))


def lay_hairline(grid: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting) -> Hairline:
    """Shape the hairline: over the forehead, round the temples and down to the sideburns."""
    cut, a = CUTS[sitting.style], layout.anatomy
    q = (grid.u - HAIRLINE_DEPTH * layout.turn) / layout.cheek_width
    side = np.abs(q)
    part = within(a.part + sitting.part, -0.45, 0.45) if cut.parted else 0.0
    edge = (cut.curtain + a.hairline_arch) * np.square(q - 0.6 * part) + (
        a.hairline + sitting.hairline + cut.fringe
    )
    edge -= a.hairline_recess * line(side - 0.55, 0.20) + 0.05 * abs(part) * line(q - part, 0.12)
    tuft = (grid.u[0] * 110.0).astype(np.intp) + sitting.comb
    edge += 0.025 * identity.strands[1, tuft % identity.strands.shape[1]]
    at_side = clamp((side - cut.temple + 0.45) / 0.5) ** 3
    edge += at_side * (cut.sideburn - edge)
    return Hairline(edge, cosine(edge[0], grid.px)[None, :])


def curl_field(grid: PixelGrid, identity: Identity) -> Array:
    """Sample the curls: contours of a smooth random field, so that they wind."""
    winding: Array = np.sin(CURL_TURNS * stretch(identity.curls, grid, CURL_BOX))
    return winding


def lit_hair(
    grid: PixelGrid,
    width: Array,
    crown: float,
    curls: Array | None,
    identity: Identity,
    sitting: Sitting,
    light: Light,
) -> Array:
    """Shade the whole head of hair: strands along its flow, a band of sheen below the crown."""
    cut, part = CUTS[sitting.style], identity.anatomy.part
    offset = clamp(grid.u / np.maximum(width, 0.05), -1.0, 1.0)
    strands = curls
    if strands is None:
        flow = offset - 0.3 * part
        if cut.swept:
            # Combed away from the parting: strands fan out from a point beside the forehead.
            away = -1.0 if part > 0.0 else 1.0
            flow = 0.7 * away * offset + 0.6 * (grid.v + 1.0) / (away * grid.u + 2.1)
        strands = strand_field(grid, flow, identity, sitting)
    slope_v = -round_slope(clamp((EQUATOR - grid.v) / (crown + EQUATOR)), 1.1)
    shade = lambert(light, round_slope(offset, 1.1) + 0.12 * strands, slope_v)
    tone = identity.hair_tone(sitting.grey)
    sheen = (0.05 + 0.15 * tone) * line(grid.v + 0.62 * crown - 0.25 * np.square(offset), 0.24)
    return np.maximum(shade * (tone * (1.0 + 0.16 * strands) + sheen * (1.0 + 0.4 * strands)), 0.02)


def strand_field(grid: PixelGrid, flow: Array, identity: Identity, sitting: Sitting) -> Array:
    """Look the strands up at a coordinate that runs across them; along them they change slowly."""
    rows, cols = identity.strands.shape
    column = (flow * (0.26 * cols) + float(2 * cols + sitting.comb)).astype(np.int32)
    column &= cols - 1  # the number of columns is a power of two
    row = clamp((grid.v + 2.2) * (rows / 5.2), 0.0, rows - 1.001)
    above = row.astype(np.int32)
    field = identity.strands.ravel()
    column += above * cols
    strands: Array = field[column]
    column += cols
    strands += (field[column] - strands) * (row - above)
    return strands
