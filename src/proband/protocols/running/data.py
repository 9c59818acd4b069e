"""Data for classifiers: samples with an image or a feature vector each, and the samples left out."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.algorithms import Crops, Pictures, acquire, detector as detector_named
from proband.algorithms.pictures.acquire import MARKED
from proband.algorithms.pictures.crops import area_means
from proband.algorithms.pictures.pictures import require_no_files
from proband.engine import Progress
from proband.engine.arguments import published
from proband.engine.files.files import require_there
from proband.engine.foreign import array_from, complete_from
from proband.engine.kinds import JUDGED, Axes
from proband.engine.limits import Threads
from proband.errors import DesignError, Hint, InputError, Said, UsageError, first_few, unknown_name
from proband.protocols.recommendation import Task
from proband.samples import Samples
from proband.scores.reading import read_features, split_key
from proband.words import Note, Sentence, Target, count, counted

STRANGERS = Sentence(
    "protocols.strange-features",
    "caution",
    "{n:count} of {total:count row} of features {n:word matches/match} no sample in the table: {examples}",
)
NO_FEATURES = Target("no-features", "no features")
BLACK = Target("black", "entirely black")

Images = npt.NDArray[np.uint8]


@published
@dataclass(frozen=True, eq=False, repr=False)
class FeatureTable:
    """Samples and, for each, a grey image or a vector of features.

    Parameters
    ----------
    samples
        The samples used, in the order of the arrays; a table is converted to `Samples`.
    images
        n × height × width, 8 bits a pixel; None if there are vectors.
    features
        n × d; None if there are images.
    name
        The name of the data.
    left_out
        Every collected sample that is not used: its id, and the reason.
    notes
        Further notes on the data.

    Examples
    --------
    >>> people = Samples({"id": ["a1", "a2", "b1"], "subject": ["a", "a", "b"], "sex": ["f", "f", None]})
    >>> data = FeatureTable(people, features=np.eye(3), name="toy")
    >>> data
    FeatureTable(toy: 3 samples of 2 subjects, 3 features each)
    >>> data.labelled("attribute", "sex").left_out
    (('b1', Target(key='no-value-of: sex', words="no value of 'sex'")),)

    """

    samples: Annotated[Samples, JUDGED]
    images: Images | None = None
    features: Annotated[npt.NDArray[Any], JUDGED] | None = None
    name: str = "data"
    left_out: tuple[tuple[str, Target], ...] = ()
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        if (self.images is None) == (self.features is None):
            raise UsageError("Classifiers learn from images or from features: pass one of the two.")
        given: Any = self.samples
        if not isinstance(given, Samples):
            object.__setattr__(self, "samples", Samples(given))
        what = "images" if self.features is None else "features"
        given = self.samples.ids.in_order(getattr(self, what), what)
        held = complete_from(given, "grey values") if self.features is None else array_from(given, what)
        object.__setattr__(self, what, held)
        axes = 3 if self.features is None else 2
        if held.ndim != axes or len(held) != len(self.samples) or 0 in held.shape:
            shape = " × ".join(map(str, held.shape))
            raise InputError(f"An array of shape {shape} does not fit {count(len(self.samples))} samples.")
        if self.features is not None and held.dtype.kind not in "biuf":
            raise InputError(
                f"Features must be numbers, got values of type {held.dtype}.", "pass only numeric columns."
            )
        if self.features is not None and not np.isfinite(held).all():
            wrong = [self.samples.ids[k] for k in np.flatnonzero(~np.isfinite(held).all(axis=1))]
            raise InputError(
                f"{counted(len(wrong), 'sample has', 'samples have')} features that are not finite: {first_few(wrong)}."
            )

    def __len__(self) -> int:
        return len(self.samples)

    def __repr__(self) -> str:
        people = f"{count(len(self.samples))} samples of {count(len(self.samples.subjects))} subjects"
        return f"FeatureTable({self.name}: {people}, {self.each} each{self._without})"

    @property
    def each(self) -> str:
        """The kind of data per sample: ``110 × 90 pixels`` or ``128 features``."""
        if self.images is not None:
            return f"{self.images.shape[1]} × {self.images.shape[2]} pixels"
        assert self.features is not None
        return f"{count(self.features.shape[1])} features"

    @property
    def _without(self) -> str:
        return f"; {count(len(self.left_out))} left out" if self.left_out else ""

    @property
    def subjects(self) -> npt.NDArray[np.str_]:
        """The subject of each sample."""
        return subjects_of(self.samples)

    @property
    def exclusions(self) -> tuple[tuple[Target, int], ...]:
        """The number of samples left out for each reason, the most frequent first."""
        reasons = {why.key: why for _, why in self.left_out}
        counts = Counter(why.key for _, why in self.left_out)
        return tuple((reasons[key], n) for key, n in counts.most_common())

    @cached_property
    def vectors(self) -> npt.NDArray[np.float64]:
        """The features, or pixels between 0 and 1, one row each."""
        if self.features is not None:
            return np.ascontiguousarray(self.features, dtype=np.float64)
        assert self.images is not None
        return self.images.reshape(len(self), -1) / 255.0

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the ids, the subjects, and all data for learning."""
        found = hashlib.sha256()
        for name, person in zip(self.samples.ids, self.subjects, strict=True):
            found.update(f"{name}\0{person}\n".encode())
        held = np.ascontiguousarray(self.images if self.features is None else self.features)
        found.update(f"{held.shape}{held.dtype.str}".encode() + held.tobytes())
        return found.hexdigest()

    def crops(self, labels: npt.NDArray[np.str_], needed_by: str) -> Crops:
        """Return the images in the form used by recognisers, with classes in place of people.

        Parameters
        ----------
        labels
            The class of each sample.
        needed_by
            The recogniser, named in the error if there are no images.

        Returns
        -------
        Crops
            The images with the ids of the samples.
        """
        if self.images is None:
            raise DesignError(
                f"{needed_by} needs images, but features were given.",
                "use a scikit-learn estimator, such as 'sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)'.",
            )
        return Crops(self.images, self.samples.ids, tuple(labels.tolist()))

    def take(
        self,
        positions: Annotated[npt.ArrayLike, Axes(1, np.integer)],
        why_others: dict[int, Target] | Target | str,
    ) -> FeatureTable:
        """Return the samples at `positions`; the others are left out for the given reason, or one reason each.

        A reason may be free text.

        Parameters
        ----------
        positions
            Positions of the samples to keep.
        why_others
            One reason, or a dict with a reason for each position left out.

        Returns
        -------
        FeatureTable
            The samples kept.
        """
        kept = self.samples.positions(positions)
        others = np.setdiff1d(np.arange(len(self)), kept)
        if not len(kept):
            raise DesignError("No samples are left.", "change the selection.")
        why = Target(why_others, why_others) if isinstance(why_others, str) else why_others
        unsaid = [] if isinstance(why, Target) else [self.samples.ids[k] for k in others if int(k) not in why]
        if unsaid:
            raise UsageError(
                f"No reason is stated for leaving out {first_few(unsaid)}.", "state a reason for each."
            )
        gone = tuple((self.samples.ids[k], why if isinstance(why, Target) else why[int(k)]) for k in others)
        return replace(
            self,
            samples=self.samples.take(kept),
            images=None if self.images is None else self.images[kept],
            features=None if self.features is None else self.features[kept],
            left_out=(*self.left_out, *gone),
        )

    def where(self, condition: str) -> FeatureTable:
        """Return the samples that meet a condition; the others are left out and counted.

        Parameters
        ----------
        condition
            Such as ``session == 1``.

        Returns
        -------
        FeatureTable
            The samples kept.
        """
        return self.take(
            self.samples.select(condition).positions, Target(f"not-met: {condition}", f"not: {condition}")
        )

    def labelled(self, task: Task, label: str | None = None) -> FeatureTable:
        """Leave out samples without a label, and those marked as failed.

        Parameters
        ----------
        task
            ``identity`` or ``attribute``.
        label
            The column of labels; for ``attribute`` only.

        Returns
        -------
        FeatureTable
            The usable samples.
        """
        unfit = unlabelled(self.samples, task, label)
        return self if not unfit else self.take(np.setdiff1d(np.arange(len(self)), list(unfit)), unfit)

    @classmethod
    def read(
        cls,
        source: str | Path,
        samples: Samples,
        *,
        name: str | None = None,
        size: tuple[int, int] | None = None,
        eyes: str | None = None,
        file_column: str = "file",
        threads: Threads | None = None,
        progress: Progress | None = None,
    ) -> FeatureTable:
        """Read images (a directory, or ``.npz`` with ``images``) or features (``.npy``, ``.npz``, ``file.npz::key``).

        Parameters
        ----------
        source
            The directory or file.
        samples
            The table of samples.
        name
            The name of the data; by default that of the directory or file.
        size
            Height and width to which images are resized, by area averages.
        eyes
            How to crop faces: ``table``, by the eye centres in the table; ``opencv`` or ``dlib``, by the eye
            centres these detect. By default, images are used unchanged. An image that cannot be used, or is
            entirely black, is left out and counted.
        file_column
            The column of the table with the file names in a directory.
        threads
            The number of images to crop in parallel.
        progress
            The progress callback; silent by default.

        Returns
        -------
        FeatureTable
            The samples that have an image or features; the others are listed as left out.
        """
        path, key = split_key(source)
        given = name or path.stem
        if not path.is_dir() and not _holds_images(path, key):
            if size is not None or eyes is not None:
                raise UsageError(
                    f"{path.name} contains features, so options for image size and eyes do not apply.",
                    file=Said(path.name),
                )
            require_no_files(file_column, path)
            return _features(source, samples, given)
        acquired = acquire(
            Pictures.of(path, samples, file_column),
            samples,
            samples.ids,
            detector=detector_named(eyes) if eyes not in (None, "table") else None,
            as_they_are=eyes is None,
            threads=threads,
            progress=progress,
        )
        used = samples.take(samples.ids.positions(acquired.crops.ids))
        images = acquired.crops.images
        reasons = tuple((one, why.kind) for one, why in acquired.failures.items())
        read = cls(used, images if size is None else _resized(images, size), None, given, reasons)
        assert read.images is not None
        seen = read.images.any(axis=(1, 2))
        return read if seen.all() else read.take(np.flatnonzero(seen), BLACK)


