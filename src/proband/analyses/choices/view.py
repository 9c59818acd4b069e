"""Other choices of images shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from proband.analyses.choices.page import choices_section, exact_section, trainings_section
from proband.analyses.choices.run import Choices
from proband.analyses.choices.tables import (
    choices_statements,
    choices_tables,
    differences_frame,
    exact_statements,
    exact_table,
    figures_of,
    rates_frame,
    trainings_table,
    undrawn_statements,
)
from proband.inference import VirtualExperiments
from proband.report import cells
from proband.report.methods_text import MethodsText
from proband.report.notes import answered
from proband.report.page.model import Badge, Block, said
from proband.report.plotting import one_of
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.words import Note, Sentence, counted

_PERMUTED = " trials, the same for all algorithms; their percentiles vary the images of these people and not the people"
_CHOICE_OF = (
    "The choice of gallery and probe images of {people:count person/people} was permuted in {trials:count} "
)
_BALANCED = Sentence("methods.balanced-choices", "note", _CHOICE_OF + "balanced" + _PERMUTED)
_UNBALANCED = Sentence("methods.unbalanced-choices", "note", _CHOICE_OF + "unbalanced" + _PERMUTED)
_CHOSEN = Sentence(
    "verdict.chosen",
    "note",
    "{algorithm}: mean rate {rate:rate} at rank 1 over choices of images, {level:level} of them within [{low:rate}, {high:rate}]",
)
_CHOICES = Sentence("diagnostics.choices", "note", "choices of images")


@shows(VirtualExperiments)
class VirtualExperimentsView(View[VirtualExperiments]):
    """Trials with other images of the same people."""

    plot = staticmethod(one_of(figures_of, "distributions"))

    def tables(self, found: VirtualExperiments) -> Sequence[Table]:
        """Rates, and differences of several algorithms."""
        return choices_tables(found)

    def notes(self, found: VirtualExperiments) -> Sequence[Note]:
        """What choices of images mean."""
        return choices_statements(found)


@shows(Choices)
class ChoicesView(View[Choices]):
    """Trials, exact means, or training sets."""

    def tables(self, found: Choices) -> Sequence[Table]:
        """Those of whichever was asked for."""
        if found.choices is not None:
            rank = min(found.rank, found.choices.n_ranks)
            return choices_tables(found.choices, rank, found.confidence_level)
        if found.trainings is not None:
            return [trainings_table(found.trainings, found.trained)]
        return [exact_table(found.exact_choices, found.rank)]

    def notes(self, found: Choices) -> Sequence[Note]:
        """What the numbers mean."""
        if found.choices is not None:
            return choices_statements(found.choices)
        if found.trainings is not None:
            return [answered(found.trainings.answers), *found.trainings.notes]
        return [] if found.pool is None else exact_statements(found.pool)

    def passages(self, found: Choices, explain: bool) -> Iterator[Passage]:
        """The tables, and the pool that images were chosen from."""
        told = found.choices or found.trainings
        verdicts = [] if found.trainings is None else [repr(found.trainings)]
        pool = [] if found.trainings is not None else [repr(found.pool)]
        answers = [] if told is None else [told.answers]
        yield Passage(self.tables(found), verdicts, [*pool, *self.notes(found)], answers)

    def frames(self, found: Choices) -> Mapping[str, pl.DataFrame]:
        """Rates, differences, and the choices of the trials that were listed."""
        made: dict[str, pl.DataFrame] = {}
        if found.choices is not None:
            made["choices"] = rates_frame(found.choices, found.confidence_level)
            if len(found.choices.algorithms) > 1:
                made["choices_differences"] = differences_frame(found.choices, 1, found.confidence_level)
        return made | ({} if found.trial_choices is None else {"choices_trials": found.trial_choices})

    def figures(self, found: Choices, scene: Scene) -> Mapping[str, Draw]:
        """Distributions, intervals by rank, and differences."""
        drawn = {} if found.choices is None else figures_of(found.choices, found.confidence_level)
        return {f"choices_{name}": draw for name, draw in drawn.items()}

    def sections(self, found: Choices, scene: Scene) -> Iterator[Placed]:
        """Whichever was asked for."""
        if found.choices is not None:
            yield Placed(37, choices_section(found.choices, scene))
        if found.exact_choices:
            yield Placed(55, exact_section(found))
        if found.trainings is not None and found.trainings.replicates is not None:
            yield Placed(60, trainings_section(found, found.trainings))

    def algorithms(self, found: Choices) -> Sequence[str]:
        """The algorithms, in order."""
        return (found.exact_choices and list(found.exact_choices)) or (
            found.choices.algorithms if found.choices else ()
        )

    def headline(self, found: Choices, scene: Scene) -> Summary | None:
        """The best mean rate."""
        result = found.choices
        if result is None:
            return None
        best = max(result.algorithms, key=lambda name: result.rate(name).mean)
        spread = result.rate(best)
        low, high = spread.interval(found.confidence_level)
        told = _CHOSEN(algorithm=best, rate=spread.mean, level=found.confidence_level, low=low, high=high)
        return Summary(told, result.answers, precedence=60)

    def diagnostics(self, found: Choices) -> Sequence[Block]:
        """Whether there are trials enough."""
        return [] if found.choices is None else said([_trials(found.choices)])

    def noted(self, found: Choices) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        """What was noted of the trials."""
        return [] if found.choices is None else [(_CHOICES(), found.choices.notes)]

    def methods(self, found: Choices, text: MethodsText, scene: Scene) -> None:
        """How images were chosen."""
        if found.choices is not None:
            permuted = _BALANCED if found.choices.design.balanced else _UNBALANCED
            text.say(
                permuted(people=found.choices.n_subjects, trials=found.choices.n_trials), "beveridge2001"
            )

    def conditions(self, found: Choices, scene: Scene) -> tuple[Sequence[Badge], Sequence[tuple[str, str]]]:
        """How many choices."""
        if found.choices is None:
            return (), ()
        n = counted(found.choices.n_trials, "choice of images", "choices of images")
        return [Badge(n, explained=str(found.choices.design))], ()

    def metrics_of_scores(self, found: Choices) -> Mapping[str, str | None]:
        """As the trials have it."""
        return {} if found.choices is None else found.choices.metrics

    def told(self, found: Choices) -> Sequence[Note]:
        """What the figures leave out."""
        return [] if found.choices is None else undrawn_statements(found.choices)


def _trials(result: VirtualExperiments) -> str:
    worst = result.standard_error_of_means
    return (
        f"Choices of images: with {counted(result.n_trials, 'trial')} the mean rates at rank 1 are off by chance by about {cells.rate(worst)} at "
        "most (standard error over trials)."
    )
