"""The face before it is lit: skin, mouth, nose, beard, eyes and brows, laid into albedo and relief."""

from __future__ import annotations

from proband.faces.appearance import Sitting
from proband.faces.identity import Identity
from proband.faces.layout import Layout
from proband.faces.painting.eyes import Lids, open_lids, paint_brows, paint_eye
from proband.faces.painting.grid import Array, PixelGrid
from proband.faces.painting.head import relief, skin_albedo
from proband.faces.painting.mouth import grow_beard, paint_mouth, paint_nostrils

SKIN_GLOSS = 0.10


def paint_face(
    window: PixelGrid, layout: Layout, identity: Identity, sitting: Sitting
) -> tuple[Array, Array, list[Lids]]:
    """Give the albedo and the relief of a face with all its features, and the lids of both eyes."""
    height = relief(window, layout)
    albedo = skin_albedo(window, layout, identity, sitting)
    paint_mouth(window, layout, sitting, albedo, height)
    paint_nostrils(window, layout, albedo)
    grow_beard(window, layout, identity, sitting, albedo)
    eyes = [open_lids(window, layout, index) for index in (0, 1)]
    for index, lids in enumerate(eyes):
        paint_eye(lids, layout, index, sitting, albedo)
    paint_brows(window, layout, identity, sitting, albedo)
    return albedo, height, eyes
