"""Views of results: one class per kind of result, used by the terminal, notebook, files, page, methods text and model card.

A view overrides what it provides; everything else is omitted or derived from the result's frame. Sections that combine analyses (verdict,
standings, diagnostics, methods paragraph) query every view for its roles, without knowing analyses by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import polars as pl

from proband.engine.limits import Inches, Title
from proband.engine.rendering import Shown
from proband.errors import UsageError, unknown_name
from proband.inference import Comparison
from proband.report.charts.mpl import printed
from proband.report.charts.spec import Chart, in_places
from proband.report.page.charts import side_by_side
from proband.report.page.lengths import of_length
from proband.report.page.model import Folded, Paragraph, Section, said
from proband.report.plotting import values_chart
from proband.report.tables.cells import count_cell, digits_cell, empty_cell, text_cell
from proband.report.tables.table import Cell, Column, Table
from proband.report.views import load_view_of, load_views
from proband.results.several import Several
from proband.words import Note, as_sentence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from proband.inference.comparisons.comparison import Standings
    from proband.report.methods_text import MethodsText
    from proband.report.model_card import CardMetric
    from proband.report.page.model import Badge, Block
    from proband.report.scene import Scene
    from proband.report.standings import Standing
    from proband.results.base import Answers, Facts
    from proband.results.estimate import Clusters, Estimate

Found = TypeVar("Found")
Draw = Callable[[], "Figure"]


@dataclass(frozen=True)
class Passage:
    """A part of the terminal output: text, tables, verdicts and notes.

    Attributes
    ----------
    title
        Title, shown if a result has several passages.
    before
        Text above the tables.
    tables
        The tables.
    verdicts
        Verdicts, in sentences.
    notes, answers
        Notes on the numbers and what varies behind them, shown in brief, or in full with explanations.
    """

    tables: Sequence[Table] = ()
    verdicts: Sequence[Note | str] = ()
    notes: Sequence[Note | str] = ()
    answers: Sequence[Answers] = ()
    before: Sequence[Note | str] = ()
    title: str = ""


@dataclass(frozen=True)
class Summary:
    """Summary of a study: the headline, what varies behind it, the rate to quote, and further sentences.

    Attributes
    ----------
    precedence
        The lowest of several leads the page.
    in_section
        Whether the analysis's own section states it, so that others do not repeat it.
    compared
        The comparison that it sums up.
    also
        Result of another kind of measure for the same algorithms; the leader in recognition may not lead in verification.
    """

    headline: Note
    answers: Answers | None = None
    rest: tuple[Note, ...] = ()
    weights: tuple[Note, ...] = ()
    precedence: float = 100.0
    in_section: bool = False
    compared: Standings | None = None
    also: tuple[Summary, ...] = ()

    @property
    def headlines(self) -> list[Note]:
        """The headline, and the headlines of other kinds of measures."""
        return [self.headline, *(other.headline for other in self.also)]


@dataclass(frozen=True)
class Placed:
    """A section of the page and where it stands: sections go by ascending place."""

    place: float
    section: Section


def frame_tables(result: Any) -> list[Table]:
    """Make a table of a result's frame, for results without their own tables."""
    if not hasattr(result, "to_frame"):
        raise UsageError(f"A {type(result).__name__} has no table.")
    frame: pl.DataFrame = result.to_frame()
    heads: list[Column] = []
    for name, kind in frame.schema.items():
        leading = all(one.kind == "name" for one in heads)
        heads.append(Column(name, "number" if kind.is_numeric() else "name" if leading else "text"))
    return [Table("", tuple(heads), tuple(tuple(map(_plain_cell, row)) for row in frame.rows()))]


def _plain_cell(value: object) -> Cell:
    match value:
        case None:
            return empty_cell()
        case bool():
            return text_cell("yes" if value else "no")
        case int():
            return count_cell(value)
        case float():
            return digits_cell(value, 6)
        case _:
            return text_cell(str(value))


def plot_charts(
    result: Shown, which: str | None = None, width: Inches | None = None, title: Title | None = None
) -> Figure:
    """Draw one of the figures that a result's charts make, by default the first; without charts, its values with their intervals.

    Parameters
    ----------
    which
        Name of the figure, or its suffix.
    width
        Width of the figure in inches.
    title
        Title of the figure.
    """
    charts = view_of(result).charts(result) or {"": [values_chart(result)]}
    named = {name.partition("_")[2] or name: one for name, one in charts.items()}
    name = next(iter(named)) if which is None else which
    if name not in named:
        raise unknown_name("figure", name, named)
    return printed(named[name], title, width)


