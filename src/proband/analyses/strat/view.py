"""A stratified evaluation shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

import polars as pl

from proband.analyses.strat.figures import gallery_effect_figure
from proband.analyses.strat.tables import (
    of_gallery,
    people_statement,
    sensor_statements,
    study_figures,
    study_statements,
    study_tables,
)
from proband.engine.frames import frame_of_rows
from proband.inference import Comparison, Estimate
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.strata.study import StratStudy
from proband.report import columns as col
from proband.report.charts.makers.curves import cmc
from proband.report.charts.makers.rows import gallery_effect
from proband.report.kinds.compared_methods import say_comparisons
from proband.report.kinds.comparisons import told_and_left
from proband.report.kinds.differences import difference_tables
from proband.report.kinds.pairs import leading_section
from proband.report.kinds.verdicts import rate_of_items, summary_of
from proband.report.methods_text import MethodsText
from proband.report.page.charts import shown
from proband.report.page.model import Badge, Block, Folded, Section, said
from proband.report.page.sections.conditions import badges_of_facts
from proband.report.plotting import alone, drawn_by, one_of
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
    "Each of {images} images of {people:count person/people} served as the gallery in turn, as they are and mixed; whether the "
    "galleries differ was tested over people by Hotelling's T²",
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
    plot = staticmethod(one_of(study_figures, "galleries"))

    def tables(self, found: StratStudy) -> Sequence[Table]:
        return study_tables(found)

    def notes(self, found: StratStudy) -> Sequence[Note]:
        return study_statements(found)

    def answers(self, found: StratStudy) -> Sequence[Answers]:
        return [found.cases[0].answers]

    def passages(self, found: StratStudy, explain: bool) -> Iterator[Passage]:
        """Who takes part above the tables, verdicts beneath."""
        told, left = (of_gallery(found, notes) for notes in told_and_left(found.comparison, explain))
        sensors = sensor_statements(found)
        before = [] if explain else [people_statement(found)]
        shown = [] if explain or len(sensors) > _MOST_SENSORS else sensors  # the table has the verdicts
        notes = [note for note in study_statements(found) if note not in (*before, *shown)]
        tables = [*study_tables(found), *difference_tables(found.comparison)]
        yield Passage(tables, [*told, *shown], [*left, *notes], self.answers(found), before)

    def frames(self, found: StratStudy) -> Mapping[str, pl.DataFrame]:
        rows = [
            {
                "algorithm": one.algorithm,
                "galleries": one.images,
                "gallery": one.number,
                f"rank_{found.rank}": one.rate.value,
                "standard_error": one.rate.standard_error,
                "low": one.rate.low,
                "high": one.rate.high,
                "p_galleries": one.p_value,
            }
            for one in _galleries(found)
        ]
        return {"strat": frame_of_rows(rows)}

    def figures(self, found: StratStudy, scene: Scene) -> Mapping[str, Draw]:
        return {f"strat_{name}": draw for name, draw in study_figures(found).items()}

    def sections(self, found: StratStudy, scene: Scene) -> Iterator[Placed]:
        """Galleries and standard errors; and every pair, where its comparison leads."""
        yield Placed(38, Section("strat", "Strata", tuple(self.blocks(found, scene))))
        yield from leading_section(found.comparison, scene)

    def blocks(self, found: StratStudy, scene: Scene) -> Iterator[Block]:
        """Each column of images as the gallery in turn, or the fixed gallery, and the standard errors of several methods."""
        if found.effects:
            mixed = "Rates with each image as the gallery, after mixing"
            yield shown(gallery_effect(found.effects, "strat-galleries"), places=scene.looks)
            yield shown(gallery_effect(found.mixed, "strat-mixed", mixed), places=scene.looks)
            tables = _effects_table(found), _errors_table(found)
            yield Folded("Each gallery, and standard errors by method", tables)
        else:
            title, relative = "Recognition rate with the fixed gallery", found.relative_ranks
            yield shown(cmc(found.bands, "strat-algorithms", title, relative=relative))
            yield from (one.paged for one in study_tables(found))
            yield Folded("Standard errors by method", (_errors_table(found),))
        meaning = "What the galleries mean" if found.effects else "What they mean"
        yield Folded(meaning, tuple(said(study_statements(found))))

    def headline(self, found: StratStudy, scene: Scene) -> Summary | None:
        """Who leads; or whether galleries differ, which sensor is better, or how good the only algorithm is."""
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


class _Gallery(NamedTuple):
    """The rate of an algorithm in one gallery, how that was made, and the test of whether its galleries differ."""

    algorithm: str
    images: str
    number: int
    rate: Estimate
    p_value: float | None


def _galleries(study: StratStudy) -> list[_Gallery]:
    every = [
        _Gallery(
            effect.algorithm, "mixed" if effect.mixed else "as they are", number, one, effect.test.p_value
        )
        for effect in (*study.effects, *study.mixed)
        for number, one in enumerate(effect.estimates, 1)
    ]
    return every + [_Gallery(one.algorithm, "fixed", 1, one, None) for one in study.estimates]


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
        col.p(
            "p", explained="Do the galleries of this row's algorithm differ? Hotelling's test over people."
        ),
        id="gallery-effect",
    )


def _errors_table(study: StratStudy) -> Table:
    """The standard errors of the first algorithm by several methods."""
    gallery = "first mixed gallery" if study.effects else "fixed gallery"
    return col.table_of(
        f"Standard error at rank {study.rank} of {study.cases[0].algorithm}, {gallery}",
        study.errors.values(),
        col.name("method", lambda one: str(one.method)),
        col.name("varying", lambda one: str(one.varying)),
        col.rate("standard error", lambda one: float(one.by_rank[study.rank - 1])),
        id="strat-errors",
    )
