"""Results know nothing of tables and plots; those who draw them register here, and results ask by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RENDERERS: dict[tuple[type, str], Callable[..., Any]] = {}
_HOMES = ("proband.report", "proband.report.notebook")  # register their renderers when they are imported


def renders(kind: type, form: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as the way to show results of a kind in a form: ``latex``, ``markdown``, ``html``, ``figure``, …"""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _RENDERERS[kind, form] = function
        return function

    return register


def render(result: object, form: str, **options: Any) -> Any:
    """Show a result in a form."""
    for home in _HOMES:
        import_module(home)
    renderer = next(_RENDERERS[kind, form] for kind in type(result).__mro__ if (kind, form) in _RENDERERS)
    return renderer(result, **options)


class Drawn:
    """A result that can be drawn."""

    __slots__ = ()

    def plot(self, **options: Any) -> Figure:
        """Draw the result; `save_figure` writes what is returned, and notebooks show it.

        A result without a figure of its own is drawn as its values with their intervals, a row each.

        Parameters
        ----------
        options
            Curves, values and comparisons take a `width` in inches and a `title`; results with several figures, such as
            verifications (``det``, ``roc``, ``scores``), take the name of one of them, `which`; searches take a `rank`.
        """
        figure: Figure = render(self, "figure", **options)
        return figure


class Shown(Drawn):
    """A result that has a table, which notebooks show by themselves, and a figure."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the table, and what belongs beneath it, as notebooks show it."""
        return str(render(self, "html"))

    def to_latex(self) -> str:
        """Return the table as LaTeX (booktabs)."""
        return str(render(self, "latex"))
