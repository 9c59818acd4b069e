"""Rendering of results: tables and plots are loaded on first use, so that results do not depend on them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from proband.engine.arguments import check_methods

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HOME = "proband.report.showing"


def render(result: object, form: str, **options: Any) -> Any:
    """Render a result: ``table`` returns its tables, ``figure`` draws it, ``card`` writes a model card, others write its tables."""
    return import_module(_HOME).show(result, form, **options)


class Shown:
    """A result with a table, which notebooks display, and a figure; its methods go through the gate."""

    __slots__ = ()
    of_findings: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_methods(cls)

    def _repr_html_(self) -> str:
        """Return the table and its notes as HTML for notebooks."""
        return str(render(self, "html"))

    def to_latex(self) -> str:
        """Return the table as LaTeX (booktabs).

        Returns
        -------
        str
            The text.
        """
        return str(render(self, "latex"))

    def to_markdown(self) -> str:
        """Return the table as Markdown, with its notes.

        Returns
        -------
        str
            The text.
        """
        return str(render(self, "markdown"))

    def to_model_card(self, dataset: str = "test set", *, format: str = "markdown") -> str:
        """Return the result as a part of a model card: metrics with intervals, the dataset and what varies.

        Available for evaluations, verifications, classifications, gates and the findings of a study.

        Parameters
        ----------
        dataset
            The name of the dataset.
        format
            ``markdown``: the header of a README with Hugging Face's ``model-index``, and a section; ``yaml``: only the header.

        Returns
        -------
        str
            The text.
        """
        return str(render(self, "card", dataset=dataset, format=format))

    def plot(
        self,
        ax: Axes | None = None,
        which: str | None = None,
        *,
        width: float | None = None,
        title: str | None = None,
        algorithm: str | None = None,
        relative: bool | None = None,
    ) -> Figure:
        """Draw the result. Use `save_figure` to save the returned figure; notebooks show it.

        A result without a special figure is drawn as its values with their intervals, one row each.

        Parameters
        ----------
        ax
            Matplotlib axes to draw into, for figures with one panel; by default a new figure.
        which
            The name of a figure, for results with several: for verifications ``det``, ``roc`` or ``scores``; by default the first.
        width
            The width of the figure in inches; not with `ax`.
        title
            A heading.
        algorithm
            For confusion matrices and stratified studies: the algorithm to show.
        relative
            For curves over ranks: whether ranks are shares of the gallery size.

        Returns
        -------
        matplotlib.figure.Figure
            The figure; with `ax`, the figure of these axes.
        """
        given = {"which": which, "width": width, "title": title, "algorithm": algorithm, "relative": relative}
        options = {name: value for name, value in given.items() if value is not None}
        figure: Figure = render(self, "figure", ax=ax, **options)
        return figure


check_methods(Shown)
