"""Good, bad and ugly: probes divided by difficulty, and the bias for algorithms that helped to define the division."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.arguments import published
from proband.engine.limits import Level
from proband.engine.threads import one_blas_thread
from proband.errors import DesignError, Hint, UsageError, first_few
from proband.inference.covariates.mates import mate_closeness
from proband.inference.covariates.regression import Floats, regress
from proband.inference.covariates.sandwich import Sandwich
from proband.inference.estimates.estimate import estimate
from proband.measures import Outcomes, RecognitionRate, rank as rank_probes
from proband.results.about import RestsOn, Who
from proband.results.base import ROUNDING, Answers, Confidence, Count, Rank, Result, describing
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.results.targets import GALLERY, OTHER_PEOPLE, PEOPLE_ALIKE, derived
from proband.samples import Experiment
from proband.scores import Scores
from proband.scores.several import by_name
from proband.words import Method, Note, Sentence, counted, fixed, points

Judges = Literal["auto", "algorithms", "images"]
Part = npt.NDArray[np.intp]
GOOD_BAD_UGLY = ("good", "bad", "ugly")

_ALL = Sentence(
    "difficulty.judges",
    "note",
    "each probe is scored by the share of probes that are farther from their mates, averaged over "
    "{algorithms:names}; the parts have equal numbers of probes",
)
_NAIVE = Sentence(
    "difficulty.selection",
    "caution",
    "parts that an algorithm helped to define reflect its own mistakes: the rate of {algorithm} in the {part} part "
    "is {naive:rate} if it helped, and {held:rate} if it did not",
)
_BY_IMAGES = Sentence(
    "difficulty.by-images",
    "note",
    "one algorithm: the part of a probe is decided by the other probes of the same person; {n:count probe} "
    "of people with only one probe {n:word is/are} left out of these rates, including the naive rates",
)
_BY_ALGORITHMS = Sentence(
    "difficulty.by-algorithms",
    "note",
    "each algorithm is evaluated on the parts defined by the other algorithms",
)


class Judged(NamedTuple):
    """One algorithm on one part of the probes.

    Attributes
    ----------
    rate, naive
        The rate on the part defined without it, and on the part that it helped to define.
    selection
        The naive rate minus the other.
    """

    rate: Estimate
    naive: Estimate
    selection: Difference


@published
@dataclass(frozen=True, eq=False)
class Partition(Result):
    """Probes divided by difficulty.

    Attributes
    ----------
    parts
        The names of the parts, easiest first.
    judges
        Whether algorithms are evaluated on parts defined by other ``algorithms``, or by other ``images`` of a person.
    algorithms, rank, confidence_level
        The algorithms, the rank of the rates, and the level of their intervals.
    n_probes, n_people
        The numbers of divided probes and of their people.
    rates
        The rates of every algorithm (`who.algorithm`) on every part (`who.group`) defined without it: by the other algorithms, or by
        other images of each person.
    naive
        The rates on the parts that the algorithm helped to define, from the same probes.
    selection
        The naive rate minus the held-out rate: the selection effect, with its interval over people and the p-value of no
        effect.
    probes
        A row for each probe: its id, person and difficulty (0 easiest, 1 hardest), its part by all judges, and for each algorithm the part
        defined without it; a study with pseudonyms has neither id nor person.
    table
        The table of samples with the parts of probes as additional columns, for use in conditions and categories.
    answers, notes
        The meaning of the rates, and notes.
    """

    written = Written(without=("probes", "table"), versioned=True)

    parts: tuple[str, ...]
    judges: Literal["algorithms", "images"]
    algorithms: tuple[str, ...]
    rank: Rank
    n_probes: Count
    n_people: Count
    rates: tuple[Estimate, ...]
    naive: tuple[Estimate, ...]
    selection: tuple[Difference, ...]
    confidence_level: Confidence
    answers: Answers
    probes: pl.DataFrame
    table: pl.DataFrame
    notes: tuple[Note, ...] = ()

    @property
    def judged(self) -> tuple[Judged, ...]:
        """The rate, the naive rate and the selection effect, for every algorithm and part."""
        return tuple(map(Judged, self.rates, self.naive, self.selection))

    def of(self, algorithm: str, part: str) -> Judged:
        """The rates of one algorithm on one part.

        Parameters
        ----------
        algorithm
            The name of the algorithm.
        part
            The name of the part, one of `parts`.

        Returns
        -------
        Judged
            The rate on the part defined without it, the naive rate, and their difference.
        """
        for row in self.judged:
            if (row.rate.algorithm, row.rate.who.group) == (algorithm, part):
                return row
        names = list(dict.fromkeys(rate.algorithm for rate in self.rates))
        raise UsageError(
            f"There is no rate of {algorithm!r} on the part {part!r}.",
            f"available algorithms: {first_few(names, 12)}; parts: {', '.join(self.parts)}.",
        )

    def __repr__(self) -> str:
        lines = [
            f"{counted(self.n_probes, 'probe')} of {counted(self.n_people, 'person', 'people')} in {counted(len(self.parts), 'part')}"
        ]
        lines += [
            f"{row.rate.algorithm}, {row.rate.who.group}: {fixed(row.rate.value)}, selection {points(row.selection.value)}"
            for row in self.judged
        ]
        return "\n".join(lines)


_SHARE = Method("share", "share of probes")
_CLUSTERED = Method(
    "cr2-difference", "linear regression with people as clusters (CR2)", cites=("bell2002", "pustejovsky2018")
)
_KEY = "id of the sample"
_MADE_BY = {"algorithms": "partition_without", "images": "partition_by_other_images"}


@published
def partition(
    scores: Scores | Sequence[Scores] | Mapping[str, Scores],
    experiment: Experiment,
    *,
    parts: int = 3,
    rank: Rank = 1,
    judges: Judges = "auto",
    confidence_level: Level = 0.95,
) -> Partition:
    """Divide probes into equal parts by difficulty (the good, the bad and the ugly) and measure the selection effect.

    The difficulty of a probe is its distance from its mate: one minus the share of probes that are farther, averaged over
    algorithms (after Phillips et al. 2011, who fuse two). Rates of an algorithm on parts that it helped to define are biased:
    its own errors put probes into the hardest part. Each algorithm is therefore evaluated on parts defined without it, by the
    other algorithms or, for a single algorithm, by other images of the person; the naive rate is also reported, with the
    difference and its interval over people (linear regression with people as clusters, CR2).

    Parameters
    ----------
    scores
        Scores or embeddings of one or several algorithms.
    experiment
        The experiment in which they are ranked.
    parts
        The number of parts.
    rank
        The rank of the rates.
    judges
        What defines the parts on which an algorithm is evaluated: other ``algorithms``, other ``images``, or ``auto``:
        algorithms if there are several.
    confidence_level
        The level of all intervals.

    Returns
    -------
    Partition
        The rate of every algorithm in every part, held out and naive, and the part of each probe.

    Examples
    --------
    >>> from proband import Samples
    >>> n = 9
    >>> ids = [f"g{k}" for k in range(n)] + [f"p{k}" for k in range(n)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> near = np.arange(n) / n
    >>> values = {"a": np.where(np.eye(n) > 0, near, 0.3), "b": np.where(np.eye(n) > 0, near, 0.6)}
    >>> scores = [Scores.from_array(v, ids[n:], ids[:n], orientation="similarity", name=k) for k, v in values.items()]
    >>> divided = partition(scores, Experiment(samples, gallery=ids[:n]))
    >>> [(rate.algorithm, rate.who.group, round(rate.value, 2)) for rate in divided.rates]
    [('a', 'good', 1.0), ('a', 'bad', 1.0), ('a', 'ugly', 0.0), ('b', 'good', 1.0), ('b', 'bad', 0.0), ('b', 'ugly', 0.0)]
    """
    algorithms = list(by_name(scores).values())
    ranked = [rank_probes(algorithm, experiment) for algorithm in algorithms]
    return divide(ranked, algorithms, parts, rank, judges, confidence_level)


@one_blas_thread()
def divide(
    ranked: Sequence[Outcomes],
    scores: Sequence[Scores],
    parts: int = 3,
    rank: int = 1,
    judges: Judges = "auto",
    confidence_level: float = 0.95,
) -> Partition:
    """Divide probes that were ranked already (see `partition`)."""
    if parts < 2:
        raise UsageError(f"Probes must be divided into at least 2 parts, got {parts}.")
    if judges == "auto":
        judges = "algorithms" if len(scores) > 1 else "images"
    if judges == "algorithms" and len(scores) < 2:
        raise DesignError(
            "One algorithm cannot be evaluated on parts defined by other algorithms.",
            Hint("pass scores of several algorithms, or {option:judges=images}"),
        )
    first = ranked[0]
    if any(not np.array_equal(outcomes.probes, first.probes) for outcomes in ranked):
        raise DesignError(
            "The algorithms were not compared on the same probes.", "pass scores over the same samples."
        )
    n, people = len(first), np.unique(first.subjects, return_inverse=True)[1]
    if n < 2 * parts:
        raise DesignError(
            f"{counted(n, 'probe is', 'probes are')} too few for {parts} parts.", "use more probes."
        )
    names = GOOD_BAD_UGLY if parts == len(GOOD_BAD_UGLY) else tuple(f"part {k}" for k in range(1, parts + 1))
    hardness = np.array([_hardness(mate_closeness(s, o)) for s, o in zip(scores, ranked, strict=True)])
    together = hardness.mean(axis=0)
    judged = np.ones(n, dtype=np.bool_)
    naive = _divided(together, parts, judged)
    if judges == "images":
        judged = np.bincount(people)[people] > 1
        if judged.sum() < 2 * parts:
            raise DesignError(
                f"{counted(int(judged.sum()), 'probe is', 'probes are')} of people with several probes: too "
                "few to assign a probe to a part by the person's other probes.",
                Hint("pass scores of several algorithms, or {option:parts=2}"),
            )
    held = []
    for place in range(len(scores)):
        own = (
            _of_others(hardness, place)
            if judges == "algorithms"
            else _of_other_images(hardness[place], people)
        )
        held.append(_divided(own, parts, judged))
    # Both divisions use the same probes: otherwise their difference would also reflect people with one and with several probes.
    helped = [naive if judges == "algorithms" else _divided(own, parts, judged) for own in hardness]
    judgements = [
        _judge(own, name, helped[place] == at, held[place] == at, rank, confidence_level)
        for place, own in enumerate(ranked)
        for at, name in enumerate(names)
    ]
    worst = max(judgements, key=lambda row: abs(row.selection.value))
    notes = (
        []
        if worst.selection.value == 0
        else [
            _NAIVE(
                algorithm=worst.rate.algorithm,
                naive=worst.naive.value,
                part=worst.rate.who.group,
                held=worst.rate.value,
            )
        ]
    )
    notes += [
        _ALL(algorithms=tuple(outcomes.algorithm for outcomes in ranked)),
        _BY_ALGORITHMS() if judges == "algorithms" else _BY_IMAGES(n=int((~judged).sum())),
    ]
    probes = _table(first, together, naive, held, names, ranked, judges)
    of = derived("by-difficulty", "{} by difficulty", RecognitionRate(rank).estimand)
    return Partition(
        parts=names,
        judges=judges,
        algorithms=tuple(outcomes.algorithm for outcomes in ranked),
        rank=rank,
        n_probes=n,
        n_people=int(people.max()) + 1,
        rates=tuple(row.rate for row in judgements),
        naive=tuple(row.naive for row in judgements),
        selection=tuple(row.selection for row in judgements),
        confidence_level=confidence_level,
        answers=Answers(of, OTHER_PEOPLE, GALLERY, PEOPLE_ALIKE),
        probes=probes,
        table=_joined(first, probes),
        notes=tuple(notes),
    )


def _hardness(closeness: Floats) -> Floats:
    """The difficulty of probes, from 0 (closest to the mate) to 1; ties share their ranks."""
    _, place, times = np.unique(-closeness, return_inverse=True, return_counts=True)
    closer = np.cumsum(times) - times
    made: Floats = (closer + (times - 1) / 2)[place] / max(len(closeness) - 1, 1)
    return made


def _of_others(hardness: Floats, place: int) -> Floats:
    made: Floats = np.delete(hardness, place, axis=0).mean(axis=0)
    return made


def _of_other_images(hardness: Floats, people: npt.NDArray[np.intp]) -> Floats:
    """The mean hardness of the person's other probes."""
    sums, sizes = np.bincount(people, hardness), np.bincount(people)
    others: Floats = (sums[people] - hardness) / np.maximum(sizes[people] - 1, 1)
    return others


def _places(values: Floats) -> Part:
    """Number values in ascending order; values that differ only by rounding, such as sums minus one term, are equal."""
    order = np.argsort(values)
    made = np.empty(len(values), dtype=np.intp)
    made[order] = np.cumsum(np.diff(values[order], prepend=values[order[:1]]) > ROUNDING)
    return made


def _divided(hardness: Floats, parts: int, judged: npt.NDArray[np.bool_]) -> Part:
    """Divide probes into parts of equal size, -1 if not judged; ties are broken by table order."""
    order = np.flatnonzero(judged)[np.argsort(_places(hardness[judged]), kind="stable")]
    made = np.full(len(hardness), -1, dtype=np.intp)
    made[order] = np.arange(len(order)) * parts // len(order)
    return made


def _judge(
    outcomes: Outcomes,
    part: str,
    naive: npt.NDArray[np.bool_],
    held: npt.NDArray[np.bool_],
    rank: int,
    confidence_level: float,
) -> Judged:
    """Evaluate one algorithm on one part, defined without it and with it."""
    success = outcomes.success(rank)
    rate = _estimate(outcomes, held, rank, confidence_level)
    who = Who(algorithm=outcomes.algorithm, column="partition", group=part)
    by_person = None if rate.by_person is None else replace(rate.by_person, who=who)
    rate = replace(rate, who=who, by_person=by_person, facts=None, clusters=None)
    selection = _selection(success, outcomes.subjects, naive, held, rate.who, confidence_level)
    return Judged(rate, _naive(success, naive, rate), selection)


def _estimate(
    outcomes: Outcomes, which: npt.NDArray[np.bool_], rank: int, confidence_level: float
) -> Estimate:
    part = outcomes.restricted(outcomes.experiment.restricted(probes=outcomes.probes[which]))
    made: Estimate = estimate(part, measure=RecognitionRate(rank), confidence_level=confidence_level)
    return made


def _naive(success: Floats, naive: npt.NDArray[np.bool_], held: Estimate) -> Estimate:
    """The rate on the part that the algorithm helped to define; without an interval, which would be too narrow."""
    return Estimate(
        who=held.who,
        value=float(success[naive].mean()),
        low=float("nan"),
        high=float("nan"),
        confidence_level=held.confidence_level,
        rests_on=RestsOn(n=int(naive.sum()), of="probe", events=float(success[naive].sum())),
        method=_SHARE,
        answers=describing(derived("naive", "naive {}", held.of)),
    )


def _selection(
    success: Floats,
    subjects: npt.NDArray[np.int32],
    naive: npt.NDArray[np.bool_],
    held: npt.NDArray[np.bool_],
    who: Who,
    confidence_level: float,
) -> Difference:
    """The naive rate minus the other, with people as clusters; probes in both parts partly cancel."""
    rows = np.concatenate([np.flatnonzero(naive), np.flatnonzero(held)])
    first = np.repeat([1.0, 0.0], [naive.sum(), held.sum()])
    people = np.unique(subjects[rows], return_inverse=True)[1].astype(np.intp)
    fit = regress(np.column_stack([first, 1 - first]), success[rows], "linear")
    difference = float(success[naive].mean() - success[held].mean())
    contrast = Sandwich(fit, people).contrast(np.array([1.0, -1.0]), confidence_level, difference)
    return Difference(
        who=who,
        first="naive",
        second="held out",
        value=contrast.value,
        low=contrast.low,
        high=contrast.high,
        confidence_level=confidence_level,
        standard_error=contrast.standard_error,
        degrees_of_freedom=contrast.degrees_of_freedom,
        p_value=contrast.p_value,
        method=_CLUSTERED,
        adjustment="none",
    )


def _table(
    first: Outcomes,
    together: Floats,
    naive: Part,
    held: Sequence[Part],
    names: Sequence[str],
    ranked: Sequence[Outcomes],
    judges: Judges,
) -> pl.DataFrame:
    samples = first.experiment.samples

    def named(part: Part) -> list[str | None]:
        return [None if place < 0 else names[place] for place in part]

    return pl.DataFrame(
        {
            "id": samples.ids.at(first.probes),
            "subject": [samples.subjects[int(code)] for code in first.subjects],
            "difficulty": together,
            "partition": named(naive),
            **{
                f"{_MADE_BY[judges]}_{outcomes.algorithm}": named(part)
                for outcomes, part in zip(ranked, held, strict=True)
            },
        },
        schema_overrides={"partition": pl.String},
    )


def _joined(first: Outcomes, probes: pl.DataFrame) -> pl.DataFrame:
    samples = first.experiment.samples
    own = probes.drop("subject", "difficulty").rename({"id": _KEY})
    taken = [name for name in own.columns if name in samples.frame.columns]
    if taken:
        raise DesignError(
            f"The samples table already has a column {taken[0]!r}.", "rename or remove this column."
        )
    named = samples.frame.with_columns(pl.Series(_KEY, samples.ids[:]))
    return named.join(own, on=_KEY, how="left", maintain_order="left").drop(_KEY)