class View(Generic[Found]):
    """Base class of views; every method is optional.

    Attributes
    ----------
    precedence
        For each role that several analyses may fill and one leads (``standings``, ``facts``, ``clusters``, ``judged``, ``badges``): the lowest comes first.
    """

    precedence: ClassVar[Mapping[str, float]] = {}
    of_several: ClassVar[bool] = False
    """Whether it shows results of several algorithms together (`Several`), and not one below the other."""

    # Tables, words and figures of the result itself.

    def tables(self, found: Found) -> Sequence[Table]:
        """Tables for notebooks, LaTeX, Markdown and CSV."""
        return frame_tables(found)

    def notes(self, found: Found) -> Sequence[Note]:
        """Notes below the tables."""
        return ()

    def verdicts(self, found: Found) -> Sequence[Note]:
        """Verdicts, in sentences."""
        return ()

    def page_tables(self, found: Found) -> Sequence[Table]:
        """The tables of its section on the page: the first is open, the others are folded."""
        return self.tables(found)

    def answers(self, found: Found) -> Sequence[Answers]:
        """What varies behind its numbers."""
        own = getattr(found, "answers", None)
        return () if own is None else (own,)

    def passages(self, found: Found, explain: bool) -> Iterable[Passage]:
        """Terminal output, in brief or in full."""
        yield Passage(self.tables(found), (), self.notes(found), self.answers(found))

    def latex(self, found: Found) -> Sequence[Table]:
        """The tables that are published."""
        return self.tables(found)

    plot: ClassVar[Callable[..., Figure]] = staticmethod(plot_charts)
    """Draws the result, with the options of `plot`: one figure."""

    def charts(self, found: Found) -> Mapping[str, Sequence[Chart]]:
        """Its charts, by the names of the figures that they are the panels of."""
        return {}

    # Files.

    def frames(self, found: Found) -> Mapping[str, pl.DataFrame]:
        """Data frames by file name, unrounded; ``--csv`` writes the first."""
        frame = getattr(found, "to_frame", None)
        return {} if self.section is None or frame is None else {self.section[0]: frame()}

    def figures(self, found: Found, scene: Scene) -> Mapping[str, Draw]:
        """Functions that draw its figures, by file name; ``--figure`` writes the first."""
        return {
            name: partial(printed, [in_places(one, scene.looks) for one in charts])
            for name, charts in self.charts(found).items()
        }

    def write(self, found: Found, directory: Path) -> None:
        """Write files of its own beside the others."""

    # The page.

    section: ClassVar[tuple[str, str, float] | None] = None
    """The name and the title of its section on the page, and the section's place: sections go by ascending place."""
    meaning: ClassVar[str] = "Notes"
    """The title of what its section folds away: its notes."""

    def sections(self, found: Found, scene: Scene) -> Iterable[Placed]:
        """Its sections on the page: by default one, with its charts and its first table, and the rest folded."""
        if self.section is not None:
            name, title, place = self.section
            yield Placed(place, Section(name, title, tuple(self.blocks(found, scene))))

    def blocks(self, found: Found, scene: Scene) -> Iterable[Block]:
        """What stands in its section: the headline where no other section says it, charts, the first table, and the rest folded."""
        first, *rest = (one.paged for one in self.page_tables(found))
        head = self.headline(found, scene)
        led = [head.headline] if head is not None and head.in_section else []
        verdicts = [note for note in self.verdicts(found) if note not in led]
        notes = [note for note in self.notes(found) if note not in (*led, *verdicts)]
        opened, *more = self.charts(found).values() or [()]
        yield from (Paragraph(as_sentence(note), strong=True) for note in led)
        yield from side_by_side(opened, scene.looks)
        yield of_length(first)
        yield from said([*verdicts, *(note for note in notes if note.level == "caution")])
        if more:
            yield Folded(
                "More charts", tuple(block for each in more for block in side_by_side(each, scene.looks))
            )
        yield from (Folded(one.caption, (one,)) for one in rest)
        yield Folded(self.meaning, tuple(said(note for note in notes if note.level != "caution")))

    def embedded(self, found: Found) -> Mapping[str, str]:
        """Files embedded in the page, by name. With duplicate names, the first by precedence is kept."""
        return {}

    # Roles in what combines analyses.

    def algorithms(self, found: Found) -> Sequence[str]:
        """The algorithms that were measured, in order."""
        return getattr(found, "algorithms", ())

    def ordered(self, found: Found) -> Sequence[str]:
        """The algorithms by what was measured, the best first."""
        return ()

    def headline(self, found: Found, scene: Scene) -> Summary | None:
        """The headline."""
        return None

    def beside(self, found: Found, scene: Scene) -> Sequence[Note]:
        """What to add to the headline of another analysis."""
        return ()

    def standings(self, found: Found) -> Standings | None:
        """The comparison that ranks the algorithms."""
        return None

    def estimates(self, found: Found) -> tuple[str, Sequence[Standing]] | None:
        """Algorithms in order where none were compared: what was measured, and each with its interval."""
        return None

    def facts(self, found: Found) -> Sequence[Facts]:
        """How the measurements came about, for every algorithm: sizes, policies, what was left out."""
        return ()

    def judged(self, found: Found) -> Sequence[Facts]:
        """The facts of what the verdict is about: by default of the algorithms that were compared."""
        from proband.results.estimate import facts_of  # views are listed before results are needed

        return facts_of(self._compared(found))

    def clusters(self, found: Found) -> Mapping[str, Clusters]:
        """How alike the outcomes of one person's probes are, for every algorithm: by default of those that were compared."""
        return {one.algorithm: one.clusters for one in self._compared(found) if one.clusters is not None}

    def _compared(self, found: Found) -> Sequence[Estimate]:
        compared = self.standings(found)
        return compared.estimates if isinstance(compared, Comparison) else ()

    def replicated(self, found: Found) -> Sequence[Estimate]:
        """Estimates whose replicates may be too few."""
        return ()

    def diagnostics(self, found: Found) -> Sequence[Block]:
        """Additional diagnostics."""
        return ()

    def noted(self, found: Found) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        """Every note and caution, with the part of the results it belongs to."""
        return ()

    def methods(self, found: Found, text: MethodsText, scene: Scene) -> None:
        """Describe the methods, with citations."""

    def badges(self, found: Found) -> Sequence[Badge]:
        """The key numbers behind a verdict."""
        return ()

    def conditions(self, found: Found, scene: Scene) -> tuple[Sequence[Badge], Sequence[tuple[str, str]]]:
        """Conditions of the numbers: badges, and rules in words."""
        return (), ()

    def metrics_of_scores(self, found: Found) -> Mapping[str, str | None]:
        """How the scores of each algorithm were compared, by default as its facts say; None for scores that are taken as given."""
        return {one.algorithm: one.metric for one in self.facts(found)}

    def metrics(self, found: Found) -> Sequence[CardMetric]:
        """Metrics for a model card."""
        return ()

    def told(self, found: Found) -> Sequence[Note]:
        """What ``proband run`` reports in addition to the headline."""
        return ()


