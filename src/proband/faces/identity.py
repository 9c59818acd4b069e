"""The identity of a subject: the traits that are the same in all images."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal

import numpy as np

from proband.faces.painting.grid import Array

Sex = Literal["F", "M"]
HairStyle = Literal["bald", "buzz", "short", "swept", "tied", "fringe", "bob", "long", "curly"]

# How often each style is met, in the order of HairStyle, for those under and over forty.
STYLES: tuple[HairStyle, ...] = (
    "bald",
    "buzz",
    "short",
    "swept",
    "tied",
    "fringe",
    "bob",
    "long",
    "curly",
)
STYLE_ODDS = {
    ("F", "young"): (0.00, 0.00, 0.06, 0.04, 0.22, 0.12, 0.16, 0.30, 0.10),
    ("F", "old"): (0.00, 0.00, 0.20, 0.08, 0.18, 0.08, 0.22, 0.14, 0.10),
    ("M", "young"): (0.02, 0.18, 0.40, 0.28, 0.02, 0.00, 0.02, 0.02, 0.06),
    ("M", "old"): (0.20, 0.14, 0.32, 0.26, 0.01, 0.00, 0.01, 0.01, 0.05),
}

# Skin reflectance: the centre, spread and share of three broad groups.
SKIN_GROUPS = ((0.66, 0.045, 0.68), (0.52, 0.045, 0.20), (0.34, 0.040, 0.12))

FRECKLED, FRECKLES = 0.15, 24  # share of subjects with freckles, and how many they have
GREY_HAIR = 0.61  # reflectance that hair greys towards
DARK_IRIS = 0.10  # reflectance of brown eyes
TRAIT_LIMIT = 2.3  # in standard deviations: nobody is a monster

# Random fields are drawn coarsely and stretched over the face: rows by columns.
COMPLEXION_SHAPE = (32, 24)
COMPLEXION_SCALES = ((4, 0.65), (2, 0.52), (1, 0.32))  # coarseness and weight of what the complexion adds up
WHISKER_SHAPE = (40, 30)
STRAND_SHAPE = (7, 128)
CURL_SHAPE = (44, 44)
STRAND_DETAIL = 8  # how many times finer the strands are sampled than drawn; columns stay a power of two


def trait(mean: float, spread: float, male: float = 0.0) -> Any:
    """Declare a normally distributed trait: its mean for women, its spread and what men add to the mean."""
    return field(metadata={"mean": mean, "spread": spread, "male": male})


@dataclass(frozen=True)
class Anatomy:
    """The shape of a head, in face units (see :mod:`proband.faces.painting.grid`) unless said otherwise."""

    # the head as a whole
    cheek_width: float = trait(1.10, 0.045, male=0.03)
    skull_top: float = trait(1.67, 0.06, male=0.02)
    chin: float = trait(1.80, 0.085, male=0.10)
    jaw_square: float = trait(2.15, 0.25, male=0.35)
    jaw_taper: float = trait(0.58, 0.045, male=-0.045)
    jaw_flare: float = trait(0.0, 0.025)
    cheekbone: float = trait(0.10, 0.035)
    chin_bump: float = trait(0.10, 0.04, male=0.03)
    chin_cleft: float = trait(-0.01, 0.02, male=0.01)
    brow_ridge: float = trait(0.035, 0.02, male=0.04)
    muzzle: float = trait(0.085, 0.025)
    ear_size: float = trait(0.27, 0.025, male=0.02)
    ear_out: float = trait(0.07, 0.025, male=0.015)
    neck_width: float = trait(0.72, 0.05, male=0.13)
    # eyes
    eye_gap: float = trait(0.50, 0.020)
    eye_width: float = trait(0.245, 0.014)
    lid_upper: float = trait(0.084, 0.010, male=-0.008)
    lid_lower: float = trait(0.076, 0.008)
    eye_tilt: float = trait(0.018, 0.022, male=-0.006)
    eye_skew: float = trait(0.0, 0.16)
    crease: float = trait(0.055, 0.018, male=-0.008)
    crease_depth: float = trait(0.34, 0.10)
    socket: float = trait(0.10, 0.025, male=0.02)
    bags: float = trait(0.07, 0.05)
    iris: float = trait(0.095, 0.004)
    iris_tone: float = trait(0.20, 0.09)
    # brows
    brow_height: float = trait(0.325, 0.040, male=-0.035)
    brow_arch: float = trait(0.065, 0.025, male=-0.018)
    brow_slope: float = trait(-0.01, 0.035, male=-0.01)
    brow_thick: float = trait(0.052, 0.011, male=0.012)
    brow_density: float = trait(0.66, 0.12, male=0.08)
    brow_inner: float = trait(0.20, 0.035, male=-0.015)
    brow_outer: float = trait(0.82, 0.045)
    brow_uneven: float = trait(0.0, 0.012)
    # nose
    nose_length: float = trait(0.72, 0.060, male=0.04)
    nose_width: float = trait(0.190, 0.024, male=0.015)
    bridge_width: float = trait(0.120, 0.018, male=0.006)
    bridge_height: float = trait(0.08, 0.025, male=0.02)
    nose_height: float = trait(0.18, 0.03, male=0.02)
    nose_tip: float = trait(0.125, 0.018)
    nose_bend: float = trait(0.0, 0.016)
    nostril: float = trait(0.55, 0.12)
    # mouth
    mouth_drop: float = trait(0.385, 0.035, male=0.01)
    mouth_width: float = trait(0.390, 0.034, male=0.02)
    lip_upper: float = trait(0.062, 0.017, male=-0.012)
    lip_lower: float = trait(0.094, 0.019, male=-0.014)
    cupid: float = trait(0.28, 0.12)
    mouth_curve: float = trait(0.0, 0.018)
    mouth_skew: float = trait(0.0, 0.010)
    lip_tone: float = trait(0.70, 0.06, male=0.07)
    # skin and hair
    blotches: float = trait(0.062, 0.012)
    folds: float = trait(0.05, 0.03)
    hairline: float = trait(-0.99, 0.08)
    hairline_arch: float = trait(0.0, 0.09)
    hairline_recess: float = trait(0.02, 0.04, male=0.10)
    hair_volume: float = trait(0.17, 0.045, male=-0.03)
    part: float = trait(0.0, 0.28)


MEANS, SPREADS, MALE_SHIFTS = (
    np.array([f.metadata[what] for f in fields(Anatomy)]) for what in ("mean", "spread", "male")
)


@dataclass(frozen=True)
class Identity:
    """A subject.

    Parameters
    ----------
    sex
        ``"F"`` or ``"M"``.
    age
        Years at the first image set.
    anatomy
        The shape of the head.
    skin, hair
        Reflectance of the skin and of the hair before it greys.
    style
        The usual hair style.
    beard, moustache
        How dense they are, 0 to 1, when grown.
    glasses
        Whether the subject usually wears glasses.
    frame
        Half-width and half-height of the lenses, and the thickness of the frame.
    complexion
        Random field that makes the skin's albedo uneven.
    whiskers
        Random field of a beard's density.
    strands
        Random field of the strands of the hair, along and across.
    curls
        Random field of the curls, for those who have them.
    moles
        Position, radius and darkness of marks on the skin, one row each.

    """

    sex: Sex
    age: float
    anatomy: Anatomy
    skin: float
    hair: float
    style: HairStyle
    beard: float
    moustache: float
    glasses: bool
    frame: tuple[float, float, float]
    complexion: Array
    whiskers: Array
    strands: Array
    curls: Array
    moles: tuple[tuple[float, float, float, float], ...]

    def hair_tone(self, grey: float) -> float:
        """Give the reflectance of hair of which a share has turned grey."""
        return self.hair + (GREY_HAIR - self.hair) * 0.8 * grey


def draw_identity(rng: np.random.Generator) -> Identity:
    """Draw a subject from the population."""
    sex: Sex = "M" if rng.random() < 0.58 else "F"
    age = 18.0 + 47.0 * rng.beta(1.1, 2.2)  # mostly young adults, up to retirement
    anatomy = draw_anatomy(rng, sex)
    skin, group = draw_skin(rng)
    # Light skin comes with any hair and eyes, darker skin with dark ones.
    if group > 0:
        anatomy = replace(anatomy, iris_tone=min(anatomy.iris_tone, DARK_IRIS))
    hair = 0.05 + (0.36 if group == 0 else 0.05) * float(rng.beta(1.0, 2.2))
    odds = STYLE_ODDS[sex, "young" if age < 40 else "old"]
    style = STYLES[int(rng.choice(len(STYLES), p=odds))]
    facial = rng.random(4)
    return Identity(
        sex=sex,
        age=float(age),
        anatomy=anatomy,
        skin=skin,
        hair=hair,
        style=style,
        beard=0.35 + 0.6 * float(facial[0]) if sex == "M" and facial[1] < 0.16 else 0.0,
        moustache=0.45 + 0.5 * float(facial[2]) if sex == "M" and facial[3] < 0.24 else 0.0,
        glasses=bool(rng.random() < 0.2),
        frame=(
            float(rng.uniform(0.34, 0.40)),
            float(rng.uniform(0.22, 0.31)),
            float(rng.uniform(0.014, 0.034)),
        ),
        complexion=draw_complexion(rng),
        whiskers=rng.standard_normal(WHISKER_SHAPE, dtype=np.float32),
        strands=draw_strands(rng),
        curls=rng.standard_normal(CURL_SHAPE, dtype=np.float32),
        moles=draw_moles(rng),
    )


def draw_anatomy(rng: np.random.Generator, sex: Sex) -> Anatomy:
    """Draw every trait of a head."""
    deviates = np.clip(rng.standard_normal(len(MEANS)), -TRAIT_LIMIT, TRAIT_LIMIT)
    return Anatomy(*(MEANS + (sex == "M") * MALE_SHIFTS + SPREADS * deviates).tolist())


def draw_skin(rng: np.random.Generator) -> tuple[float, int]:
    """Draw the reflectance of the skin, and the group it comes from."""
    group = int(rng.choice(len(SKIN_GROUPS), p=[share for _, _, share in SKIN_GROUPS]))
    centre, spread, _ = SKIN_GROUPS[group]
    return float(centre + spread * np.clip(rng.standard_normal(), -2.0, 2.0)), group


def draw_complexion(rng: np.random.Generator) -> Array:
    """Draw an uneven complexion: blotches of several sizes, of about unit variance."""
    rows, cols = COMPLEXION_SHAPE
    field = np.zeros(COMPLEXION_SHAPE, dtype=np.float32)
    for coarser, weight in COMPLEXION_SCALES:
        knots = rng.standard_normal((rows // coarser + 1, cols // coarser + 1), dtype=np.float32)
        down, across = blend(rows, coarser), blend(cols, coarser)
        field += np.float32(weight) * (down @ knots @ across.T)
    return field


@cache
def blend(length: int, coarser: int) -> Array:
    """Tabulate the weights that blend coarse samples smoothly into finer ones, (length, samples)."""
    at = np.arange(length)[:, None] / coarser
    away = np.minimum(np.abs(at - np.arange(length // coarser + 1)[None, :]), 1.0)
    return (0.5 + 0.5 * np.cos(np.pi * away)).astype(np.float32)


def draw_strands(rng: np.random.Generator) -> Array:
    """Draw the strands of the hair: broad locks with finer strands in them, smooth and periodic across."""
    rows, cols = STRAND_SHAPE
    strands = np.zeros((rows, cols * STRAND_DETAIL), dtype=np.float32)
    for coarser, weight in ((1, 0.6), (4, 0.8)):
        knots = rng.standard_normal((rows, cols // coarser), dtype=np.float32)
        at = np.arange(cols * STRAND_DETAIL) / (STRAND_DETAIL * coarser)
        before = at.astype(np.intp)
        share = (0.5 - 0.5 * np.cos(np.pi * (at - before))).astype(np.float32)
        after = (before + 1) % knots.shape[1]
        strands += np.float32(weight) * (knots[:, before] * (1.0 - share) + knots[:, after] * share)
    return strands


def draw_moles(rng: np.random.Generator) -> tuple[tuple[float, float, float, float], ...]:
    """Scatter moles, and on some faces freckles over nose and cheeks."""
    moles = int(rng.integers(0, 4))
    u, v = rng.uniform(-0.85, 0.85, moles), rng.uniform(-0.8, 1.6, moles)
    marks = np.column_stack([u, v, rng.uniform(0.014, 0.03, moles), np.full(moles, 0.4)])
    if rng.random() < FRECKLED:
        u, v = rng.normal(0.0, 0.42, FRECKLES), rng.normal(0.42, 0.17, FRECKLES)
        radius, dark = rng.uniform(0.012, 0.022, FRECKLES), rng.uniform(0.08, 0.2, FRECKLES)
        marks = np.vstack([marks, np.column_stack([u, v, radius, dark])])
    return tuple((u, v, radius, dark) for u, v, radius, dark in marks.tolist())
