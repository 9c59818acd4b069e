"""A FERET evaluation shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import polars as pl

from proband.analyses.feret import study as feret
from proband.analyses.feret.field import consistency_frame, orders_frame
from proband.analyses.feret.figures import variation_figure
from proband.analyses.feret.page import feret_blocks
from proband.analyses.feret.statements import study_statements
from proband.engine.files.spreadsheets import spreadsheet_csv
from proband.inference import Comparison
from proband.inference.estimates.evaluation import probes_called
from proband.inference.estimates.people_fractions import SizeCurve
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.participants import participants_frame
from proband.inference.galleries.tables import GalleryVariation
from proband.report.figures.identification import sizes_figure
from proband.report.kinds.compared_methods import say_comparisons
from proband.report.kinds.evaluation_page import (
    best_first,
    evaluation_blocks,
    say_evaluation,
    summary_of as evaluated,
    thinned_curves,
)
from proband.report.kinds.pairs import comparison_blocks
from proband.report.kinds.searches import search_blocks
from proband.report.kinds.verdicts import summary_of
from proband.report.methods_text import MethodsText
from proband.report.page.model import Badge, Section, said
from proband.report.page.sections.conditions import badges_of_facts
from proband.report.plotting import alone, drawn_by, one_of
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import Draw, Placed, Summary, View, shows
from proband.results.base import Answers, Facts
from proband.results.estimate import Clusters
from proband.words import Note, Sentence, counted

_OVER_GALLERIES = Sentence(
    "methods.gallery-variation",
    "note",
    "Rates were repeated over {design}, with Student's interval of their mean on the logit scale; whether galleries differ was tested with effective "
    "sample sizes, and the spread beyond chance estimated by moments",
)
_SIZES = Sentence(
    "methods.gallery-sizes",
    "note",
    "Rates in smaller galleries are exact expectations over random parts of the enrolled people",
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
    """Rates by the size of the gallery."""

    plot = staticmethod(drawn_by(sizes_figure, alone))


@shows(GalleryVariation)
class GalleryVariationView(View[GalleryVariation]):
    """Rates over galleries of different people."""

    plot = staticmethod(drawn_by(variation_figure, alone))


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
    plot = staticmethod(one_of(feret.study_figures, "cmc"))

    def tables(self, found: FeretStudy) -> Sequence[Table]:
        """Every table of the study."""
        return feret.study_tables(found)

    def notes(self, found: FeretStudy) -> Sequence[Note]:
        """What the numbers mean."""
        return study_statements(found)

    def answers(self, found: FeretStudy) -> Sequence[Answers]:
        """What varies."""
        return [found.evaluation.answers]

    def frames(self, found: FeretStudy) -> Mapping[str, pl.DataFrame]:
        """Rates, curves, and whatever else was asked for."""
        made = {"feret": found.to_frame(), "feret_cmc": found.evaluation.curves_frame()}
        if found.told_of_participants:
            made["feret_participants"] = participants_frame(found.participants)
        if found.variation:
            made["feret_variation"] = feret.variation_frame(found)
        if found.consistency:
            made["feret_consistency"] = consistency_frame(found.consistency)
        if found.orders:
            made["feret_orders"] = orders_frame(found.orders)
        return made | ({"feret_sizes": feret.sizes_frame(found)} if found.sizes else {})

    def figures(self, found: FeretStudy, scene: Scene) -> Mapping[str, Draw]:
        """The paper's figures."""
        return {f"feret_{name}": draw for name, draw in feret.study_figures(found).items()}

    def sections(self, found: FeretStudy, scene: Scene) -> Iterator[Placed]:
        """Curves and rates, where no other analysis has them; what FERET asks; every pair; and rejection."""
        if self._leads(found, scene):
            blocks = evaluation_blocks(found.evaluation, scene.looks, False)
            yield Placed(20, Section("identification", "Identification", tuple(blocks)))
        yield Placed(39, Section("feret", "FERET evaluation", tuple(feret_blocks(found, scene.looks))))
        comparison = self.standings(found)
        if comparison is not None and scene.standings is comparison:
            named = {str(comparison.estimates[0].answers.of): comparison}
            yield Placed(40, Section("comparisons", "Comparisons", tuple(comparison_blocks(named))))
        if found.rejection is not None:
            people = counted(found.rejection.n_held_out, "person was", "people were")
            held = f"Rejection: {people} taken out of the gallery at random (seed {found.rejection.seed})."
            searched = search_blocks(found.rejection.results, scene.looks, "rejection")
            yield Placed(36, Section("rejection", "Rejection", (*said([held]), *searched)))

    def _leads(self, found: FeretStudy, scene: Scene) -> bool:
        """Whether no other analysis evaluates the probes."""
        return bool(scene.facts) and scene.facts[0] is self.facts(found)[0]

    def embedded(self, found: FeretStudy) -> Mapping[str, str]:
        """The rates, and thinned curves."""
        return {
            "leaderboard-summary.csv": spreadsheet_csv(found.evaluation.to_frame()),
            "cmc-thinned.csv": thinned_curves(found.evaluation),
        }

    def ordered(self, found: FeretStudy) -> Sequence[str]:
        """By the rate at the first rank."""
        return [entry.algorithm for entry in best_first(found.evaluation)]

    def headline(self, found: FeretStudy, scene: Scene) -> Summary | None:
        """Who leads on the first set of probes, or the best rate."""
        comparison = self.standings(found)
        return evaluated(found.evaluation, 31) if comparison is None else summary_of(comparison, 12)

    def standings(self, found: FeretStudy) -> Comparison | None:
        """The algorithms on the first set of probes."""
        return found.results[0].comparison

    def facts(self, found: FeretStudy) -> Sequence[Facts]:
        """Of the first set of probes."""
        return [entry.curve.facts for entry in found.evaluation.of(found.evaluation.categories[0])]

    def judged(self, found: FeretStudy) -> Sequence[Facts]:
        """Of the comparison, or of the first set of probes."""
        comparison = self.standings(found)
        return self.facts(found) if comparison is None else [one.facts for one in comparison.estimates]

    def clusters(self, found: FeretStudy) -> Mapping[str, Clusters]:
        """Of the comparison."""
        comparison = self.standings(found)
        estimates = [] if comparison is None else comparison.estimates
        return {one.facts.algorithm: one.clusters for one in estimates if one.clusters is not None}

    def badges(self, found: FeretStudy) -> Sequence[Badge]:
        """People, probes and failures."""
        return badges_of_facts(found.evaluation.entries[0].curve.facts)

    def noted(self, found: FeretStudy) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        """What was noted of the study, and of galleries."""
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
            text.say(
                _OVER_GALLERIES(design=found.variation[0].design),
                "phillips2000",
                "rao1992",
                "dersimonian1986",
            )
        if found.sizes:
            text.say(_SIZES())
        if found.rejection is not None:
            text.say(_REJECTION(people=found.rejection.n_held_out), "phillips2000")

    def metrics_of_scores(self, found: FeretStudy) -> Mapping[str, str | None]:
        """As the curves have it."""
        return {one.algorithm: one.curve.facts.metric for one in found.evaluation.entries}
