"""Publication tables of comparisons: estimates with intervals, places, and letters for significant differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any

from proband.engine.arguments import published
from proband.inference import Comparison, Estimate, OutcomeComparison
from proband.inference.comparisons.comparison import ComparisonsByCategory, Standings
from proband.inference.estimates.case import DEPENDENCE
from proband.inference.estimates.estimate import CHOSEN
from proband.inference.estimates.evaluation import probes_called
from proband.report import columns as col
from proband.report.figures.identification import comparison_figure
from proband.report.kinds.differences import difference_tables
from proband.report.kinds.estimates import events_called, events_cell
from proband.report.kinds.evaluation import failures
from proband.report.notes import answered, is_caution, noted_of
from proband.report.tables.cells import around_cell, empty_cell, rate_cell
from proband.report.tables.table import Cell, Table
from proband.report.view import Passage, View, shows
from proband.results.base import Facts
from proband.results.compared import metrics_statement
from proband.results.difference import in_short
from proband.results.estimate import facts_of, which_rate
from proband.words import Note, Sentence, listed

_LETTERS_APART = 8  # more letters are written as ranges
_ALPHABET = "abcdefghijklmnoprstuvwxyz"  # q has no superscript
_PLACE = "Best place: one more than the number of algorithms significantly better than it. Worst place: the number of algorithms minus those it is significantly better than."
_BEATEN = "Raised letters: algorithms it is significantly better than, adjusted for all pairs."
_RAISED = Sentence(
    "comparison.raised-letters",
    "mark",
    "Raised letters: significantly better than these algorithms (at {significance:given}, adjusted for all pairs)",
)
_RAISED_AMONG = Sentence(
    "comparison.raised-letters-chosen",
    "mark",
    "Raised letters: significantly better than these algorithms (at {significance:given}, adjusted for {n:count chosen pair})",
)
_NOT_COMPARED = Sentence(
    "comparison.not-compared",
    "note",
    "{n:count pair} of {of:count} {n:word was/were} chosen; the others were not compared",
)
_PLACES = Sentence(
    "comparison.places",
    "note",
    "Places: the best is one more than the number of algorithms that are significantly better; the worst is the number "
    "of algorithms minus those it is significantly better than",
)
_FEW_PAIRS = 6  # those of four algorithms
_LEADS = Sentence(
    "comparison.leads", "note", "{best} leads: significantly better than each of the {others:count} others"
)
_LEADING_GROUP = Sentence(
    "comparison.leading-group",
    "note",
    "{names} lead: {best} is significantly better than {beaten:count} of the {others:count} others, and not significantly "
    "different from {rest}",
)
_NONE_LEADS = Sentence(
    "comparison.none-leads",
    "note",
    "None of the {n:count} algorithms leads: {best}, with the best value, {tied:word is/are} not significantly better than any other",
)
_TIED = Sentence("comparison.not-told-apart", "note", "Not significantly different: {groups:parts}")
_OVERALL = Sentence(
    "comparison.overall",
    "note",
    "Overall test: Cochran's Q = {statistic:two}, {freedom:count degree} of freedom, p {p:p} ({method})",
)
_ESTIMATES = Sentence("comparison.estimates-method", "note", "Estimates: {method}")
_PAIRS_FAILED = Sentence(
    "comparison.pairs-failed",
    "note",
    "Failed genuine comparisons are left out: {lost:counts}",
)
_METHOD = Sentence("comparison.method", "note", "Method: {method}")


@dataclass(frozen=True)
class Row:
    """One algorithm in a publication table."""

    letter: str
    estimate: Estimate
    beats: str
    places: tuple[int, int]

    @property
    def name(self) -> str:
        """The algorithm."""
        return self.estimate.algorithm


def unit_weighted_cell(one: Estimate) -> Cell:
    """The rate with people, or other units, weighted equally, with its interval."""
    other = one.by_person
    return empty_cell() if other is None else around_cell(other.value, other.low, other.high, one.answers)


def given_twice(comparison: Standings) -> bool:
    """Whether item-weighted and unit-weighted rates differ; both are then shown."""
    return any(one.by_person is not None for one in comparison.estimates)


def weighted_by(one: Estimate) -> tuple[str, str]:
    """Names of units and items: people and probes, or the names in a table."""
    return one.rests_on.unit, one.rests_on.of


def rows_of(comparison: Standings) -> list[Row]:
    """The algorithms, best first; each has a letter, and the letters of algorithms it is significantly better than."""
    ordered = comparison.ordered
    standing = {one.algorithm: place for place, one in enumerate(ordered)}
    places = comparison.places()
    made = []
    for one in ordered:
        name = one.algorithm
        beaten = sorted(standing[other] for other in comparison.beaten_by(name))
        made.append(Row(letter_of(standing[name]), one, _letters(beaten), places[name]))
    return made


def _letters(places: Sequence[int]) -> str:
    """The letters of some places; many letters are abbreviated to ranges."""
    if len(places) <= _LETTERS_APART:
        return ",".join(map(letter_of, places))
    starts = [place for place in places if place - 1 not in places]
    ends = [place for place in places if place + 1 not in places]
    return ",".join(
        letter_of(start) if start == end else f"{letter_of(start)}–{letter_of(end)}"
        for start, end in zip(starts, ends, strict=True)
    )


def letter_of(place: int) -> str:
    """The letters a, b, … z without q (which has no superscript), then aa, ab, …"""
    more, last = divmod(place, len(_ALPHABET))
    return (letter_of(more - 1) if more else "") + _ALPHABET[last]


@published
def comparison_table(comparison: Standings) -> Table:
    """Make the publication table, best algorithm first.

    Parameters
    ----------
    comparison
        Result of `compare`.

    Returns
    -------
    Table
        The publication table.
    """
    first = comparison.estimates[0]
    twice = given_twice(comparison)
    unit, item = weighted_by(first)
    return col.table_of(
        "",
        rows_of(comparison),
        col.name(
            "letter", lambda row: row.letter, "Letter that represents the algorithm among the raised letters."
        ),
        col.name("algorithm", lambda row: row.name),
        col.cell(
            f"{first.answers.of}{f', {item}-weighted' if twice else ''}",
            lambda row: rate_cell(row.estimate.value, row.beats),
            _BEATEN if any(pair.told_apart for pair in comparison.pairs) else "",
        ),
        col.interval(
            col.at_level(comparison.confidence_level),
            lambda row: (row.estimate.low, row.estimate.high),
            answers=lambda row: row.estimate.answers,
        ),
        col.cell(
            f"{unit}-weighted", lambda row: unit_weighted_cell(row.estimate), kind="interval", when=twice
        ),
        col.cell(
            events_called(first, comparison.larger_is_better),
            lambda row: events_cell(row.estimate),
            "Data the estimate is based on.",
            key="events",
        ),
        col.places("places", lambda row: row.places, _PLACE),
    )


def verdicts(comparison: Standings) -> list[Note]:
    """The main result in a few lines: the verdict on two algorithms, or the leaders of several, with cautions."""
    pairs = comparison.sentences()
    if len(pairs) == 1:
        return pairs
    if not difference_tables(comparison):
        return list(map(in_short, pairs)) if len(pairs) <= _FEW_PAIRS else [leading_group(comparison)]
    cautions = [in_short(pair.sentence()) for pair in comparison.leading_pairs if is_caution(pair.sentence())]
    return [*([leading_group(comparison)] if comparison.all_pairs else []), *cautions[:_FEW_PAIRS]]


def unsaid_verdicts(comparison: Standings) -> list[Note]:
    """The verdicts that `verdicts` does not give one by one."""
    told = {_names(note) for note in verdicts(comparison)}
    return [note for note in comparison.sentences() if _names(note) not in told]


def _names(verdict: Note) -> tuple[object, object]:
    """The pair of a verdict."""
    values = dict(verdict.values)
    return values.get("first"), values.get("second")


def told_and_left(comparison: Standings | None, explain: bool) -> tuple[list[Note], list[Note]]:
    """The verdicts shown below a table, and the verdicts left for its notes."""
    if comparison is None:
        return [], []
    return (comparison.sentences(), []) if explain else (verdicts(comparison), unsaid_verdicts(comparison))


def leading_group(comparison: Standings) -> Note:
    """The best algorithm, and the algorithms it is not significantly better than."""
    best, *others = (one.algorithm for one in comparison.ordered)
    beaten = comparison.beaten_by(best)
    rest = tuple(name for name in others if name not in beaten)
    if not beaten:
        first = comparison.ordered[0].value
        tied = [one.algorithm for one in comparison.ordered if one.value == first]
        return _NONE_LEADS(n=len(others) + 1, best=listed(tied), tied=len(tied))
    if not rest:
        return _LEADS(best=best, others=len(others))
    return _LEADING_GROUP(
        names=listed((best, *rest)), best=best, beaten=len(beaten), others=len(others), rest=listed(rest)
    )


def comparison_statements(comparison: Standings) -> list[Note]:
    """Explain the table, one note each."""
    chosen = {"n": len(comparison.pairs), "of": comb(len(comparison.estimates), 2)}
    raised = (
        _RAISED(significance=comparison.significance)
        if comparison.all_pairs
        else _RAISED_AMONG(significance=comparison.significance, n=chosen["n"])
    )
    told_apart = any(pair.told_apart for pair in comparison.pairs)
    said: list[Note] = [
        *([raised] if told_apart else []),
        _PLACES(),
        *(() if comparison.all_pairs else (_NOT_COMPARED(**chosen),)),
    ]
    if isinstance(comparison, Comparison):
        facts = facts_of(comparison.estimates)
        said += [
            *dict.fromkeys(one.compared.statement() for one in facts if one.compared is not None),
            metrics_statement((one.algorithm, one.metric) for one in facts),
        ]
        said += _failures(facts)
    if given_twice(comparison):
        said.append(which_rate(*weighted_by(comparison.estimates[0])))
    groups = comparison.tie_groups()
    if groups:
        said.append(_TIED(groups=tuple(", ".join(group) for group in groups)))
    if isinstance(comparison, Comparison) and comparison.overall is not None:
        found = comparison.overall
        said.append(
            _OVERALL(
                statistic=found.statistic,
                freedom=found.degrees_of_freedom,
                p=(float(found), found.method.floor),
                method=found.method,
            )
        )
    about_scores = (note for facts in facts_of(comparison.estimates) for note in facts.notes)
    return [
        *said,
        _METHOD(method=comparison.pairs[0].method),
        answered(comparison.answers),
        *comparison.notes,
        *_of_estimates(comparison),
        *dict.fromkeys(filter(is_caution, about_scores)),
    ]


def _failures(facts: Sequence[Facts]) -> list[Note]:
    """What became of failures to acquire, or of failed comparisons."""
    if not facts or not facts[0].of_pairs:
        return failures(facts, any(one.n_probes_marked for one in facts)) if facts else []
    lost = tuple((one.algorithm, one.n_failed) for one in facts if one.n_failed)
    return [_PAIRS_FAILED(lost=lost)] if lost else []


def _of_estimates(comparison: Standings) -> list[Note]:
    """What was noted of the estimates; how alike probes are is said of the algorithm for which it matters most."""
    if not isinstance(comparison, Comparison):
        return []
    left = {
        *comparison.notes,
        *(note for one in comparison.estimates for note in one.notes if note.code in DEPENDENCE),
    }
    estimates = [
        replace(one, notes=tuple(note for note in one.notes if note not in left))
        for one in comparison.estimates
    ]
    noted = dict.fromkeys(noted_of(estimates))
    return [_ESTIMATES(method=note) if note.code in CHOSEN else note for note in noted]


@shows(Comparison, OutcomeComparison)
class ComparisonView(View[Any]):
    """Several algorithms, or systems, compared: the publication table, and every verdict."""

    plot = staticmethod(comparison_figure)

    def tables(self, found: Standings) -> list[Table]:
        return [comparison_table(found), *difference_tables(found)]

    def latex(self, found: Standings) -> list[Table]:
        return [comparison_table(found)]

    def notes(self, found: Standings) -> list[Note]:
        return [*verdicts(found), *comparison_statements(found)]

    def passages(self, found: Standings, explain: bool) -> Iterator[Passage]:
        """The table, the main verdicts, and the rest below."""
        told, left = told_and_left(found, explain)
        yield Passage(self.tables(found), told, [*left, *comparison_statements(found)], [found.answers])


@shows(ComparisonsByCategory)
class ComparisonsByCategoryView(View[ComparisonsByCategory]):
    """Comparisons over all probes and within categories."""

    def tables(self, found: ComparisonsByCategory) -> list[Table]:
        return [
            replace(
                table, caption=", ".join(filter(None, (probes_called(comparison.category), table.caption)))
            )
            for comparison in found.comparisons
            for table in (comparison_table(comparison), *difference_tables(comparison))
        ]

    def notes(self, found: ComparisonsByCategory) -> list[Note]:
        each = ((*verdicts(one), *comparison_statements(one)) for one in found.comparisons)
        return [*dict.fromkeys(note for notes in each for note in notes), *found.left_out]
