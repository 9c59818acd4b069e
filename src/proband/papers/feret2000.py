"""The FERET evaluation of September 1996 (Phillips, Moon, Rizvi & Rauss 2000) on synthetic people: its sets and algorithms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.algorithms import Acquired, Model, Pictures, Sets, acquire, detector, recognizer, score, train
from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.algorithms.pictures.alterations import UNCHANGED, alteration, with_altered
from proband.engine import Progress, Silent
from proband.errors import UsageError
from proband.faces import Population
from proband.faces.plan import View
from proband.inference.galleries.versions import Improvement, Version
from proband.papers.beveridge2001 import DIFFICULTY
from proband.samples import Samples
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
"""Treated as algorithms that were tested at two dates."""

FULLY = ("lda:angle", "lbp:chi2")
"""Also tested fully automatically; the paper had two such algorithms."""

CHANGES = tuple(map(alteration, ("gain:0.4", "gain:1.5", "side:0.5", "scale:0.5")))
"""The digital changes: darker, brighter, light from one side, and half the size."""

VIEWS: tuple[View, ...] = ("ql", "qr", "hl", "hr")
"""The rotated views: a quarter (22.5°) and a half (67.5°) to the image's left and right."""

GALLERY = "kind == 'fa' and session == 1"
TARGETS = f"kind in ['fa', 'fb'] and alteration == '{UNCHANGED}'"
PHOTOGRAPHS = f"not ({GALLERY}) and alteration == '{UNCHANGED}' and view == 'frontal'"
"""The probes of FERET's categories: images neither digitally changed nor rotated."""
CHANGED = "varied and kind == 'fb'"
"""The fb probes of the first session that have changed copies, and these copies."""
ROTATED = f"varied and alteration == '{UNCHANGED}' and kind not in ['fa', 'fc']"
"""The fb probes and the rotated views of the people who have rotated views."""

ENROLLED_BEFORE, TAKEN_FROM = date(1994, 4, 23), date(1995, 4, 23)
# FERET's dates are 1995-01-01 and 1996-01-01. People here come first between August 1993 and July 1994: by April 23 as large a part of
# them has come as FERET had enrolled by 1995 (864 of 1,196).
LONG_AFTER = f"mate.date < date('{ENROLLED_BEFORE}') and probe.date >= date('{TAKEN_FROM}')"
"""The rule for duplicates II: FERET's two dates a year apart."""
OWN_GALLERY = f"date < date('{ENROLLED_BEFORE}')"
"""The gallery for duplicates II."""

_TRAINING_SHARE = 0.5  # training people for each test person
_EARLIER_SHARE = 0.25  # of the training people were there for the earlier versions
_EARLIER_LEAST = 4
_VARIED_SHARE = (
    1 / 3
)  # of the people have rotated views and changed copies, which take long to render and to find faces in
_EXAMPLES = 2  # people shown of each category


