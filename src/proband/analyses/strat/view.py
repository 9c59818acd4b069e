"""A stratified evaluation shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import polars as pl

from proband.analyses.strat.figures import gallery_effect_figure
from proband.analyses.strat.page import strat_blocks
from proband.analyses.strat.tables import (
    of_gallery,
    people_statement,
    sensor_statements,
    study_figures,
    study_statements,
    study_tables,
)
from proband.engine.frames import frame_of_rows
from proband.inference import Comparison
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.strata.study import StratStudy
from proband.report.kinds.compared_methods import say_comparisons
from proband.report.kinds.comparisons import unsaid_verdicts, verdicts
from proband.report.kinds.pairs import comparison_blocks
from proband.report.kinds.verdicts import summary_of
from proband.report.methods_text import MethodsText
from proband.report.page.model import Badge, Section
from proband.report.page.sections.conditions import badges_of_facts
from proband.report.plotting import alone, drawn_by, one_of
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.results.base import Answers, Facts
from proband.results.estimate import Clusters
from proband.words import Note, Sentence

_MOST_SENSORS = 4  # sentences; all of them if everything is explained
_IN_TURN = Sentence(
    "methods.stratified-galleries",
    "note",
    "Each of {images} images of {people:count person/people} served as the gallery in turn, as they are and mixed; whether the "
    "galleries differ was tested over people by Hotelling's T²",
)
_GALLERY_ERRORS = Sentence(
    "methods.gallery-errors", "note", "Standard errors of each gallery: {methods:parts}"
)
_GALLERIES = Sentence("diagnostics.galleries", "note", "galleries")
_RATE_OF = Sentence(
    "verdict.rate-of-items",
    "note",
    "{algorithm}: {of} {rate:rate} [{low:rate}, {high:rate}] over {n:count sample}",
)


@shows(GalleryEffect)
class GalleryEffectView(View[GalleryEffect]):
    """Each column of images as the gallery in turn."""

    plot = staticmethod(drawn_by(gallery_effect_figure, alone))


@shows(StratStudy)
class StratView(View[StratStudy]):
    """Galleries, standard errors by several methods, sensors and algorithms."""

    precedence: ClassVar = {"standings": 11, "judged": 11, "clusters": 11, "facts": 50, "badges": 50}
    plot = staticmethod(one_of(study_figures, "galleries"))

    def tables(self, found: StratStudy) -> Sequence[Table]:
        """Galleries or rates, and sensors."""
        return study_tables(found)

    def notes(self, found: StratStudy) -> Sequence[Note]:
        """What they mean."""
        return study_statements(found)

    def answers(self, found: StratStudy) -> Sequence[Answers]:
        """What varies."""
        return [found.cases[0].answers]

    def passages(self, found: StratStudy, explain: bool) -> Iterator[Passage]:
        """Who takes part above the tables, verdicts beneath."""
        comparison = found.comparison
        if explain:
            told = [] if comparison is None else of_gallery(found, comparison.sentences())
            yield Passage(study_tables(found), told, study_statements(found), self.answers(found))
            return
        who, sensors = people_statement(found), sensor_statements(found)
        shown = sensors if len(sensors) <= _MOST_SENSORS else []  # the table has the verdicts
        unsaid = [] if comparison is None else of_gallery(found, unsaid_verdicts(comparison))
        told = [] if comparison is None else of_gallery(found, verdicts(comparison))
        notes = [note for note in study_statements(found) if note not in (who, *shown)]
        yield Passage(
            study_tables(found), [*told, *shown], [*unsaid, *notes], self.answers(found), before=[who]
        )

    def frames(self, found: StratStudy) -> Mapping[str, pl.DataFrame]:
        """A row for each algorithm, gallery and way of making galleries."""
        return {"strat": _strat(found)}

    def figures(self, found: StratStudy, scene: Scene) -> Mapping[str, Draw]:
        """The paper's figures."""
        return {f"strat_{name}": draw for name, draw in study_figures(found).items()}

    def sections(self, found: StratStudy, scene: Scene) -> Iterator[Placed]:
        """Galleries and standard errors; and every pair, where its comparison leads."""
        yield Placed(38, Section("strat", "Strata", tuple(strat_blocks(found, scene.looks))))
        if found.comparison is not None and scene.standings is found.comparison:
            named = {str(found.comparison.estimates[0].answers.of): found.comparison}
            yield Placed(40, Section("comparisons", "Comparisons", tuple(comparison_blocks(named))))

    def headline(self, found: StratStudy, scene: Scene) -> Summary | None:
        """Who leads; or whether galleries differ, which sensor is better, or how good the only algorithm is."""
        if found.comparison is not None:
            return summary_of(found.comparison, 11)
        return Summary(_told(found), precedence=70)

    def standings(self, found: StratStudy) -> Comparison | None:
        """The algorithms under the same replicates."""
        return found.comparison

    def judged(self, found: StratStudy) -> Sequence[Facts]:
        """Of the comparison."""
        return [] if found.comparison is None else [one.facts for one in found.comparison.estimates]

    def clusters(self, found: StratStudy) -> Mapping[str, Clusters]:
        """Of the comparison."""
        estimates = [] if found.comparison is None else found.comparison.estimates
        return {one.facts.algorithm: one.clusters for one in estimates if one.clusters is not None}

    def facts(self, found: StratStudy) -> Sequence[Facts]:
        """Of every algorithm."""
        return [one.facts for one in found.cases]

    def badges(self, found: StratStudy) -> Sequence[Badge]:
        """People, probes and failures."""
        return badges_of_facts(found.cases[0].facts)

    def noted(self, found: StratStudy) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        """What was noted of the comparison."""
        return [] if found.comparison is None else [(_GALLERIES(), found.comparison.notes)]

    def methods(self, found: StratStudy, text: MethodsText, scene: Scene) -> None:
        """How variance was replicated."""
        if found.comparison is not None and scene.standings is found.comparison:
            say_comparisons(text, [found.comparison])
        if found.effects:
            text.say(
                _IN_TURN(images=found.n_images, people=found.n_subjects), "micheals2001", "hotelling1931"
            )
        designs = [
            *(one.design for one in found.estimates),
            *(estimate.design for effect in found.effects for estimate in effect.estimates),
        ]
        text.say_methods(_GALLERY_ERRORS, designs)

    def metrics_of_scores(self, found: StratStudy) -> Mapping[str, str | None]:
        """As the cases have it."""
        return {one.facts.algorithm: one.facts.metric for one in found.cases}


