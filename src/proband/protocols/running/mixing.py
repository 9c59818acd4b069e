"""The effect of mixed subjects, and how often a single run contradicts the means (Mery, Zhao and Bowyer 2016)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.frames import frame_of_rows
from proband.inference.cross_validation.folds import ALIKE, notes_on, shared_training
from proband.inference.estimates.clusters import over_people
from proband.inference.proportions import t_quantile
from proband.protocols.notation import Protocol
from proband.protocols.running.predictions import Predictions
from proband.results.about import RestsOn, Who
from proband.results.base import Answers, Count, Rate, Record
from proband.results.difference import Difference
from proband.results.serializing import Written
from proband.results.targets import PEOPLE_ALIKE
from proband.words import Method, Note, Sentence, Target, as_sentence

DROP = Sentence(
    "mixing.drop",
    "note",
    "{classifier}, {mixed} minus {disjoint}: {difference:points}, {level:level} [{low:hundredfold}, {high:hundredfold}]{more:also}",
)
DROP_ALONE = Sentence(
    "mixing.drop-without-interval",
    "note",
    "{classifier}, {mixed} minus {disjoint}: {difference:points}, no interval{more:also}",
)
ONE_RUN_REVERSES = Sentence(
    "mixing.one-run-reverses",
    "note",
    "a single run of each shows the opposite in {share:tenth} of {pairs:count pair}",
)
NO_INTERVAL = Sentence("what-if.no-interval", "note", "no interval: nothing varies over people")
OTHER_TRAINING = Sentence(
    "mixing.other-training-size",
    "note",
    "{mixed} trains on {first:whole} samples on average and {disjoint} on {second:whole}; the difference includes this effect",
)
FOLDS_AS_RUNS = Sentence(
    "mixing.folds-as-runs",
    "note",
    "{protocol} is carried out once, so each of its folds counts as a run, like a single hold-out",
)
OF_MIXING = Target(
    "accuracy-by-mixing",
    "difference of accuracy on the pooled test samples, mixed minus subject-disjoint",
)
BOTH_SIDES = Target(
    "people-mixed-and-apart",
    "new people, used in training under the mixed protocol but not under the disjoint protocol",
)
CLASSIFIERS = Target("classifiers-and-splits", "the trained classifiers; the splits")
T_OVER_PEOPLE = Method(
    "t-over-people",
    "Student's t over people, with a correction for shared training data",
    "Student's t interval over people, paired; the variance is multiplied by 1 + (1 − 1/n)/3 for n models that share training data",
    ("student1908",),
)
_SAME_SIZE = 0.02  # training sets that differ by less are as large

Floats = npt.NDArray[np.float64]
Sample = tuple[Floats, npt.NDArray[np.str_]]
"""A value for each tested sample, and its subject."""


@dataclass(frozen=True, eq=False, repr=False)
class MixingDrop(Record):
    """How much more accurate a classifier looks if the people tested are also in training.

    Attributes
    ----------
    mixed, disjoint
        The two protocols.
    difference
        The pooled estimate under the mixed protocol minus the estimate under the disjoint protocol, with its
        interval over people.
    reversed_runs
        The share of pairs of runs, one per protocol, whose difference has the opposite sign; None with only
        one pair.
    n_pairs
        The number of pairs of runs.
    notes
        Notes for the reader.
    """

    written = Written(also=("answers",))

    classifier: str
    mixed: str
    disjoint: str
    difference: Difference
    reversed_runs: Rate | None
    n_pairs: Count
    notes: tuple[Note, ...]

    @property
    def answers(self) -> Answers:
        """What the difference means."""
        return Answers(OF_MIXING, BOTH_SIDES, CLASSIFIERS, PEOPLE_ALIKE)

    def __repr__(self) -> str:
        return as_sentence(self.sentence())

    def sentence(self) -> Note:
        """Return the drop with its interval, in percentage points, and how often a single run shows the opposite."""
        change, share = self.difference, self.reversed_runs
        more = () if share is None else (ONE_RUN_REVERSES(share=share, pairs=self.n_pairs),)
        said = {
            "classifier": self.classifier,
            "mixed": self.mixed,
            "disjoint": self.disjoint,
            "difference": change.value,
            "more": more,
        }
        if not change.has_interval:
            return DROP_ALONE(**said)
        return DROP(**said, level=change.confidence_level, low=change.low, high=change.high)


@dataclass(frozen=True)
class SingleRuns:
    """What a comparison of two classifiers by one run each would show, under one protocol.

    Attributes
    ----------
    better, worse
        By the mean over all runs.
    gap
        Mean of the better minus mean of the worse.
    overlap
        Largest accuracy of the worse minus smallest of the better: if above zero, some pairs of runs show the
        opposite.
    same_split, other_split
        The share of runs on the same split, and of pairs of runs on different splits, in which the worse is
        ahead.
    n_runs
        The number of runs of each.
    """

    protocol: str
    better: str
    worse: str
    gap: float
    overlap: float
    same_split: Rate
    other_split: Rate
    n_runs: Count


def mixing_drops(predictions: Sequence[Sequence[Predictions]], level: float) -> tuple[MixingDrop, ...]:
    """Return the drop of every classifier from mixed to disjoint, for each disjoint protocol and its mixed counterpart.

    Parameters
    ----------
    predictions
        For each protocol, the predictions of every classifier, in the same order.
    """
    mixed = [own for own in predictions if not own[0].protocol.is_disjoint]
    apart = [own for own in predictions if own[0].protocol.is_disjoint]
    return tuple(
        _drop(first, second, level)
        for disjoint in (apart if mixed else ())
        for first, second in zip(_counterpart(disjoint, mixed), disjoint, strict=True)
    )


def _counterpart(
    disjoint: Sequence[Predictions], mixed: Sequence[Sequence[Predictions]]
) -> Sequence[Predictions]:
    """The same protocol with subjects mixed, or else the one that trains on the most similar number of samples."""
    wanted = disjoint[0].protocol
    same = [each for each in mixed if replace(each[0].protocol, disjoint=None) == _unmarked(wanted)]
    return (
        same[0]
        if same
        else min(mixed, key=lambda each: abs(_training_size(each[0]) - _training_size(disjoint[0])))
    )


def _unmarked(protocol: Protocol) -> Protocol | None:
    """The protocol without what it says of subjects; None of one that is always disjoint."""
    return None if protocol.kind == "leave-one-subject-out" else replace(protocol, disjoint=None)


def _training_size(predictions: Predictions) -> float:
    return float(np.mean([fold.n_train for fold in predictions.folds]))


def _drop(mixed: Predictions, disjoint: Predictions, level: float) -> MixingDrop:
    names = str(mixed.protocol), str(disjoint.protocol)
    change = pooled_difference(mixed, disjoint, names, level)
    first, second = single_accuracies(mixed), single_accuracies(disjoint)
    apart = np.subtract.outer(first, second)
    against = (apart if change.value < 0 else -apart) > ALIKE
    sizes = _training_size(mixed), _training_size(disjoint)
    notes: list[Note] = [] if change.has_interval else [NO_INTERVAL()]
    notes += notes_on(True, change.rests_on.n_units)
    if abs(sizes[0] - sizes[1]) > _SAME_SIZE * max(sizes):
        notes.append(OTHER_TRAINING(mixed=names[0], disjoint=names[1], first=sizes[0], second=sizes[1]))
    notes += [
        FOLDS_AS_RUNS(protocol=str(each.protocol)) for each in (mixed, disjoint) if folds_are_runs(each)
    ]
    return MixingDrop(
        mixed.classifier,
        *names,
        change,
        float(against.mean()) if apart.size > 1 else None,
        apart.size,
        tuple(notes),
    )


def single_runs(predictions: Sequence[Sequence[Predictions]]) -> tuple[SingleRuns, ...]:
    """Compare every two classifiers run by run, under each protocol with several runs."""
    return tuple(_orders(predictions))


def _orders(predictions: Sequence[Sequence[Predictions]]) -> Iterator[SingleRuns]:
    for own in predictions:
        for pair in combinations(own, 2):
            runs = [single_accuracies(each) for each in pair]
            if len(runs[0]) > 1:
                first = 0 if runs[0].mean() >= runs[1].mean() else 1
                names = [each.classifier for each in pair]
                yield order_of_runs(
                    str(own[0].protocol), names[first], names[1 - first], runs[first], runs[1 - first]
                )


def order_of_runs(protocol: str, better: str, worse: str, high: Floats, low: Floats) -> SingleRuns:
    """Return how often one run of each of two classifiers puts the worse ahead.

    Parameters
    ----------
    high, low
        The accuracies of the better and of the worse in each run, on the same splits.
    """
    ahead = low[:, None] - high > ALIKE
    same = np.eye(len(low), dtype=np.bool_)
    return SingleRuns(
        protocol,
        better,
        worse,
        float(high.mean() - low.mean()),
        float(low.max() - high.min()),
        float(ahead[same].mean()),
        float(ahead[~same].mean()),
        len(low),
    )


def single_accuracies(predictions: Predictions) -> Floats:
    """Return the accuracies that carrying out a protocol once can give.

    These are accuracies of hold-outs, or of whole cross-validations; with a single cross-validation, each
    fold is treated as a hold-out. Leaving out every subject or every sample has only one form, so its mean is
    the only value.
    """
    values = predictions.accuracies
    if predictions.protocol.is_hold_out or folds_are_runs(predictions):
        return values.ravel()
    return np.asarray(values.mean(axis=1))


def folds_are_runs(predictions: Predictions) -> bool:
    """Whether the folds of a single cross-validation count as runs."""
    return predictions.protocol.kind == "cross-validation" and len(predictions.accuracies) == 1


def pooled_difference(
    first: Predictions, second: Predictions, names: tuple[str, str], level: float
) -> Difference:
    """Return the difference of two accuracies on pooled test samples of the same people, with its interval over people.

    The variance over people is multiplied by `shared_training`: people test some models and train the
    others, so the variance over people alone is too small. In simulations of nearest neighbours and linear
    discriminants such intervals covered 93 to 96% at 95%, and 90 to 93% without it.
    """
    value, error, n_people = difference_over_people(_means(first), _means(second))
    low = high = float("nan")
    if error is not None:
        error *= float(np.sqrt(shared_training(max(len(first.folds), len(second.folds)))))
        reach = t_quantile(level, n_people - 1.0) * error
        low, high = max(-1.0, value - reach), min(1.0, value + reach)
    return Difference(
        who=Who(algorithm=first.classifier),
        first=names[0],
        second=names[1],
        value=value,
        low=low,
        high=high,
        confidence_level=level,
        standard_error=error,
        degrees_of_freedom=None if error is None else n_people - 1.0,
        method=T_OVER_PEOPLE,
        rests_on=RestsOn(n_units=n_people, unit="person"),
        adjustment="none",
    )


def _means(predictions: Predictions) -> Sample:
    """Each tested sample's share of right answers, and whose it is."""
    table, people = predictions.correct()
    return np.nanmean(table, axis=0), people


