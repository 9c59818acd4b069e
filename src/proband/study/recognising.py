"""From images to scores, in the way that the command line and study files share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from proband._version import __version__
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
from proband.algorithms.registry import RECOGNIZERS
from proband.engine import Progress, Silent
from proband.engine.files.files import digest_of_file
from proband.errors import DesignError, Hint, UsageError, first_few
from proband.samples import Samples
from proband.samples.choosing import choose
from proband.samples.table import UNDECIDED_FOR
from proband.scores import DenseScores
from proband.scores.run_record import AlgorithmRun
from proband.study.requests.data import ONNX
from proband.words import Note, Sentence, count

_PLACES = 3  # of seconds
_UNKNOWN_PEOPLE = Sentence(
    "algorithms.training-people-unknown",
    "caution",
    "{n:count training image} of {model} {n:word is/are} not in the samples table, so it is unknown whether their people are tested",
)


@dataclass(frozen=True, eq=False)
class Recognised:
    """What recognisers made of images.

    Attributes
    ----------
    met
        How training and test people meet.
    notes
        Samples that a condition leaves undecided.
    images
        Seconds for reading the images and finding the faces.
    runs
        How long each algorithm took.
    """

    scores: list[DenseScores]
    models: list[Model]
    sets: Sets
    met: Note
    notes: tuple[Note, ...]
    images: float
    runs: tuple[AlgorithmRun, ...]


class Laps:
    """A listener to progress that notes how many seconds each step took."""

    def __init__(self, listener: Progress) -> None:
        self.seconds: list[float] = []
        self._listener = listener
        self._before = perf_counter()

    def begin(self, what: str, total: int) -> None:
        """The first step begins."""
        self._listener.begin(what, total)
        self._before = perf_counter()

    def advance(self, steps: int) -> None:
        """A step is done."""
        after = perf_counter()
        self.seconds.append(round(after - self._before, _PLACES))
        self._before = after
        self._listener.advance(steps)


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
            Hint("{option:as_they_are=on} uses no eye positions, so {option:detect} has no effect."),
            "leave one of them out.",
        )
    sets, notes = _sets(table, train, queries, targets)
    unmet = [one.name for one in chosen if one.needs_training]
    if unmet and not sets.training:
        raise UsageError(
            f"{', '.join(unmet)} must be trained.", Hint("specify the training samples: {option:train}")
        )
    if not sets.queries or not sets.targets:
        whose = "query" if not sets.queries else "target"
        raise DesignError(
            f"No image is a {whose}, so there are no scores to compute: {count(len(sets.training))} of "
            f"{count(len(table))} are training images.",
            Hint(
                "use fewer training samples ({option:train}), or choose others: {option:queries}, {option:targets}."
            ),
        )
    met = sets.check(table, allow_training_overlap)
    began = perf_counter()
    acquired = acquire(
        Pictures.of(images, table, file_column),
        table,
        dict.fromkeys([*sets.training, *sets.queries, *sets.targets]),
        detector=finder,
        as_they_are=as_they_are,
        threads=threads,
        progress=progress,
    )
    images_took = round(perf_counter() - began, _PLACES)
    training, scoring = Laps(progress), Laps(progress)
    code = [_code_of_model(path) for path in models] + [_code_of(name) for name in algorithms]
    trained = [0.0] * len(made)
    made += train_all(chosen, acquired, sets.training, training)
    trained += training.seconds
    sets, absent = _with_models(made, sets, table, allow_training_overlap)
    if sets.training:
        met = sets.check(table, allow_training_overlap)
        notes = (*notes, *absent)
    elif absent:
        met, *others = absent
        notes = (*notes, *others)
    scores = score(made, acquired, sets, scoring)
    seconds = zip(trained, scoring.seconds[::2], scoring.seconds[1::2], strict=True)
    runs = tuple(
        AlgorithmRun(matrix.name, whose, *took)
        for matrix, whose, took in zip(scores, code, seconds, strict=True)
    )
    return Recognised(scores, made, sets, met, notes, images_took, runs)


def _code_of(name: str) -> str:
    """Whose code a recogniser is, with its version."""
    if name.startswith(ONNX):
        return _code_of_model(Path(name.removeprefix(ONNX)))
    whose = RECOGNIZERS.made_by(name).get(name, ())
    return ", ".join((f"proband {__version__}", *whose))


def _code_of_model(path: Path) -> str:
    return f"proband {__version__}, model {path.name} sha256 {digest_of_file(path)}"


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


def _with_models(
    models: Sequence[Model], sets: Sets, table: Samples, allow_training_overlap: bool
) -> tuple[Sets, list[Note]]:
    """Add what models were trained on to training, and say of which of it the table knows no people.

    A loaded model that was trained on samples it would now be tested on is refused.
    """
    refused = dict.fromkeys([*sets.queries, *(() if allow_training_overlap else sets.targets)])
    trained, absent = dict.fromkeys(sets.training), list[Note]()
    for model in models:
        if model.training is None:
            continue
        met = model.training.among(refused)
        if met:
            raise DesignError(
                f"{model.name} was trained on {count(len(met))} of the samples it would be tested on: {first_few(met)}.",
                Hint(
                    "choose other queries and targets, or train another model; "
                    "{give:allow_training_overlap=on} if only targets were used for training."
                ),
            )
        known = model.training.among(table.ids)
        trained |= dict.fromkeys(known)
        if len(known) < model.training.n_images:
            absent.append(_UNKNOWN_PEOPLE(model=model.name, n=model.training.n_images - len(known)))
    return replace(sets, training=tuple(trained)), absent
