"""Evaluations on the page, in the verdict and in the methods paragraph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from proband.engine.files.spreadsheets import spreadsheet_csv
from proband.inference.estimates.evaluation import Entry, Evaluation, probes_called
from proband.report import columns as col
from proband.report.charts.makers.curves import cmc
from proband.report.charts.spec import Chart, comparable_charts
from proband.report.kinds.evaluation import by_category, own_gallery, statements
from proband.report.kinds.verdicts import listed
from proband.report.methods_text import MethodsText
from proband.report.page.charts import shown, side_by_side
from proband.report.page.lengths import of_length
from proband.report.page.model import Block, Folded, said
from proband.report.standings import Standing
from proband.report.tables.cells import around_cell, text_cell
from proband.report.tables.table import Cell, Table
from proband.report.view import Summary
from proband.results.base import Facts
from proband.results.estimate import which_rate
from proband.words import Note, Sentence, Target, level

_EVERY_RANK = 10  # up to here every rank is in the embedded curves, beyond some
_RANKS_A_DOUBLING = 4
_OF_PROBES = "at {rank}, of {probes:count probe} of {people:count person/people}"
_EVALUATED = Sentence(
    "verdict.evaluated",
    "note",
    "{algorithm}: recognition rate {rate:rate} [{low:rate}, {high:rate}] " + _OF_PROBES,
)
_EVALUATED_TWICE = Sentence(
    "verdict.evaluated-twice",
    "note",
    "{algorithm}: recognition rate {rate:rate} [{low:rate}, {high:rate}] "
    + _OF_PROBES
    + "; person-weighted {other:rate} [{other_low:rate}, {other_high:rate}]",
)
_EVALUATED_ALONE = Sentence(
    "verdict.evaluated-without-interval", "note", "{algorithm}: recognition rate {rate:rate} " + _OF_PROBES
)
_HIGHEST_RATE = Sentence(
    "verdict.highest-rate",
    "note",
    "Of {n:count algorithm}, {names} {few:word has/have} the highest recognition rate at {rank}; differences were not tested",
)
_HIGHEST_BY_PERSON = Sentence(
    "verdict.highest-person-weighted",
    "note",
    "{names} {few:word has/have} the highest person-weighted recognition rate",
)
_IN_UNIVERSE = (
    " universe: {probes:count probe} of {people:count person/people} against a gallery of {images:count image} of "
    "{enrolled:count person/people}, by recognition rates at ranks {ranks:row} and whole cumulative match characteristics"
)
_CLOSED = Sentence(
    "methods.closed-set", "note", "Identification by {n:count algorithm} in a closed" + _IN_UNIVERSE
)
_OPEN = Sentence(
    "methods.open-set", "note", "Identification by {n:count algorithm} in an open" + _IN_UNIVERSE
)
_CATEGORIES = Sentence("methods.categories", "note", "Probe categories: {names:names}")
_POLICIES = Sentence(
    "methods.policies", "note", "Ranks counted gallery {counting}; {ties}; {failures} ({lost})"
)
_TIES = {
    "pessimistic": Target("pessimistic", "a tied non-mate was ranked before the mate"),
    "optimistic": Target("optimistic", "a tied non-mate was ranked after the mate"),
    "mean": Target("mean", "ties were broken at random in expectation"),
}
_FAILURES = {
    "miss": Target("miss", "failures to acquire counted as misses"),
    "as_scored": Target("as_scored", "failures to acquire were ignored and their scores used"),
}
_LOST = Sentence(
    "methods.failures",
    "note",
    "{probes:count probe} and {images:count gallery image}; {missed:count probe} without a rank",
)
_NONE_LOST = Sentence("methods.no-failures", "note", "there were none")
_RATE_INTERVALS = Sentence("methods.rate-intervals", "note", "Intervals of rates: {methods:parts}")


def best_first(evaluation: Evaluation) -> list[Entry]:
    """The algorithms on the first set of probes, highest rate at the first rank first."""
    rank = evaluation.ranks[0]
    return sorted(evaluation.of(evaluation.categories[0]), key=lambda entry: -entry.curve.at(rank))


def summary_of(evaluation: Evaluation, precedence: float) -> Summary:
    """The headline of an evaluation without a comparison."""
    rank, entries = evaluation.ranks[0], best_first(evaluation)
    best = entries[0]
    others = [entry.by_person[rank] for entry in entries]
    called = best.weighted_rate(rank)
    which: tuple[Note, ...] = () if others[0] is None else (which_rate(),)
    if len(entries) > 1:
        tied = [entry.algorithm for entry in entries if entry.curve.at(rank) == best.curve.at(rank)]
        told = _HIGHEST_RATE(names=listed(tied), few=len(tied), rank=called, n=len(entries))
        by_person = [other.value for other in others if other is not None]
        if by_person:
            ahead = [
                entry.algorithm
                for entry, value in zip(entries, by_person, strict=True)
                if value == max(by_person)
            ]
            which += () if ahead == tied else (_HIGHEST_BY_PERSON(names=listed(ahead), few=len(ahead)),)
        return Summary(told, evaluation.answers, weights=which, precedence=precedence)
    facts, ends, other = best.curve.facts, best.interval(rank), others[0]
    shown = {"algorithm": best.algorithm, "rate": best.curve.at(rank), "rank": called}
    shown |= {"probes": facts.n_probes, "people": facts.n_probe_subjects}
    if ends is None:
        return Summary(_EVALUATED_ALONE(**shown), evaluation.answers, weights=which, precedence=precedence)
    shown |= {"low": ends.low, "high": ends.high}
    if other is None:
        return Summary(_EVALUATED(**shown), evaluation.answers, precedence=precedence)
    beside = {"other": other.value, "other_low": other.low, "other_high": other.high}
    return Summary(
        _EVALUATED_TWICE(**shown, **beside), evaluation.answers, weights=which, precedence=precedence
    )


def evaluation_blocks(evaluation: Evaluation, places: Mapping[str, int], relative: bool) -> list[Block]:
    """Curves and rates, by probe category."""
    curves = comparable_charts(
        [
            _cmc(evaluation.of(name), "cmc" if place == 1 else f"cmc-{place}", name, relative)
            for place, name in enumerate(evaluation.categories, 1)
        ]
    )
    blocks: list[Block] = [shown(curves[0], places=places)]
    main, *more = rates_tables(evaluation)
    blocks.append(of_length(main))
    if more:
        blocks.append(Folded("Rates at other ranks, with sample sizes", tuple(more)))
    if len(curves) > 1:
        blocks.append(Folded("Curves by probe category", tuple(side_by_side(curves[1:], places))))
    blocks.append(Folded("Notes on the rates", tuple(said(statements(evaluation)))))
    return blocks


def _cmc(entries: Sequence[Entry], id: str, category: str | None, relative: bool) -> Chart:
    title = f"Recognition rate by {'relative ' if relative else ''}rank, {probes_called(category)}"
    return cmc([entry.band for entry in entries], id, title, relative=relative)


def rates_tables(evaluation: Evaluation) -> list[Table]:
    """Algorithms by sets of probes, one table per requested rank and weighting, and a table of sample sizes."""
    part = f"with {level(evaluation.confidence_level)} intervals"
    made = []
    for place, rank in enumerate(evaluation.ranks):
        caption = f"Recognition rate at {evaluation.entries[0].weighted_rate(rank)}, {part}"
        made.append(by_category(evaluation, rank, caption, f"rates-{rank}" if place else "rates"))
    for rank in evaluation.ranks:
        if any(entry.by_person[rank] is not None for entry in evaluation.entries):
            caption = f"Recognition rate at rank {rank} (person-weighted), {part}"
            made.append(
                by_category(evaluation, rank, caption, f"rates-by-person-{rank}", person_weighted=True)
            )
    return [*made, _rest_on(evaluation)]


def _rest_on(evaluation: Evaluation) -> Table:
    """Probes, people, failures and ties of every set of probes; one row where they are the same for all algorithms."""
    rows: list[tuple[str | None, str | None, Facts]] = []
    for category in evaluation.categories:
        own = {entry.algorithm: entry.curve.facts for entry in evaluation.of(category)}
        same = (
            len({(one.n_probes, one.n_probe_subjects, one.n_failed, one.n_tied) for one in own.values()}) == 1
        )
        rows += (
            [(category, None, next(iter(own.values())))]
            if same
            else [(category, *one) for one in own.items()]
        )
    return col.table_of(
        "Sample sizes, failures and ties",
        rows,
        col.name("probes of", lambda row: probes_called(row[0])),
        col.cell("algorithm", lambda row: _whose(row[1]), kind="name"),
        col.count("probes", lambda row: row[2].n_probes),
        col.count("people", lambda row: row[2].n_probe_subjects),
        col.count("no rank", lambda row: row[2].n_failed, "Failures to acquire or to compare."),
        col.count("ties", lambda row: row[2].n_tied, "Probes whose mate is tied with a non-mate."),
        id="rates-counts",
    )


def _whose(name: str | None) -> Cell:
    return Cell("all algorithms", tone="faint") if name is None else text_cell(name)


def thinned_curves(evaluation: Evaluation) -> str:
    """Every curve: all low ranks, and a few for each doubling beyond."""
    last = max(len(entry.curve.values) for entry in evaluation.entries)
    kept = list(range(1, min(_EVERY_RANK, last) + 1))
    while kept[-1] < last:
        kept.append(min(last, max(kept[-1] + 1, round(kept[-1] * 2 ** (1 / _RANKS_A_DOUBLING)))))
    return spreadsheet_csv(evaluation.curves_frame().filter(pl.col("rank").is_in(kept)))


def say_evaluation(text: MethodsText, evaluation: Evaluation) -> None:
    """Describe how probes were identified."""
    facts = evaluation.entries[0].curve.facts
    identified = _CLOSED if facts.universe == "closed" else _OPEN
    text.say(
        identified(
            n=len(evaluation.algorithms),
            probes=facts.n_probes,
            people=facts.n_probe_subjects,
            images=facts.n_gallery_images,
            enrolled=facts.n_gallery_subjects,
            ranks=evaluation.ranks,
        ),
        "phillips2000",
    )
    if len(evaluation.categories) > 1:
        names = (
            probes_called(category) + own_gallery(evaluation.of(category)[0].curve.facts, facts)
            for category in evaluation.categories[1:]
        )
        text.say(_CATEGORIES(names=tuple(names)))
    text.say(_policies(facts))
    text.say_methods(_RATE_INTERVALS, (entry.band.method for entry in evaluation.entries))


def _policies(facts: Facts) -> Note:
    any_lost = facts.n_failed or facts.n_gallery_failed
    lost = (
        _LOST(probes=facts.n_probes_marked, images=facts.n_gallery_failed, missed=facts.n_failed)
        if any_lost
        else _NONE_LOST()
    )
    return _POLICIES(
        counting=facts.counting, ties=_TIES[facts.ties], failures=_FAILURES[facts.on_failure], lost=lost
    )


def _beside(entry: Entry, rank: int) -> Cell | None:
    other = entry.by_person[rank]
    return None if other is None else around_cell(other.value, other.low, other.high, entry.band.answers)


def standing_estimates(evaluation: Evaluation) -> tuple[str, list[Standing]] | None:
    """The algorithms in order at the first rank, where there are several."""
    rank, entries = evaluation.ranks[0], best_first(evaluation)
    rows = [
        Standing(entry.algorithm, entry.curve.at(rank), *ends, entry.band.answers, _beside(entry, rank))
        for entry in entries
        if (ends := entry.interval(rank)) is not None
    ]
    return (f"recognition rate at rank {rank}", rows) if len(rows) > 1 else None
