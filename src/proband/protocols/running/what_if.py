"""The same classifier with and without mixed subjects, or with and without dropped samples."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import polars as pl

from proband.engine import Engine, Progress, on_engine
from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.engine.limits import Level, Seed, Threads
from proband.errors import DesignError, Hint, UsageError, first_few
from proband.inference.cross_validation.folds import notes_on
from proband.protocols.notation import Protocol
from proband.protocols.recommendation import Task
from proband.protocols.running.cache import Journals
from proband.protocols.running.data import FeatureTable, labels_of
from proband.protocols.running.mixing import (
    BOTH_SIDES,
    CLASSIFIERS,
    NO_INTERVAL,
    OF_MIXING,
    pooled_difference,
)
from proband.protocols.running.results import ProtocolResult, over_runs, pooled_columns
from proband.protocols.running.running import run_protocol
from proband.protocols.splits.plans import AUTO, make_plan
from proband.results.base import Answers, Count, Result
from proband.results.difference import Difference
from proband.results.targets import PEOPLE_ALIKE
from proband.words import Note, Sentence, Target, fixed

UNKNOWN_DROPPED = Sentence(
    "what-if.unknown-dropped",
    "caution",
    "{n:count} of the {total:count dropped id} {n:word is/are} not among the usable samples: {examples}",
)
UNEXPLAINED_DROPPED = Sentence(
    "what-if.unexplained-dropped",
    "caution",
    "{n:count} of the {total:count dropped id} {n:word has/have} no stated reason: {examples}",
)
FOUND = Sentence(
    "what-if.found",
    "note",
    "{first} minus {second}: {difference:points}, {level:level} [{low:hundredfold}, {high:hundredfold}]",
)
FOUND_ALONE = Sentence(
    "what-if.found-without-interval", "note", "{first} minus {second}: {difference:points}, no interval"
)
TESTED_AND_TRAINED = Sentence(
    "what-if.tested-and-trained",
    "note",
    "the difference combines the effects of different test samples and different training samples",
)
OF_DROPPING = Target(
    "accuracy-by-dropping",
    "difference of accuracy on the pooled test samples, with and without the dropped samples",
)
PEOPLE = Target("people-tested", "new people")
DROPPED = Target("dropped", "dropped")


Question = Literal["mixed", "dropped"]


@dataclass(frozen=True, eq=False, repr=False)
class ComparedSide:
    """One of the two sides: its name, the number of samples, and its result."""

    name: str
    n_samples: Count
    result: ProtocolResult

    def __repr__(self) -> str:
        return f"{self.name}: {self.result!r}"


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf(Result):
    """A classifier under two protocols, or with and without some of the data.

    Attributes
    ----------
    sides
        Mixed and unmixed, or with and without the dropped samples.
    difference
        The pooled estimate of the first side minus that of the second, with its interval over the people on
        either side; without an interval if there is one person or no variation.
    answers, notes
        The meaning of the difference, and notes.
    """

    question: Question
    classifier: str
    sides: tuple[ComparedSide, ComparedSide]
    difference: Difference
    answers: Answers
    notes: tuple[Note, ...]

    def __repr__(self) -> str:
        sides = ", ".join(f"{one.name} {fixed(one.result.accuracy)}" for one in self.sides)
        return f"WhatIf({self.classifier}: accuracy {sides}; pooled estimates {self.sentence()})"

    def sentence(self) -> Note:
        """Return the difference in words, in percentage points."""
        change = self.difference
        said = {"first": change.first, "second": change.second, "difference": change.value}
        if not change.has_interval:
            return FOUND_ALONE(**said)
        return FOUND(**said, level=change.confidence_level, low=change.low, high=change.high)

    def _frame(self, wide: bool) -> pl.DataFrame:
        """Return one row for each side."""
        return frame_of_rows(
            [
                {
                    "side": one.name,
                    "classifier": self.classifier,
                    "protocol": str(one.result.protocol),
                    "samples": one.n_samples,
                    **over_runs(one.result),
                    **pooled_columns(one.result),
                }
                for one in self.sides
            ]
        )


@published
@on_engine
def what_if(
    classifier: Any,
    data: FeatureTable,
    question: Question,
    protocol: Protocol | str = AUTO,
    *,
    task: Task = "attribute",
    label: str | None = None,
    exclusions: Collection[str] | Mapping[str, str | None] = (),
    seed: Seed = 0,
    confidence_level: Level = 0.95,
    threads: Threads | None = None,
    progress: Progress | None = None,
    cache: str | Path | Journals | None = None,
    engine: Engine = None,
) -> WhatIf:
    """Run a classifier twice with one change, and estimate its effect.

    Parameters
    ----------
    classifier
        One classifier, as in :func:`proband.protocols.running.running.run_protocol`: a text, or a mapping from its name.
    data
        All samples, including the dropped samples.
    question
        ``"mixed"``: subjects in both training and testing, compared with subject-disjoint splits of the same
        sizes. ``"dropped"``: all samples, compared with the samples without `exclusions`.
    protocol
        The protocol of both sides. For ``"mixed"`` it is run with and without the ``+``; LOSO is compared
        with a cross-validation with one fold per subject.
    exclusions
        The dropped ids, or a mapping of each to its reason; unknown ids and missing reasons are reported.
    task, label
        The task, ``identity`` or ``attribute``, and the column of the attribute.
    seed
        The seed of the splits.
    confidence_level
        The level of all intervals.
    cache
        The directory in which results are saved.
    threads, progress, engine
        The number of threads, the progress callback, and where computations run.

    Returns
    -------
    WhatIf
        Both sides, and their difference with its interval.

    Notes
    -----
    The difference is between accuracies on pooled test samples, with people as units: with residuals of each
    person's samples from both means, its variance is the variance of their sums, d = Σ(x − m₁)/N₁ − Σ(y −
    m₂)/N₂ for each of G people, G/(G − 1)·Σd², with Student's t on G − 1 degrees of freedom. Both sides have
    the same people, so differences in difficulty between people do not widen it. People test some models and
    train the others, so the variance is multiplied by 1 + (1 − 1/n)/3 with n models on a side.
    """
    data = data.labelled(task, label)
    settings: dict[str, Any] = {"task": task, "label": label, "seed": seed, "cache": cache}
    stated = make_plan(
        protocol, data.samples, labels_of(data.samples, task, label), task=task, seed=seed
    ).protocol
    if question == "mixed":
        if task == "identity":
            raise DesignError(
                "For identity, a mixed protocol distinguishes all people and a disjoint protocol only the people of a fold: the accuracies are not comparable.",
                Hint("choose an attribute to recognise: {option:label}"),
            )
        if exclusions:
            raise UsageError("The questions 'mixed' and 'dropped' cannot be combined.")
        pairs = [
            ("mixed", data, _shared(stated, data)),
            ("unmixed", data, _kept_apart(stated)),
        ]
    elif question == "dropped":
        pairs = [("with", data, stated), ("without", _without(data, exclusions), stated)]
    else:
        raise UsageError(f"Unknown question: {question!r}.", "ask 'mixed' or 'dropped'.")
    named = classifier if isinstance(classifier, Mapping | list | tuple) else [classifier]
    if not isinstance(named, Mapping) and not all(isinstance(one, str) for one in named):
        named = {type(one).__name__: one for one in named}
    if len(named) != 1:
        raise UsageError(f"Expected one classifier, got {len(named)}.")
    sides = []
    for name, used, chosen in pairs:
        run = run_protocol(
            named,
            used,
            chosen,
            confidence_level=confidence_level,
            threads=threads,
            progress=progress,
            **settings,
        )
        sides.append(ComparedSide(name, len(used), run.results[0]))
    notes = (*data.notes, *_notes_on(exclusions, data))
    return _compare(question, (sides[0], sides[1]), confidence_level, notes)


def _shared(protocol: Protocol, data: FeatureTable) -> Protocol:
    """The protocol with subjects on both sides."""
    if protocol.kind == "leave-one-subject-out":
        return Protocol("cross-validation", folds=len(data.samples.subjects), disjoint=False)
    return replace(protocol, disjoint=False)


def _kept_apart(protocol: Protocol) -> Protocol:
    """The protocol with every subject on one side."""
    try:
        return replace(protocol, disjoint=True)
    except UsageError:
        raise DesignError(
            f"{protocol} tests the subjects it trains on, so it has no subject-disjoint form.",
            "use a protocol that has both forms: 80-20 HO, 10f CV, LOO or LOSO.",
        ) from None


def _without(data: FeatureTable, dropped: Collection[str]) -> FeatureTable:
    gone = set(dropped)
    unknown = data.samples.ids.missing(dropped)
    known = [place for place, name in enumerate(data.samples.ids) if name not in gone]
    if len(known) == len(data):
        named = f": {first_few(unknown)} and others are not in the data" if unknown else ""
        raise DesignError(
            f"No samples are dropped{named}.", "pass data that contain the dropped samples as well."
        )
    return data.take(known, DROPPED)


def _notes_on(dropped: Collection[str] | Mapping[str, str | None], data: FeatureTable) -> list[Note]:
    """Notes on errors in a list of dropped samples."""
    notes = []
    unknown = data.samples.ids.missing(dropped)
    if unknown:
        notes.append(UNKNOWN_DROPPED(n=len(unknown), total=len(dropped), examples=first_few(unknown)))
    if isinstance(dropped, Mapping):
        unexplained = [name for name, why in dropped.items() if not (why or "").strip()]
        if unexplained:
            notes.append(
                UNEXPLAINED_DROPPED(n=len(unexplained), total=len(dropped), examples=first_few(unexplained))
            )
    return notes


def _compare(
    question: Question, sides: tuple[ComparedSide, ComparedSide], level: float, more_notes: tuple[Note, ...]
) -> WhatIf:
    first, second = sides
    names = first.name, second.name
    change = pooled_difference(first.result.predictions, second.result.predictions, names, level)
    mixed = question == "mixed"
    answers = Answers(
        OF_MIXING if mixed else OF_DROPPING, BOTH_SIDES if mixed else PEOPLE, CLASSIFIERS, PEOPLE_ALIKE
    )
    notes = [] if change.has_interval else [NO_INTERVAL()]
    notes += notes_on(True, change.rests_on.n_units)
    if question == "dropped":
        notes.append(TESTED_AND_TRAINED())
    return WhatIf(question, first.result.classifier, sides, change, answers, (*notes, *more_notes))
