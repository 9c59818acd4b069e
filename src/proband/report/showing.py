"""Output of results in any form, from the tables, figures and metrics of their views."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from proband.engine.arguments import SignatureGate
from proband.errors import UsageError
from proband.report.figures.style import drawn_into, figure_with
from proband.report.model_card import model_card
from proband.report.plotting import displayed
from proband.report.tables.formats import (
    all_csv,
    all_html,
    all_latex,
    all_markdown,
    all_terminal,
)
from proband.report.tables.table import Table
from proband.report.view import view_of
from proband.words import as_sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FORMS = {
    "markdown": all_markdown,
    "latex": all_latex,
    "csv": all_csv,
    "html": all_html,
    "terminal": all_terminal,
}


def show(result: object, form: str, **options: Any) -> Any:
    """Show a result in a form."""
    match form:
        case "table":
            return tables_of(result)
        case "figure":
            return figure_of(result, **options)
        case "card":
            return model_card(result, **options)
        case _:
            return _FORMS[form](tables_of(result, form), **options)


def tables_of(result: object, form: str = "table") -> list[Table]:
    """The tables of a result, with notes on the last; publication tables for LaTeX."""
    view = view_of(result)
    *before, last = view.latex(result) if form == "latex" else view.tables(result)
    notes = tuple(map(as_sentence, view.notes(result)))
    return [*before, replace(last, notes=(*last.notes, *notes))]


def figure_of(result: object, ax: Axes | None = None, **options: Any) -> Figure:
    """The figure of a result, or the figure whose axes it is drawn into; options depend on the drawing function."""
    plot = view_of(result).plot
    args, named = SignatureGate(plot, "plot").admitted((result,), options)
    if ax is None:
        return displayed(plot(*args, **named))
    if "width" in options:
        raise UsageError("`width` cannot be combined with `ax`, which already has a width.", "omit width.")
    with drawn_into(ax):
        plot(*args, **named)
    return figure_with(ax)
