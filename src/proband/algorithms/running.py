"""Train several recognisers, check their training sets, and score the same faces with each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.algorithms.pictures.acquire import Acquired
from proband.algorithms.recognizer import Model, PeopleModel, Recognizer
from proband.engine import Engine, Progress, Silent, on_engine, one_blas_thread
from proband.errors import DesignError, Hint, first_few
from proband.kernels.codes import FAILED
from proband.samples import Samples
from proband.scores import DenseScores, Scores
from proband.scores.archive import TRAINED_ON_GALLERY
from proband.words import Note, Sentence, counted

NO_TRAINING = Sentence("algorithms.no-training", "note", "no training set")
SHARED_PEOPLE = Sentence(
    "algorithms.training-people-tested",
    "caution",
    "{n:count} of {total:count training person/training people} {n:word is/are} also tested, with other images",
)
OTHER_PEOPLE = Sentence(
    "algorithms.training-people-apart",
    "note",
    "trained on {n:count image} of {people:count person/people}, none of whom is tested",
)
NEGATED = Sentence("algorithms.distances-negated", "note", "distances are stored negated")


_ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class Sets:
    """Which samples are for training, queries and targets, by id.

    Examples
    --------
    >>> Sets(training=(), queries=("a2",), targets=("a1", "b1")).queries
    ('a2',)
    """

    training: tuple[str, ...]
    queries: tuple[str, ...]
    targets: tuple[str, ...]

    @property
    def trained_targets(self) -> tuple[str, ...]:
        """The targets that are in training."""
        trained = set(self.training)
        return tuple(name for name in self.targets if name in trained)

    def check(self, samples: Samples, allow_training_overlap: bool = False) -> Note:
        """Refuse training samples that are also tested, and report the overlap of training and test people.

        Parameters
        ----------
        samples
            The table with the subject of each sample.
        allow_training_overlap
            Whether targets may be in training, as when the training set is the gallery (Beveridge et al.
            2001, §3). Queries never may.

        Returns
        -------
        Note
            Whether there is training, and the number of people in both training and test; or the number of
            targets in training.
        """
        trained = set(self.training)
        queries = [name for name in self.queries if name in trained]
        if queries:
            raise DesignError(
                f"{counted(len(queries), 'training sample is a query', 'training samples are queries')} too: {first_few(queries)}.",
                "choose other queries: a probe must not be in the training set.",
            )
        if self.trained_targets and not allow_training_overlap:
            n = counted(
                len(self.trained_targets), "training sample is a target", "training samples are targets"
            )
            raise DesignError(
                f"{n} too: {first_few(list(self.trained_targets))}.",
                Hint(
                    "choose disjoint sets, or {give:allow_training_overlap=on} to train on the gallery; the scores will be labelled accordingly."
                ),
            )
        if not self.training:
            return NO_TRAINING()
        if self.trained_targets:
            return TRAINED_ON_GALLERY(n=len(self.trained_targets), total=len(self.targets))
        tested = dict.fromkeys([*self.queries, *self.targets])
        people = {samples.subjects[code] for code in samples.codes[samples.ids.positions(self.training)]}
        met = {samples.subjects[code] for code in samples.codes[samples.ids.positions(list(tested))]}
        both = len(people & met)
        if both:
            return SHARED_PEOPLE(n=both, total=len(people))
        return OTHER_PEOPLE(n=len(self.training), people=len(people))


def train(
    recognizers: Sequence[Recognizer],
    acquired: Acquired,
    training: Sequence[str],
    progress: Progress | None = None,
) -> list[Model]:
    """Train recognisers on the training samples that were acquired.

    Parameters
    ----------
    recognizers
        The recognisers.
    acquired
        The crops of all samples.
    training
        The ids of the training samples.
    progress
        The progress callback.

    Returns
    -------
    list
        The trained models.
    """
    progress = progress or Silent()
    usable = [name for name in training if name not in acquired.failures]
    crops = acquired.crops.take(usable) if usable else None
    progress.begin("training", len(recognizers))
    models = []
    for one in recognizers:
        shaped = (
            crops if crops is not None or one.needs_training else acquired.crops.take(acquired.crops.ids[:1])
        )
        with one_blas_thread():  # more threads would add in another order
            models.append(one.fit(shaped))
        progress.advance(1)
    return models


@on_engine
def score(
    models: Sequence[Model],
    acquired: Acquired,
    sets: Sets,
    progress: Progress | None = None,
    *,
    engine: Engine = None,
) -> list[DenseScores]:
    """Score queries against targets; samples that were not acquired give failed cells.

    Parameters
    ----------
    models
        Trained models.
    acquired
        The crops of all samples.
    sets
        The training samples, queries and targets.
    progress, engine
        The progress callback, and where computations run.

    Returns
    -------
    list
        The scores of each model.
    """
    progress = progress or Silent()
    queries = [name for name in sets.queries if name not in acquired.failures]
    targets = [name for name in sets.targets if name not in acquired.failures]
    if not queries or not targets:
        raise DesignError("No queries or no targets could be acquired, so there is nothing to score.")
    query, target = acquired.crops.take(queries), acquired.crops.take(targets)
    shared = [name for name in queries if name in set(targets)]
    for model in models:
        if shared and isinstance(model, PeopleModel):
            raise DesignError(
                f"{model.name} compares a face with all targets of a person together, so queries must not "
                f"also be targets: {first_few(shared)}.",
                Hint("choose disjoint sets: {option:queries} and {option:targets}."),
            )
    progress.begin("scoring", 2 * len(models))
    scored = []
    for model in models:
        # Computes the representations; lazy scores are compared when expanded.
        compared = model.scores(query, target)
        progress.advance(1)
        scores = _with_failures(compared, sets, acquired)
        trained = [] if model.training is None else model.training.among(sets.targets)
        if trained:
            scores.notes += (TRAINED_ON_GALLERY(n=len(trained), total=len(sets.targets)),)
        scored.append(scores)
        progress.advance(1)
    return scored


def _with_failures(scores: Scores, sets: Sets, acquired: Acquired) -> DenseScores:
    """Expand scores to all queries and targets as similarities; failed samples get failed cells."""
    every = np.arange(len(scores.targets))
    values = np.zeros((len(sets.queries), len(sets.targets)), dtype=np.float64)
    rows = np.array([place for place, name in enumerate(sets.queries) if name not in acquired.failures])
    columns = np.array([place for place, name in enumerate(sets.targets) if name not in acquired.failures])
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        part = np.arange(start, min(start + _ROWS_AT_ONCE, len(rows)))
        # Negating a distance keeps all ranks, and allows algorithms of both kinds in one file.
        sign = 1 if scores.larger_is_closer else -1
        values[np.ix_(rows[part], columns)] = sign * scores.tile(part, every)
    cells = None
    if len(rows) < len(sets.queries) or len(columns) < len(sets.targets):
        cells = np.full(values.shape, FAILED, dtype=np.uint8)
        cells[np.ix_(rows, columns)] = 0
    return DenseScores(
        values,
        sets.queries,
        sets.targets,
        orientation="similarity",
        name=scores.name,
        cells=cells,
        notes=(
            *scores.notes,
            *acquired.notes,
            *(() if scores.larger_is_closer else (NEGATED(),)),
        ),
    )