def difference_over_people(first: Sample, second: Sample) -> tuple[float, float | None, int]:
    """Return the difference of two means over samples of the same people, its standard error over people, and the number of people.

    Parameters
    ----------
    first, second
        A value and a person for each sample; the samples may differ.
    """
    people, codes = np.unique(np.concatenate([first[1], second[1]]), return_inverse=True)
    cut, n_people = len(first[1]), len(people)
    sums = np.zeros(n_people)
    for values, who, sign in ((first[0], codes[:cut], 1.0), (second[0], codes[cut:], -1.0)):
        sums += sign * np.bincount(who, weights=values - values.mean(), minlength=n_people) / len(values)
    difference = float(first[0].mean() - second[0].mean())
    if n_people < 2 or float(np.abs(sums).max()) < 1e-12:
        return difference, None, n_people
    return difference, float(np.sqrt(over_people(float(sums @ sums), n_people))), n_people


def drops_frame(drops: Sequence[MixingDrop]) -> pl.DataFrame:
    """Return a row for each classifier and disjoint protocol."""
    return frame_of_rows(
        [
            {
                "classifier": drop.classifier,
                "mixed": drop.mixed,
                "disjoint": drop.disjoint,
                "drop": drop.difference.value,
                "low": drop.difference.low if drop.difference.has_interval else None,
                "high": drop.difference.high if drop.difference.has_interval else None,
                "reversed_runs": drop.reversed_runs,
                "pairs": drop.n_pairs,
            }
            for drop in drops
        ]
    )
