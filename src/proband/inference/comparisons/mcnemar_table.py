"""McNemar's test of pairs of algorithms, over all probes and within categories: Table 4 of Beveridge et al. 2001."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from proband.engine.arguments import published
from proband.engine.files.spreadsheets import spreadsheet_csv
from proband.engine.frames import frame_of_rows
from proband.engine.limits import Level
from proband.errors import UsageError
from proband.inference.comparisons.chosen_pairs import chosen_pairs, every_two
from proband.inference.comparisons.testing.adjustment import holm
from proband.inference.comparisons.testing.mcnemar import (
    ANSWERS,
    TANGO,
    PairedOutcomes,
    PairedTest,
    mcnemar,
    tango_interval,
)
from proband.inference.estimates.evaluate import categories_by
from proband.inference.estimates.evaluation import OfProbes
from proband.measures import Outcomes, RecognitionRate
from proband.measures.base import outcomes_of
from proband.results.about import RestsOn, Who
from proband.results.base import Answers, Confidence, Count, Rank, Rate, Record, Result, among
from proband.results.difference import Difference
from proband.results.serializing import Written
from proband.samples import Category, EmptyCategoryError, Experiment
from proband.scores import Scores
from proband.scores.several import by_name
from proband.words import Note, Sentence

_TESTED = Sentence(
    "mcnemar.tests",
    "note",
    "Success: rank {rank} or better. Corr/Total: recognised probes of all probes. SS, SF, FS, FF: probes "
    "recognised by both, only the first, only the second, neither. The mid-p is two-sided and counts the "
    "observed outcome with half its probability",
)
_ADJUSTED = Sentence(
    "mcnemar.adjusted",
    "note",
    "Adjusted: the two-sided exact p-value, adjusted for all {n:count} tests in this table (Holm); valid "
    "even if tests share probes",
)
_NOT_INDEPENDENT = Sentence(
    "mcnemar.probes-share-people",
    "caution",
    "in {sets} people have several probes, which are not independent, so these tests reject too often: use "
    "compare, which accounts for several probes from one person",
)
_EMPTY = Sentence("mcnemar.no-probes", "caution", "{why}, so there is nothing to test")
_FEW = Sentence(
    "mcnemar.few-discordant",
    "caution",
    "{n:count probe distinguishes/probes distinguish} {first} from {second} in {category}: the smallest "
    "possible two-sided p-value is {least:given}",
)


@dataclass(frozen=True)
class McNemarRow(OfProbes, Record):
    """Two algorithms on one set of probes.

    Attributes
    ----------
    category
        The category of the probes; None for all probes.
    first, second
        The algorithms.
    counts
        The numbers of probes recognised by both, either and neither.
    test
        McNemar's test, adjusted for all tests of the table (Holm 1979). None without probes.
    difference
        The first rate minus the second, with Tango's interval for this row only. None without probes.
    n_people
        The number of people of the probes.
    why
        Why there is no test, or why it has little power; otherwise None.
    """

    written = Written(
        {"category": "probe_set", "n": "counts.n"},
        also=("n_correct_first", "n_correct_second", "rate_first", "rate_second"),
        spread=("counts",),
    )

    category: str | None
    first: str
    second: str
    counts: PairedOutcomes
    test: PairedTest | None
    difference: Difference | None
    n_people: Count
    why: Note | None = None

    @property
    def n_correct_first(self) -> Count:
        """The number of probes that the first recognises."""
        return self.counts.ss + self.counts.sf

    @property
    def n_correct_second(self) -> Count:
        """The number of probes that the second recognises."""
        return self.counts.ss + self.counts.fs

    @property
    def rate_first(self) -> Rate | None:
        """The share of probes that the first recognises."""
        return self._share(self.n_correct_first)

    @property
    def rate_second(self) -> Rate | None:
        """The share of probes that the second recognises."""
        return self._share(self.n_correct_second)

    def _share(self, part: int) -> float | None:
        return part / self.counts.n if self.counts.n else None


@published
@dataclass(frozen=True)
class McNemarTable(Result):
    """McNemar's tests of pairs of algorithms, over all probes and within categories.

    Attributes
    ----------
    rows
        The tests, by set of probes and then by pair.
    rank, confidence_level
        The rank that counts as a success, and the level of the intervals.
    adjustment
        How p-values are adjusted for the number of tests.
    answers
        What the differences measure, what varies behind them, what is held fixed and what is assumed.
    cautions
        Cautions about the scores, such as training on the gallery.
    notes
        Notes on what was tested, and cautions.

    Examples
    --------
    >>> from proband import Experiment, Samples, Scores
    >>> data = {"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2], "sex": list("ffmm")}
    >>> values = {"right": [[0.9, 0.1], [0.3, 0.7]], "half": [[0.9, 0.1], [0.7, 0.3]]}
    >>> scores = [Scores.from_array(v, ["a2", "b2"], ["a1", "b1"], orientation="similarity", name=n) for n, v in values.items()]
    >>> table = mcnemar_table(scores, Experiment(Samples(data), gallery="session == 1"), by="sex")
    >>> [(row.probe_set, row.counts.sf, row.counts.n) for row in table.rows]
    [('all probes', 1, 2), ('sex f', 0, 1), ('sex m', 1, 1)]
    """

    rows: tuple[McNemarRow, ...]
    rank: Rank
    confidence_level: Confidence
    adjustment: Literal["holm"] = "holm"
    answers: Answers = ANSWERS
    cautions: tuple[Note, ...] = ()

    written = Written(also=("notes",), without=("cautions",))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms."""
        return tuple(dict.fromkeys(name for row in self.rows for name in (row.first, row.second)))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was tested, what p-values are adjusted for, and cautions."""
        tested = sum(row.test is not None for row in self.rows)
        shared = dict.fromkeys(row.probe_set for row in self.rows if row.n_people < row.counts.n)
        return (
            _TESTED(rank=self.rank),
            *((_ADJUSTED(n=tested),) if tested > 1 else ()),
            *((_NOT_INDEPENDENT(sets=", ".join(shared)),) if shared else ()),
            *dict.fromkeys(row.why for row in self.rows if row.why is not None),
            *self.cautions,
        )

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each test."""
        return frame_of_rows([_plain(row) for row in self.rows])

    def to_csv(self) -> str:
        """Every test as comma-separated values.

        Returns
        -------
        str
            The text.
        """
        return spreadsheet_csv(self.to_frame())


def _plain(row: McNemarRow) -> dict[str, Any]:
    test, difference = row.test, row.difference
    tested = ("p_greater", "p_less", "p_value", "p_mid", "p_adjusted")
    return {
        "category": row.probe_set,
        "first": row.first,
        "second": row.second,
        "probes": row.counts.n,
        "people": row.n_people,
        "correct_first": row.n_correct_first,
        "correct_second": row.n_correct_second,
        "rate_first": row.rate_first,
        "rate_second": row.rate_second,
        **{name: getattr(row.counts, name) for name in ("ss", "sf", "fs", "ff")},
        **{
            name: None if difference is None else getattr(difference, name)
            for name in ("value", "low", "high")
        },
        **{name: None if test is None else getattr(test, name) for name in tested},
        "why": None if row.why is None else str(row.why),
    }


@published
def mcnemar_table(
    scores: Sequence[Outcomes | Scores] | Mapping[str, Outcomes | Scores],
    experiment: Experiment | None = None,
    *,
    rank: Rank = 1,
    by: str | Sequence[str] = (),
    categories: Category | Sequence[Category] = (),
    pairs: Sequence[tuple[str, str]] = (),
    against: str | None = None,
    confidence_level: Level = 0.95,
) -> McNemarTable:
    """Test pairs of algorithms by McNemar's test, over all probes and within each category (Beveridge et al. 2001, Table 4).

    Probes are treated as independent, as in `mcnemar`; with several probes per person use `compare`. p-values are adjusted for
    all tests by Holm's method (1979), which is valid even if sets share probes. A category without probes has a row stating
    this.

    Parameters
    ----------
    scores
        Scores, embeddings or outcomes (`rank`) of two or more algorithms; a mapping gives their names.
    experiment
        The experiment in which scores are ranked; not needed for outcomes.
    rank
        The rank that counts as a success.
    by, categories
        Columns whose values define categories of probes, and categories by rule.
    pairs, against
        The pairs to test, by name (first, second); or a baseline to test every other algorithm against. Default: every pair.
    confidence_level
        The level of the intervals of differences.

    Returns
    -------
    McNemarTable
        A row for each pair of algorithms over all probes, and for each within every category.

    Examples
    --------
    >>> import numpy as np
    >>> from proband import Experiment, Samples, Scores
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(12)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = {"a": np.eye(12), "b": np.where(np.arange(12)[:, None] < 10, 0.5, np.eye(12))}
    >>> scores = [Scores.from_array(v, ids[12:], ids[:12], orientation="similarity", name=n) for n, v in values.items()]
    >>> (row,) = mcnemar_table(scores, Experiment(samples, gallery=ids[:12])).rows
    >>> row.counts, round(row.test.p_greater, 6), row.test.p_adjusted == row.test.p_value  # (½)¹⁰
    (PairedOutcomes(ss=2, sf=10, fs=0, ff=0), 0.000977, True)
    """
    named = by_name(scores)
    chosen = every_two(tuple(named), chosen_pairs(tuple(named), pairs, against))
    if not chosen:
        raise UsageError("McNemar's test needs two algorithms, got one.")
    outcomes = {name: outcomes_of(algorithm, experiment) for name, algorithm in named.items()}
    experiment = next(iter(outcomes.values())).experiment
    return mcnemar_of_sets(
        outcomes,
        categories_by(experiment, categories, by),
        chosen,
        rank,
        confidence_level,
        lambda part: {name: outcomes_of(algorithm, part) for name, algorithm in named.items()},
    )


def mcnemar_of_sets(
    outcomes: Mapping[str, Outcomes],
    categories: Sequence[Category],
    pairs: Sequence[tuple[str, str]],
    rank: int,
    confidence_level: float,
    rank_in: Callable[[Experiment], Mapping[str, Outcomes]],
) -> McNemarTable:
    """Test pairs with probes that are already ranked, over all probes and in each category.

    `rank_in` ranks them again for a category with a separate gallery.
    """
    experiment = next(iter(outcomes.values())).experiment
    rows = [_row(None, {name: outcomes[name] for name in two}, rank, confidence_level) for two in pairs]
    names = [None, *(category.name for category in categories)]
    if len(set(names)) < len(names):
        raise UsageError("Two categories have the same name.", "give each category a different name.")
    for category in categories:
        try:
            part = category.of(experiment)
        except EmptyCategoryError as none:
            why = _EMPTY(why=none.message.rstrip("."))
            rows += [_empty(category.name, *two, why) for two in pairs]
            continue
        if np.array_equal(part.gallery, experiment.gallery):
            own: Mapping[str, Outcomes] = {name: whole.restricted(part) for name, whole in outcomes.items()}
        else:
            own = rank_in(part)
        rows += [
            _row(category.name, {name: own[name] for name in two}, rank, confidence_level) for two in pairs
        ]
    tested = [row.test.p_value for row in rows if row.test is not None]
    adjusted = iter(holm(tested) if tested else [])
    rows = [
        row if row.test is None else replace(row, test=replace(row.test, p_adjusted=next(adjusted)))
        for row in rows
    ]
    answers = among(ANSWERS, next(iter(outcomes.values())).sampling)
    notes = (note for two in pairs for name in two for note in outcomes[name].notes)
    cautions = tuple(dict.fromkeys(note for note in notes if note.level == "caution"))
    return McNemarTable(tuple(rows), rank, confidence_level, answers=answers, cautions=cautions)


def _row(category: str | None, two: Mapping[str, Outcomes], rank: int, confidence_level: float) -> McNemarRow:
    (first, a), (second, b) = two.items()
    counts = PairedOutcomes.of(a.success(rank), b.success(rank))
    who, people = Who(category=category or ""), len(np.unique(a.subjects))
    test = replace(mcnemar(counts.sf, counts.fs), who=who)
    low, high = tango_interval(counts, confidence_level)
    difference = Difference(
        who=who,
        measure=RecognitionRate(rank).code,
        first=first,
        second=second,
        value=(counts.sf - counts.fs) / counts.n,
        low=low,
        high=high,
        confidence_level=confidence_level,
        method=TANGO,  # the exact test is reported instead: its p-value does not match this interval
        rests_on=RestsOn(n=counts.n, of="probe", n_units=people, unit="person"),
        n_sf=counts.sf,
        n_fs=counts.fs,
        adjustment="none",
        unit="probe",
    )
    row = McNemarRow(category, first, second, counts, test, difference, people)
    apart = counts.sf + counts.fs
    least = min(1.0, 2.0 ** (1 - apart))
    if least <= round(1 - confidence_level, 12):
        return row
    return replace(row, why=_FEW(n=apart, first=first, second=second, category=row.probe_set, least=least))


def _empty(category: str, first: str, second: str, why: Note) -> McNemarRow:
    return McNemarRow(category, first, second, PairedOutcomes(0, 0, 0, 0), None, None, 0, why)