def subjects_of(samples: Samples) -> npt.NDArray[np.str_]:
    """The subject of each sample."""
    return np.array(samples.subjects[:])[samples.codes]


def labels_of(samples: Samples, task: Task, label: str | None = None) -> npt.NDArray[np.str_]:
    """The class of each sample: its subject, or the value of a column."""
    if task == "identity" or label is None:
        found = subjects_of(samples)
    else:
        found = np.array(samples.frame[label].cast(pl.String).to_list())
    if len(np.unique(found)) < 2:
        raise DesignError(
            f"All samples have the same class, {str(found[0])!r}: there is nothing to recognise."
        )
    return found


def unlabelled(samples: Samples, task: Task, label: str | None = None) -> dict[int, Target]:
    """The reasons why samples cannot be used, by position: no label, or marked as failed."""
    if task not in get_args(Task):
        raise UsageError(f"The task must be {' or '.join(get_args(Task))}, got {task!r}.")
    if (task == "attribute") != (label is not None):
        raise UsageError(
            f"The task {task!r} takes {'a' if task == 'attribute' else 'no'} column of labels.",
            Hint("{give:label}" if task == "attribute" else "omit the label, or {give:task=attribute}."),
        )
    if label is not None and label not in samples.frame.columns:
        raise unknown_name("column", label, samples.frame.columns, "in the table", option="label")
    failed = {int(k): MARKED for k in np.flatnonzero(samples.failed)}
    if label is None:
        return failed
    unknown = samples.frame[label].is_null().to_numpy()
    why = Target(f"no-value-of: {label}", f"no value of {label!r}")
    return dict.fromkeys(map(int, np.flatnonzero(unknown)), why) | failed


