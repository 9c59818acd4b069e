"""A population of synthetic subjects: its covariates and its images."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from proband.engine import Engine, on_engine, run_blocks
from proband.engine.kinds import Axes
from proband.engine.limits import Count, Seed, Threads, Within
from proband.errors import UsageError
from proband.faces.appearance import Shot, Sitting, draw_shot, draw_sitting
from proband.faces.identity import Identity, draw_identity
from proband.faces.layout import lay_out
from proband.faces.painting.camera import eye_positions, frame
from proband.faces.plan import (
    VIEWS,
    ExpressionName,
    PlanName,
    Take,
    View,
    feret_takes,
    grid_takes,
    with_views,
)
from proband.faces.render import render_image
from proband.words import count

_MOST = 10_000_000  # subjects, sessions or images: more than is practical
_LARGEST_SIDE = 20_000
SMALLEST_SIDE = 48  # below this, an eye has at most two pixels
LARGEST_DIFFICULTY = 3.0  # above this, faces no longer look like faces
FIRST_DAY = datetime.date(1993, 8, 2)
RECRUITING_DAYS = 365  # first image sets are taken within this time after the first day

# Each purpose has a separate random stream, so that they do not affect each other.
IDENTITY_STREAM, PLAN_STREAM, SITTING_STREAM, SHOT_STREAM, SENSOR_STREAM = range(5)


@dataclass(frozen=True)
class Population:
    """Synthetic subjects, photographed as planned.

    A subject depends only on ``seed`` and its number: a population of 100 is the beginning of a population
    of 200 with the same seed, and populations with different ranges of subjects are disjoint.

    Parameters
    ----------
    n_subjects
        Number of subjects.
    plan
        ``"feret"``: an fa and an fb image of every subject, fc images of some and later image sets of
        others. ``"grid"``: the same number of sessions and of images for every subject.
    sessions, images_per_session
        Size of the grid; not used by the FERET-like plan. Image 0 of a session is neutral; the others
        have different expressions, as far as there are enough.
    expressions
        Expressions of the images of a grid session, used in turn: everyday expressions
        (``smile``, ``laugh``,
        ``frown``, ``speaking``) and the basic emotions (``happiness``, ``sadness``, ``surprise``, ``anger``, ``disgust``, ``fear``).
    seed
        Seed of all random numbers.
    first_subject
        Number of the first subject, from 0.
    height, width
        Size of the images in pixels.
    difficulty
        Scales all variation except identity; 0 leaves only expression.
    views
        Rotated views to add to every image set, by FERET's names: ``rb`` and ``rc`` (15° to the image's left
        and right),
        ``ql`` and ``qr`` (22.5°), ``ra`` and ``rd`` (45°), ``hl`` and ``hr`` (67.5°). The other images stay the same.

    Examples
    --------
    >>> population = Population(n_subjects=3, plan="grid", sessions=2, images_per_session=1, seed=1)
    >>> len(population)
    6
    """

    n_subjects: Annotated[int, Within(ge=1, le=_MOST)] = 200
    plan: PlanName = "feret"
    sessions: Annotated[int, Within(ge=1, le=_MOST)] = 2
    images_per_session: Annotated[int, Within(ge=1, le=_MOST)] = 2
    seed: Seed = 0
    first_subject: Count = 0
    height: Annotated[int, Within(ge=SMALLEST_SIDE, le=_LARGEST_SIDE)] = 192
    width: Annotated[int, Within(ge=SMALLEST_SIDE, le=_LARGEST_SIDE)] = 160
    difficulty: Annotated[
        float,
        Within(
            ge=0,
            le=LARGEST_DIFFICULTY,
            hint="use 1 for about the difficulty of FERET, or 0 for variation in expression only.",
        ),
    ] = 1.0
    views: tuple[View, ...] = ()
    expressions: tuple[ExpressionName, ...] = ()

    def __post_init__(self) -> None:
        for place, view in enumerate(self.views):
            if view in self.views[:place]:
                raise UsageError(f"The view {view!r} is given twice.", "give each view once.")
        of_grid = (self.sessions, self.images_per_session, self.expressions)
        if self.plan != "grid" and of_grid != (2, 2, ()):
            raise UsageError(
                f"sessions, images_per_session and expressions apply only to plan 'grid', not to {self.plan!r}.",
                "omit them, or choose plan='grid'.",
            )

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self._takes)

    def columns(self) -> dict[str, list[Any]]:
        """List the covariates, one entry per image.

        Returns
        -------
        dict
            ``id``, ``subject``, ``image_set``, ``session``, ``date``, ``kind``, ``expression``, ``camera``,
            ``lighting``, ``view`` (frontal, or FERET's name of the rotated view), ``yaw`` (degrees, to the
            image's right positive), ``blur`` (standard deviation in pixels of an image 192 high),
            ``sex``, ``age`` (years on that day), ``glasses``, and the centres of the irises ``left_eye_x``,
            ``left_eye_y``, ``right_eye_x``, ``right_eye_y``, left as seen in the image, in pixels; the centre
            of the first pixel is at 0, 0.
        """
        return {name: list(values) for name, values in self._columns.items()}

    @on_engine
    def render(
        self,
        indices: Sequence[Count] | Annotated[NDArray[np.integer[Any]], Axes(1)] | None = None,
        threads: Threads | None = None,
        progress: Callable[[int], None] | None = None,
        *,
        engine: Engine = None,
    ) -> NDArray[np.uint8]:
        """Render images; the bytes do not depend on the number of threads.

        Parameters
        ----------
        indices
            The images to render, in order; by default all.
        threads
            Number of threads; by default the number of available processors.
        progress
            Called periodically from this thread with the number of images finished since the last call.
        engine
            Where computations run; by default in threads of this process.

        Returns
        -------
        array
            uint8, (images, height, width).
        """
        wanted = self._check_indices(indices)
        images = np.empty((len(wanted), self.height, self.width), dtype=np.uint8)
        slots: dict[int, list[int]] = {}
        for slot, index in enumerate(wanted):
            slots.setdefault(self._takes[index][0], []).append(slot)

        blocks = ((number, [self._takes[wanted[slot]][1] for slot in own]) for number, own in slots.items())
        rendered = run_blocks(_Rendered(self.seed, self.difficulty, self.height, self.width), blocks, threads)
        for own, finished in zip(slots.values(), rendered, strict=True):
            images[own] = finished
            if progress is not None:
                progress(len(finished))
        return images

    @cached_property
    def _takes(self) -> list[tuple[int, Take]]:
        takes = []
        for number in range(self.first_subject, self.first_subject + self.n_subjects):
            rng = Subject(self.seed, number, self.difficulty).stream(PLAN_STREAM)
            if self.plan == "feret":
                planned = feret_takes(rng)
            else:
                planned = grid_takes(rng, self.sessions, self.images_per_session, self.expressions)
            takes += [(number, take) for take in with_views(planned, self.views)]
        return takes

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        rows = []
        identity: Identity | None = None
        previous = -1
        for number, take in self._takes:
            subject = Subject(self.seed, number, self.difficulty)
            if identity is None or number != previous:
                identity, previous = subject.identity(), number
            rows.append(self._describe(subject, identity, take))
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _describe(self, subject: Subject, identity: Identity, take: Take) -> dict[str, Any]:
        sitting, shot = subject.appear(identity, take)
        left, right = eye_positions(
            frame(shot, self.height, self.width), lay_out(identity.anatomy, sitting, shot)
        )
        image_set = f"{subject.name}-{take.session}"
        return {
            "id": f"{image_set}-{take.label}",
            "subject": subject.name,
            "image_set": image_set,
            "session": take.session,
            "date": subject.first_day() + datetime.timedelta(days=take.days),
            "kind": take.kind,
            "expression": take.expression,
            "camera": take.camera,
            "lighting": shot.lighting,
            "view": take.view or "frontal",
            "yaw": shot.yaw,
            "blur": shot.camera.blur,
            "sex": identity.sex,
            "age": identity.age + take.days / 365.25,
            "glasses": sitting.glasses,
            "left_eye_x": left[0],
            "left_eye_y": left[1],
            "right_eye_x": right[0],
            "right_eye_y": right[1],
        }

    def _check_indices(self, indices: Sequence[int] | NDArray[np.integer[Any]] | None) -> list[int]:
        if indices is None:
            return list(range(len(self)))
        wanted = [int(index) for index in indices]
        beyond = [index for index in wanted if not 0 <= index < len(self)]
        if beyond:
            raise UsageError(
                f"The population has {count(len(self))} images, so image {beyond[0]} does not exist.",
                f"use indices from 0 to {count(len(self) - 1)}.",
            )
        return wanted


@dataclass(frozen=True)
class Subject:
    """The random numbers of one subject, and everything drawn from them."""

    seed: int
    number: int
    difficulty: float

    @property
    def name(self) -> str:
        """Return the name of the subject, counted from 1."""
        return f"s{self.number + 1:04d}"

    def stream(self, *purpose: int) -> np.random.Generator:
        """Open the random stream for a purpose."""
        return np.random.default_rng(np.random.SeedSequence([self.seed, self.number], spawn_key=purpose))

    def identity(self) -> Identity:
        """Draw the identity."""
        return draw_identity(self.stream(IDENTITY_STREAM))

    def first_day(self) -> datetime.date:
        """Return the day of the first image set."""
        days = int(self.stream(PLAN_STREAM, 1).integers(RECRUITING_DAYS))
        return FIRST_DAY + datetime.timedelta(days=days)

    def appear(self, identity: Identity, take: Take) -> tuple[Sitting, Shot]:
        """Draw the appearance for the day and the image."""
        sitting = draw_sitting(
            self.stream(SITTING_STREAM, take.session), identity, take.days, take.session > 1, self.difficulty
        )
        shot = draw_shot(
            self.stream(SHOT_STREAM, take.session, take.order),
            sitting,
            take.expression,
            take.kind == "fc",
            self.difficulty,
        )
        if take.view is not None:
            shot = replace(shot, yaw=shot.yaw + VIEWS[take.view], view=take.view)
        return sitting, shot


@dataclass(frozen=True)
class _Rendered:
    """The images of the takes of a subject."""

    seed: int
    difficulty: float
    height: int
    width: int

    def __call__(self, block: tuple[int, list[Take]]) -> NDArray[np.uint8]:
        number, takes = block
        subject = Subject(self.seed, number, self.difficulty)
        identity = subject.identity()
        images = np.empty((len(takes), self.height, self.width), dtype=np.uint8)
        for image, take in zip(images, takes, strict=True):
            sitting, shot = subject.appear(identity, take)
            sensor = subject.stream(SENSOR_STREAM, take.session, take.order)
            image[:] = render_image(identity, sitting, shot, self.height, self.width, sensor)
        return images
