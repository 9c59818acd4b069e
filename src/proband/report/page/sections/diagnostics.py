"""The section on diagnostics: ties, failures, shared people, replicates, and all notes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proband.designs.resampling import BOOTSTRAP
from proband.report.page.model import Block, FactsBlock, Section
from proband.report.page.registry import section
from proband.report.scene import Scene
from proband.report.tables import cells
from proband.report.tables.table import Cell, Column, Table
from proband.results.estimate import DRIFT, Clusters, Estimate
from proband.words import Note, Sentence, as_sentence, percent

_STUDY = Sentence("diagnostics.study", "note", "study")
_BORROWED = Sentence("diagnostics.correlation-borrowed", "note", "{icc:two}, borrowed")
_DEFAULT = Sentence("diagnostics.correlation-supposed", "note", "{icc:two}, assumed")
_AND_MORE = Sentence("diagnostics.and-more", "note", "{first} and {more:count} more")


@section("diagnostics", 90)
def diagnostics_section(scene: Scene) -> Section | None:
    """Diagnostics and notes."""
    tables = (_ties(scene), _dependence(scene), _replicates(scene))
    blocks: list[Block] = [made for made in tables if made is not None]
    blocks += [block for view, part in scene.parts.values() for block in view.diagnostics(part)]
    notes = noted(scene)
    if notes:
        blocks.append(FactsBlock(tuple(notes), "Notes"))
    return Section("diagnostics", "Diagnostics", tuple(blocks)) if blocks else None


def _ties(scene: Scene) -> Table | None:
    if not scene.facts or scene.facts[0].of_pairs:
        return None
    rows = [
        [
            cells.text_cell(facts.algorithm),
            Cell(cells.count(facts.n_tied), facts.n_tied, tone="warning" if facts.n_tied else "plain"),
            cells.count_cell(facts.n_failed),
            cells.count_cell(facts.n_gallery_failed),
            cells.count_cell(facts.n_probes),
            cells.text_cell(facts.ties),
        ]
        for facts in scene.facts
    ]
    heads = (*cells.columns("algorithm", "probes with a tie", "probes without a rank", "gallery images not enrolled", "probes"), Column("ties"))  # fmt: skip
    return cells.table("ties", "Ties and failures", heads, rows)


def _dependence(scene: Scene) -> Table | None:
    """Effective against nominal sample sizes, where people have several probes."""
    shared = scene.clusters
    rows = [
        [
            cells.text_cell(name),
            cells.count_cell(one.n),
            cells.count_cell(one.n_clusters),
            _alike(one),
            cells.empty_cell() if _unseen(one) else cells.fixed_cell(one.design_effect),
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
        Column("intraclass correlation", "number", "Similarity of the outcomes of one person's probes."),
        Column("design effect", "number", "Variance over people, relative to independent probes."),
        Column("effective probes", "number", "Number of independent probes with the same information."),
        Column("binomial s.e.", "number"),
        Column("s.e. over people", "number"),
    )
    notes = [
        "Intervals never use more than the actual number of probes: a design effect below 1 is taken as 1."
    ]
    if any(one.supposed_icc is not None for one in shared.values()):
        notes.append(
            "If fewer than two probes fail, or succeed, the correlation cannot be estimated: the interval uses one that is "
            "borrowed from other rates in these data, or 0.5."
        )
    if any(one.nothing_varies and one.supposed_icc is None for one in shared.values()):
        notes.append(
            "If all probes succeed, or none, the correlation cannot be estimated; the effective number is that of a "
            "correlation of 0.5."
        )
    return cells.table("dependence", "Probes of one person are not independent", heads, rows, notes)


def _unseen(one: Clusters) -> bool:
    """Whether these probes do not show how alike those of one person are."""
    return one.nothing_varies or one.supposed_icc is not None


def _alike(one: Clusters) -> Cell:
    """The correlation that these probes show, or that the interval supposes."""
    if one.supposed_icc is None:
        return cells.empty_cell() if one.nothing_varies else cells.fixed_cell(one.icc)
    said = _BORROWED if one.lenders else _DEFAULT
    return Cell(str(said(icc=one.supposed_icc)), one.supposed_icc)


def _replicates(scene: Scene) -> Table | None:
    """Check of the number of bootstrap replicates, by comparing halves."""
    estimates = (one for view, part in scene.parts.values() for one in view.replicated(part))
    rows = [_halves(one) for one in estimates if _drawn(one)]
    if not rows:
        return None
    heads = (
        *cells.columns("algorithm", "measure", "replicates", "s.e., first half", "s.e., second half", text=2),
        Column("stable"),
    )
    notes = [f"Stable: the halves' standard errors agree to {percent(DRIFT)}."]
    return cells.table("replicates", "Stability of replicates", heads, rows, notes)


def _drawn(one: Estimate) -> bool:
    return (
        one.replicates is not None and one.method.key == BOOTSTRAP and bool(np.isfinite(one.replicates).all())
    )


def _halves(one: Estimate) -> list[Cell]:
    first, second = one.errors_of_halves
    stable = one.halves_agree
    return [
        cells.text_cell(one.algorithm),
        cells.text_cell(str(one.answers.of)),
        cells.count_cell(0 if one.replicates is None else len(one.replicates)),
        cells.rate_cell(first),
        cells.rate_cell(second),
        cells.text_cell("yes" if stable else "no: use more replicates", "good" if stable else "warning"),
    ]


def noted(scene: Scene) -> list[tuple[str, str]]:
    """Every note and warning, each once, with the part it belongs to."""
    parts: list[tuple[Note, Sequence[Note | str]]] = [(_STUDY(), scene.found.notes)]
    parts += [one for view, part in scene.parts.values() for one in view.noted(part)]
    told: dict[Note | str, dict[Note, None]] = {}
    for part, notes in parts:
        for note in notes:
            told.setdefault(note, {})[part] = None
    return [(_where(list(own)), as_sentence(note)) for note, own in told.items()]


def _where(parts: list[Note]) -> str:
    return str(parts[0] if len(parts) == 1 else _AND_MORE(first=parts[0], more=len(parts) - 1))
