"""Views of identification: rates and curves, other measures, and overlap of the sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
import polars as pl

from proband.analyses.identification.run import Identified
from proband.engine.files.spreadsheets import spreadsheet_csv
from proband.engine.frames import frame_of_rows
from proband.inference.estimates.evaluation import probes_called
from proband.report import columns as col
from proband.report.charts.makers.replicates import replicates_charts
from proband.report.figures.identification import evaluation_figure, replicates_figure
from proband.report.kinds.evaluation import evaluation_tables, overlap_tables, short_tables, statements
from proband.report.kinds.evaluation_page import (
    best_first,
    evaluation_blocks,
    say_evaluation,
    standing_estimates,
    summary_of,
    thinned_curves,
)
from proband.report.methods_text import MethodsText
from proband.report.model_card import CardMetric, metrics_of
from proband.report.notes import answered, bounds_mark, noted_of
from proband.report.page.charts import shown
from proband.report.page.model import Badge, Folded, Section, said
from proband.report.page.sections.conditions import badges_of_facts
from proband.report.plotting import drawn_by
from proband.report.scene import Scene
from proband.report.standings import Standing
from proband.report.tables.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.results.base import Facts
from proband.results.estimate import Clusters, Estimate
from proband.words import Note, Sentence, Target

_VARYING = Sentence(
    "measures.varying",
    "note",
    "{measure}: {design}. What varies: {varying}. Held fixed: {fixed}. Assumed: {assuming}",
)
_IDENTIFICATION = Sentence("diagnostics.identification", "note", "identification")


@shows(Identified)
class IdentificationView(View[Identified]):
    """Rates and curves by probe category, and other measures."""

    precedence: ClassVar = {
        "facts": 10,
        "badges": 10,
        "judged": 30,
        "clusters": 30,
        "ordered": 10,
        "estimates": 10,
        "embedded": 30,
    }
    plot = staticmethod(drawn_by(evaluation_figure, lambda found: found.evaluation))

    def tables(self, found: Identified) -> Sequence[Table]:
        return [*evaluation_tables(found.evaluation), *self._besides(found)]

    def latex(self, found: Identified) -> Sequence[Table]:
        return [*short_tables(found.evaluation), *self._besides(found)]

    def _besides(self, found: Identified) -> Iterator[Table]:
        """Overlap of the sets, and other measures."""
        if found.overlap is not None:
            yield from overlap_tables(found.overlap)
        if found.measured:
            yield measures_table(found.measured, found.evaluation.confidence_level)

    def notes(self, found: Identified) -> Sequence[Note]:
        return statements(found.evaluation)

    def passages(self, found: Identified, explain: bool) -> Iterator[Passage]:
        """Rates, then what the sets share, then other measures."""
        evaluation = found.evaluation
        yield Passage(short_tables(evaluation), (), statements(evaluation), [evaluation.answers])
        if found.overlap is not None:
            yield Passage(overlap_tables(found.overlap))
        if found.measured:
            answers = [estimate.answers for estimate in found.measured]
            table = measures_table(found.measured, evaluation.confidence_level)
            told = measures_statements(found.measured, statements(evaluation))
            yield Passage([table], (), told, answers)

    def frames(self, found: Identified) -> Mapping[str, pl.DataFrame]:
        """Rates, curves, other measures, and what the sets share."""
        made = {"leaderboard": found.evaluation.to_frame(wide=True), "cmc": found.evaluation.curves_frame()}
        if found.measured:
            made["measures"] = measures_frame(found.measured)
        return made | ({} if found.overlap is None else {"overlap": found.overlap.to_frame()})

    def figures(self, found: Identified, scene: Scene) -> Mapping[str, Draw]:
        """Curves, and the distributions of replicates where there are any."""
        relative = found.relative_ranks
        made: dict[str, Draw] = {
            "cmc": lambda: evaluation_figure(found.evaluation, places=scene.looks, relative=relative)
        }
        drawn = with_replicates(found.measured)
        return made | ({"distributions": lambda: replicates_figure(drawn)} if drawn else {})

    def sections(self, found: Identified, scene: Scene) -> Iterator[Placed]:
        """Curves and rates; other measures; what the sets share."""
        blocks = evaluation_blocks(found.evaluation, scene.looks, found.relative_ranks)
        yield Placed(20, Section("identification", "Identification", tuple(blocks)))
        if found.measured:
            table = measures_table(found.measured, scene.confidence_level)
            told = Folded("Notes on the measures", tuple(said(measures_statements(found.measured))))
            charts = replicates_charts(with_replicates(found.measured))
            drawn = tuple(shown(one, places=scene.looks) for one in charts)
            spread = (Folded("Distribution over replicates", drawn),) if drawn else ()
            yield Placed(25, Section("measures", "Other measures", (table, *spread, told)))
        if found.overlap is not None:
            blocks = [*overlap_tables(found.overlap), *said(found.overlap.notes)]
            yield Placed(27, Section("overlap", "Overlap of the sets", tuple(blocks)))

    def embedded(self, found: Identified) -> Mapping[str, str]:
        return {
            "leaderboard-summary.csv": spreadsheet_csv(found.evaluation.to_frame(wide=True)),
            "cmc-thinned.csv": thinned_curves(found.evaluation),
        }

    def algorithms(self, found: Identified) -> Sequence[str]:
        return found.evaluation.algorithms

    def ordered(self, found: Identified) -> Sequence[str]:
        return [entry.algorithm for entry in best_first(found.evaluation)]

    def headline(self, found: Identified, scene: Scene) -> Summary | None:
        return summary_of(found.evaluation, 30)

    def estimates(self, found: Identified) -> tuple[str, Sequence[Standing]] | None:
        return standing_estimates(found.evaluation)

    def facts(self, found: Identified) -> Sequence[Facts]:
        return [entry.curve.facts for entry in found.evaluation.of(found.evaluation.categories[0])]

    def judged(self, found: Identified) -> Sequence[Facts]:
        return [entry.curve.facts for entry in best_first(found.evaluation)]

    def badges(self, found: Identified) -> Sequence[Badge]:
        return badges_of_facts(found.evaluation.entries[0].curve.facts)

    def clusters(self, found: Identified) -> Mapping[str, Clusters]:
        """At the first rank, where people have several probes."""
        entries = found.evaluation.of(found.evaluation.categories[0])
        facts, rank = entries[0].curve.facts, found.evaluation.ranks[0]
        if facts.n_probe_subjects == facts.n_probes:
            return {}
        return {one.algorithm: one.clusters(rank) for one in entries}

    def replicated(self, found: Identified) -> Sequence[Estimate]:
        return found.measured

    def noted(self, found: Identified) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        return [(_IDENTIFICATION(), found.evaluation.notes)]

    def methods(self, found: Identified, text: MethodsText, scene: Scene) -> None:
        say_evaluation(text, found.evaluation)

    def metrics(self, found: Identified) -> Sequence[CardMetric]:
        return metrics_of(found.evaluation)


def measures_table(measured: Sequence[Estimate], level: float) -> Table:
    """Measures other than rates and curves: one row per measure, set of probes and algorithm."""
    return col.table_of(
        "Other measures",
        measured,
        col.name("measure", lambda estimate: str(estimate.of)),
        col.name(
            "probes of",
            lambda estimate: probes_called(estimate.who.category or None),
            when=any(estimate.who.category for estimate in measured),
        ),
        col.name("algorithm", lambda estimate: estimate.algorithm),
        col.rate("value", lambda estimate: estimate.value),
        col.interval(
            col.at_level(level),
            lambda estimate: (estimate.low, estimate.high),
            answers=lambda estimate: estimate.answers,
            kind="number",
        ),
        id="measures",
    )


def measures_frame(measured: Sequence[Estimate]) -> pl.DataFrame:
    """The same as a frame."""
    return frame_of_rows(
        [
            {
                "measure": estimate.measure,
                "category": estimate.who.category or None,
                "algorithm": estimate.algorithm,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "standard_error": estimate.standard_error,
                "design": str(estimate.method),
            }
            for estimate in measured
        ],
        {
            **dict.fromkeys(("measure", "category", "algorithm"), pl.String),
            **dict.fromkeys(("value", "low", "high", "standard_error"), pl.Float64),
            "design": pl.String,
        },
    )


def with_replicates(measured: Sequence[Estimate]) -> list[tuple[Estimate, ...]]:
    """The estimates of each measure and set of probes that has replicates to draw."""
    groups: dict[tuple[Target, str], list[Estimate]] = {}
    for estimate in measured:
        groups.setdefault((estimate.of, estimate.who.category), []).append(estimate)
    return [
        tuple(group)
        for group in groups.values()
        if all(own.replicates is not None and np.isfinite(own.replicates).any() for own in group)
    ]


def measures_statements(measured: Sequence[Estimate], told: Sequence[Note] = ()) -> list[Note]:
    """State what each measure's interval varies, holds fixed and assumes, and other notes not already `told`."""
    varying = (
        answered(estimate.answers, _VARYING, measure=estimate.of, design=estimate.method)
        for estimate in measured
    )
    marks = bounds_mark(measured[0].side) if measured else []
    by_measure: dict[str, list[Estimate]] = {}
    for estimate in measured:
        by_measure.setdefault(estimate.measure, []).append(estimate)
    noted = (note for estimates in by_measure.values() for note in noted_of(estimates))
    return [note for note in dict.fromkeys((*varying, *marks, *noted)) if note not in told]
