"""The FERET evaluation of September 1996 (Phillips, Moon, Rizvi & Rauss 2000) on synthetic people: its sets and algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.algorithms import Acquired, Model, Pictures, Sets, acquire, detector, recognizer, score, train
from proband.algorithms.extras import need
from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.algorithms.pictures.alterations import UNCHANGED, alteration, with_altered
from proband.engine import Progress, Silent
from proband.errors import UsageError
from proband.faces import Population
from proband.inference.galleries.versions import Improvement, Version
from proband.papers.beveridge2001 import DIFFICULTY
from proband.samples import Category, Experiment, Samples, feret_categories
from proband.scores import DenseScores
from proband.words import Note, Sentence

ALGORITHMS = (
    "correlation",
    "pca:l1",
    "pca:angle",
    "pca:mahalanobis",
    "pca:whitened-cosine",
    "lda:angle",
    "lda:soft",
    "lbp:chi2",
)
"""Partially automatic; with the two earlier versions they are ten, as in the paper. Its baselines were correlation and PCA."""

TWICE = ("pca:mahalanobis", "lda:angle")
"""Taken for algorithms that were tested at two dates."""

FULLY = ("lda:angle", "lbp:chi2")
"""Tested fully automatically too; the paper had two such."""

CHANGES = tuple(map(alteration, ("gain:0.4", "gain:1.5", "side:0.5", "scale:0.5")))
"""The digital changes: darker, brighter, light from one side, and half the size."""

GALLERY = f"kind == 'fa' and session == 1 and alteration == '{UNCHANGED}'"
TARGETS = f"kind != 'fc' and alteration == '{UNCHANGED}'"
CHANGED = "kind == 'fb' and session == 1"

_TRAINING_SHARE = 0.5  # training people for each test person
_EARLIER_SHARE = 0.25  # of the training people were there for the earlier versions
_EARLIER_LEAST = 4
_NEEDS = {"lbp:chi2": ("skimage", "LBP")}


@dataclass(frozen=True, eq=False)
class Feret2000:
    """The data of the study.

    Attributes
    ----------
    samples, scores
        The query set, and every algorithm's scores of it with the target set.
    versions, improvements
        Fully and partially automatic, earlier and later versions of one algorithm.
    clipped
        The share of pixels that each digital change drove to black or white, by its name.
    n_training, n_earlier
        People trained on, by the later and by the earlier versions.
    n_targets
        Images in the target set.
    shown
        A few people's gallery image, the fb image, and its changed copies, one after another.
    notes
        What was left out, and why.
    """

    samples: Samples
    scores: list[DenseScores]
    versions: tuple[Version, ...]
    improvements: tuple[Improvement, ...]
    clipped: dict[str, float]
    n_training: int
    n_earlier: int
    n_targets: int
    shown: npt.NDArray[np.uint8]
    notes: tuple[Note, ...] = ()

    @property
    def experiment(self) -> Experiment:
        """The first fa image of everybody is enrolled; all other queries are probes."""
        return Experiment(self.samples, gallery=GALLERY)


_LEFT_OUT = Sentence("feret2000.left-out", "caution", "{name} was left out: {why} ({cure})")
_NOT_AUTOMATIC = Sentence(
    "feret2000.not-automatic", "caution", "the fully automatic versions were left out: {why} ({cure})"
)
POOLED = Category("all unaltered probes", f"probe.alteration == '{UNCHANGED}'")
"""The probes that are taken together: an altered copy is no further photograph of a person."""


def categories() -> tuple[Category, ...]:
    """FERET's categories of unchanged probes, and one for each digital change of the fb images."""
    plain = (
        Category(one.name, f"({one.rule}) and probe.alteration == '{UNCHANGED}'")
        for one in feret_categories()
    )
    return (*plain, *(Category(str(one), f"probe.alteration == '{one}'") for one in CHANGES))


def feret2000_data(
    people: int = 300,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    *,
    difficulty: float = DIFFICULTY,
) -> Feret2000:
    """Photograph the people, change some of the images, train the algorithms, and score queries with targets.

    The target set holds all fa and fb images; the query set holds these, the fc images, and digitally changed copies of the
    fb images of the first session. Training was finished before, on other people.

    Parameters
    ----------
    people
        How many are tested; the paper had 1,196.
    difficulty
        Scales what differs between images of a person besides expression; by default as in the other studies.
    """
    progress = progress or Silent()
    notes: list[Note] = []
    tested = Population(people, seed=seed, difficulty=difficulty)
    others = Population(
        max(10, round(_TRAINING_SHARE * people)), seed=seed, first_subject=people, difficulty=difficulty
    )
    made = _query_set(tested, others, threads, progress)
    samples, everyone = made.samples, made.everyone
    targets = tuple(samples.ids[place] for place in samples.select(TARGETS).positions)
    training = everyone.ids[len(samples) :]
    sets = Sets(training, samples.ids[:], targets)
    sets.check(everyone)
    pictures = Pictures(dict(zip(everyone.ids, made.images, strict=True)).__getitem__)
    given = acquire(pictures, everyone, everyone.ids, threads=threads, progress=progress)
    models = train([recognizer(name) for name in _usable(ALGORITHMS, notes)], given, training, progress)
    scores = score(models, given, sets, progress)
    first, improvements = _earlier(models, others, given, sets, progress)
    found, versions = _fully(models, pictures, everyone, sets, threads, progress, notes)
    return Feret2000(
        samples=samples,
        scores=[*scores, *first, *found],
        versions=versions,
        improvements=improvements,
        clipped=made.clipped,
        n_training=others.n_subjects,
        n_earlier=_n_earlier(others),
        n_targets=len(targets),
        shown=made.shown,
        notes=tuple(notes),
    )