@dataclass(frozen=True, eq=False)
class Feret2000:
    """The data of the study.

    Attributes
    ----------
    samples, scores
        The query set, and the scores of every algorithm against the target set, in single precision: the
        saved scores are the ranked scores.
    versions, improvements
        Fully and partially automatic, earlier and later versions of one algorithm.
    clipped
        The share of pixels clipped to black or white by each digital change.
    n_training, n_earlier
        The numbers of training people for the later and the earlier versions.
    n_targets
        Images in the target set.
    shown
        A few people's gallery image, the fb image, its changed copies and the rotated views, one after another.
    examples
        Probes of each category behind the gallery images of the same people, as in the paper's figure 1, with their names.
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
    examples: tuple[npt.NDArray[np.uint8], tuple[str, ...]]
    notes: tuple[Note, ...] = ()


_LEFT_OUT = Sentence("feret2000.left-out", "caution", "{name} was left out: {why} ({cure})")
_NOT_AUTOMATIC = Sentence(
    "feret2000.not-automatic", "caution", "the fully automatic versions were left out: {why} ({cure})"
)


def feret2000_data(
    people: int = 300,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    *,
    difficulty: float = DIFFICULTY,
) -> Feret2000:
    """Render the people, change some of the images, train the algorithms, and score queries against targets.

    The target set contains all fa and fb images; the query set contains these, the fc images, and, for a
    third of the people, rotated views and digitally changed copies of the fb image of the first session.
    Training uses other people.

    Parameters
    ----------
    people
        The number of test people; the paper had 1,196.
    difficulty
        Scales the differences between images of a person other than expression; by default as in the other
        studies.
    """
    progress = progress or Silent()
    notes: list[Note] = []
    tested = Population(people, seed=seed, difficulty=difficulty, views=VIEWS)
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
        scores=[*map(_in_single, (*scores, *first, *found))],
        versions=versions,
        improvements=improvements,
        clipped=made.clipped,
        n_training=others.n_subjects,
        n_earlier=_n_earlier(others),
        n_targets=len(targets),
        shown=made.shown,
        examples=made.examples,
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
        """The first few people's gallery image and fb image, the changed copies of the latter, and the rotated views."""
        labels = ["fa", "fb", *(f"fb@{change.label}" for change in CHANGES), *VIEWS]
        return self._of(f"{person}-1-{label}" for person in self.samples.subjects[:4] for label in labels)

    @property
    def examples(self) -> tuple[npt.NDArray[np.uint8], tuple[str, ...]]:
        """The first probes of each category, each behind the gallery image of its person, and the names of these images."""
        frame = self.samples.frame.filter(pl.col("kind").is_in(["fa", "fb", "fc"]), alteration=UNCHANGED)
        enrolled = frame.filter(kind="fa", session=1).select("subject", mate="id", mate_date="date")
        pairs = frame.join(enrolled, on="subject")
        later = pairs.filter(kind="fa").filter(pl.col("session") > 1)
        long_after = (pl.col("mate_date") < ENROLLED_BEFORE) & (pl.col("date") >= TAKEN_FROM)
        chosen = (
            pairs.filter(kind="fb", session=1),
            later.filter(~long_after),
            pairs.filter(kind="fc"),
            later.filter(long_after),
        )
        names = [
            name
            for category in chosen
            for row in category.select("mate", "id").head(_EXAMPLES).rows()
            for name in row
        ]
        return self._of(names), tuple(names)

    def _of(self, names: Iterable[str]) -> npt.NDArray[np.uint8]:
        chosen: npt.NDArray[np.uint8] = self.images[self.samples.ids.positions(list(names))]
        return chosen


def _query_set(tested: Population, others: Population, threads: int | None, progress: Progress) -> _Images:
    every = pl.DataFrame(tested.columns())
    people = every["subject"].unique(maintain_order=True)
    varied = people.head(max(4, round(_VARIED_SHARE * len(people))))
    every = every.with_columns(varied=(pl.col("session") == 1) & pl.col("subject").is_in(varied.to_list()))
    taken = every.select((pl.col("view") == "frontal") | pl.col("varied")).to_series()
    progress.begin("rendering faces", int(taken.sum()) + len(others))
    originals = tested.render(np.flatnonzero(taken), threads=threads, progress=progress.advance)
    trained = others.render(threads=threads, progress=progress.advance)
    table = Samples(every.filter(taken))
    chosen = table.select(CHANGED).positions
    eyes = table.frame.select(EYE_COLUMNS).to_numpy()[chosen]
    altered = [change.apply(originals[chosen], eyes) for change in CHANGES]
    samples = with_altered(table, CHANGES, chosen)
    training = pl.DataFrame(others.columns()).with_columns(alteration=pl.lit(UNCHANGED))
    return _Images(
        Samples(samples),
        Samples(pl.concat([samples, training], how="diagonal")),
        np.concatenate([originals, *(change.images for change in altered), trained]),
        {str(change): float(made.clipped.mean()) for change, made in zip(CHANGES, altered, strict=True)},
    )


def _in_single(scores: DenseScores) -> DenseScores:
    """The same scores in single precision."""
    return DenseScores(
        np.asarray(scores.values, dtype=np.float32),
        scores.queries,
        scores.targets,
        orientation=scores.orientation,
        name=scores.name,
        cells=scores.cell_codes,
        notes=scores.notes,
    )


def _usable(names: Sequence[str], notes: list[Note]) -> list[str]:
    """Those algorithms whose libraries are installed; the others are noted."""
    kept = []
    for name in names:
        try:
            recognizer(name).check_installed()
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
