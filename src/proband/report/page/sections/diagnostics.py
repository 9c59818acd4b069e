"""What stands behind the numbers: ties, failures, shared people, replicates, and everything that was noted."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from proband.designs.resampling import BOOTSTRAP
from proband.inference import Estimate, VirtualExperiments, cluster_statistics
from proband.inference.estimates.evaluation import probes_called
from proband.inference.verification.verification import Verification
from proband.report import cells
from proband.report.leading import main_comparison, main_evaluation
from proband.report.page.model import Block, Facts, Section, said
from proband.report.page.registry import section
from proband.report.table import Cell, Column, Table
from proband.results.estimate import Clusters
from proband.words import Note, Sentence, as_sentence, counted, percent

if TYPE_CHECKING:
    from proband.study.findings import Findings

_INTERVALS = Sentence("diagnostics.intervals", "note", "{rate}: {method}")
# Where something was noted.
_STUDY = Sentence("diagnostics.study", "note", "study")
_IDENTIFICATION = Sentence("diagnostics.identification", "note", "identification")
_COMPARISON = Sentence("diagnostics.comparison", "note", "comparison, {name}")
_ESTIMATE = Sentence("diagnostics.estimate", "note", "{name}, {algorithm}")
_VERIFICATION = Sentence("diagnostics.verification", "note", "verification, {algorithm}")
_RATE = Sentence("diagnostics.rate", "note", "{algorithm}, {rate}")
_RATE_AT = Sentence("diagnostics.rate-at", "note", "{algorithm}, {rate} at FMR {fmr:given}")
_SEARCH = Sentence("diagnostics.search", "note", "search, {algorithm}")
_CHOICES = Sentence("diagnostics.choices", "note", "choices of images")
_GALLERIES = Sentence("diagnostics.galleries", "note", "galleries")
_FERET = Sentence("diagnostics.feret", "note", "FERET")
_VARIATION = Sentence("diagnostics.gallery-variation", "note", "galleries, {category}")
_AND_MORE = Sentence("diagnostics.and-more", "note", "{first} and {more:count} more")

_DRIFT = 0.1  # of a standard error: halves of the replicates that differ by more ask for more of them


@section("diagnostics", 90)
def diagnostics_section(found: Findings) -> Section | None:
    """Everything a doubtful reader would ask for."""
    blocks: list[Block] = []
    for made in (_ties(found), _dependence(found), _people_behind_errors(found), _replicates(found)):
        blocks += [] if made is None else [made]
    if found.choices is not None:
        blocks += said([_trials(found.choices)])
    notes = noted(found)
    if notes:
        blocks.append(Facts(tuple(notes), "Noted"))
    return Section("diagnostics", "Diagnostics", tuple(blocks)) if blocks else None


def _ties(found: Findings) -> Table | None:
    evaluation = main_evaluation(found)
    if evaluation is None:
        return None
    rows = []
    for entry in evaluation.of(evaluation.categories[0]):
        facts = entry.curve.facts
        rows.append(
            [
                cells.text_cell(entry.algorithm),
                Cell(cells.count(facts.n_tied), facts.n_tied, tone="warning" if facts.n_tied else "plain"),
                cells.count_cell(facts.n_failed),
                cells.count_cell(facts.n_gallery_failed),
                cells.count_cell(facts.n_probes),
                cells.text_cell(facts.ties),
            ]
        )
    heads = (*cells.columns("algorithm", "probes with a tie", "probes without a rank", "gallery images not enrolled", "probes"), Column("ties"))  # fmt: skip
    return cells.table("ties", "Ties and failures", heads, rows)


def _dependence(found: Findings) -> Table | None:
    """Effective against nominal sample sizes, where people have several probes."""
    shared = _clusters(found)
    rows = [
        [
            cells.text_cell(name),
            cells.count_cell(one.n),
            cells.count_cell(one.n_clusters),
            cells.empty_cell() if one.nothing_varies else cells.fixed_cell(one.icc),
            cells.empty_cell() if one.nothing_varies else cells.fixed_cell(one.design_effect),
            cells.fixed_cell(one.effective_n, 0),
            cells.rate_cell(one.binomial_se),
            cells.rate_cell(one.cluster_se),
        ]
        for name, one in shared.items()
    ]
    if not rows:
        return None
    heads = (
        Column("algorithm", "name"),
        Column("probes", "number"),
        Column("people", "number"),
        Column("intraclass correlation", "number", "How alike the outcomes of one person's probes are."),
        Column("design effect", "number", "The variance over people, relative to independent probes."),
        Column("effective probes", "number", "As many independent probes would tell as much."),
        Column("binomial s.e.", "number"),
        Column("s.e. over people", "number"),
    )
    notes = ["Intervals never count more probes than there are: a design effect below 1 is taken as 1."]
    if any(one.nothing_varies for one in shared.values()):
        notes.append(
            "Where all or no probes succeed, nothing can be seen of how alike a person's are: a correlation of 0.5 is supposed."
        )
    return cells.table("dependence", "Probes of one person are not independent", heads, rows, notes)


def _clusters(found: Findings) -> dict[str, Clusters]:
    comparison, evaluation = main_comparison(found), main_evaluation(found)
    if comparison is not None:
        return {one.facts.algorithm: one.clusters for one in comparison.estimates if one.clusters is not None}
    if evaluation is None:
        return {}
    entries = evaluation.of(evaluation.categories[0])
    if entries[0].curve.facts.n_probe_subjects == entries[0].curve.facts.n_probes:
        return {}
    rank = evaluation.ranks[0]
    return {
        one.algorithm: cluster_statistics(one.outcomes.success(rank), one.outcomes.subjects)
        for one in entries
    }


def _people_behind_errors(found: Findings) -> Table | None:
    """How many independent comparisons the comparisons of verification are worth."""
    rows = []
    for result in found.verification:
        for point in result.points:
            row = [cells.text_cell(result.algorithm), cells.threshold_cell(point.point.threshold)]
            for one in (point.fmr, point.fnmr):
                worth = one.n / one.n_effective if one.n_effective > 0 else None
                row += [
                    cells.count_cell(one.n),
                    cells.fixed_cell(one.n_effective, 0),
                    cells.fixed_cell(worth, 1),
                ]
            rows.append(row)
    if not rows:
        return None
    heads = cells.columns(
        "algorithm", "threshold", "impostor comparisons", "effective", "design effect", "genuine comparisons", "effective", "design effect"
    )  # fmt: skip
    told = dict.fromkeys(
        _INTERVALS(rate=name, method=one.method)
        for result in found.verification
        for point in result.points
        for name, one in (("FMR", point.fmr), ("FNMR", point.fnmr))
    )
    return cells.table(
        "shared-people", "Comparisons that share a person are not independent", heads, rows, told
    )


def _replicates(found: Findings) -> Table | None:
    """Whether there are enough bootstrap replicates: each half of them by itself."""
    rows = [
        _halves(one)
        for comparison in found.comparisons.values()
        for one in comparison.estimates
        if _drawn(one)
    ]
    if not rows:
        return None
    heads = (
        *cells.columns("algorithm", "measure", "replicates", "s.e., first half", "s.e., second half", text=2),
        Column("stable"),
    )
    notes = [f"Stable: the halves' standard errors agree to {percent(_DRIFT)}."]
    return cells.table("replicates", "Stability of replicates", heads, rows, notes)


def _drawn(one: Estimate) -> bool:
    return (
        one.replicates is not None and one.design.key == BOOTSTRAP and bool(np.isfinite(one.replicates).all())
    )


def _halves(one: Estimate) -> list[Cell]:
    assert one.replicates is not None
    n = len(one.replicates)
    first, second = (float(half.std(ddof=1)) for half in (one.replicates[: n // 2], one.replicates[n // 2 :]))
    stable = abs(first - second) <= _DRIFT * max(first, second)
    return [
        cells.text_cell(one.facts.algorithm),
        cells.text_cell(str(one.answers.of)),
        cells.count_cell(n),
        cells.rate_cell(first),
        cells.rate_cell(second),
        cells.text_cell("yes" if stable else "no: draw more", "good" if stable else "warning"),
    ]


def _trials(result: VirtualExperiments) -> str:
    worst = max(result.rate(name).standard_deviation for name in result.algorithms) / sqrt(result.n_trials)
    return (
        f"Choices of images: with {counted(result.n_trials, 'trial')} the mean rates at rank 1 are off by chance by about {cells.rate(worst)} at "
        "most (standard error over trials)."
    )


def noted(found: Findings) -> list[tuple[str, str]]:
    """Every note and warning, each once, with the part it belongs to."""
    parts: list[tuple[Note, Iterable[Note | str]]] = [(_STUDY(), found.notes)]
    evaluation = main_evaluation(found)
    if evaluation is not None:
        parts.append((_IDENTIFICATION(), evaluation.notes))
    for key, name in found.titles.items():
        comparison = found.comparisons[key]
        parts.append((_COMPARISON(name=name), comparison.notes))
        parts += [
            (_ESTIMATE(name=name, algorithm=one.facts.algorithm), one.notes) for one in comparison.estimates
        ]
    parts += [(_VERIFICATION(algorithm=one.algorithm), one.notes) for one in found.verification]
    for result in found.verification:
        for point in result.points:
            parts += [
                (_rate_of(result, name, point.point.asked), one.notes)
                for name, one in (("FMR", point.fmr), ("FNMR", point.fnmr))
            ]
    parts += [(_SEARCH(algorithm=one.algorithm), one.notes) for one in found.searches]
    if found.choices is not None:
        parts.append((_CHOICES(), found.choices.notes))
    if found.strat is not None and found.strat.comparison is not None:
        parts.append((_GALLERIES(), found.strat.comparison.notes))
    if found.feret is not None:
        parts.append((_FERET(), found.feret.notes))
        parts += [
            (_VARIATION(category=probes_called(one.category)), one.notes) for one in found.feret.variation
        ]
    told: dict[Note | str, dict[Note, None]] = {}
    for part, notes in parts:
        for note in notes:
            told.setdefault(note, {})[part] = None
    return [(_where(list(own)), as_sentence(note)) for note, own in told.items()]


def _rate_of(result: Verification, rate: str, fmr: float | None) -> Note:
    whose = {"algorithm": result.algorithm, "rate": rate}
    return _RATE(**whose) if fmr is None else _RATE_AT(**whose, fmr=fmr)


def _where(parts: list[Note]) -> str:
    return str(parts[0] if len(parts) == 1 else _AND_MORE(first=parts[0], more=len(parts) - 1))