@dataclass(frozen=True, eq=False)
class _Images:
    """Images in the order of `everyone`: the query set, whose table is `samples`, and then the training set."""

    samples: Samples
    everyone: Samples
    images: npt.NDArray[np.uint8]
    clipped: dict[str, float] = field(default_factory=dict)

    @property
    def shown(self) -> npt.NDArray[np.uint8]:
        """The first few people's gallery image and fb image, and the changed copies of the latter."""
        ids = self.samples.ids
        people = self.samples.subjects[:4]
        labels = ["fa", "fb", *(f"fb@{one.label}" for one in CHANGES)]
        wanted = [f"{person}-1-{label}" for person in people for label in labels]
        chosen: npt.NDArray[np.uint8] = self.images[ids.positions(wanted)]
        return chosen


def _query_set(tested: Population, others: Population, threads: int | None, progress: Progress) -> _Images:
    progress.begin("rendering faces", len(tested) + len(others))
    originals, trained = (
        part.render(threads=threads, progress=progress.advance) for part in (tested, others)
    )
    table = Samples(tested.columns())
    chosen = table.select(CHANGED).positions
    eyes = table.frame.select(EYE_COLUMNS).to_numpy()[chosen]
    altered = [change.apply(originals[chosen], eyes) for change in CHANGES]
    samples = with_altered(table, CHANGES, chosen)
    training = pl.DataFrame(others.columns()).with_columns(alteration=pl.lit(UNCHANGED))
    return _Images(
        Samples(samples),
        Samples(pl.concat([samples, training], how="diagonal")),
        np.concatenate([originals, *(one.images for one in altered), trained]),
        {str(change): float(one.clipped.mean()) for change, one in zip(CHANGES, altered, strict=True)},
    )


def _usable(names: Sequence[str], notes: list[Note]) -> list[str]:
    """Those algorithms whose libraries are installed; the others are noted."""
    kept = []
    for name in names:
        try:
            if name in _NEEDS:
                need(*_NEEDS[name])
        except UsageError as error:
            notes.append(_LEFT_OUT(name=name, why=error.message, cure=str(error.hint)))
        else:
            kept.append(name)
    return kept


def _n_earlier(others: Population) -> int:
    return max(_EARLIER_LEAST, round(_EARLIER_SHARE * others.n_subjects))


def _earlier(
    models: Sequence[Model], others: Population, given: Acquired, sets: Sets, progress: Progress
) -> tuple[list[DenseScores], tuple[Improvement, ...]]:
    """Earlier versions: the same algorithms, trained when fewer people had been photographed."""
    subjects = others.columns()["subject"]
    known = set(list(dict.fromkeys(subjects))[: _n_earlier(others)])
    training = [name for name, who in zip(sets.training, subjects, strict=True) if who in known]
    names = [model.name for model in models if model.name in TWICE]
    found = score(
        train([recognizer(name) for name in names], given, training, progress), given, sets, progress
    )
    for one in found:
        one.name = f"{one.name}-earlier"
    return found, tuple(Improvement(f"{name}-earlier", name) for name in names)


def _fully(
    models: Sequence[Model],
    pictures: Pictures,
    everyone: Samples,
    sets: Sets,
    threads: int | None,
    progress: Progress,
    notes: list[Note],
) -> tuple[list[DenseScores], tuple[Version, ...]]:
    """Fully automatic versions: the same trained models, but the eyes are found and not given."""
    try:
        finder = detector("opencv")
    except UsageError as error:
        notes.append(_NOT_AUTOMATIC(why=error.message, cure=str(error.hint)))
        return [], ()
    chosen = [model for model in models if model.name in FULLY]
    acquired = acquire(pictures, everyone, sets.queries, detector=finder, threads=threads, progress=progress)
    found = score(chosen, acquired, sets, progress)
    for one in found:
        one.name = f"{one.name}-auto"
    return found, tuple(Version(f"{model.name}-auto", model.name) for model in chosen)
