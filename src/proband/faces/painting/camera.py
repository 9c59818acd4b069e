"""The camera: rotation of the picture, blur, tone curve, vignette and noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proband.faces.appearance import Shot
from proband.faces.layout import Layout, turned_eyes
from proband.faces.painting.grid import Array, PixelGrid, clamp
from proband.faces.studio import Camera

REFERENCE_HEIGHT, REFERENCE_WIDTH = 192, 160  # the size at which the next two are pixels
UNIT_PX = 38.0  # pixels per face unit
EYE_ROW = 0.455  # how far down the image the eyes are, as a share of its height
DISPLAY_GAMMA = 1.5  # a print is lighter in its mid-tones than the light itself
MID_GREY = 0.5  # the tone that contrast turns about
TONES = 4096  # steps of radiance that the tone curve is tabulated at
BRIGHTEST = 1.6  # radiance at which the table ends; everything above is white
WIDEST_PASS = 0.5  # variance that a three-tap filter can have at most, in square pixels
BILINEAR_VARIANCE = 1.0 / 6.0  # how much bilinear interpolation blurs, on average, in square pixels


@dataclass(frozen=True)
class Framing:
    """How face coordinates become pixels.

    The face is drawn upright on a canvas a little larger than the image, and the canvas is then turned about
    its centre by ``roll``: that keeps every shape separable while it is drawn.
    """

    height: int
    width: int
    px: float
    roll: float
    margin_x: int
    margin_y: int
    centre: tuple[float, float]

    def grid(self) -> PixelGrid:
        """Lay the canvas."""
        return PixelGrid.of_size(
            self.height + 2 * self.margin_y, self.width + 2 * self.margin_x, self.centre, self.px
        )

    def place(self, u: float, v: float) -> tuple[float, float]:
        """Give the (x, y) of a face coordinate in the finished image; pixel centres are whole numbers."""
        middle_x, middle_y = (self.width - 1) / 2.0, (self.height - 1) / 2.0
        x = self.centre[0] + u * self.px - self.margin_x - middle_x
        y = self.centre[1] + v * self.px - self.margin_y - middle_y
        cos, sin = math.cos(self.roll), math.sin(self.roll)
        return middle_x + cos * x - sin * y, middle_y + sin * x + cos * y


def frame(shot: Shot, height: int, width: int) -> Framing:
    """Set up the camera in front of the subject."""
    roll = math.radians(shot.roll)
    fit = min(height / REFERENCE_HEIGHT, width / REFERENCE_WIDTH)
    px = UNIT_PX * fit * shot.scale
    # The corners of the image must still see the canvas, with two pixels to interpolate in.
    margin_x = math.ceil(abs(math.sin(roll)) * height / 2.0) + 2
    margin_y = math.ceil(abs(math.sin(roll)) * width / 2.0) + 2
    centre_x = (width - 1) / 2.0 + shot.shift_x * UNIT_PX * fit + margin_x
    centre_y = height * EYE_ROW + shot.shift_y * UNIT_PX * fit + margin_y
    return Framing(height, width, px, roll, margin_x, margin_y, (centre_x, centre_y))


def eye_positions(framing: Framing, layout: Layout) -> tuple[tuple[float, float], tuple[float, float]]:
    """Give the centres of both irises in the finished image, image left first."""
    left, right = layout.eyes if layout.shot.view is None else turned_eyes(layout)
    return framing.place(*left), framing.place(*right)


def rotate(canvas: Array, framing: Framing) -> Array:
    """Cut the image out of the canvas, turned by the roll of the head.

    Bilinear interpolation softens the image a little; the camera's blur makes allowance for it.
    """
    from PIL import Image

    rows = slice(framing.margin_y, framing.margin_y + framing.height)
    cols = slice(framing.margin_x, framing.margin_x + framing.width)
    if framing.roll == 0.0:
        return canvas[rows, cols]
    cos, sin = math.cos(framing.roll), math.sin(framing.roll)
    middle_x, middle_y = framing.width / 2.0, framing.height / 2.0
    # Pillow maps output corners to input corners, half a pixel off the centres: the middles say the same.
    offset_x = middle_x + framing.margin_x - cos * middle_x - sin * middle_y
    offset_y = middle_y + framing.margin_y + sin * middle_x - cos * middle_y
    picture = Image.fromarray(canvas).transform(
        (framing.width, framing.height),
        Image.Transform.AFFINE,
        (cos, sin, offset_x, -sin, cos, offset_y),
        Image.Resampling.BILINEAR,
    )
    return np.asarray(picture, dtype=np.float32)


def film_grain(height: int, width: int, rng: np.random.Generator) -> Array:
    """Draw grain: noise that is alike over a pixel or two, as film and lenses leave it."""
    from PIL import Image

    coarse = rng.standard_normal(((height + 1) // 2, (width + 1) // 2), dtype=np.float32)
    fine = Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)
    return np.asarray(fine, dtype=np.float32)


def expose(image: Array, camera: Camera, softened: bool, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Turn radiance into grey levels: blur, vignette, tone curve, grain.

    ``softened`` says that the image has been interpolated, which is part of the blur wanted.
    """
    height, width = image.shape
    variance = (camera.blur * height / REFERENCE_HEIGHT) ** 2 - (BILINEAR_VARIANCE if softened else 0.0)
    image = soften(image, max(variance, 0.01))
    x = np.linspace(-1.0, 1.0, width, dtype=np.float32)[None, :]
    y = np.linspace(-1.0, 1.0, height, dtype=np.float32)[:, None]
    scale = (TONES - 1) / BRIGHTEST * camera.exposure
    image *= (scale - scale * camera.vignette * y * y) - scale * camera.vignette * x * x
    levels = tone_curve(camera).take(image.astype(np.int32), mode="clip")
    if camera.noise > 0.0:
        levels += film_grain(height, width, rng) * np.float32(camera.noise)
    levels += 0.5  # so that truncation rounds
    return clamp(levels, 0.0, 255.0).astype(np.uint8)


def soften(image: Array, variance: float) -> Array:
    """Blur by repeated passes of a three-tap filter: close to a Gaussian, and quick for the little needed."""
    passes = math.ceil(variance / WIDEST_PASS)
    for _ in range(passes):
        for flipped in (False, True):
            along = image.T if flipped else image
            share = along * (0.5 * variance / passes)
            blurred = along - 2.0 * share
            blurred[1:] += share[:-1]
            blurred[:-1] += share[1:]
            blurred[0] += share[0]
            blurred[-1] += share[-1]
            image = blurred.T if flipped else blurred
    return image


def tone_curve(camera: Camera) -> Array:
    """Tabulate the grey level of each step of radiance."""
    radiance = np.linspace(0.0, BRIGHTEST, TONES, dtype=np.float32)
    tone = radiance ** np.float32(camera.gamma / DISPLAY_GAMMA)
    return 255.0 * ((tone - MID_GREY) * camera.contrast + MID_GREY)
