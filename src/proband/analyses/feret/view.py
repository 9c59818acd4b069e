"""Views of a FERET evaluation: categories, versions, galleries, sizes and rejection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import polars as pl

from proband.analyses.feret.figures import study_figures
from proband.analyses.feret.statements import difficulty_statements, field_statements, study_statements
from proband.analyses.feret.tables import (
    consistency_table,
    contrast_table,
    galleries_table,
    leaderboards,
    orders_table,
    participants_table,
    rejection_table,
    size_tables,
    variation_table,
)
from proband.engine.files.spreadsheets import spreadsheet_csv
from proband.engine.frames import frame_of_rows
from proband.inference import Comparison
from proband.inference.estimates.evaluation import probes_called
from proband.inference.estimates.people_fractions import SizeCurve
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.participants import participants_frame
from proband.inference.galleries.tables import GalleryVariation
from proband.report.charts.makers.curves import cmc, gallery_sizes
from proband.report.charts.makers.rows import galleries
from proband.report.charts.spec import Chart
from proband.report.kinds.compared_methods import say_comparisons
from proband.report.kinds.evaluation_page import (
    best_first,
    evaluation_blocks,
    say_evaluation,
    summary_of as evaluated,
    thinned_curves,
)
from proband.report.kinds.pairs import leading_section
from proband.report.kinds.searches import search_blocks
from proband.report.kinds.verdicts import summary_of
from proband.report.methods_text import MethodsText
from proband.report.page.charts import shown
from proband.report.page.model import Badge, Block, Folded, Section, said
from proband.report.page.sections.conditions import badges_of_facts
from proband.report.plotting import one_of
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import Draw, Placed, Summary, View, shows
from proband.results.base import Answers, Facts
from proband.words import Note, Sentence, counted

_OVER_GALLERIES = Sentence(
    "methods.gallery-variation",
    "note",
    "Rates were measured over {design}, with Student's interval of their mean on the logit scale; galleries were "
    "tested for differences with effective sample sizes, and the spread beyond chance was estimated by moments",
)
_SIZES = Sentence(
    "methods.gallery-sizes",
    "note",
    "Rates in smaller galleries are exact expectations over random subsets of the enrolled people",
)
_REJECTION = Sentence(
    "methods.rejection",
    "note",
    "For rejection, {people:count person was/people were} removed from the gallery",
)
_FERET = Sentence("diagnostics.feret", "note", "FERET")
_VARIATION = Sentence("diagnostics.gallery-variation", "note", "galleries, {category}")


@shows(SizeCurve)
class SizeCurveView(View[SizeCurve]):
    """Rates by gallery size."""

    def charts(self, found: SizeCurve) -> Mapping[str, Sequence[Chart]]:
        return {"sizes": [gallery_sizes([found])]}


@shows(GalleryVariation)
class GalleryVariationView(View[GalleryVariation]):
    """Rates over galleries of different people."""

    def charts(self, found: GalleryVariation) -> Mapping[str, Sequence[Chart]]:
        return {"variation": [galleries(found)]}


@shows(FeretStudy)
class FeretView(View[FeretStudy]):
    """Categories, versions, galleries, sizes and rejection."""

    precedence: ClassVar = {
        "standings": 12,
        "judged": 12,
        "clusters": 12,
        "facts": 20,
        "badges": 20,
        "ordered": 15,
        "embedded": 40,
    }
    plot = staticmethod(one_of(study_figures, "cmc"))

    def tables(self, found: FeretStudy) -> Sequence[Table]:
        """Every table of the study, those of variation without the intervals of cells."""
        took_part = participants_table(found)
        return [
            *([] if took_part is None else [took_part]),
            *leaderboards(found),
            *map(contrast_table, (*found.versions, *found.improvements)),
            *(variation_table(one, intervals=False, study=found) for one in found.variation),
            *map(consistency_table, found.consistency),
            *map(orders_table, found.orders),
            *size_tables(found),
            *([] if found.rejection is None else [rejection_table(found.rejection)]),
        ]

    def notes(self, found: FeretStudy) -> Sequence[Note]:
        return study_statements(found)

    def answers(self, found: FeretStudy) -> Sequence[Answers]:
        return [found.evaluation.answers]

    def frames(self, found: FeretStudy) -> Mapping[str, pl.DataFrame]:
        """Rates, curves, and other requested results."""
        made = {"feret": [found.to_frame()], "feret_cmc": [found.evaluation.curves_frame()]}
        made["feret_participants"] = (
            [participants_frame(found.participants)] if found.told_of_participants else []
        )
        made["feret_variation"] = list(map(_variation_frame, found.variation))
        made["feret_consistency"] = [one.to_frame() for one in found.consistency]
        made["feret_orders"] = [one.to_frame() for one in found.orders]
        made["feret_sizes"] = list(map(_sizes_frame, found.sizes))
        return {name: pl.concat(parts, how="vertical_relaxed") for name, parts in made.items() if parts}

    def figures(self, found: FeretStudy, scene: Scene) -> Mapping[str, Draw]:
        return {f"feret_{name}": draw for name, draw in study_figures(found).items()}

    def sections(self, found: FeretStudy, scene: Scene) -> Iterator[Placed]:
        """Curves and rates, where no other analysis has them; what FERET asks; every pair; and rejection."""
        if self._leads(found, scene):
            blocks = evaluation_blocks(found.evaluation, scene.looks, False)
            yield Placed(20, Section("identification", "Identification", tuple(blocks)))
        yield Placed(39, Section("feret", "FERET evaluation", tuple(feret_blocks(found, scene.looks))))
        yield from leading_section(self.standings(found), scene)
        if found.rejection is not None:
            people = counted(found.rejection.n_held_out, "person was", "people were")
            held = f"Rejection: {people} removed from the gallery at random (seed {found.rejection.seed})."
            searched = search_blocks(found.rejection.results, scene.looks, "rejection")
            yield Placed(36, Section("rejection", "Rejection", (*said([held]), *searched)))

    def _leads(self, found: FeretStudy, scene: Scene) -> bool:
        """Whether no other analysis evaluates the probes."""
        return bool(scene.facts) and scene.facts[0] is self.facts(found)[0]

    def embedded(self, found: FeretStudy) -> Mapping[str, str]:
        return {
            "leaderboard-summary.csv": spreadsheet_csv(found.evaluation.to_frame(wide=True)),
            "cmc-thinned.csv": thinned_curves(found.evaluation),
        }

    def ordered(self, found: FeretStudy) -> Sequence[str]:
        return [entry.algorithm for entry in best_first(found.evaluation)]

    def headline(self, found: FeretStudy, scene: Scene) -> Summary | None:
        """Who leads on the first set of probes, or the best rate."""
        comparison = self.standings(found)
        return evaluated(found.evaluation, 31) if comparison is None else summary_of(comparison, 12)

    def standings(self, found: FeretStudy) -> Comparison | None:
        return found.results[0].comparison

    def facts(self, found: FeretStudy) -> Sequence[Facts]:
        return [entry.curve.facts for entry in found.evaluation.of(found.evaluation.categories[0])]

    def judged(self, found: FeretStudy) -> Sequence[Facts]:
        return super().judged(found) or self.facts(found)

    def badges(self, found: FeretStudy) -> Sequence[Badge]:
        return badges_of_facts(found.evaluation.entries[0].curve.facts)

    def noted(self, found: FeretStudy) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        over = [(_VARIATION(category=probes_called(one.category)), one.notes) for one in found.variation]
        return [(_FERET(), found.notes), *over]

    def methods(self, found: FeretStudy, text: MethodsText, scene: Scene) -> None:
        """How galleries were made."""
        if self._leads(found, scene):
            say_evaluation(text, found.evaluation)
        comparison = self.standings(found)
        if comparison is not None and scene.standings is comparison:
            say_comparisons(text, [comparison])
        if found.variation:
            over = _OVER_GALLERIES(design=found.variation[0].design)
            text.say(over, "phillips2000", "rao1992", "dersimonian1986")
        if found.sizes:
            text.say(_SIZES())
        if found.rejection is not None:
            text.say(_REJECTION(people=found.rejection.n_held_out), "phillips2000")


def _variation_frame(one: GalleryVariation) -> pl.DataFrame:
    """Every cell of a table of variation."""
    about = pl.lit(probes_called(one.category)).alias("category"), pl.lit(str(one.design)).alias("design")
    return one.to_frame().with_columns(pl.col("first", "last").cast(pl.String)).select(*about, pl.all())


def _sizes_frame(one: SizeCurve) -> pl.DataFrame:
    """Every point of a curve over gallery sizes."""
    return frame_of_rows(
        [
            {
                "category": probes_called(one.category),
                "algorithm": one.algorithm,
                "gallery": size,
                f"rank_{one.rank}": rate,
                f"rank_{one.rank}_low": low,
                f"rank_{one.rank}_high": high,
                "probes": one.n_probes,
                "people_drawn_from": one.n_enrolled,
            }
            for size, rate, low, high in zip(one.sizes, one.rates, one.low, one.high, strict=True)
        ]
    )


def feret_blocks(study: FeretStudy, places: Mapping[str, int]) -> Iterator[Block]:
    """Participants, averages, versions of algorithms, galleries of different people, the field, and sizes."""
    yield from said(difficulty_statements(study))
    took_part = participants_table(study)
    if took_part is not None:
        yield took_part.paged
    if len(study.panels) > 1:
        yield from _curves_by_date(study, places)
    if len(study.field) > 1:
        first = study.results[0]
        title = f"Average and current upper bound, {probes_called(first.category)}"
        yield shown(cmc([first.average, first.upper_bound], "feret-average", title))
    for place, contrast in enumerate((*study.versions, *study.improvements), 1):
        yield contrast_table(contrast, f"contrast-{place}")
    yield from _variation_blocks(study, places)
    yield from _field_blocks(study)
    sizes = []
    for place, category in enumerate(study.evaluation.categories, 1):
        curves = [one for one in study.sizes if one.category == category]
        if curves:
            title = f"Recognition rate by the size of the gallery, {probes_called(category)}"
            sizes.append(shown(gallery_sizes(curves, f"sizes-{place}", title), places=places))
    yield from _first_and_folded(sizes, "Gallery sizes by probe category")


def _first_and_folded(blocks: Sequence[Block], title: str) -> Iterator[Block]:
    """The first of several blocks, and the others folded."""
    yield from blocks[:1]
    if blocks[1:]:
        yield Folded(title, tuple(blocks[1:]))


def _curves_by_date(study: FeretStudy, places: Mapping[str, int]) -> Iterator[Block]:
    """The curves of the algorithms of each date: of the first set of probes, and folded of the others."""
    by_set = []
    for set_number, category in enumerate(study.evaluation.categories, 1):
        charts: list[Block] = []
        for number, panel in enumerate(study.panels, 1):
            entries = study.evaluation.of(category)
            bands = [one.band for one in entries if one.algorithm in panel.algorithms]
            title = f"Recognition rate by rank, {probes_called(category)}, {panel.label or 'no date'}"
            if bands:
                charts.append(shown(cmc(bands, f"cmc-date-{set_number}-{number}", title), places=places))
        by_set.append(charts)
    first, *others = by_set
    yield from first
    more = tuple(chart for charts in others for chart in charts)
    if more:
        yield Folded("Curves by date of test and probe category", more)


def _variation_blocks(study: FeretStudy, places: Mapping[str, int]) -> Iterator[Block]:
    """Rates over galleries: the first set of probes, folded the others, and all tables."""
    charts, tables = [], []
    for place, one in enumerate(study.variation, 1):
        title = f"Rates in galleries of different people, {probes_called(one.category)}"
        chart = galleries(one, "galleries" if place == 1 else f"galleries-{place}", title, study.panels)
        charts.append(shown(chart, places=places))
        tables.append(galleries_table(one, f"variation-{place}"))
    yield from _first_and_folded(charts, "Rates over galleries by probe category")
    if tables:
        yield Folded("Rates in every gallery", tuple(tables))


def _field_blocks(study: FeretStudy) -> Iterator[Block]:
    """Consistency across galleries, and the orderings by identification and by verification."""
    ahead = [consistency_table(one, None, f"consistency-{k}") for k, one in enumerate(study.consistency, 1)]
    if ahead:
        yield Folded("Consistency across galleries", tuple(ahead))
    orders = [orders_table(one, f"orders-{place}") for place, one in enumerate(study.orders, 1)]
    yield from _first_and_folded(orders, "Both orderings by probe category")
    if ahead:
        yield Folded("Notes on counts and orderings", tuple(said(field_statements(study))))
