"""Results of comparisons over several data sets."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.results.base import Answers, Confidence, Count, Rate, Result
from proband.results.difference import Difference
from proband.results.test import Test
from proband.words import Method, Note, Sentence, as_sentence, counted

BETTER = Sentence(
    "datasets.better",
    "note",
    "{better} is significantly better than {worse} over data sets: {difference:points} (median), higher in {wins:count} of {n:count data set/data sets}, "
    "p {p:p}",
)
UNDECIDED = Sentence(
    "datasets.undecided",
    "note",
    "{first} and {second} are not significantly different over data sets: {difference:points} (median), "
    "higher in {wins:count} and lower in {losses:count} of {n:count data set/data sets}, p {p:p}",
)


@dataclass(frozen=True)
class PooledDifference:
    """The mean difference over a population of data sets, of which these are a sample.

    Attributes
    ----------
    difference
        The mean over data sets, its interval and its test.
    prediction_low, prediction_high
        The ends of the prediction interval for a new data set; None with two data sets.
    tau
        The standard deviation of true differences between data sets.
    heterogeneity, i_squared
        Cochran's Q test of equal differences, and the share of their variation not due to chance.
    """

    difference: Difference
    prediction_low: float | None
    prediction_high: float | None
    tau: float
    heterogeneity: Test
    i_squared: float


@dataclass(frozen=True)
class DatasetPair:
    """Two algorithms over the same data sets.

    Attributes
    ----------
    difference
        The first accuracy minus the second: Hodges and Lehmann's median with its exact interval, if there are enough data sets. The test is
        the signed-rank test, adjusted by Holm for all pairs, and the verdict uses the adjusted p-value.
    wins, ties, losses, sign_p_value
        The numbers of data sets in which the first is better, equal and worse, and the p-value of the sign test.
    mean_difference
        The mean difference over data sets, equally weighted.
    pooled
        The random-effects mean over data sets; None without standard errors.
    """

    difference: Difference
    wins: Count
    ties: Count
    losses: Count
    sign_p_value: Rate
    mean_difference: float
    pooled: PooledDifference | None = None

    @property
    def first(self) -> str:
        """The algorithm whose accuracy comes first."""
        return self.difference.first

    @property
    def second(self) -> str:
        """The algorithm whose accuracy is subtracted."""
        return self.difference.second

    def sentence(self) -> Note:
        """The verdict in words."""
        median, n = self.difference, self.wins + self.ties + self.losses
        if not median.told_apart:
            return UNDECIDED(
                first=self.first,
                second=self.second,
                difference=median.value,
                wins=self.wins,
                losses=self.losses,
                n=n,
                p=median.p_adjusted,
            )
        turned = median.verdict == "worse"
        return BETTER(
            better=self.second if turned else self.first,
            worse=self.first if turned else self.second,
            difference=abs(median.value),
            wins=self.losses if turned else self.wins,
            n=n,
            p=median.p_adjusted,
        )


@dataclass(frozen=True)
class DatasetAccuracy:
    """One algorithm in one data set.

    Attributes
    ----------
    dataset, algorithm, accuracy, rank
        The accuracy, and the rank among algorithms in this data set: 1 is the best, ties share the mean rank.
    """

    dataset: str
    algorithm: str
    accuracy: float
    rank: float


@published
@dataclass(frozen=True)
class DatasetComparison(Result):
    """A comparison of algorithms over several data sets.

    Attributes
    ----------
    algorithms, average_ranks
        The names of algorithms, ordered by average rank, and their average ranks.
    datasets
        The names of the data sets.
    pairs
        All pairs of algorithms.
    groups
        Groups of algorithms, adjacent by average rank, without significant differences: the lines in the figure.
    friedman, iman_davenport
        Tests for equal ranks of all algorithms, by Friedman's chi-squared and by Iman and Davenport's F; None for two
        algorithms. F has no statistic if all data sets give the same ranks.
    accuracies, by_dataset
        The accuracy of every algorithm in every data set, and every difference (`who.dataset`), with its standard error over
        people if known.
    confidence_level
        The level of intervals; verdicts use the significance level one minus this level.
    answers, method, notes
        The meaning of the differences, how they were tested, and notes.
    """

    algorithms: tuple[str, ...]
    average_ranks: tuple[float, ...]
    datasets: tuple[str, ...]
    pairs: tuple[DatasetPair, ...]
    groups: tuple[tuple[str, ...], ...]
    friedman: Test | None
    iman_davenport: Test | None
    accuracies: tuple[DatasetAccuracy, ...]
    by_dataset: tuple[Difference, ...]
    confidence_level: Confidence
    answers: Answers
    method: Method
    notes: tuple[Note, ...]

    def sentences(self) -> list[Note]:
        """Every verdict in words.

        Returns
        -------
        list of Note
            A sentence for each pair.
        """
        return [pair.sentence() for pair in self.pairs]

    def __repr__(self) -> str:
        return f"DatasetComparison({counted(len(self.datasets), 'data set')}): {' '.join(map(as_sentence, self.sentences()[:3]))}"

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each pair."""
        return frame_of_rows([_row(pair) for pair in self.pairs])

    def differences_frame(self) -> pl.DataFrame:
        """One row for each pair in each data set.

        Returns
        -------
        polars.DataFrame
            The columns dataset, first, second, value, standard_error and n_units.
        """
        return frame_of_rows(
            [
                {
                    "dataset": pair.who.dataset,
                    "first": pair.first,
                    "second": pair.second,
                    "value": pair.value,
                    "standard_error": pair.standard_error,
                    "n_units": pair.rests_on.n_units,
                }
                for pair in self.by_dataset
            ],
            {
                **dict.fromkeys(("dataset", "first", "second"), pl.String),
                **dict.fromkeys(("value", "standard_error"), pl.Float64),
                "n_units": pl.Int64,
            },
        )


def _row(pair: DatasetPair) -> dict[str, object]:
    """A row for a pair, with the median difference, and the mean if known."""
    row: dict[str, object] = {
        "first": pair.first,
        "second": pair.second,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
        "sign_p_value": pair.sign_p_value,
        "mean_difference": pair.mean_difference,
        **{name: getattr(pair.difference, name) for name in _MEDIAN},
    }
    pooled = pair.pooled
    if pooled is None:
        return row
    return {
        **row,
        **{f"pooled_{name}": getattr(pooled.difference, name) for name in _MEAN},
        "pooled_prediction_low": pooled.prediction_low,
        "pooled_prediction_high": pooled.prediction_high,
        "pooled_tau": pooled.tau,
        "pooled_q": pooled.heterogeneity.statistic,
        "pooled_q_p_value": pooled.heterogeneity.p_value,
        "pooled_i_squared": pooled.i_squared,
        "pooled_n_datasets": pooled.difference.rests_on.n,
    }


_MEDIAN = ("value", "low", "high", "statistic", "p_value", "p_adjusted", "verdict")
_MEAN = ("value", "low", "high", "confidence_level", "standard_error", "degrees_of_freedom", "p_value")
