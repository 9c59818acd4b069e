"""The results of a run under protocols: accuracies with spread and intervals, comparisons, and notes.

The module is long because one record of a run contains all of them: they are read and written together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import Any, Literal

import numpy as np
import polars as pl

from proband.engine.frames import frame_of_rows
from proband.errors import UsageError
from proband.inference.classification.classify import describe_classes
from proband.inference.classification.results import Classification
from proband.inference.cross_validation.comparison import AccuracyComparison
from proband.inference.cross_validation.correlated_bayes import CorrelatedBayes
from proband.inference.cross_validation.intervals import (
    FoldSpread,
)
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.cards.sections import (
    CardProcedure,
    CardSelection,
    Dataset,
    PredictionsFile,
    Task as CardTask,
    Value,
)
from proband.protocols.epd import EPDVerdict
from proband.protocols.notation import Protocol
from proband.protocols.recommendation import Task
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.factors import SizeEffect
from proband.protocols.running.mixing import MixingDrop, SingleRuns
from proband.protocols.running.predictions import FoldFacts, Predictions
from proband.protocols.splits.balancing import Imbalance
from proband.protocols.splits.given import GivenSplits
from proband.protocols.splits.plans import SplitPlan
from proband.protocols.splits.splits import GENERATOR_VERSION
from proband.results.base import Rate, Result
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.words import Note, Sentence, Target, as_sentence

Recommended = Literal["method", "fitted-models"]
_ACCURACY = Sentence(
    "protocols.accuracy",
    "note",
    "{classifier} under {protocol}: {accuracy}; {level:level} interval [{low:rate}, {high:rate}], for "
    "{varying}",
)
_WITH_POOLED = Sentence(
    "protocols.accuracy-and-pooled",
    "note",
    "{classifier} under {protocol}: {accuracy}; pooled estimate {value:rate}, {level:level} interval "
    "[{low:rate}, {high:rate}], for {varying}",
)
_NO_INTERVAL = Sentence(
    "protocols.accuracy-without-interval",
    "caution",
    "{classifier} under {protocol}: {accuracy}, without an interval",
)
_COMPARED = Sentence("protocols.verdict", "note", "{protocol}: {found}. Estimated: {of}")


@dataclass(frozen=True, eq=False)
class Setting:
    """The settings of a run: the data, the task, the seed of the splits, and how to judge differences."""

    data: FeatureTable
    task: Task
    label: str | None
    seed: int
    stratify: bool
    confidence_level: float
    margin: float | None
    justification: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ProtocolResult(Result):
    """One classifier under one protocol.

    Attributes
    ----------
    spread
        The accuracy: mean, standard deviation, smallest and largest over runs.
    corrected
        The interval of the accuracy, from the values on splits (Nadeau and Bengio): training and test samples
        vary.
    pooled
        The pooled estimate with its interval, from the pooled predictions with people as units: training is
        held fixed. With folds of unequal size, it is a different mean from the accuracy.
    predictions
        All out-of-fold predictions.
    recommended
        Which interval to quote: ``method`` if every learner under the protocol is known to be stable,
        otherwise ``fitted-models``.
    """

    written = Written(
        {"protocol": "protocol.__str__"}, also=("accuracy", "accuracies"), without=("predictions",)
    )

    classifier: str
    protocol: Protocol
    spread: FoldSpread
    corrected: Estimate
    pooled: Estimate
    predictions: Predictions
    recommended: Recommended = "fitted-models"

    def __repr__(self) -> str:
        return as_sentence(self.sentence())

    @property
    def accuracy(self) -> Rate:
        """The mean over runs."""
        return self.spread.mean

    @property
    def interval(self) -> Estimate:
        """The interval to quote, with its estimate: the accuracy, or the pooled estimate."""
        return self.corrected if self.recommended == "method" else self.pooled

    def sentence(self) -> Note:
        """Return the accuracy and the interval to quote, in words."""
        one = self.interval
        said: dict[str, Any] = {
            "classifier": self.classifier,
            "protocol": str(self.protocol),
            "accuracy": self.spread.sentence(),
        }
        if not one.has_interval:
            return _NO_INTERVAL(**said)
        said |= {
            "low": one.low,
            "high": one.high,
            "level": one.confidence_level,
            "varying": one.answers.varying,
        }
        return _ACCURACY(**said) if self.recommended == "method" else _WITH_POOLED(**said, value=one.value)

    @property
    def accuracies(self) -> tuple[tuple[Rate, ...], ...]:
        """The accuracy on every split, repeats × folds."""
        return tuple(map(tuple, self.predictions.accuracies.tolist()))


@dataclass(frozen=True)
class LeftOut:
    """The number of samples left out for one reason."""

    why: Target
    n: int


@dataclass(frozen=True)
class DataUsed:
    """The samples used in a run."""

    name: str
    digest: str
    n_samples: int
    n_subjects: int
    each: str
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Enrolment:
    """How new people are identified.

    Attributes
    ----------
    images_each
        The number of images enrolled for each held-out person.
    people
        The smallest and the largest number of people enrolled in a split, among whom probes are searched.
    never_searched
        The people whose images are all enrolled.
    """

    images_each: int
    people: tuple[int, int]
    never_searched: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class ProtocolFindings(Result):
    """All classifiers under one protocol.

    Attributes
    ----------
    plan
        The protocol, fitted to the samples.
    results
        One result for each classifier.
    on_splits, on_people
        Comparisons by accuracies on the same splits, and by the predictions of one repeat; None for one
        classifier, or if the test is not possible: all splits test the same samples, or one repeat is a
        single hold-out.
    five_by_two
        The 5×2cv tests if the protocol is 5×2cv; otherwise None.
    bayes
        With a margin, the posterior for every two classifiers.
    imbalance
        How far the test sets differ from the whole.
    epd
        The EPD verdict: are subjects kept apart, is the protocol adequate, are the data declared?
    """

    written = Written(
        {
            "protocol": "protocol.__str__",
            "meaning": "protocol.describe",
            "why": "plan.why",
            "left_out": "plan.left_out",
        },
        also=("sizes", "enrolment", "n_splits", "recommended", "classification"),
        without=("plan",),
        if_any=("enrolment",),
    )

    plan: SplitPlan
    results: tuple[ProtocolResult, ...]
    on_splits: AccuracyComparison | None
    on_people: AccuracyComparison | None
    five_by_two: AccuracyComparison | None
    bayes: tuple[CorrelatedBayes, ...]
    imbalance: Imbalance
    epd: EPDVerdict

    @cached_property
    def classification(self) -> Classification:
        """Return weighted mean, balanced accuracy, classes and confusions over every prediction of every split.

        People are the units in the recognition of an attribute. In the recognition of identity, where the
        classes are people, the units are samples, each with all its predictions.
        """
        first = self.results[0]
        roster, tests = first.predictions.roster, np.concatenate(first.predictions.tests)
        by_person = self.people_are_units
        return describe_classes(
            roster.classes[roster.labels[tests]],
            {one.classifier: roster.classes[np.concatenate(one.predictions.said)] for one in self.results},
            group=(roster.people[roster.subjects[tests]] if by_person else tests),
            classes=roster.classes.tolist(),
            confidence_level=first.pooled.confidence_level,
        )

    @property
    def people_are_units(self) -> bool:
        """Whether the intervals of classes are for new people rather than for new samples of the same people."""
        roster = self.results[0].predictions.roster
        tested = np.unique(roster.subjects[np.concatenate(self.results[0].predictions.tests)])
        return len(tested) > 1 and not np.array_equal(
            roster.people[roster.subjects], roster.classes[roster.labels]
        )

    @property
    def protocol(self) -> Protocol:
        """The protocol, which states whether subjects are shared."""
        return self.plan.protocol

    @property
    def recommended(self) -> str | None:
        """Which comparison to quote: the one that matches the intervals, or the only one available."""
        if self.on_splits is None and self.on_people is None:
            return None
        of_method = self.on_people is None or self.results[0].recommended == "method"
        return "method" if of_method and self.on_splits is not None else "fitted-models"

    @property
    def comparison(self) -> AccuracyComparison | None:
        """The comparison to quote; None for one classifier, or if no test is possible."""
        return self.on_splits if self.recommended == "method" else self.on_people

    def verdicts(self) -> list[Note]:
        """The verdicts to quote, in words."""
        made = self.comparison
        if made is None:
            return []
        named = {"protocol": str(self.protocol), "of": made.answers.of}
        return [_COMPARED(**named, found=one) for one in made.sentences()]

    def sentences(self) -> list[Note]:
        """Return the accuracies and the verdicts to quote, in words."""
        return [*(one.sentence() for one in self.results), *self.verdicts()]

    def __repr__(self) -> str:
        return "\n".join(map(as_sentence, self.sentences()))

    @property
    def folds(self) -> tuple[FoldFacts, ...]:
        """Each split in numbers."""
        return self.results[0].predictions.folds

    @property
    def enrolment(self) -> Enrolment | None:
        """The enrolment if held-out people are identified among themselves; otherwise None."""
        if self.plan.enrolled_each is None:
            return None
        people = [fold.enrolled_subjects for fold in self.folds]
        return Enrolment(self.plan.enrolled_each, (min(people), max(people)), self.plan.never_searched)

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        return len(self.folds)

    @property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """The smallest and the largest size of each part of a split."""
        found = self.results[0].predictions.sizes.drop("repeat", "fold")
        return {one.name: (one.min(), one.max()) for one in found}  # type: ignore[misc]


@dataclass(frozen=True, eq=False, repr=False)
class ProtocolRun(Result):
    """Classifiers under protocols, all on the same splits.

    Attributes
    ----------
    setting
        The settings of the run.
    findings
        All classifiers under each protocol.
    notes
        What a reader should know.
    sizes
        Accuracies with fewer subjects, or fewer images of each, if requested.
    drops
        For an attribute under both mixed and disjoint protocols: how much lower each classifier is under the
        disjoint protocol.
    single_runs
        How often one run of each of two classifiers contradicts their means, under each protocol with several
        runs.
    """

    written = Written(
        {
            "data": "data_used",
            "task": "setting.task",
            "label": "setting.label",
            "seed": "setting.seed",
            "stratified": "setting.stratify",
            "confidence_level": "setting.confidence_level",
            "margin": "setting.margin",
            "justification": "setting.justification",
            "protocols": "findings",
        },
        also=("kind", "classes", "generator_version"),
        without=("setting",),
        if_any=("sizes", "drops", "single_runs"),
        versioned=True,
    )

    setting: Setting
    findings: tuple[ProtocolFindings, ...]
    notes: tuple[Note, ...]
    sizes: tuple[SizeEffect, ...] = ()
    drops: tuple[MixingDrop, ...] = ()
    single_runs: tuple[SingleRuns, ...] = ()

    def __repr__(self) -> str:
        about = f"ProtocolRun({self.setting.data.name}, {self.setting.label or self.setting.task})"
        return "\n".join([about, *map(as_sentence, self.sentences())])

    def sentences(self) -> list[Note]:
        """Return the accuracies, the verdicts to quote and the drops from mixed to disjoint, in words."""
        drops = [drop.sentence() for drop in self.drops]
        return [*(said for found in self.findings for said in found.sentences()), *drops]

    @property
    def results(self) -> tuple[ProtocolResult, ...]:
        """Every classifier under every protocol."""
        return tuple(one for found in self.findings for one in found.results)

    @property
    def classifiers(self) -> list[str]:
        """The names of the classifiers."""
        return [one.classifier for one in self.findings[0].results]

    def of(self, classifier: str, protocol: Protocol | str) -> ProtocolResult:
        """Return the result of one classifier under one protocol."""
        wanted = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
        stated = replace(wanted, disjoint=wanted.is_disjoint)  # as runs state it
        for one in self.results:
            if one.classifier == classifier and one.protocol in (wanted, stated):
                return one
        raise UsageError(f"{classifier!r} was not run under {wanted}.")

    def _frame(self, wide: bool) -> pl.DataFrame:
        """A row for each classifier and protocol."""
        return frame_of_rows(
            [
                {
                    "classifier": one.classifier,
                    "protocol": str(one.protocol),
                    **over_runs(one),
                    "low": _known(one.corrected.low),
                    "high": _known(one.corrected.high),
                    **pooled_columns(one),
                    "recommended": one.recommended,
                    "weighted_mean": found.classification.rate(one.classifier).value,
                    "balanced": found.classification.rate(one.classifier, "macro-top-1").value,
                    "E": found.epd.experiments.answer,
                    "P": found.epd.protocol.answer,
                    "D": found.epd.data.answer,
                }
                for found in self.findings
                for one in found.results
            ]
        )

    def predictions(self) -> pl.DataFrame:
        """Return all predictions: columns classifier, protocol, id, subject, label, predicted, repeat and fold."""
        return pl.concat(
            one.predictions.frame.select(
                pl.lit(one.classifier).alias("classifier"),
                pl.lit(str(one.protocol)).alias("protocol"),
                pl.all(),
            )
            for one in self.results
        )

    def card(
        self, result: ProtocolResult, predictions: PredictionsFile | None = None, splits: str | None = None
    ) -> ProtocolCard:
        """Return the protocol card of a result; `splits` is the SHA-256 of the file of splits."""
        asked, data = self.setting, self.setting.data
        made = self._plan(result).splitter
        given = made.digest if isinstance(made, GivenSplits) else None
        ours = given is None
        roster = result.predictions.roster
        return ProtocolCard.from_run(
            result.classifier,
            Dataset.of(list(data.samples.ids), data.subjects.tolist(), name=data.name),
            CardTask.of(asked.task, roster.classes[roster.labels].tolist(), asked.label),
            CardProcedure(
                notation=str(result.protocol),
                stratified=made.stratify if ours else None,
                seed=made.seed if ours else None,
                generator_version=GENERATOR_VERSION if ours else None,
                splits=splits or given,
                divisions=result.predictions.n_divisions,
                justification=asked.justification,
                enrolled_each=made.enrolled_each,
            ),
            _value(result),
            selection=CardSelection(
                len(data) + len(data.left_out),
                tuple(sorted((why.key, n) for why, n in data.exclusions)),
                tuple(sorted((why.key, str(why)) for why, _ in data.exclusions)) or None,
            ),
            predictions=predictions,
        )

    def _plan(self, result: ProtocolResult) -> SplitPlan:
        return next(one.plan for one in self.findings if one.protocol == result.protocol)

    @property
    def kind(self) -> str:
        """The kind of result."""
        return "protocol run"

    @property
    def data_used(self) -> DataUsed:
        """The samples that were used."""
        data = self.setting.data
        left_out = tuple(LeftOut(why, n) for why, n in data.exclusions)
        return DataUsed(data.name, data.digest, len(data), len(data.samples.subjects), data.each, left_out)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.results[0].predictions.roster.classes)

    @property
    def generator_version(self) -> int:
        """The version of the generator of splits."""
        return GENERATOR_VERSION


def over_runs(result: ProtocolResult) -> dict[str, float | None]:
    """Return the accuracy and its variation over runs as columns of a table."""
    spread = result.spread
    return {
        "accuracy": spread.mean,
        "std": spread.std,
        "max": spread.maximum,
        "min": spread.minimum,
        "runs": spread.n_runs,
    }


def pooled_columns(result: ProtocolResult) -> dict[str, float | None]:
    """Return the pooled estimate and its interval as columns of a table."""
    one = result.pooled
    return {"pooled_estimate": one.value, "pooled_low": _known(one.low), "pooled_high": _known(one.high)}


def _known(end: float) -> float | None:
    """An end of an interval; None where there is none, as cards and tables have it."""
    return None if isnan(end) else end


def _value(result: ProtocolResult) -> Value:
    """What a card states of the accuracy over runs and its interval, where that is to be quoted, and of the pooled estimate and its own."""
    spread, corrected, pooled = result.spread, result.corrected, result.pooled
    quoted = result.recommended == "method"
    return Value(
        estimate=spread.mean,
        std=spread.std,
        low=_known(corrected.low) if quoted else None,
        high=_known(corrected.high) if quoted else None,
        confidence_level=corrected.confidence_level if result.interval.has_interval else None,
        uncertainty=corrected.method.key if quoted else None,
        maximum=spread.maximum,
        minimum=spread.minimum,
        **pooled_columns(result),
        pooled_uncertainty=pooled.method.key if pooled.has_interval else None,
    )