_VIEWS: dict[type, View[Any]] = {}


def shows(*kinds: type) -> Callable[[type[View[Any]]], type[View[Any]]]:
    """Let a view show results of some kinds, and of those that derive from them."""

    def register(view: type[View[Any]]) -> type[View[Any]]:
        _VIEWS.update(dict.fromkeys(kinds, view()))
        return view

    return register


def kinds_that(fill: str) -> list[str]:
    """The names of the kinds of results whose views fill a role."""
    load_views()
    return [
        kind.__name__ for kind, view in _VIEWS.items() if getattr(type(view), fill) is not getattr(View, fill)
    ]


def view_of(result: object) -> View[Any]:
    """The view of a result: that of its kind, or of the nearest kind it derives from.

    Of the views only that of the analysis is imported; all of them where no analysis returns such a result.
    """
    if isinstance(result, Several) and result:
        shared = view_of(next(result.members()))
        if shared.of_several:
            return shared
    kinds = type(result).__mro__
    for load in (partial(load_view_of, kinds), load_views):
        load()
        nearest = next((kind for kind in kinds if kind in _VIEWS), Shown)
        if nearest is not Shown:
            return _VIEWS[nearest]
    if Shown in kinds:
        return _VIEWS[Shown]
    raise UsageError(f"A {type(result).__name__} cannot be shown.", "pass a result of Proband.")


@shows(Shown)
class AnyView(View[Any]):
    """View of results without a specific view: their frame, and their values with intervals."""
