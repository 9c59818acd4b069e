"""The plan of photographs: FERET-like, or a balanced grid of sessions and images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from proband.faces.appearance import ALTERNATIVE_ODDS, ALTERNATIVES, THIRD_SET_DAYS

PlanName = Literal["feret", "grid"]
Kind = Literal["fa", "fb", "fc", "rb", "rc", "ql", "qr", "ra", "rd", "hl", "hr"]
ExpressionName = Literal[
    "neutral",
    "smile",
    "laugh",
    "surprise",
    "frown",
    "speaking",
    "happiness",
    "sadness",
    "anger",
    "disgust",
    "fear",
]
View = Literal["rb", "rc", "ql", "qr", "ra", "rd", "hl", "hr"]

VIEWS: dict[View, float] = {
    "rb": -15.0,
    "rc": 15.0,
    "ql": -22.5,
    "qr": 22.5,
    "ra": -45.0,
    "rd": 45.0,
    "hl": -67.5,
    "hr": 67.5,
}
"""FERET's rotated views, with the angle of the head in degrees: negative to the left of the image."""
FIRST_VIEW = 100  # the number of the first view within its set: other images keep theirs

# Shares of subjects, after FERET's sets: 1196 in the gallery, 194 fc, 722 duplicate I, 234 duplicate II.
SHARE_FC = 0.162
SHARE_SECOND_SET = 0.45
SHARE_THIRD_SET = 0.40  # of those who came back at all
SHARE_SAME_DAY = 0.18  # of second sets: another image set on the first day
LATEST_SECOND, LATEST_THIRD = 1000, 900  # days after the first set
GRID_GAP = (14, 120)  # days between sessions of the grid


@dataclass(frozen=True)
class Take:
    """One image to be taken.

    Parameters
    ----------
    session
        Number of the image set, from 1.
    order
        Number of the image within its set, from 0.
    days
        Days since the first image set.
    kind
        ``"fa"`` regular, ``"fb"`` other expression, ``"fc"`` other camera and lighting, or a rotated view.
    expression
        Name of the expression.
    """

    session: int
    order: int
    days: int
    kind: Kind
    expression: str

    @property
    def label(self) -> str:
        """Name the image within its set: ``fa``, ``fb``, ``fc``, and ``fb2`` for a second ``fb``."""
        return self.kind if self.kind != "fb" or self.order <= 1 else f"fb{self.order}"

    @property
    def view(self) -> View | None:
        """Name the rotated view; None for frontal views."""
        return next((one for one in VIEWS if one == self.kind), None)

    @property
    def camera(self) -> Literal["a", "b"]:
        """Name the camera."""
        return "b" if self.kind == "fc" else "a"


def feret_takes(rng: np.random.Generator) -> list[Take]:
    """Plan the images of one subject as in FERET: fa and fb, some fc, and later image sets for some."""
    has_fc, comes_back, comes_again, same_day = rng.random(4) < (
        SHARE_FC,
        SHARE_SECOND_SET,
        SHARE_THIRD_SET,
        SHARE_SAME_DAY,
    )
    # Most of those who come back do so within a year; who comes twice has to leave time for it.
    latest = THIRD_SET_DAYS - 40 if comes_again else LATEST_SECOND
    second = 0 if same_day else 1 + int((latest - 1) * rng.beta(1.0, 2.2))
    third = int(rng.integers(THIRD_SET_DAYS, LATEST_THIRD + 1))
    others = rng.choice(ALTERNATIVES, size=3, p=ALTERNATIVE_ODDS)
    takes = pair(1, 0, str(others[0]))
    if has_fc:
        takes.append(Take(1, 2, 0, "fc", "neutral"))
    if comes_back:
        takes += pair(2, second, str(others[1]))
        if comes_again:
            takes += pair(3, third, str(others[2]))
    return takes


def pair(session: int, days: int, other: str) -> list[Take]:
    """Plan the two images that every FERET image set has."""
    return [Take(session, 0, days, "fa", "neutral"), Take(session, 1, days, "fb", other)]


def grid_takes(
    rng: np.random.Generator, sessions: int, images: int, expressions: tuple[ExpressionName, ...] = ()
) -> list[Take]:
    """Plan the same number of sessions, weeks to months apart, and of images for every subject.

    The images of a session show these expressions in turn; by default one is neutral, and then come others in a random order.
    """
    takes = []
    days = 0
    for session in range(1, sessions + 1):
        # Draw from a stream of fixed length first, so that more images only add to a session.
        order = np.argsort(rng.random(len(ALTERNATIVES)) ** (1.0 / np.asarray(ALTERNATIVE_ODDS)))[::-1]
        takes.append(Take(session, 0, days, "fa", expressions[0] if expressions else "neutral"))
        for number in range(1, images):
            other = ALTERNATIVES[order[(number - 1) % len(order)]]
            expression = expressions[number % len(expressions)] if expressions else other
            takes.append(Take(session, number, days, "fb", expression))
        days += int(rng.integers(GRID_GAP[0], GRID_GAP[1] + 1))
    return takes


def with_views(takes: list[Take], views: tuple[View, ...]) -> list[Take]:
    """Add rotated views at the end of every image set."""
    made: list[Take] = []
    for session in dict.fromkeys(one.session for one in takes):
        own = [one for one in takes if one.session == session]
        made += own
        made += [
            Take(session, FIRST_VIEW + [*VIEWS].index(view), own[0].days, view, "neutral") for view in views
        ]
    return made
