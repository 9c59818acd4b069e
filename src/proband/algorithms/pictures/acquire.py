"""Crop faces from images: partially automatic (eye centres are given) or fully automatic (eye centres are detected)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.algorithms.pictures.crops import Crops
from proband.algorithms.pictures.detect import Detector
from proband.algorithms.pictures.normalize import Geometry, crop_faces
from proband.algorithms.pictures.pictures import Grey, Pictures, check_grey, reason
from proband.engine import Engine, Progress, Silent, on_engine, run_blocks
from proband.engine.limits import Threads
from proband.errors import Hint, InputError, ProbandError, first_few
from proband.samples import Samples
from proband.words import Note, Sentence, Target, count

FAILURES = Sentence("algorithms.failures", "note", "{n:count failure} to acquire: {kind}")
FAILURES_OF = Sentence(
    "algorithms.failures-of", "note", "{n:count failure} to acquire: {kind} (first: {first})"
)
MARKED = Target("marked", "marked as failed in the table")
NO_PICTURE = Target("picture", "no usable image")
NO_EYES = Target("eyes", "no usable eye centres")
NO_FACE = Target("face", "no face was found")

EYE_COLUMNS = ("left_eye_x", "left_eye_y", "right_eye_x", "right_eye_y")
_AT_ONCE = 16


@dataclass(frozen=True)
class Failure:
    """Why an image has no crop: the kind of failure, and the details."""

    kind: Target
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}" if self.detail else str(self.kind)


@dataclass(frozen=True, eq=False)
class Acquired:
    """The result for every image: a crop, or a reason why there is none.

    Attributes
    ----------
    crops
        The crops of the samples that were acquired.
    failures
        The reason for each other sample, by id: failures to acquire, which every rate must count.
    """

    crops: Crops
    failures: dict[str, Failure]

    @property
    def notes(self) -> tuple[Note, ...]:
        """The number of failures by reason, the most frequent first."""
        kinds: dict[Target, list[str]] = {}
        for why in self.failures.values():
            kinds.setdefault(why.kind, []).append(why.detail)
        ordered = sorted(kinds.items(), key=lambda item: -len(item[1]))
        return tuple(
            FAILURES_OF(n=len(details), kind=kind, first=details[0])
            if details[0]
            else FAILURES(n=len(details), kind=kind)
            for kind, details in ordered
        )


@on_engine
def acquire(
    pictures: Pictures,
    samples: Samples,
    names: Iterable[str],
    *,
    detector: Detector | None = None,
    as_they_are: bool = False,
    geometry: Geometry | None = None,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> Acquired:
    """Read and crop the faces of the named samples, a few images at a time.

    Parameters
    ----------
    pictures
        The source of the images.
    detector
        Detects the eyes; without a detector they are taken from the table columns left_eye_x, left_eye_y,
        right_eye_x and right_eye_y.
    as_they_are
        Whether the images are already crops, all of one size.
    geometry
        The crop; CSU's by default.
    samples
        The table of samples.
    names
        The samples; by default all.
    threads, progress, engine
        The number of threads, the progress callback, and where computations run.

    Returns
    -------
    Acquired
        The crops, and the samples without a crop with their reasons.
    """
    wanted = list(names)
    progress = progress or Silent()
    detector = None if as_they_are else detector
    eyes = None if detector is not None or as_they_are else _eyes_of(samples)
    progress.begin("cropping faces", len(wanted))
    blocks = [wanted[start : start + _AT_ONCE] for start in range(0, len(wanted), _AT_ONCE)]
    results: list[Grey | Failure] = []
    for part in run_blocks(
        _Faces(pictures, samples, eyes, detector, geometry or Geometry()), blocks, threads
    ):
        results += part
        progress.advance(len(part))
    failures = {name: why for name, why in zip(wanted, results, strict=True) if isinstance(why, Failure)}
    kept = [
        (name, image) for name, image in zip(wanted, results, strict=True) if not isinstance(image, Failure)
    ]
    if not kept:
        raise InputError(
            f"None of {count(len(wanted))} images could be used; {first_few(list(failures))}: {next(iter(failures.values()), '')}."
        )
    return Acquired(Crops.of(_stacked(kept), samples, [name for name, _ in kept]), failures)


@dataclass(frozen=True, eq=False)
class _Faces:
    """The crops of a few samples, or why there are none: from given eyes, from a detector, or unchanged without either."""

    pictures: Pictures
    samples: Samples
    eyes: npt.NDArray[np.float64] | None
    detector: Detector | None
    geometry: Geometry

    def __call__(self, names: list[str]) -> list[Grey | Failure]:
        return [self._one(name) for name in names]

    def _one(self, name: str) -> Grey | Failure:
        place = int(self.samples.ids.positions([name])[0])
        if self.samples.failed[place]:
            return Failure(MARKED)
        try:
            picture = self.pictures.load(name)
            check_grey(picture, name)
        except ProbandError as error:
            return Failure(NO_PICTURE, reason(error))
        if self.eyes is None and self.detector is None:
            return picture
        try:
            found = self.eyes[place] if self.detector is None else self.detector.find(picture)  # type: ignore[index]
            if found is None:
                return Failure(NO_FACE)
            crop: Grey = crop_faces([picture], [found], self.geometry, ids=[name], threads=1)[0]
            return crop
        except ProbandError as error:
            return Failure(NO_EYES, reason(error))


def _eyes_of(samples: Samples) -> npt.NDArray[np.float64]:
    missing = [name for name in EYE_COLUMNS if name not in samples.frame.columns]
    if missing:
        raise InputError(
            f"The table has no column {missing[0]!r}, so there are no eye centres.",
            Hint(
                "let a detector find them ({option:detect=opencv}), or use the images unchanged ({option:as_they_are=on})."
            ),
        )
    columns = [samples.frame[name].cast(float, strict=False).to_numpy() for name in EYE_COLUMNS]
    return np.column_stack(columns).astype(np.float64)


def _stacked(kept: list[tuple[str, Grey]]) -> npt.NDArray[np.uint8]:
    sizes = {image.shape for _, image in kept}
    if len(sizes) > 1:
        odd = next(name for name, image in kept if image.shape != kept[0][1].shape)
        raise InputError(
            f"The images have different sizes: {kept[0][0]!r} is {kept[0][1].shape}, {odd!r} is not.",
            "crop them by their eyes, or resize them to one size first.",
        )
    return np.stack([image for _, image in kept])
