"""What is found of algorithms over several data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.results.base import Answers, Confidence, Count, Result
from proband.words import Method, Note, Sentence, as_sentence, counted

Verdict = Literal["better", "worse", "undecided"]
BETTER = Sentence(
    "datasets.better",
    "note",
    "{better} is significantly better than {worse} over data sets: {difference:points} (median), higher in {wins:count} of {n:count data set/data sets}, "
    "p {p:p}",
)
UNDECIDED = Sentence(
    "datasets.undecided",
    "note",
    "{first} and {second} are not significantly different over data sets: {difference:points} (median), higher in {wins:count} and lower in "
    "{losses:count} of {n:count data set/data sets}, p {p:p}",
)


@dataclass(frozen=True)
class PooledDifference(Result):
    """The mean difference over data sets of which these are a sample.

    Attributes
    ----------
    difference, low, high, standard_error, degrees_of_freedom, p_value
        The mean over data sets, its interval and its test.
    prediction_low, prediction_high
        Between which the difference in another data set lies; None with two data sets.
    tau
        The standard deviation of true differences between data sets.
    q, q_p_value, i_squared
        Cochran's test that they are all the same, and the share of the spread that is not chance.
    n_datasets, confidence_level
        How many data sets, and of the intervals.
    """

    difference: float
    low: float
    high: float
    confidence_level: Confidence
    standard_error: float
    degrees_of_freedom: Count
    p_value: float
    prediction_low: float | None
    prediction_high: float | None
    tau: float
    q: float
    q_p_value: float
    i_squared: float
    n_datasets: Count


@dataclass(frozen=True)
class DatasetPair(Result):
    """Two algorithms over the same data sets.

    Attributes
    ----------
    first, second
        Their names; differences are the first's less the second's.
    wins, ties, losses, sign_p_value
        In how many data sets the first is better, as good and worse, and the sign test of that.
    mean_difference
        Of the data sets, each weighing the same.
    difference, low, high
        Hodges and Lehmann's median with its exact interval; no ends with too few data sets.
    statistic, p_value, adjusted_p_value
        The sum of the positive signed ranks, its p-value, and that by Holm among all pairs.
    verdict
        Of the first, at the level of the comparison, adjusted.
    pooled
        The mean over data sets by random effects; None where no standard errors are known.
    """

    first: str
    second: str
    wins: Count
    ties: Count
    losses: Count
    sign_p_value: float
    mean_difference: float
    difference: float
    low: float | None
    high: float | None
    statistic: float
    p_value: float
    adjusted_p_value: float
    verdict: Verdict
    pooled: PooledDifference | None = None

    def sentence(self) -> Note:
        """Say whether one is better."""
        n = self.wins + self.ties + self.losses
        p = self.adjusted_p_value
        if self.verdict == "undecided":
            return UNDECIDED(
                first=self.first,
                second=self.second,
                difference=self.difference,
                wins=self.wins,
                losses=self.losses,
                n=n,
                p=p,
            )
        turned = self.verdict == "worse"
        return BETTER(
            better=self.second if turned else self.first,
            worse=self.first if turned else self.second,
            difference=abs(self.difference),
            wins=self.losses if turned else self.wins,
            n=n,
            p=p,
        )


@dataclass(frozen=True)
class DatasetAccuracy(Result):
    """One algorithm in one data set.

    Attributes
    ----------
    dataset, algorithm, accuracy, rank
        Its accuracy, and its rank among the algorithms there: 1 is the best, equals share their mean.
    """

    dataset: str
    algorithm: str
    accuracy: float
    rank: float


@dataclass(frozen=True)
class DatasetDifference(Result):
    """Two algorithms in one data set.

    Attributes
    ----------
    dataset, first, second, difference
        The first's accuracy less the second's.
    standard_error, n_subjects
        Of the difference, over people; None where it is not known.
    """

    dataset: str
    first: str
    second: str
    difference: float
    standard_error: float | None
    n_subjects: Count | None


@published
@dataclass(frozen=True)
class DatasetComparison(Result):
    """Algorithms over several data sets.

    Attributes
    ----------
    algorithms, average_ranks
        Their names, the best average rank first, and these ranks.
    datasets
        What the data sets are called.
    pairs
        Every two algorithms.
    groups
        Algorithms of which no two are significantly different, next to each other by average rank: what the lines of the figure join.
    chi_square, chi_square_p_value, f, f_p_value
        Friedman's statistic and Iman and Davenport's; None for two algorithms. `f` is None where all data sets rank the same.
    accuracies, by_dataset
        Every algorithm in every data set, and every difference there.
    confidence_level
        Of intervals; verdicts are at one less it.
    answers, method, notes
        What the differences mean, how they were tested, and what a reader should know.
    """

    algorithms: tuple[str, ...]
    average_ranks: tuple[float, ...]
    datasets: tuple[str, ...]
    pairs: tuple[DatasetPair, ...]
    groups: tuple[tuple[str, ...], ...]
    chi_square: float | None
    chi_square_p_value: float | None
    f: float | None
    f_p_value: float | None
    accuracies: tuple[DatasetAccuracy, ...]
    by_dataset: tuple[DatasetDifference, ...]
    confidence_level: Confidence
    answers: Answers
    method: Method
    notes: tuple[Note, ...]

    def sentences(self) -> list[Note]:
        """Every verdict in words."""
        return [pair.sentence() for pair in self.pairs]

    def __repr__(self) -> str:
        return f"DatasetComparison({counted(len(self.datasets), 'data set')}): {' '.join(map(as_sentence, self.sentences()[:3]))}"

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each pair."""
        rows = []
        for pair in self.pairs:
            plain = pair.to_dict()
            pooled = plain.pop("pooled") or {}
            rows.append(plain | {f"pooled_{name}": value for name, value in pooled.items()})
        return frame_of_rows(rows)

    def differences_frame(self) -> pl.DataFrame:
        """One row for each pair in each data set."""
        return frame_of_rows(
            [one.to_dict() for one in self.by_dataset],
            {
                **dict.fromkeys(("dataset", "first", "second"), pl.String),
                **dict.fromkeys(("difference", "standard_error"), pl.Float64),
                "n_subjects": pl.Int64,
            },
        )
