"""The appearance of a subject on a day and in an image: everything except identity."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from proband.faces.identity import HairStyle, Identity, draw_complexion
from proband.faces.painting.grid import Array, within
from proband.faces.studio import Camera, Light, Variation, relight, set_up_studio

THIRD_SET_DAYS = 540  # a year and a half: the earliest third image set

# Which styles a head of hair can turn into between two sittings.
RESTYLES: dict[HairStyle, tuple[HairStyle, ...]] = {
    "bald": ("bald",),
    "buzz": ("short", "bald"),
    "short": ("swept", "buzz"),
    "swept": ("short",),
    "tied": ("long", "bob"),
    "fringe": ("bob", "tied"),
    "bob": ("long", "tied", "short"),
    "long": ("tied", "bob"),
    "curly": ("curly", "tied"),
}

# Full-strength expressions: (smile, open, raise, frown, squint).
EXPRESSIONS: dict[str, tuple[float, float, float, float, float]] = {
    "neutral": (0.0, 0.0, 0.0, 0.0, 0.0),
    "smile": (0.85, 0.10, 0.05, 0.0, 0.30),
    "laugh": (1.00, 0.60, 0.15, 0.0, 0.45),
    "surprise": (-0.05, 0.65, 0.90, 0.0, -0.45),
    "frown": (-0.45, 0.0, -0.25, 0.90, 0.25),
    "speaking": (0.10, 0.40, 0.10, 0.0, 0.0),
}
# The six basic emotions, and none, by the same movements.
EMOTIONS: dict[str, tuple[float, float, float, float, float]] = {
    "neutral": EXPRESSIONS["neutral"],
    "happiness": (0.90, 0.20, 0.05, 0.0, 0.35),
    "sadness": (-0.55, 0.0, 0.25, 0.35, 0.10),
    "surprise": EXPRESSIONS["surprise"],
    "anger": (-0.30, 0.0, -0.35, 1.00, 0.35),
    "disgust": (-0.35, 0.15, -0.15, 0.55, 0.70),
    "fear": (-0.25, 0.35, 0.70, 0.30, -0.35),
}
_MOVEMENTS = EXPRESSIONS | EMOTIONS
ALTERNATIVES = ("smile", "laugh", "surprise", "frown", "speaking")
ALTERNATIVE_ODDS = (0.46, 0.16, 0.12, 0.14, 0.12)


@dataclass(frozen=True)
class Expression:
    """Strength of each facial movement; 0 is at rest, 1 is full strength."""

    smile: float
    open: float
    raised: float
    frown: float
    squint: float


@dataclass(frozen=True)
class Sitting:
    """The properties shared by all images of one image set.

    Parameters
    ----------
    style, hairline, volume, part, comb
        The hair: its cut, how far its front edge, its volume and its parting differ from the usual, and how
        the strands happen to lie.
    grey, wrinkles
        Signs of age, 0 to 1.
    glasses
        Whether glasses are worn.
    beard, moustache, stubble, makeup
        How dense they are, 0 to 1.
    weight, tan, tired
        How much wider the face is than usual, how much lighter the skin, and how much darker below the eyes.
    complexion
        The random field of the skin on that day.
    cloth, collar, neckline
        Albedo of the clothes, their kind (0 to 1) and the height of their upper edge.
    backdrop
        Brightness of the wall.
    light, camera
        The set-up of the studio.
    """

    style: HairStyle
    hairline: float
    volume: float
    part: float
    comb: int
    grey: float
    glasses: bool
    beard: float
    moustache: float
    stubble: float
    weight: float
    tan: float
    tired: float
    makeup: float
    complexion: Array
    wrinkles: float
    cloth: float
    collar: float
    neckline: float
    backdrop: float
    light: Light
    camera: Camera


@dataclass(frozen=True)
class Shot:
    """The properties of a single image.

    Parameters
    ----------
    expression
        The movements of the face.
    yaw, pitch, roll
        Turn of the head, in degrees.
    scale, shift_x, shift_y
        Size of the face relative to the usual, and its place, in face units.
    light, camera
        As found in this image.
    lighting
        Where the light comes from, in a word.
    view
        The name of the rotated view, whose angle is part of `yaw`; None for frontal views.
    """

    expression: Expression
    yaw: float
    pitch: float
    roll: float
    scale: float
    shift_x: float
    shift_y: float
    light: Light
    camera: Camera
    lighting: str
    view: str | None = None


def draw_sitting(
    rng: np.random.Generator, identity: Identity, days: int, again: bool, difficulty: float
) -> Sitting:
    """Draw the look of a subject and the set-up of the studio, ``days`` after the first image set.

    Subjects photographed ``again`` may have a new haircut, or put on or removed glasses. Difficulty
    scales every deviation from the subject's usual look and from the standard set-up, and many deviations
    grow with the time that has passed.
    """
    vary = Variation(rng, difficulty)
    elapsed = min(days / THIRD_SET_DAYS, 1.5)
    drift = 0.5 + 0.6 * math.sqrt(elapsed)
    years = identity.age + min(difficulty, 1.0) * days / 365.25
    # A second set on the same day is taken because something about the subject was changed for it.
    changed = again and days == 0
    restyled = vary.happens(0.4 if changed else again * (0.08 + 0.22 * elapsed))
    choices = RESTYLES[identity.style] if restyled else (identity.style,)
    light, camera = set_up_studio(vary, elapsed)
    return Sitting(
        style=choices[int(rng.integers(len(choices)))],
        hairline=vary.by(0.035 * drift),
        volume=vary.by(0.04 * drift),
        part=vary.by(0.10 * drift),
        comb=int(min(difficulty, 1.0) * rng.integers(1000)),
        grey=within((years - 38.0) / 45.0, 0.0, 0.7),
        wrinkles=within((years - 25.0) / 40.0, 0.0, 1.0),
        glasses=identity.glasses != vary.happens(0.5 if changed else 0.15 * again),
        beard=0.0 if vary.happens(0.35 * elapsed) else identity.beard,
        moustache=0.0 if vary.happens(0.35 * elapsed) else identity.moustache,
        stubble=vary.about(0.12, 0.10, 0.0, 0.4) if identity.sex == "M" else 0.0,
        makeup=vary.about(0.12, 0.10, 0.0, 0.4) if identity.sex == "F" else 0.0,
        weight=vary.by(0.03 * drift),
        tan=vary.by(0.03 * drift),
        tired=vary.by(0.05 * drift),
        complexion=weather(rng, identity, min(0.9, (0.30 + 0.30 * math.sqrt(elapsed)) * difficulty)),
        cloth=vary.about(0.30, 0.22, 0.04, 0.85),
        collar=vary.about(0.55, 0.30, 0.0, 1.0),
        neckline=vary.about(2.46, 0.12, 2.25, 2.8),
        backdrop=vary.about(0.62, 0.10, 0.30, 0.85),
        light=light,
        camera=camera,
    )


def weather(rng: np.random.Generator, identity: Identity, share: float) -> Array:
    """Return the complexion of the day: the subject's usual complexion, of which a share (of the spread) has changed."""
    kept = math.sqrt(1.0 - share * share)
    today: Array = kept * identity.complexion + share * draw_complexion(rng)
    return today


def draw_shot(
    rng: np.random.Generator, sitting: Sitting, expression: str, other_camera: bool, difficulty: float
) -> Shot:
    """Draw one image of a sitting; ``other_camera`` re-lights and re-photographs it."""
    vary = Variation(rng, difficulty)
    strength = float(rng.uniform(0.80, 1.25)) * (0.7 + 0.3 * min(difficulty, 2.0))
    light, camera, lighting, aside = sitting.light, sitting.camera, "frontal", 0.0
    if other_camera:
        light, camera, aside = relight(vary, light, camera)
        lighting = "left" if light.x < -0.15 else "right" if light.x > 0.15 else "overhead"
    return Shot(
        expression=Expression(*(strength * move + vary.by(0.15) for move in _MOVEMENTS[expression])),
        yaw=aside + vary.by(3.2),
        pitch=vary.by(2.2),
        roll=vary.by(1.8),
        scale=vary.factor(0.035),
        shift_x=vary.by(0.06),
        shift_y=vary.by(0.06),
        light=Light(light.x + vary.by(0.05), light.y + vary.by(0.04), light.ambient + vary.by(0.015)),
        camera=replace(camera, exposure=camera.exposure * vary.factor(0.02)),
        lighting=lighting,
    )
