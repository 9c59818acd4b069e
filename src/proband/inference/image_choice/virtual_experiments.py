"""Virtual experiments on a score matrix: what if other images of these people had been chosen? (Beveridge et al. 2001, §7)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.designs.image_choice import ImageChoice
from proband.engine import Engine, Progress, Silent, on_engine
from proband.engine.arguments import published
from proband.engine.limits import Level, Rank, Seed, Threads
from proband.errors import DesignError, UsageError, unknown_name
from proband.inference.comparisons.chosen_pairs import chosen_pairs, every_two
from proband.inference.image_choice.distributions import (
    DifferencesOverChoices,
    Distribution,
    RatesOverChoices,
)
from proband.inference.image_choice.measured import MeasureOverChoices, measures_over_choices
from proband.inference.image_choice.rivals import Closeness, PoolLayout
from proband.inference.image_choice.runs import TrialRun, TrialTask
from proband.inference.image_choice.trials import LOW_RANKS, Kernel, PackedAlgorithm
from proband.measures import Measure, OutcomeMeasure
from proband.measures.base import as_measure
from proband.measures.outcomes import FailurePolicy, TiePolicy
from proband.results.about import NOBODY, Who
from proband.results.band import Band
from proband.results.base import Answers, Confidence, Count, Result, among
from proband.results.serializing import Written
from proband.results.targets import IMAGES_EXCHANGEABLE, OTHER_IMAGES, PEOPLE_AND_ALGORITHMS, difference_of
from proband.samples import Pool
from proband.scores import Scores
from proband.scores.sampling import sampled
from proband.scores.several import by_name
from proband.words import Note, Sentence, Target, count, counted, fixed, interval

Floats = npt.NDArray[np.float64]
_ALL_RANKS_UP_TO = 1_000  # people; with more, the distributions of all ranks would fill memory
_RANKS_BEYOND = 100
_RATE = Target("rank-rate", "recognition rate")

_STOPPED = Sentence("choices.stopped", "caution", "stopped after {done:count} of {asked:count} trials")
_FEWER_RANKS = Sentence("choices.ranks", "note", "ranks up to {ranks:count} of {people:count} were counted")
_FAILED = Sentence(
    "choices.failed-images",
    "note",
    "{n:count image} of the pool failed to be acquired and {n:word counts/count} as a miss in trials that "
    "choose {n:word it/them}",
)
_NO_CYCLE = Sentence(
    "choices.no-common-cycle",
    "note",
    "people have {sets:count} different sets of pairs, so there is no common cycle: each set is distributed "
    "over the people who have it ({single:count set has/sets have} one person, whose pair is drawn at "
    "random)",
)
_REMAINDER = Sentence(
    "choices.remainder",
    "note",
    "{people:count person is/people are} not a multiple of the {pairs:count pair}: the remainder is drawn "
    "at random from the cycle",
)


@published
@dataclass(frozen=True, eq=False)
class VirtualExperiments(Result):
    """The results of every algorithm over many choices of images.

    Attributes
    ----------
    algorithms, n_subjects, n_ranks
        The algorithms, the number of people, and the number of counted ranks.
    n_trials
        The number of trials; fewer than requested if the run was stopped.
    successes
        Algorithms × people × low ranks: the mean success of each person at ranks 1 … 10.
    replicates
        Algorithms × trials × low ranks: the rates of every trial, if they were kept.
    answers, notes
        What varied, what was held fixed, and who was left out.
    metrics
        The metric of embeddings of each algorithm; None for supplied scores.
    design, seed, ties, kernel
        How images were chosen, the seed, the tie policy, and the counting kernel.
    confidence_level
        The level of the intervals over choices: the share of choices within them.
    n_distractors
        People who are enrolled in every trial with one image and never searched.
    measured
        The other requested measures over the same trials, by code.
    """

    written = Written(
        {"design": "design.as_method", "algorithms": "rates"},
        also=("differences",),
        without=("n_ranks", "kernel", "successes", "replicates", "_rates", "_differences", "_not_won"),
        if_any=("n_distractors", "measured"),
        versioned=True,
    )

    algorithms: tuple[str, ...]
    n_subjects: Count
    n_ranks: Count
    n_trials: Count
    design: ImageChoice
    seed: int
    ties: str
    kernel: str
    successes: Floats
    replicates: Floats | None
    answers: Answers
    notes: tuple[Note, ...]
    metrics: Mapping[str, str | None]
    _rates: tuple[tuple[Distribution, ...], ...]
    _differences: Mapping[tuple[int, int], tuple[Distribution, ...]]
    _not_won: Mapping[tuple[int, int], npt.NDArray[np.int64]]
    confidence_level: Confidence = 0.95
    n_distractors: Count = 0
    measured: Mapping[str, MeasureOverChoices] = field(default_factory=dict)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The compared pairs of algorithms: the selected pairs, or every pair."""
        return tuple((self.algorithms[a], self.algorithms[b]) for a, b in self._differences)

    @property
    def standard_error_of_means(self) -> float:
        """The largest standard error, over trials, of the mean rates at rank 1."""
        worst = max(self.rate(name).standard_deviation for name in self.algorithms)
        return float(worst / self.n_trials**0.5)

    def rate(self, algorithm: str, rank: Rank = 1) -> Distribution:
        """Return the distribution of the recognition rate at a rank.

        Parameters
        ----------
        algorithm
            The name of the algorithm.
        rank
            From 1 to the last counted rank.

        Returns
        -------
        Distribution
            The rates over trials.
        """
        self._check_rank(rank, self.n_ranks)
        return self._rates[self._place(algorithm)][rank - 1]

    def difference(self, first: str, second: str, rank: Rank = 1) -> Distribution:
        """Return the distribution of D, the first rate minus the second within the same trial, at ranks 1 … 10.

        Parameters
        ----------
        first, second
            The names of two algorithms.
        rank
            From 1 to 10.

        Returns
        -------
        Distribution
            The differences over trials.
        """
        a, b = self._pair(first, second, rank)
        if (a, b) in self._differences:
            return self._differences[a, b][rank - 1]
        return self._differences[b, a][rank - 1].turned()

    def not_won(self, first: str, second: str, rank: Rank = 1) -> int:
        """Count the trials in which the first does *not* win: D ≤ 0.

        This counts choices of images of these people. Trials are not draws under a null hypothesis, so the share is not a
        p-value; to test for *new people*, use `compare`.

        Parameters
        ----------
        first, second
            The names of two algorithms.
        rank
            From 1 to 10.

        Returns
        -------
        int
            The number of trials.
        """
        a, b = self._pair(first, second, rank)
        return int(self._not_won[a, b][rank - 1])

    def _pair(self, first: str, second: str, rank: int) -> tuple[int, int]:
        self._check_rank(rank, min(self.n_ranks, LOW_RANKS))
        a, b = self._place(first), self._place(second)
        if a == b:
            raise UsageError(f"{first} cannot be compared with itself.")
        if not self._differences:
            raise UsageError("Differences were not computed.", "call permute(..., differences=True).")
        if (a, b) not in self._not_won:
            raise UsageError(
                f"{first} and {second} are not among the selected pairs.",
                "add the pair to pairs, or leave pairs out.",
            )
        return a, b

    def _place(self, algorithm: str) -> int:
        try:
            return self.algorithms.index(algorithm)
        except ValueError:
            raise unknown_name("algorithm", algorithm, self.algorithms) from None

    @staticmethod
    def _check_rank(rank: int, last: int) -> None:
        if not 1 <= rank <= last:
            raise UsageError(f"Ranks from 1 to {last} were counted; got {rank}.", "increase max_rank.")

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name} {fixed(self.rate(name).mean)} {interval(low, high)}"
            for name in self.algorithms[:4]
            for low, high in [self.rate(name).interval()]
        )
        more = f", and {count(len(self.algorithms) - 4)} more" if len(self.algorithms) > 4 else ""
        return f"VirtualExperiments({counted(self.n_trials, 'trial')} of {counted(self.n_subjects, 'person', 'people')}, rank 1: {shown}{more})"

    def choices(self, experiment: Pool, trials: int | Sequence[int] = 1) -> pl.DataFrame:
        """List the images of each person chosen in some trials, as in `trial_choices`.

        Parameters
        ----------
        experiment
            The pool, as in `permute`.
        trials
            The numbers of the trials, from 1.

        Returns
        -------
        polars.DataFrame
            A row for each trial and person.
        """
        from proband.inference.image_choice.listing import trial_choices

        return trial_choices(experiment, design=self.design, trials=trials, seed=self.seed)

    def at_level(self, confidence_level: Level) -> VirtualExperiments:
        """Return the same results with another level of intervals.

        Parameters
        ----------
        confidence_level
            The share of choices within the intervals, between 0 and 1.

        Returns
        -------
        VirtualExperiments
            The same trials.
        """
        measured = {code: one.at_level(confidence_level) for code, one in self.measured.items()}
        return replace(self, confidence_level=confidence_level, measured=measured)

    def rates(self) -> dict[str, RatesOverChoices]:
        """The rates of every algorithm at all counted ranks.

        Returns
        -------
        dict
            `RatesOverChoices` by algorithm.
        """
        made = {}
        for name in self.algorithms:
            each = [self.rate(name, rank) for rank in range(1, self.n_ranks + 1)]
            deviations = np.array([rate.standard_deviation for rate in each])
            band = self._band(each, self.answers, Who(algorithm=name))
            made[name] = RatesOverChoices(band, deviations, each[0])
        return made

    def _band(self, each: Sequence[Distribution], answers: Answers, who: Who) -> Band:
        """The mean at every rank, with the interval that contains the stated share of choices."""
        ends = [at_rank.interval(self.confidence_level) for at_rank in each]
        return Band(
            values=np.array([at_rank.mean for at_rank in each]),
            low=np.array([end.low for end in ends]),
            high=np.array([end.high for end in ends]),
            confidence_level=self.confidence_level,
            simultaneous=False,
            method=self.design.as_method,
            seed=self.seed,
            answers=answers,
            who=who,
        )

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each algorithm and rank: mean, standard deviation and percentile interval over choices of images."""
        return pl.concat(
            pl.DataFrame(
                {
                    "algorithm": [name] * self.n_ranks,
                    "rank": rates.band.ranks,
                    "value": rates.band.values,
                    "low": rates.band.low,
                    "high": rates.band.high,
                    "standard_deviation": rates.standard_deviation,
                }
            )
            for name, rates in self.rates().items()
        )

    def differences(self) -> tuple[DifferencesOverChoices, ...]:
        """Every pair of algorithms, or the selected pairs, at ranks 1 … 10, if differences were counted.

        Returns
        -------
        tuple of DifferencesOverChoices
            One for each pair; empty if differences were not counted.
        """
        ranks = range(1, min(self.n_ranks, LOW_RANKS) + 1)
        answers = replace(self.answers, of=difference_of(self.answers.of))
        made = []
        for first, second in self.pairs:
            each = [self.difference(first, second, rank) for rank in ranks]
            band = self._band(each, answers, NOBODY)
            lost = (
                np.array([self.not_won(*pair, rank) for rank in ranks])
                for pair in ((first, second), (second, first))
            )
            made.append(DifferencesOverChoices(first, second, band, *lost))
        return tuple(made)


@published
@on_engine
def permute(
    scores: Scores | Sequence[Scores] | Mapping[str, Scores],
    experiment: Pool,
    *,
    design: ImageChoice | None = None,
    max_rank: Rank | None = None,
    measures: Measure | str | Sequence[Measure | str] = (),
    pairs: Sequence[tuple[str, str]] = (),
    against: str | None = None,
    ties: TiePolicy = "pessimistic",
    on_failure: FailurePolicy = "miss",
    seed: Seed = 0,
    keep: bool = False,
    differences: bool = True,
    kernel: Kernel = "auto",
    keep_on_interrupt: bool = False,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> VirtualExperiments:
    """Permute the choice of gallery and probe images, in the same trials for all algorithms (Beveridge et al. 2001, §7).

    Each trial chooses a gallery image and a probe image for every person and measures the rate ρ_τ and, for every pair of
    algorithms, the difference D_τ. The people are held fixed, so results do not apply to new people.

    Parameters
    ----------
    scores
        Scores of each algorithm over the images of the pool.
    experiment
        The pool: the people, and the possible pairs of images of each.
    design
        The number of trials, and whether they are balanced.
    max_rank
        The number of ranks to count: by default all, or the first 100 for more than 1,000 people. Ten or fewer are fastest.
    measures
        Further measures in the same trials, by name or as objects: ``"median-rank@10"``, ``"median-relative-rank"``,
        ``"rank-20"``, or a `RankStatistic`. The value and the differences of every trial are kept
        (`VirtualExperiments.measured`).
    pairs, against
        The pairs of algorithms to compare, by name (first minus second); or a baseline to compare every other algorithm with.
        Default: every pair.
    ties, on_failure
        As in `rank`. With ``mean``, ties give fractional successes.
    seed
        The seed: the same trials for the same seed, with any number of threads and every kernel.
    keep
        Whether to keep the rates of every trial at ranks 1 … 10.
    differences
        Whether to count the differences between algorithms.
    kernel
        ``bit-sliced``, ``bitset``, ``numpy``, or ``auto``. The results are the same, only the time differs.
    keep_on_interrupt
        Whether to return the completed trials if the run is stopped from the keyboard.
    threads, progress, engine
        As in `rank`.

    Returns
    -------
    VirtualExperiments
        The distributions of rates and of differences over choices of images.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> rows = [(f"{s}{k}", s, k) for s in "abcd" for k in range(2)]
    >>> samples = Samples(dict(zip(("id", "subject", "day"), zip(*rows), strict=True)))
    >>> values = {"right": np.kron(np.eye(4), np.ones((2, 2))), "blind": np.zeros((8, 8))}
    >>> scores = [Scores.from_array(v, samples.ids, orientation="similarity", name=n) for n, v in values.items()]
    >>> found = permute(scores, Pool(samples, "day"), design=ImageChoice(n_resamples=100))
    >>> found.rate("right").mean, found.rate("blind").mean, found.difference("right", "blind").interval()
    (1.0, 0.0, Interval(low=1.0, high=1.0))
    >>> found.not_won("right", "blind"), found.not_won("blind", "right")
    (0, 100)
    """
    design, pool = design or ImageChoice(), experiment
    named = by_name(scores)
    names = tuple(named)
    chosen = chosen_pairs(names, pairs, against)
    if chosen and not differences:
        raise UsageError("Pairs were given, but differences=False.", "leave out differences=False.")
    compared = every_two(names, chosen) if differences else ()
    asked = _of_ranks(measures, ties)
    n = pool.options.n_subjects
    n_ranks = min(n, max_rank or (n if n <= _ALL_RANKS_UP_TO else _RANKS_BEYOND))
    layout = PoolLayout.of(pool.options) if kernel != "numpy" else None
    prepared = [
        PackedAlgorithm(Closeness.of(one, pool, on_failure), layout, n_ranks, ties, kernel)
        for one in named.values()
    ]
    places = tuple((names.index(first), names.index(second)) for first, second in compared)
    run = TrialRun(TrialTask(tuple(prepared), layout, design, n_ranks, seed, places, kernel != "numpy"), keep)
    run.go(threads, progress or Silent(), keep_on_interrupt)
    if not run.done:
        raise KeyboardInterrupt
    notes = list(dict.fromkeys((*pool.notes, *(note for one in named.values() for note in one.notes))))
    if run.done < design.n_resamples:
        notes.append(_STOPPED(done=run.done, asked=design.n_resamples))
    if n_ranks < n:
        notes.append(_FEWER_RANKS(ranks=n_ranks, people=n))
    notes += _balance(pool, design)
    failed = int(pool.samples.failed[pool.options.images].sum())
    if on_failure == "miss" and failed:
        notes.append(_FAILED(n=failed))
    kernels = {"bit-sliced" if one.slices else "bitset" if one.compiled else "numpy" for one in prepared}
    metrics = {name: one.metric for name, one in named.items()}
    measured = measures_over_choices(
        asked, named, pool, replace(design, n_resamples=run.done), seed, ties, on_failure, compared, threads
    )
    notes += [note for one in measured.values() for note in one.notes]
    made = _result(run, names, ties, ", ".join(sorted(kernels)), tuple(notes), metrics, measured)
    return replace(made, answers=among(made.answers, sampled(None, pool)))


def _of_ranks(measures: Measure | str | Sequence[Measure | str], ties: TiePolicy) -> list[OutcomeMeasure]:
    """The requested measures of ranks; measures of pairs, and those undefined for mean ranks, are refused."""
    named = (measures,) if isinstance(measures, str | Measure) else measures
    made: list[OutcomeMeasure] = []
    for measure in map(as_measure, named):
        if not isinstance(measure, OutcomeMeasure):
            raise DesignError(
                f"The {measure.estimand} is computed from compared pairs, but choices of images give ranks.",
                "use a measure of ranks: rank-5, median-rank@10, median-relative-rank.",
            )
        if ties == "mean" and measure.form == "share":
            raise DesignError(
                f"The {measure.estimand} needs whole successes, but ties broken at random give fractions.",
                "use pessimistic or optimistic ties.",
            )
        measure.of_trials(np.ones((1, 1)), 1)  # undefined measures are refused before any work
        made.append(measure)
    return made


def _balance(pool: Pool, design: ImageChoice) -> list[Note]:
    """Note how trials are balanced if people have different sets of pairs."""
    if not design.balanced:
        return []
    patterns = np.bincount(pool.options.patterns[: pool.n_subjects])
    cycles = np.unique(pool.options.sizes[: pool.n_subjects])
    if len(patterns) > 1:
        return [_NO_CYCLE(sets=len(patterns), single=int((patterns == 1).sum()))]
    if len(cycles) == 1 and pool.n_subjects % int(cycles[0]):
        return [_REMAINDER(people=pool.n_subjects, pairs=int(cycles[0]))]
    return []


def _result(
    run: TrialRun,
    names: tuple[str, ...],
    ties: str,
    kernel: str,
    notes: tuple[Note, ...],
    metrics: Mapping[str, str | None],
    measured: Mapping[str, MeasureOverChoices],
) -> VirtualExperiments:
    """Make the result from the counts."""
    n, done, pairs = run.n, run.done, run.task.pairs

    def made(first: int, counts: npt.NDArray[np.int64], sums: Floats) -> Distribution:
        if not run.task.fractional:
            return Distribution(first, counts, n)
        mean = sums[0] / done
        spread = np.sqrt(max(sums[1] / done - mean**2, 0.0) * done / max(done - 1, 1))
        return Distribution(first, counts, n, (float(mean) / n, float(spread) / n))

    rates = tuple(
        tuple(made(0, run.rates[a, k], run.sums[:, a, k]) for k in range(run.task.n_ranks))
        for a in range(len(names))
    )
    differences = {
        pair: tuple(
            made(-n, run.differences[place, k], run.difference_sums[:, place, k])
            for k in range(run.task.n_low)
        )
        for place, pair in enumerate(pairs)
    }
    not_won = {}
    for place, (a, b) in enumerate(pairs):
        counts = run.differences[place]
        below = run.even[0, place] if run.task.fractional else counts[:, : n + 1].sum(axis=1)
        above = run.even[1, place] if run.task.fractional else counts[:, n:].sum(axis=1)
        not_won[a, b], not_won[b, a] = below, above
    answers = Answers(_RATE, OTHER_IMAGES, PEOPLE_AND_ALGORITHMS, IMAGES_EXCHANGEABLE)
    kept = None if run.kept is None else run.kept[:, :done]
    return VirtualExperiments(
        names, n, run.task.n_ranks, done, run.task.design, run.task.seed, ties, kernel, run.by_person / done, kept,
        answers, notes, metrics, rates, differences, not_won, n_distractors=run.task.options.n_fixed, measured=measured,
    )  # fmt: skip