def _holds_images(path: Path, key: str | None) -> bool:
    from proband.samples.npz import Archive

    require_there(path)
    return key is None and path.suffix.lower() == ".npz" and "images" in Archive(path)


def _features(source: str | Path, samples: Samples, name: str) -> FeatureTable:
    found = read_features(source, samples)
    have = found.queries
    known = [place for place, one in enumerate(samples.ids) if one in have]
    rows = have.positions(samples.ids[place] for place in known)
    gone = tuple((one, NO_FEATURES) for one in samples.ids if one not in have)
    strangers = [one for one in have if one not in samples.ids]
    notes = (
        (STRANGERS(n=len(strangers), total=len(have), examples=first_few(strangers)),) if strangers else ()
    )
    return FeatureTable(samples.take(known), None, np.asarray(found.query_vectors)[rows], name, gone, notes)


def _resized(images: Images, size: tuple[int, int]) -> Images:
    """Resize images: each pixel is the mean over the area that it covers."""
    if min(size) < 1:
        raise UsageError(f"A picture cannot have {size[0]} × {size[1]} pixels.")
    if images.shape[1:] == size:
        return images
    # Rounding to a few digits first makes halves round the same way for any order of addition.
    return np.stack([np.rint(area_means(image, size).round(6)).astype(np.uint8) for image in images])
