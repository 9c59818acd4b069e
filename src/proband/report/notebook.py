"""Results as notebooks show them: small tables with what belongs beneath them, and their figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from proband.engine.rendering import renders
from proband.errors import UsageError
from proband.inference import Band, Comparison, Estimate, Evaluation, VirtualExperiments
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.strata.study import StratStudy
from proband.inference.verification.dyadic import RateInterval
from proband.inference.verification.groups import Differential
from proband.inference.verification.open_set import SearchEstimates
from proband.inference.verification.verification import Verification
from proband.measures import Curve
from proband.report import tables
from proband.report.analyses import choices, comparisons, feret, feret_statements, strat, verification
from proband.report.figures.identification import (
    cmc_figure,
    comparison_figure,
    estimates_figure,
    evaluation_figure,
)
from proband.report.figures.verification import differential_figure, searches_figure
from proband.report.grids import Grid, as_html, as_latex, tex_comment
from proband.report.notes import answered
from proband.report.page.markup import Markup, joined, tag
from proband.report.plotting import draws
from proband.words import Note, as_sentence, count, digits, fixed, interval, level, out_of, small_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RANKS = (1, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class View:
    """How results of a kind are shown.

    Attributes
    ----------
    grids
        Their tables as text.
    said
        What belongs beneath them, a note each.
    figure
        Draws them; takes the options of `plot`.
    """

    grids: Callable[[Any], Sequence[Grid]]
    said: Callable[[Any], Sequence[Note]]
    figure: Callable[..., Figure]


def show(kind: type, view: View) -> None:
    """Register how results of a kind are shown; a kind that writes LaTeX of its own keeps it."""

    def html(result: object) -> str:
        return _html(view.grids(result), view.said(result))

    def latex(result: object) -> str:
        written = "\n\n".join(map(as_latex, view.grids(result)))
        return "\n".join([written, *(tex_comment(as_sentence(one)) for one in view.said(result))]) + "\n"

    renders(kind, "html")(html)
    draws(kind, view.figure)
    if kind is not Comparison:
        renders(kind, "latex")(latex)


def _html(grids: Sequence[Grid], said: Sequence[Note]) -> Markup:
    beneath = joined((tag("li", as_sentence(one)) for one in said), "\n")
    folded = tag("details", tag("summary", "What the numbers mean"), tag("ul", beneath)) if said else ""
    return tag("div", joined(map(as_html, grids), "\n"), folded, class_="proband")


def _picked(figures: dict[str, Figure], which: str) -> Figure:
    if which not in figures:
        raise UsageError(f"There is no figure {which!r}.", f"there are: {', '.join(figures)}.")
    return figures[which]


def _estimate_grid(one: Estimate) -> Grid:
    n = one.facts.n_probes
    events = count(n) if one.events is None else out_of(one.events, n)
    header = (
        "algorithm",
        str(one.answers.of),
        f"{level(one.confidence_level)} interval",
        "standard error",
        "events",
    )
    error = "–" if one.standard_error is None else fixed(one.standard_error)
    cells = (one.facts.algorithm, fixed(one.value), interval(one.low, one.high), error, events)
    return Grid("", header, (cells,))


def _curve_grid(curve: Curve | Band) -> Grid:
    shown = [rank for rank in _RANKS if rank <= len(curve.values)]
    ends = [
        f"\n{interval(curve.low[rank - 1], curve.high[rank - 1])}" if isinstance(curve, Band) else ""
        for rank in shown
    ]
    cells = (f"{fixed(curve.at(rank))}{end}" for rank, end in zip(shown, ends, strict=True))
    header = ("algorithm", *(f"rank {rank}" for rank in shown), "probes", "gallery")
    facts = curve.facts
    sizes = (count(facts.n_probes), count(facts.n_gallery_subjects))
    return Grid("", header, ((facts.algorithm, *cells, *sizes),))


def _group_grid(found: Differential) -> Grid:
    def cells(rate: RateInterval | None) -> tuple[str, str]:
        if rate is None:
            return "–", "–"
        mark = "" if rate.supported else "*"
        return f"{digits(rate.rate)}{mark}\n{small_interval(rate.low, rate.high)}", out_of(
            rate.errors, rate.n
        )

    rows = tuple(
        (one.group, count(one.n_subjects), *cells(one.fnmr), *cells(one.fmr)) for one in found.groups
    )
    header = (found.column, "people", "FNMR", "false non-matches", "FMR", "false matches")
    return Grid(found.algorithm, header, rows)


def _choice_grids(result: VirtualExperiments) -> list[Grid]:
    made = [choices.choices_grid(result)]
    return [*made, choices.differences_grid(result)] if len(result.algorithms) > 1 else made


def _one_of(figures: Callable[[Any], dict[str, Figure]], first: str) -> Callable[..., Figure]:
    return lambda result, which=first: _picked(figures(result), which)


show(
    Evaluation,
    View(
        tables.evaluation_grids,
        tables.statements,
        evaluation_figure,
    ),
)
show(
    Comparison,
    View(
        lambda result: [comparisons.comparison_grid(result)],
        lambda result: [*result.sentences(), *comparisons.comparison_statements(result)],
        comparison_figure,
    ),
)
show(
    Estimate,
    View(
        lambda result: [_estimate_grid(result)],
        lambda result: [answered(result.answers), *result.notes],
        lambda result, **options: estimates_figure([result], **options),
    ),
)
for _kind in (Band, Curve):
    show(
        _kind,
        View(
            lambda result: [_curve_grid(result)],
            lambda result: [answered(result.answers)],
            lambda result, **options: cmc_figure({result.facts.algorithm: [result]}, **options),
        ),
    )
show(
    Verification,
    View(
        lambda result: [verification.verification_grid([result])],
        lambda result: verification.verification_statements([result]),
        _one_of(lambda result: verification.verification_figures([result]), "det"),
    ),
)
show(
    SearchEstimates,
    View(
        lambda result: [verification.search_grid([result])],
        lambda result: verification.search_statements([result]),
        lambda result, rank=1: searches_figure([result], rank),
    ),
)
show(
    Differential,
    View(
        lambda result: [_group_grid(result)],
        lambda result: result.sentences(),
        differential_figure,
    ),
)
show(
    VirtualExperiments,
    View(_choice_grids, choices.choices_statements, _one_of(choices.figures_of, "distributions")),
)
show(
    StratStudy,
    View(
        lambda result: [strat.galleries_grid(result.effects), strat.galleries_grid(result.mixed)],
        strat.study_statements,
        _one_of(strat.study_figures, "galleries"),
    ),
)
show(
    FeretStudy,
    View(feret.study_grids, feret_statements.study_statements, _one_of(feret.study_figures, "cmc")),
)
