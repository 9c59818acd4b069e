"""From images to scores, in the way that the command line and study files share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from proband.algorithms import (
    Model,
    Pictures,
    Sets,
    acquire,
    detector,
    load_model,
    recognizer,
    score,
    train as train_all,
)
from proband.engine import Progress, Silent
from proband.errors import DesignError, Hint, UsageError, first_few
from proband.samples import Samples
from proband.samples.choosing import choose
from proband.samples.table import UNDECIDED_FOR
from proband.scores import DenseScores
from proband.words import Note, count


@dataclass(frozen=True, eq=False)
class Recognised:
    """What recognisers made of images.

    Attributes
    ----------
    met
        How training and test people meet.
    notes
        Samples that a condition leaves undecided.
    """

    scores: list[DenseScores]
    models: list[Model]
    sets: Sets
    met: Note
    notes: tuple[Note, ...]


def recognise(
    images: Path,
    table: Samples,
    algorithms: Sequence[str],
    models: Sequence[Path] = (),
    *,
    train: str | None = None,
    queries: str | None = None,
    targets: str | None = None,
    file_column: str = "file",
    detect: str | None = None,
    as_they_are: bool = False,
    allow_training_overlap: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Recognised:
    """Train recognisers where they need it, and score queries against targets.

    Parameters
    ----------
    images
        A directory of pictures, or an ``.npz`` of them.
    algorithms, models
        Recognisers by name, and trained models to use as they are.
    train, queries, targets
        Who is trained on, and whose images are compared: by default all that are not trained on.
    allow_training_overlap
        Whether targets may be trained on, as in `Sets.check`.
    """
    progress = progress or Silent()
    chosen = [recognizer(name, mask=not as_they_are) for name in algorithms]
    made: list[Model] = [load_model(path) for path in models]
    finder = detector(detect) if detect else None
    if as_they_are and detect:
        raise UsageError(
            Hint("{option:as_they_are=on} uses no eyes, so there is nothing to find for {option:detect}."),
            "leave one of them out.",
        )
    sets, notes = _sets(table, train, queries, targets)
    unmet = [one.name for one in chosen if one.needs_training]
    if unmet and not sets.training:
        raise UsageError(f"{', '.join(unmet)} must be trained.", Hint("say on whom: {option:train}"))
    met = sets.check(table, allow_training_overlap)
    acquired = acquire(
        Pictures.of(images, table, file_column),
        table,
        dict.fromkeys([*sets.training, *sets.queries, *sets.targets]),
        detector=finder,
        as_they_are=as_they_are,
        threads=threads,
        progress=progress,
    )
    made += train_all(chosen, acquired, sets.training, progress)
    sets = _with_models(made, sets, allow_training_overlap)
    if sets.trained_targets:
        met = sets.check(table, allow_training_overlap)
    return Recognised(score(made, acquired, sets, progress), made, sets, met, notes)


def _sets(
    table: Samples, train: str | None, queries: str | None, targets: str | None
) -> tuple[Sets, tuple[Note, ...]]:
    notes = []

    def ids(condition: str) -> tuple[str, ...]:
        chosen = choose(table, condition)
        if chosen.unknown:
            notes.append(UNDECIDED_FOR(n=chosen.unknown, rule=chosen.rule))
        return tuple(table.ids[place] for place in chosen.positions)

    training = ids(train) if train is not None else ()
    seen = set(training)
    rest = tuple(name for name in table.ids if name not in seen)
    sets = Sets(
        training,
        rest if queries is None else ids(queries),
        rest if targets is None else ids(targets),
    )
    return sets, tuple(notes)


def _with_models(models: Sequence[Model], sets: Sets, allow_training_overlap: bool) -> Sets:
    """Refuse a loaded model that was trained on samples it would now be tested on; count targets that may be as trained on."""
    refused = dict.fromkeys([*sets.queries, *(() if allow_training_overlap else sets.targets)])
    trained: dict[str, None] = {}
    for model in models:
        met = [] if model.training is None else model.training.among(refused)
        if met:
            raise DesignError(
                f"{model.name} was trained on {count(len(met))} of the very samples it would be tested on: {first_few(met)}.",
                Hint(
                    "choose other queries and targets, or train another model; {give:allow_training_overlap=on} if only targets were trained on."
                ),
            )
        trained |= dict.fromkeys([] if model.training is None else model.training.among(sets.targets))
    return replace(sets, training=tuple(dict.fromkeys([*sets.training, *trained])))
