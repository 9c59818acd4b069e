"""The positions of facial features in an image: anatomy, moved by expression, weight and rotation of the head."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from proband.faces.appearance import Shot, Sitting
from proband.faces.identity import Anatomy
from proband.faces.painting.grid import Array, signed_power

# How far in front of the axis of the head each part lies: how much it moves when the head turns.
EYE_DEPTH, BROW_DEPTH, NOSE_DEPTH, MOUTH_DEPTH, CHIN_DEPTH, HAIRLINE_DEPTH = (
    0.80,
    0.90,
    1.25,
    1.02,
    0.92,
    0.70,
)
CURVATURE = 0.35  # how fast the face recedes sideways: depth falls by this times the offset squared
EQUATOR = -0.05  # the height at which the head is widest
MIDFACE = 0.55  # a height between eyes and mouth, at which the cheeks lie


@dataclass(frozen=True)
class Layout:
    """Landmarks of one image in face units. Pairs are (image left, image right)."""

    anatomy: Anatomy
    shot: Shot
    turn: float
    cheek_width: float
    jaw_taper: float
    chin: float
    eyes: tuple[tuple[float, float], tuple[float, float]]
    eye_widths: tuple[float, float]
    brow_mid: float
    brow_v: float
    nose_mid: float
    nose_v: float
    mouth: tuple[float, float]
    mouth_width: float
    gap: float

    def half_width(self, v: Array) -> Array:
        """Give the half-width of the head at each height; negative above the skull and below the chin."""
        a = self.anatomy
        up = np.maximum((EQUATOR - v) / (a.skull_top + EQUATOR), 0.0)
        down = np.maximum((v - EQUATOR) / (self.chin - EQUATOR), 0.0)
        upper = signed_power(1.0 - up**2.6, 0.5)
        lower = signed_power(1.0 - down**a.jaw_square, self.jaw_taper)
        flare = a.jaw_flare * np.exp(-np.square((down - 0.68) / 0.16))
        width: Array = self.cheek_width * upper * lower + flare
        return width

    @property
    def cheek_shift(self) -> float:
        """How far the cheeks have moved sideways with a turn of the head."""
        return MOUTH_DEPTH * self.turn


def lay_out(anatomy: Anatomy, sitting: Sitting, shot: Shot) -> Layout:
    """Place the landmarks of one image."""
    e = shot.expression
    # A view from the side is laid out looking straight ahead, and turned when it is painted.
    yaw = 0.0 if shot.view is not None else shot.yaw
    turn, nod = math.sin(math.radians(yaw)), math.sin(math.radians(shot.pitch))
    side = math.cos(math.radians(yaw))
    opening = max(e.open, 0.0)
    smile = e.smile
    eye_offset = anatomy.eye_gap * side
    eye_shift = (EYE_DEPTH - CURVATURE * anatomy.eye_gap**2) * turn
    squeeze = 2.0 * CURVATURE * anatomy.eye_gap * turn
    eye_v = EYE_DEPTH * nod
    mouth_v = anatomy.nose_length + anatomy.mouth_drop - 0.035 * smile + 0.03 * opening
    return Layout(
        anatomy=anatomy,
        shot=shot,
        turn=turn,
        cheek_width=anatomy.cheek_width + sitting.weight + 0.012 * max(smile, 0.0),
        jaw_taper=anatomy.jaw_taper - 1.2 * sitting.weight,
        chin=anatomy.chin + 0.17 * opening + CHIN_DEPTH * nod,
        eyes=((eye_shift - eye_offset, eye_v), (eye_shift + eye_offset, eye_v)),
        eye_widths=(anatomy.eye_width * (side + squeeze), anatomy.eye_width * (side - squeeze)),
        brow_mid=BROW_DEPTH * turn,
        brow_v=-anatomy.brow_height - 0.09 * e.raised + 0.04 * e.frown + BROW_DEPTH * nod,
        nose_mid=NOSE_DEPTH * turn,
        nose_v=anatomy.nose_length - 0.012 * smile + NOSE_DEPTH * nod,
        mouth=(MOUTH_DEPTH * turn, mouth_v + MOUTH_DEPTH * nod),
        mouth_width=anatomy.mouth_width * (1.0 + 0.20 * smile - 0.16 * opening * (smile < 0.3)) * side,
        gap=0.27 * opening + 0.045 * max(smile, 0.0),
    )


def turned_eyes(layout: Layout) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the positions of both irises in a rotated view, in face units, image left first; one may be hidden."""
    turn, side = math.sin(math.radians(layout.shot.yaw)), math.cos(math.radians(layout.shot.yaw))
    middle = EYE_DEPTH + CURVATURE * layout.anatomy.eye_gap**2
    left, right = ((u * side + (middle - CURVATURE * u * u) * turn, v) for u, v in layout.eyes)
    return left, right
