"""Views of a stratified evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

import polars as pl

from proband.analyses.strat.figures import (
    algorithms_chart,
    errors_chart,
    first_to_vary,
    galleries_chart,
    gallery_effect_figure,
    plot_study,
    ranks_drawn,
    study_figures,
    units_chart,
)
from proband.analyses.strat.tables import (
    all_tables,
    errors_table,
    of_gallery,
    people_statement,
    sensor_statements,
    study_statements,
    study_tables,
    units_table,
    whose_errors,
)
from proband.engine.frames import frame_of_rows
from proband.inference import Band, Comparison, Estimate
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.strata.study import StratStudy
from proband.report import columns as col
from proband.report.charts.makers.rows import gallery_effect
from proband.report.kinds.compared_methods import say_comparisons
from proband.report.kinds.comparisons import told_and_left
from proband.report.kinds.differences import difference_tables
from proband.report.kinds.pairs import leading_section
from proband.report.kinds.verdicts import rate_of_items, summary_of
from proband.report.methods_text import MethodsText
from proband.report.page.charts import shown, side_by_side
from proband.report.page.model import Badge, Block, Folded, Section, said
from proband.report.page.sections.conditions import badges_of_facts
from proband.report.plotting import alone, drawn_by
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.results.base import Answers, Facts
from proband.results.estimate import facts_of
from proband.words import Note, Sentence

_MOST_SENSORS = 4  # sentences; all of them if everything is explained
_IN_TURN = Sentence(
    "methods.stratified-galleries",
    "note",
    "Each of {images} images of {people:count person/people} served as the gallery in turn, in original and mixed "
    "columns; differences between galleries were tested over people by Hotelling's T²",
)
_FIXED_GALLERY = Sentence(
    "methods.stratified-fixed-gallery",
    "note",
    "The gallery was fixed, and probes of {people:count person/people} were evaluated as a stratified sample",
)
_GALLERY_ERRORS = Sentence(
    "methods.gallery-errors", "note", "Standard errors of each gallery: {methods:parts}"
)
_GALLERIES = Sentence("diagnostics.galleries", "note", "galleries")


@shows(GalleryEffect)
class GalleryEffectView(View[GalleryEffect]):
    """Each column of images as the gallery in turn."""

    plot = staticmethod(drawn_by(gallery_effect_figure, alone))


@shows(StratStudy)
class StratView(View[StratStudy]):
    """Galleries or rates, standard errors by several methods, sensors and algorithms."""

    precedence: ClassVar = {"standings": 11, "judged": 11, "clusters": 11, "facts": 50, "badges": 50}
    plot = staticmethod(plot_study)

    def tables(self, found: StratStudy) -> Sequence[Table]:
        return all_tables(found)

    def notes(self, found: StratStudy) -> Sequence[Note]:
        return study_statements(found)

    def answers(self, found: StratStudy) -> Sequence[Answers]:
        return [found.answers]

    def passages(self, found: StratStudy, explain: bool) -> Iterator[Passage]:
        """Participation above the tables, verdicts below."""
        told, left = (of_gallery(found, notes) for notes in told_and_left(found.comparison, explain))
        sensors = sensor_statements(found)
        before = [] if explain else [people_statement(found)]
        shown = [] if explain or len(sensors) > _MOST_SENSORS else sensors  # the table has the verdicts
        notes = [note for note in study_statements(found) if note not in (*before, *shown)]
        own = all_tables(found) if explain else study_tables(found)
        tables = [*own, *difference_tables(found.comparison)]
        yield Passage(tables, [*told, *shown], [*left, *notes], self.answers(found), before)

    def frames(self, found: StratStudy) -> Mapping[str, pl.DataFrame]:
        """Rates by gallery; and every curve: of galleries with their bands, of errors by method, of variances by units."""
        rates = [
            {
                **gallery.named,
                f"rank_{found.rank}": gallery.rate.value,
                "standard_error": gallery.rate.standard_error,
                "low": gallery.rate.low,
                "high": gallery.rate.high,
                "p_galleries": gallery.p_value,
            }
            for gallery in _galleries(found)
        ]
        people = found.curves[0].facts.n_gallery_subjects
        curves = [
            {**gallery.named, **at, "rate": gallery.band.values[k], "low": gallery.band.low[k], "high": gallery.band.high[k]}
            for gallery in _galleries(found)
            for k, at in _ranks(len(gallery.band.values), people)
        ]  # fmt: skip
        errors = [
            {"algorithm": algorithm, "method": one.method.key, "varying": one.varying.key, "n_replicates": one.n_replicates, **at,
             "standard_error": one.by_rank[k]}
            for algorithm, methods in found.errors.items()
            for one in methods.values()
            for k, at in _ranks(len(one.by_rank), people)
        ]  # fmt: skip
        units = [
            {"algorithm": algorithm, "units": one.units, "n_choices": one.n_choices, "left_out": one.left_out, **at, "variance": one.by_rank[k],
             "lowest": None if one.lowest is None else one.lowest[k], "highest": None if one.highest is None else one.highest[k]}
            for algorithm, variances in found.variances.items()
            for one in variances
            for k, at in _ranks(len(one.by_rank), people)
        ]  # fmt: skip
        named = {"strat": rates, "strat_curves": curves, "strat_errors": errors, "strat_units": units}
        return {name: frame_of_rows(rows) for name, rows in named.items() if rows}

    def figures(self, found: StratStudy, scene: Scene) -> Mapping[str, Draw]:
        return {f"strat_{name}": draw for name, draw in study_figures(found).items()}

    def sections(self, found: StratStudy, scene: Scene) -> Iterator[Placed]:
        """Galleries and standard errors; and every pair, where its comparison leads."""
        yield Placed(38, Section("strat", "Strata", tuple(self.blocks(found, scene))))
        yield from leading_section(found.comparison, scene)

    def blocks(self, found: StratStudy, scene: Scene) -> Iterator[Block]:
        """Galleries in turn or the fixed gallery, their curves, and standard errors; other algorithms are folded."""
        first = first_to_vary(found)
        if found.effects:
            mixed = "Rates with each image as the gallery, after mixing"
            yield shown(gallery_effect(found.effects, "strat-galleries"), places=scene.looks)
            yield shown(gallery_effect(found.mixed, "strat-mixed", mixed), places=scene.looks)
        else:
            yield from (table.paged for table in study_tables(found)[:-1])
        yield shown(algorithms_chart(found), places=scene.looks)
        yield from said(whose_errors(found))
        yield from _of_algorithm(found, first)
        others = [rate.algorithm for rate in found.cases if rate.algorithm != first]
        for place, name in enumerate(others, 2):
            if blocks := tuple(_of_algorithm(found, name, f"-{place}")):
                yield Folded(f"The same curves for {name}", blocks)
        if found.effects:
            yield Folded("Each gallery", (_effects_table(found),))
        meaning = "Notes on the galleries" if found.effects else "Notes"
        yield Folded(meaning, tuple(said(study_statements(found))))

    def headline(self, found: StratStudy, scene: Scene) -> Summary | None:
        """The leader, or whether galleries differ, which sensor is better, or the rate of a single algorithm."""
        if found.comparison is not None:
            return summary_of(found.comparison, 11)
        return Summary(_told(found), precedence=70)

    def standings(self, found: StratStudy) -> Comparison | None:
        return found.comparison

    def facts(self, found: StratStudy) -> Sequence[Facts]:
        return facts_of(found.cases)

    def badges(self, found: StratStudy) -> Sequence[Badge]:
        return badges_of_facts(facts_of(found.cases)[0])

    def noted(self, found: StratStudy) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        return [] if found.comparison is None else [(_GALLERIES(), found.comparison.notes)]

    def methods(self, found: StratStudy, text: MethodsText, scene: Scene) -> None:
        """How variance was replicated."""
        if found.comparison is not None and scene.standings is found.comparison:
            say_comparisons(text, [found.comparison])
        if found.effects:
            sizes = {"images": found.n_images, "people": found.n_subjects}
            text.say(_IN_TURN(**sizes), "micheals2001", "hotelling1931")
        else:
            text.say(_FIXED_GALLERY(people=found.n_subjects), "micheals2001")
        every = [*found.estimates, *(one for effect in found.effects for one in effect.estimates)]
        text.say_methods(_GALLERY_ERRORS, (one.method for one in every))


def _told(study: StratStudy) -> Note:
    """Whether galleries differ, which sensor is better, or how good the only algorithm is."""
    if study.effects:
        return study.effects[0].sentence()
    if study.sensors:
        return study.sensors[0].people.sentences()[0]
    return rate_of_items(study.estimates[0])


def _of_algorithm(study: StratStudy, algorithm: str, suffix: str = "") -> Iterator[Block]:
    """The curves of one algorithm: galleries before and after mixing, standard errors by method, variances by units."""
    relative = study.relative_ranks
    both = [effect for effect in (*study.effects, *study.mixed) if effect.algorithm == algorithm]
    if both:
        last = ranks_drawn(both)
        names = (f"strat-{kind}-curves{suffix}" for kind in ("galleries", "mixed"))
        yield from side_by_side(
            [galleries_chart(effect, last, id=next(names), relative=relative) for effect in both]
        )
    if algorithm not in (*study.varying_algorithms, first_to_vary(study)):
        return
    charts = [errors_chart(study, algorithm, id=f"strat-errors-chart{suffix}")]
    tables = [errors_table(study, algorithm, id=f"strat-errors{suffix}")]
    if study.n_images > 3:
        charts.append(units_chart(study, algorithm, id=f"strat-units-chart{suffix}"))
        tables.append(units_table(study, algorithm, id=f"strat-units{suffix}"))
    yield from side_by_side(charts)
    yield from tables


class _Gallery(NamedTuple):
    """The rate and the curve of an algorithm in one gallery, how that was made, and the test of whether its galleries differ."""

    images: str
    number: int
    rate: Estimate
    band: Band
    p_value: float | None

    @property
    def algorithm(self) -> str:
        """Name of the algorithm."""
        return self.rate.algorithm

    @property
    def named(self) -> dict[str, str | int]:
        """What distinguishes it from others."""
        return {"algorithm": self.algorithm, "galleries": self.images, "gallery": self.number}


def _galleries(study: StratStudy) -> list[_Gallery]:
    in_turn = [
        _Gallery("mixed" if effect.mixed else "as they are", number, rate, band, effect.test.p_value)
        for effect in (*study.effects, *study.mixed)
        for number, (rate, band) in enumerate(zip(effect.estimates, effect.bands, strict=True), 1)
    ]
    fixed = zip(study.estimates, study.bands, strict=True)
    return in_turn + [_Gallery("fixed", 1, rate, band, None) for rate, band in fixed]


def _ranks(last: int, people: int) -> Iterator[tuple[int, dict[str, float]]]:
    """Ranks 1, 2, …, also as shares of the people in the gallery, by their places."""
    return ((k, {"rank": k + 1, "relative_rank": (k + 1) / people}) for k in range(last))


def _effects_table(study: StratStudy) -> Table:
    """Each gallery, as it is and mixed."""
    names = [effect.algorithm for effect in study.effects]
    return col.table_of(
        "Each column of images as the gallery in turn",
        sorted(_galleries(study), key=lambda one: names.index(one.algorithm)),
        col.name("algorithm", lambda one: one.algorithm),
        col.name("images", lambda one: one.images),
        col.count("gallery", lambda one: one.number),
        col.rate(f"rate at rank {study.rank}", lambda one: one.rate.value),
        col.interval(
            col.at_level(study.effects[0].estimates[0].confidence_level),
            lambda one: (one.rate.low, one.rate.high),
            answers=lambda one: one.rate.answers,
        ),
        col.rate("standard error", lambda one: one.rate.standard_error),
        col.p("p", explained="Test of whether the algorithm's galleries differ (Hotelling, over people)."),
        id="gallery-effect",
    )
