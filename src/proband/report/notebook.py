"""Results as notebooks show them: small tables with what belongs beneath them, and their figures."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from proband.engine.rendering import renders
from proband.errors import UsageError
from proband.inference import Band, Comparison, Estimate, Evaluation, VirtualExperiments
from proband.inference.dyadic import RateInterval
from proband.inference.feret_results import FeretStudy
from proband.inference.groups import Differential
from proband.inference.searching import SearchEstimates
from proband.inference.strat_study import StratStudy
from proband.inference.verifying import Verification
from proband.measures import Curve
from proband.measures.results import Answers
from proband.report import choices, comparisons, feret, feret_statements, strat, tables, verification
from proband.report.figures import STYLE, cmc_figure
from proband.report.grids import Grid, as_html, as_latex
from proband.report.interval_figures import comparison_figure, estimates_figure
from proband.report.page.markup import Markup, joined, tag
from proband.words import as_sentence

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
        What belongs beneath them, a sentence each.
    figure
        Draws them; takes the options of `plot`.
    """

    grids: Callable[[Any], Sequence[Grid]]
    said: Callable[[Any], Sequence[str]]
    figure: Callable[..., Figure]


def show(kind: type, view: View) -> None:
    """Register how results of a kind are shown; a kind that writes LaTeX of its own keeps it."""

    def html(result: object) -> str:
        return _html(view.grids(result), view.said(result))

    def figure(result: object, **options: Any) -> Figure:
        return _displayed(view.figure(result, **options))

    def latex(result: object) -> str:
        written = "\n\n".join(map(as_latex, view.grids(result)))
        return "\n".join([written, *(f"% {' '.join(one.split())}" for one in view.said(result))]) + "\n"

    renders(kind, "html")(html)
    renders(kind, "figure")(figure)
    if kind is not Comparison:
        renders(kind, "latex")(latex)


def _html(grids: Sequence[Grid], said: Sequence[str]) -> Markup:
    beneath = joined((tag("li", one) for one in said), "\n")
    folded = tag("details", tag("summary", "What the numbers mean"), tag("ul", beneath)) if said else ""
    return tag("div", joined(map(as_html, grids), "\n"), folded, class_="proband")


def _displayed(figure: Figure) -> Figure:
    """Let a notebook show a figure that pyplot does not know of."""
    vars(figure)["_repr_png_"] = partial(_png, figure)
    return figure


def _png(figure: Figure) -> bytes:
    import matplotlib as mpl

    drawn = io.BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(drawn, format="png", dpi=STYLE["figure.dpi"])
    return drawn.getvalue()


def _picked(figures: dict[str, Figure], which: str) -> Figure:
    if which not in figures:
        raise UsageError(f"There is no figure {which!r}.", f"there are: {', '.join(figures)}.")
    return figures[which]


def _answers(answers: Answers) -> str:
    return f"Varying: {answers.varying}. Fixed: {answers.fixed}. Assuming: {answers.assuming}."


def _sentences(notes: Sequence[str]) -> list[str]:
    return [as_sentence(note) for note in notes]


def _estimate_grid(one: Estimate) -> Grid:
    events = f"{one.facts.n_probes:,}"
    if one.events is not None:
        events = f"{one.events:,.0f} of {events}"
    header = ("algorithm", one.answers.of, f"{one.confidence_level:.0%} interval", "standard error", "events")
    error = "–" if one.standard_error is None else f"{one.standard_error:.4f}"
    cells = (one.facts.algorithm, f"{one.value:.4f}", f"[{one.low:.4f}, {one.high:.4f}]", error, events)
    return Grid("", header, (cells,))


def _curve_grid(curve: Curve | Band) -> Grid:
    shown = [rank for rank in _RANKS if rank <= len(curve.values)]
    ends = [
        f"\n[{curve.low[rank - 1]:.4f}, {curve.high[rank - 1]:.4f}]" if isinstance(curve, Band) else ""
        for rank in shown
    ]
    cells = (f"{curve.at(rank):.4f}{end}" for rank, end in zip(shown, ends, strict=True))
    header = ("algorithm", *(f"rank {rank}" for rank in shown), "probes", "gallery")
    facts = curve.facts
    sizes = (f"{facts.n_probes:,}", f"{facts.n_gallery_subjects:,}")
    return Grid("", header, ((facts.algorithm, *cells, *sizes),))


def _group_grid(found: Differential) -> Grid:
    def cells(rate: RateInterval | None) -> tuple[str, str]:
        if rate is None:
            return "–", "–"
        mark = "" if rate.supported else "*"
        return f"{rate.rate:.3g}{mark}\n[{rate.low:.3g}, {rate.high:.3g}]", f"{rate.errors:,} of {rate.n:,}"

    rows = tuple(
        (one.group, f"{one.n_subjects:,}", *cells(one.fnmr), *cells(one.fmr)) for one in found.groups
    )
    header = (found.column, "people", "FNMR", "false non-matches", "FMR", "false matches")
    return Grid(found.algorithm, header, rows)


def _choice_grids(result: VirtualExperiments) -> list[Grid]:
    made = [choices.choices_grid(result)]
    return [*made, choices.differences_grid(result)] if len(result.algorithms) > 1 else made


def _cmc(panels: Callable[[Any], dict[str, Sequence[Curve | Band]]]) -> Callable[..., Figure]:
    return lambda result, **options: cmc_figure(panels(result), **options)


def _one_of(figures: Callable[[Any], dict[str, Figure]], first: str) -> Callable[..., Figure]:
    return lambda result, which=first: _picked(figures(result), which)


show(
    Evaluation,
    View(
        tables.evaluation_grids,
        tables.statements,
        _cmc(lambda result: {name: result.bands(name) for name in result.categories}),
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
        lambda result: [_answers(result.answers), *_sentences(result.notes)],
        lambda result, **options: estimates_figure([result], **options),
    ),
)
for _kind in (Band, Curve):
    show(
        _kind,
        View(
            lambda result: [_curve_grid(result)],
            lambda result: [_answers(result.answers)],
            _cmc(lambda result: {result.facts.algorithm: [result]}),
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
        lambda result, rank=1: verification.searches_figure([result.searches], rank),
    ),
)
show(
    Differential,
    View(
        lambda result: [_group_grid(result)],
        lambda result: result.sentences(),
        verification.differential_figure,
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
