"""How accuracy depends on the numbers of subjects and of images of each, estimated with random subsets of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.frames import frame_of_rows
from proband.engine.kinds import shown
from proband.errors import DesignError, Hint, UsageError, first_few
from proband.inference.proportions import t_quantile
from proband.protocols.notation import Protocol
from proband.protocols.running.data import FeatureTable
from proband.protocols.splits.splits import MOST_SPLITS, Missing
from proband.results.about import RestsOn, Who
from proband.results.base import Answers, Count, Rate
from proband.results.estimate import Estimate
from proband.words import Method, Note, Sentence, Target, agreeing, count, counted

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.intp]
DRAWS = 10
"""The default number of random subsets of each size."""
_MOST = 999_999_999

OF = Target("accuracy-at-size", "mean accuracy with this number of subjects and of images of each")
VARYING = Target("drawn-parts", "the random choice of subjects and images from these data, and the splits")
FIXED = Target("data-drawn-from", "the whole data set, the classifiers and the protocol")
ASSUMING = Target("draws-normal", "random subsets are independent, and their mean is nearly normal")
_METHOD = Method("t-over-draws", "Student's t over random subsets", cites=("student1908",))
ANSWERS = Answers(OF, VARYING, FIXED, ASSUMING)
TOO_FEW = Sentence(
    "protocols.too-few-to-draw",
    "note",
    "random subsets use {n:count} of {total:count subject}: the others have fewer than {images:count image}",
)
NOT_OF_OTHERS = Sentence(
    "protocols.drawn-from-these",
    "caution",
    "intervals over random subsets are for subsets of these data, not for new people: with all subjects, only the splits vary",
)

Accuracies = Callable[[FeatureTable, int], Mapping[tuple[str, Protocol], float]]
"""Maps data and a seed for the splits to the accuracy of each classifier under each protocol."""


@dataclass(frozen=True, eq=False)
class SizeEffect:
    """The accuracy of one classifier under one protocol with given numbers of subjects, and of images of each.

    Attributes
    ----------
    n_subjects, images_each
        The numbers drawn; `images_each` is None if all images are used.
    n_samples
        The smallest and the largest number of samples in a draw.
    accuracy
        The mean over draws with Student's interval; a single draw, or identical draws, have no interval.
    std, minimum, maximum
        Over draws; a single draw has no standard deviation.
    values
        The accuracy of each draw: its mean over runs.
    """

    classifier: str
    protocol: str
    n_subjects: Count
    images_each: Count | None
    n_samples: tuple[int, int]
    n_draws: Count
    accuracy: Estimate
    std: float | None
    minimum: Rate
    maximum: Rate
    values: tuple[Rate, ...]


@dataclass(frozen=True)
class Factors:
    """The sizes to evaluate: every number of subjects with every number of images of each.

    Attributes
    ----------
    subjects, images_each
        The numbers; empty for all.
    draws
        The number of random subsets of each size.
    """

    subjects: tuple[int, ...] = ()
    images_each: tuple[int, ...] = ()
    draws: int = DRAWS

    def __post_init__(self) -> None:
        for name, values, least, most in (
            ("subjects", self.subjects, 2, _MOST),
            ("images_each", self.images_each, 1, _MOST),
            ("draws", (self.draws,), 1, MOST_SPLITS),
        ):
            wrong = next((one for one in values if not least <= one <= most), None)
            if wrong is not None:
                raise UsageError(
                    f"{name} must be a number from {least} to {count(most)}, got {shown(wrong)}."
                )
            if len(set(values)) < len(values):
                raise UsageError(f"The same number of {name} is given twice.", "give each number once.")

    def __bool__(self) -> bool:
        return bool(self.subjects or self.images_each)


def size_effects(
    data: FeatureTable,
    factors: Factors,
    accuracies: Accuracies,
    *,
    seed: int,
    missing: Missing,
    confidence_level: float,
) -> tuple[tuple[SizeEffect, ...], tuple[Note, ...]]:
    """Draw subsets of each size, and estimate the accuracy of every classifier and protocol on each.

    Smaller subsets are nested in larger subsets, so sizes are compared on the same draws.
    """
    pool, notes = drawn_from(data, factors, missing)
    found: dict[tuple[str, Protocol, int, int | None], list[float]] = {}
    sizes: dict[tuple[int, int | None], list[int]] = {}
    n_people = len(pool.samples.subjects)
    for n_subjects, images in product(factors.subjects or (n_people,), factors.images_each or (None,)):
        for draw in range(factors.draws):
            part = drawn(pool, n_subjects, images, seed, draw)
            own = int(np.random.SeedSequence([seed, draw]).generate_state(1)[0])
            try:
                made = accuracies(part, own)
            except DesignError as error:
                each = "" if images is None else f" with {counted(images, 'image')} each"
                raise DesignError(
                    f"{counted(n_subjects, 'subject')}{each}, draw {draw + 1}: {error.message}", error.cure
                ) from None
            sizes.setdefault((n_subjects, images), []).append(len(part))
            for (name, protocol), value in made.items():
                found.setdefault((name, protocol, n_subjects, images), []).append(value)
    effects = tuple(
        _effect(name, protocol, n, each, values, sizes[n, each], confidence_level)
        for (name, protocol, n, each), values in found.items()
    )
    return effects, (*notes, NOT_OF_OTHERS())


def drawn(data: FeatureTable, n_subjects: int, images_each: int | None, seed: int, draw: int) -> FeatureTable:
    """Draw subjects, and images of each, at random; smaller draws are nested in larger draws."""
    rng = np.random.default_rng([seed, draw])
    codes = data.samples.codes
    people = rng.permutation(len(data.samples.subjects))[:n_subjects]
    order = rng.permutation(len(data))
    kept = order if images_each is None else first_of_each(codes, order, images_each)
    return replace(data.take(np.sort(kept[np.isin(codes[kept], people)]), "not drawn"), left_out=())


def first_of_each(codes: npt.NDArray[np.integer], order: Positions, n: int) -> Positions:
    """Return the first n samples of every subject, in a given order."""
    grouped = order[np.argsort(codes[order], kind="stable")]
    turn = np.arange(len(grouped)) - np.searchsorted(codes[grouped], codes[grouped])
    return grouped[turn < n]


def drawn_from(
    data: FeatureTable, factors: Factors, missing: Missing
) -> tuple[FeatureTable, tuple[Note, ...]]:
    """Return the subjects with enough images for the largest number, and notes on the others."""
    names, codes = data.samples.subjects, data.samples.codes
    most = max(factors.images_each, default=1)
    short = np.flatnonzero(np.bincount(codes, minlength=len(names)) < most)
    notes: tuple[Note, ...] = ()
    if len(short):
        if missing == "error":
            raise DesignError(
                f"{count(len(short))} of {counted(len(names), 'subject')} {agreeing(len(short), 'has', 'have')} fewer than {counted(most, 'image')}: "
                f"{first_few([names[int(k)] for k in short])}.",
                Hint("use fewer images, or {give:missing=drop} to use only the other subjects."),
            )
        kept = np.flatnonzero(~np.isin(codes, short))
        notes = (TOO_FEW(n=len(names) - len(short), total=len(names), images=most),)
        data = replace(data.take(kept, "too few images"), left_out=())
    there = len(data.samples.subjects)
    too_many = next((n for n in factors.subjects if n > there), None)
    if too_many is not None:
        raise DesignError(
            f"{counted(too_many, 'subject')} cannot be chosen from {count(there)}.", "use fewer subjects."
        )
    return data, notes


def _effect(
    name: str,
    protocol: Protocol,
    n_subjects: int,
    images_each: int | None,
    values: Sequence[float],
    sizes: Sequence[int],
    level: float,
) -> SizeEffect:
    mean, n = float(np.mean(values)), len(values)
    std = float(np.std(values, ddof=1)) if n > 1 else None
    low = high = float("nan")
    error = std / n**0.5 if std else None
    if error is not None:
        reach = t_quantile(level, n - 1.0) * error
        low, high = max(0.0, mean - reach), min(1.0, mean + reach)
    accuracy = Estimate(
        who=Who(algorithm=name, protocol=str(protocol)),
        value=mean,
        low=low,
        high=high,
        confidence_level=level,
        standard_error=error,
        degrees_of_freedom=None if error is None else n - 1.0,
        rests_on=RestsOn(n=n, of="draw", n_units=n_subjects, unit="person"),
        method=_METHOD,
        answers=_answers(n_subjects, images_each),
    )
    return SizeEffect(
        classifier=name,
        protocol=str(protocol),
        n_subjects=n_subjects,
        images_each=images_each,
        n_samples=(min(sizes), max(sizes)),
        n_draws=n,
        accuracy=accuracy,
        std=std,
        minimum=min(values),
        maximum=max(values),
        values=tuple(values),
    )


def _answers(n_subjects: int, images_each: int | None) -> Answers:
    """What an accuracy at a size is of: the size is part of its key, so that two of them are told apart."""
    each = "" if images_each is None else f"-and-{images_each}-images-each"
    return replace(ANSWERS, of=Target(f"accuracy-with-{n_subjects}-subjects{each}", OF.words))


def sizes_frame(effects: Sequence[SizeEffect]) -> pl.DataFrame:
    """Return a row for each size, classifier and protocol."""
    names = ("classifier", "protocol", "n_subjects", "images_each", "n_draws", "std", "minimum", "maximum")
    return frame_of_rows(
        [
            {name: getattr(effect, name) for name in names}
            | {name: _known(getattr(effect.accuracy, name)) for name in ("value", "low", "high")}
            for effect in effects
        ]
    )


def _known(end: float) -> float | None:
    """An end of an interval; None where there is none."""
    return None if np.isnan(end) else end


def along(effects: Sequence[SizeEffect]) -> Iterator[tuple[str, list[SizeEffect]]]:
    """Return the curves of one protocol: effects along the varying factor, by classifier and the other factor."""
    by_subjects = varies_by_subjects(effects)
    several_others = len({one.images_each if by_subjects else one.n_subjects for one in effects}) > 1
    curves: dict[str, list[SizeEffect]] = {}
    for one in effects:
        parts = [one.classifier]
        if several_others:
            parts.append(
                counted(one.images_each or 0, "image") + " each"
                if by_subjects
                else counted(one.n_subjects, "subject")
            )
        curves.setdefault(", ".join(parts), []).append(one)
    yield from curves.items()


def varies_by_subjects(effects: Sequence[SizeEffect]) -> bool:
    """Whether curves are functions of the number of subjects rather than of images of each."""
    return len({one.n_subjects for one in effects}) > 1 or len({one.images_each for one in effects}) == 1
