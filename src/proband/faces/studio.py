"""The studio: light and camera, and how they vary."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from proband.faces.painting.grid import within

EXTREME = 2.2  # standard deviations at which every deviation is cut off


@dataclass(frozen=True)
class Light:
    """A key light and the light that comes from everywhere.

    Parameters
    ----------
    x, y
        Direction towards the key light, relative to a depth of one: right and down are positive.
    ambient
        Share of the light that has no direction.

    """

    x: float
    y: float
    ambient: float


@dataclass(frozen=True)
class Camera:
    """The response of the camera to light: tone curve, sharpness and noise.

    ``blur`` is in pixels of an image 192 high, ``noise`` in grey levels of 255.
    """

    gamma: float
    contrast: float
    exposure: float
    vignette: float
    blur: float
    noise: float


class Variation:
    """A source of deviations from the usual, scaled by difficulty."""

    def __init__(self, rng: np.random.Generator, difficulty: float) -> None:
        self.rng = rng
        self.difficulty = difficulty

    def by(self, spread: float) -> float:
        """Draw a deviation of the given spread about zero."""
        return within(self.rng.standard_normal(), -EXTREME, EXTREME) * spread * self.difficulty

    def about(self, centre: float, spread: float, low: float, high: float) -> float:
        """Draw a number about a centre, within bounds."""
        return within(centre + self.by(spread), low, high)

    def factor(self, spread: float) -> float:
        """Draw a factor about one."""
        return math.exp(self.by(spread))

    def happens(self, chance: float) -> bool:
        """Let something unusual happen, or not."""
        return bool(self.rng.random() < chance * self.difficulty)


def set_up_studio(vary: Variation, elapsed: float) -> tuple[Light, Camera]:
    """Set up lights and camera again; the more time has passed, the more they differ from before."""
    moved = 1.0 + 0.6 * min(elapsed, 1.0)
    light = Light(
        x=vary.by(0.175 * moved),
        y=-0.50 + vary.by(0.125 * moved),
        ambient=vary.about(0.42, 0.06, 0.2, 0.6),
    )
    camera = Camera(
        gamma=vary.factor(0.07 * moved),
        contrast=vary.factor(0.06),
        exposure=vary.factor(0.06),
        vignette=vary.about(0.06, 0.04, 0.0, 0.2),
        blur=vary.about(0.55, 0.18, 0.3, 1.2),
        noise=4.0 * min(vary.difficulty, 2.0),
    )
    return light, camera


def relight(vary: Variation, light: Light, camera: Camera) -> tuple[Light, Camera, float]:
    """Move the key light to one side, and take the picture with another camera from another place.

    Returns the light, the camera, and the angle in degrees by which the head is seen from the side.
    """
    side = 1.0 if vary.rng.random() < 0.5 else -1.0
    moved, lowered, dimmed, toned, blurred, turned = vary.rng.uniform(0.6, 1.0, size=6) * vary.difficulty
    other_light = Light(
        light.x + side * 0.75 * float(moved),
        light.y + 0.20 * float(lowered),
        max(0.12, light.ambient - 0.16 * float(dimmed)),
    )
    other_camera = replace(
        camera,
        gamma=camera.gamma * math.exp(0.28 * toned),
        contrast=camera.contrast * math.exp(-0.10 * toned),
        blur=camera.blur + 0.35 * float(blurred),
        noise=camera.noise * 1.5,
    )
    return other_light, other_camera, 5.0 * side * float(turned)