def _told(study: StratStudy) -> Note:
    """Whether galleries differ, which sensor is better, or how good the only algorithm is."""
    if study.effects:
        return study.effects[0].sentence()
    if study.sensors:
        return study.sensors[0].people.sentences()[0]
    one = study.estimates[0]
    return _RATE_OF(
        algorithm=one.facts.algorithm, of=one.answers.of, rate=one.value, low=one.low, high=one.high, n=one.facts.size
    )  # fmt: skip


def _strat(study: StratStudy) -> pl.DataFrame:
    """One row for each algorithm, gallery and way of making galleries."""
    return frame_of_rows(
        [
            {
                "algorithm": effect.algorithm,
                "galleries": "mixed" if effect.mixed else "as they are",
                "gallery": place,
                f"rank_{study.rank}": one.value,
                "standard_error": one.standard_error,
                "low": one.low,
                "high": one.high,
                "p_galleries": effect.p_value,
            }
            for effect in (*study.effects, *study.mixed)
            for place, one in enumerate(effect.estimates, 1)
        ]
        + [
            {
                "algorithm": one.facts.algorithm,
                "galleries": "fixed",
                "gallery": 1,
                f"rank_{study.rank}": one.value,
                "standard_error": one.standard_error,
                "low": one.low,
                "high": one.high,
                "p_galleries": None,
            }
            for one in study.estimates
        ]
    )
