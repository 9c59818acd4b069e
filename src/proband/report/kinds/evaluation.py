"""Views of evaluations: tables of rates, and the notes below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from proband.engine.arguments import published
from proband.inference.estimates.case import DEPENDENCE
from proband.inference.estimates.closed import POPULATION
from proband.inference.estimates.estimate import CHOSEN
from proband.inference.estimates.evaluation import CENSORED_AT, Entry, Evaluation, probes_called
from proband.inference.estimates.overlap import SetOverlap
from proband.inference.estimates.person_weights import ABOUT_WEIGHTS
from proband.inference.estimates.weighting import SUPPOSED
from proband.inference.galleries.versions import ContrastRow
from proband.report import columns as col
from proband.report.figures.identification import evaluation_figure
from proband.report.model_card import CardMetric
from proband.report.notes import answered, bounds_mark
from proband.report.tables.cells import empty_cell, interval_cell, over, rate_cell
from proband.report.tables.table import Cell, Table
from proband.report.view import Passage, View, shows
from proband.results.base import Facts
from proband.results.compared import metrics_statement
from proband.results.estimate import which_rate
from proband.words import Note, Sentence, Target, count, counted, given

_FEW = 4  # up to this number of algorithms, tables show every rank of every set of probes
TIES = {
    "pessimistic": "a tied non-mate ranks before the mate",
    "optimistic": "a tied non-mate ranks after the mate",
    "mean": "ties are broken at random, and rates are expected values",
}
_GALLERY = Sentence(
    "evaluation.gallery", "note", "Gallery: {images:count image} of {people:count person/people} ({rule})"
)
_PROBES = Sentence(
    "evaluation.probes-scored",
    "note",
    "Probes scored: {images:count image} of {people:count person/people} ({rule}); rates are over these probes",
)
_OPEN = Sentence(
    "evaluation.open-universe",
    "note",
    "Open universe: {n:count more probe has/more probes have} no mate in the gallery and therefore no rank; "
    "identification rates leave {n:word it/them} out",
)
_CLOSED = Sentence(
    "evaluation.closed-universe", "note", "Closed universe: every probe has a mate in the gallery"
)
_MARKED = (
    "Failures to acquire: {probes:count probe} and {images:count gallery image} are marked in the table; scored probes "
    "that have no rank because of these marks or failed comparisons count as misses: "
)
_FAILED = Sentence("evaluation.failures-to-acquire", "note", _MARKED + "{missed:counts}")
_FAILED_ALIKE = Sentence("evaluation.failures-to-acquire-alike", "note", _MARKED + "{missed:count}")
_AS_SCORED = Sentence(
    "evaluation.failures-as-scored",
    "note",
    "Failures to acquire: marked, but every score is used as given",
)
MANY_TIES = 0.1
"""The share of probes above which the tie policy decides."""
_TIED = Sentence(
    "evaluation.ties",
    "note",
    "Ranks count gallery {counting}; {rule} (probes with such a tie: {tied:counts})",
)
_MANY_TIED = Sentence(
    "evaluation.many-ties",
    "caution",
    "The mate of many probes is tied with a non-mate ({tied:counts} of {n:count}), so results depend on the tie policy: {rule}. "
    "Ranks count gallery {counting}",
)
_UNTIED = Sentence(
    "evaluation.no-ties", "note", "Ranks count gallery {counting}; {rule} (no probe has such a tie)"
)
_BEYOND = Sentence(
    "evaluation.ranks-beyond-gallery",
    "caution",
    "Ranks above {size:count} are beyond the gallery: every mate that was compared is within them",
)
_INTERVALS = Sentence(
    "evaluation.intervals",
    "note",
    "Intervals: {level:level} at each rank. What varies: {varying}. Held fixed: {fixed}. Assumed: {assuming}",
)
_WEIGHTS = Sentence("evaluation.weights", "note", "For {algorithm} at rank {rank:count}, {effect}")
_PEOPLE_WEIGH = Sentence(
    "evaluation.people-weigh", "note", "Weights: every person weighted equally, whatever the number of probes"
)
_METHOD = Sentence("evaluation.method", "note", "Method: {method}")
_DEPENDENCE = Sentence("evaluation.dependence", "note", "For {algorithm} at rank 1, {effect}")


def own_gallery(own: Facts | ContrastRow, whole: Facts | ContrastRow) -> str:
    """The size of a category's own gallery, if it differs from the study's."""
    if own.n_gallery_images == whole.n_gallery_images:
        return ""
    return f" ({count(own.n_gallery_subjects)} enrolled)"


@published
def evaluation_tables(evaluation: Evaluation) -> list[Table]:
    """Make a table for each set of probes, with one row per algorithm.

    Parameters
    ----------
    evaluation
        Result of `evaluate`.

    Returns
    -------
    list
        A table for each category.
    """
    several = len(evaluation.categories) > 1
    return [_of_category(evaluation, category, several) for category in evaluation.categories]


def overlap_tables(found: SetOverlap) -> list[Table]:
    """Images and people that pairs of sets have in common; the diagonal shows the size of each set."""
    return [_in_common(found, "Images", found.images), _in_common(found, "People", found.people)]


def _in_common(found: SetOverlap, what: str, counts: Sequence[Sequence[int]]) -> Table:
    shared = dict(zip(found.sets, counts, strict=True))
    return col.table_of(
        f"{what} in common",
        found.sets,
        col.name(f"{what.lower()} in common", str),
        *col.each(range(len(counts)), lambda at: col.count(found.sets[at], lambda name: shared[name][at])),
        id=f"overlap-{what.lower()}",
    )


def short_tables(evaluation: Evaluation) -> list[Table]:
    """Make the same tables, but only the first rank for many algorithms on several sets of probes."""
    if len(evaluation.categories) > 1 and len(evaluation.algorithms) > _FEW:
        rank = evaluation.ranks[0]
        return [by_category(evaluation, rank, evaluation.entries[0].weighted_rate(rank))]
    return evaluation_tables(evaluation)


def _of_category(evaluation: Evaluation, category: str | None, several: bool) -> Table:
    """The table of all ranks of one set of probes."""
    entries = evaluation.of(category)
    twice = any(entries[0].by_person.values())  # people and probes are the same for all algorithms

    def at(rank: int) -> list[col.ColumnOf[Entry]]:
        best = max(entry.curve.at(rank) for entry in entries) if len(entries) > 1 else None
        called = entries[0].weighted_rate(rank).replace(" (", "\n(")
        weighted = f"rank {rank}\n(person-weighted)", f"rank {rank} by person"
        return [
            col.cell(called, lambda one: _rate(one, rank, best), key=f"rank {rank}"),
            col.cell(weighted[0], lambda one: _person_rate(one, rank), key=weighted[1], when=twice),
        ]

    return col.table_of(
        probes_called(category) if several else "",
        entries,
        col.name("algorithm", lambda one: one.algorithm),
        *(column for rank in evaluation.ranks for column in at(rank)),
        col.cell("median rank", _median),
        col.count("probes", lambda one: one.curve.facts.n_probes),
        col.count("gallery", lambda one: one.curve.facts.n_gallery_subjects),
    )


def _rate(entry: Entry, rank: int, best: float | None) -> Cell:
    """A rate with its interval, and whether it is the best."""
    value = entry.curve.at(rank)
    rate = replace(rate_cell(value), tone="best" if value == best else "plain")
    return over(rate, interval_cell(entry.interval(rank), entry.band.answers))


def _person_rate(entry: Entry, rank: int) -> Cell:
    """The person-weighted rate with its interval."""
    found = entry.by_person[rank]
    return (
        empty_cell()
        if found is None
        else over(rate_cell(found.value), interval_cell((found.low, found.high), entry.band.answers))
    )


def _median(entry: Entry) -> Cell:
    median = entry.median_rank
    return Cell(f"≥ {CENSORED_AT}" if median >= CENSORED_AT else given(median), median)


def by_category(
    evaluation: Evaluation, rank: int, caption: str, id: str = "", *, person_weighted: bool = False
) -> Table:
    """The table of algorithms by sets of probes, at one rank."""
    whole = evaluation.entries[0].curve.facts

    def rates(category: str | None) -> col.ColumnOf[str]:
        entries = {entry.algorithm: entry for entry in evaluation.of(category)}
        facts = evaluation.of(category)[0].curve.facts
        best = max(entry.curve.at(rank) for entry in entries.values())
        called = probes_called(category)
        return col.cell(
            f"{called}{own_gallery(facts, whole)}\n{counted(facts.n_probes, 'probe')}",
            lambda name: (
                _person_rate(entries[name], rank) if person_weighted else _rate(entries[name], rank, best)
            ),
            key=called,
        )

    algorithms = col.name("algorithm", str)
    return col.table_of(caption, evaluation.algorithms, algorithms, *map(rates, evaluation.categories), id=id)


def metrics_of(evaluation: Evaluation) -> Note:
    """The metrics of the algorithms of an evaluation."""
    entries = evaluation.of(evaluation.categories[0])
    return metrics_statement((entry.algorithm, entry.curve.facts.metric) for entry in entries)


@published
def statements(evaluation: Evaluation) -> list[Note]:
    """Explain the numbers and what was left out, one note each.

    Parameters
    ----------
    evaluation
        Result of `evaluate`.

    Returns
    -------
    list
        Notes below its tables.
    """
    entries = evaluation.of(evaluation.categories[0])
    first, marked = entries[0].curve.facts, bool(entries[0].outcomes.experiment.samples.failed.any())
    return [
        _GALLERY(images=first.n_gallery_images, people=first.n_gallery_subjects, rule=first.gallery_rule),
        _PROBES(images=first.n_probes, people=first.n_probe_subjects, rule=first.probe_rule),
        metrics_statement((entry.algorithm, entry.curve.facts.metric) for entry in entries),
        _OPEN(n=first.n_unmated) if first.n_unmated else _CLOSED(),
        *failures([entry.curve.facts for entry in entries], marked),
        _ties(entries),
        answered(evaluation.answers, _INTERVALS, level=evaluation.confidence_level),
        *bounds_mark(entries[0].band.side),
        *_dependence(entries),
        *_weights(evaluation, entries),
        *evaluation.notes,
        *_beyond_gallery(evaluation.ranks, first),
    ]


def failures(facts: Sequence[Facts], marked: bool) -> list[Note]:
    """Notes on failures to acquire, if any: of samples `marked` in the table, or of comparisons."""
    first = facts[0]
    failed = {one.algorithm: one.n_failed for one in facts}
    without = {name: n for name, n in failed.items() if n}
    if not without and not first.n_gallery_failed:
        return [_AS_SCORED()] if first.on_failure == "as_scored" and marked else []
    lost = {"probes": first.n_probes_marked, "images": first.n_gallery_failed}
    if len(set(failed.values())) == 1:
        return [_FAILED_ALIKE(**lost, missed=first.n_failed)]
    return [_FAILED(**lost, missed=tuple(without.items()))]


def _beyond_gallery(ranks: Sequence[int], facts: Facts) -> list[Note]:
    """Say that ranks that were asked for do not exist."""
    size = facts.n_gallery_subjects if facts.counting == "subjects" else facts.n_gallery_images
    return [_BEYOND(size=size)] if max(ranks) > size else []


def _ties(entries: tuple[Entry, ...]) -> Note:
    facts = entries[0].curve.facts
    tied = tuple((one.algorithm, one.curve.facts.n_tied) for one in entries if one.curve.facts.n_tied)
    how = {"counting": facts.counting, "rule": Target(facts.ties, TIES[facts.ties])}
    if any(n > MANY_TIES * facts.n_probes for _, n in tied):
        return _MANY_TIED(**how, tied=tied, n=facts.n_probes)
    return _TIED(**how, tied=tied) if tied else _UNTIED(**how)


def _dependence(entries: tuple[Entry, ...]) -> list[Note]:
    """Note on dependence, for the algorithm most affected by several probes per person."""
    chosen = [note for entry in entries for note in entry.band.notes if note.code in CHOSEN]
    drawn = [note for note in entries[0].band.notes if note.code in POPULATION]
    said = [*(_METHOD(method=note) for note in chosen[:1]), *drawn]
    shared = [
        (entry.clusters(1).design_effect, entry, note)
        for entry in entries
        for note in entry.band.notes
        if note.code in DEPENDENCE
    ]
    said += [
        _DEPENDENCE(algorithm=entry.algorithm, effect=note)
        for entry in entries
        for note in entry.band.notes
        if note.code == SUPPOSED
    ]
    if shared:
        _, worst, note = max(shared, key=lambda one: one[0])
        said.append(_DEPENDENCE(algorithm=worst.algorithm, effect=note))
    return said


def _weights(evaluation: Evaluation, entries: tuple[Entry, ...]) -> list[Note]:
    """Note on weighting, if people have different numbers of probes."""
    if evaluation.weights == "person":
        return [_PEOPLE_WEIGH()]
    both = any(entries[0].by_person.values())
    return [
        *([which_rate()] if both else []),
        *_about_weights(entries),
    ]


def _about_weights(entries: tuple[Entry, ...]) -> list[Note]:
    return [
        _WEIGHTS(rank=1, algorithm=entry.algorithm, effect=note)
        for entry in entries
        for note in entry.band.notes
        if note.code in ABOUT_WEIGHTS
    ]


@shows(Evaluation)
class EvaluationView(View[Evaluation]):
    """Rates and curves of several algorithms, by probe category."""

    plot = staticmethod(evaluation_figure)

    def tables(self, found: Evaluation) -> Sequence[Table]:
        return evaluation_tables(found)

    def notes(self, found: Evaluation) -> Sequence[Note]:
        return statements(found)

    def passages(self, found: Evaluation, explain: bool) -> Iterator[Passage]:
        """Tables that fit a terminal."""
        yield Passage(short_tables(found), (), statements(found), [found.answers])

    def metrics(self, found: Evaluation) -> Sequence[CardMetric]:
        """Every rate, with its person-weighted version."""
        return [metric for entry in found.entries for metric in _metrics(entry, found.confidence_level)]


def _metrics(entry: Entry, confidence_level: float) -> Iterator[CardMetric]:
    facts = entry.curve.facts
    part = None if entry.category is None else probes_called(entry.category)
    for rank, other in entry.by_person.items():
        low, high = entry.interval(rank) or (None, None)
        own = CardMetric(
            entry.algorithm,
            "identification",
            f"rank-{rank}",
            f"recognition rate at {entry.weighted_rate(rank)}",
            entry.curve.at(rank),
            low,
            high,
            confidence_level,
            str(entry.band.answers.varying),
            part,
            {
                "rank": rank,
                "weights": entry.weights,
                "probes": facts.n_probes,
                "people": facts.n_probe_subjects,
                "gallery_people": facts.n_gallery_subjects,
            },
        )
        yield own
        if other is not None:
            yield replace(
                own,
                type=f"rank-{rank}-by-person",
                name=f"recognition rate at rank {rank} (person-weighted)",
                value=other.value,
                low=other.low,
                high=other.high,
                args={**own.args, "weights": "person"},
            )
