"""Results know nothing of tables and plots; those who make them register here, and results ask by name.

A kind of result has one maker of tables, and perhaps one of figures. From the tables follows every form: LaTeX, Markdown, HTML,
CSV, the terminal's. A kind that has no maker of its own has that of a kind it derives from, and at last a table of its frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from proband.engine.arguments import check_methods
from proband.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Made = Literal["table", "figure", "metrics"]
_MAKERS: dict[tuple[type, Made], Callable[..., Any]] = {}
_CALLED: dict[Made, str] = {"table": "table", "figure": "figure", "metrics": "model card"}
_WRITERS: dict[str, Callable[..., Any]] = {}
_HOMES = (
    "proband.report.formats",
    "proband.report.notebook",
    "proband.report.plotting",
    "proband.report.model_card",
)  # register what they make when they are imported


def renders(kind: type, what: Made) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as the maker of the tables, or of the figure, of results of a kind."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _MAKERS[kind, what] = function
        return function

    return register


def writes(form: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function that writes tables in a form: ``latex``, ``markdown``, ``html``, ``csv``, ``terminal``."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _WRITERS[form] = function
        return function

    return register


def writes_card(function: Callable[..., str]) -> Callable[..., str]:
    """Register the function that writes a model card of a result."""
    _WRITERS["card"] = function
    return function


def render(result: object, form: str, **options: Any) -> Any:
    """Show a result in a form; ``table`` gives its tables themselves, ``metrics`` what a model card states, ``figure`` draws it."""
    for home in _HOMES:
        import_module(home)
    match form:
        case "table" | "figure" | "metrics":
            return _maker(type(result), form)(result, **options)
        case "card":
            return _WRITERS[form](result, **options)
        case _:
            tables: Sequence[Any] = render(result, "table")
            return _WRITERS[form](tables, **options)


def _maker(kind: type, what: Made) -> Callable[..., Any]:
    for one in kind.__mro__:
        if (one, what) in _MAKERS:
            return _MAKERS[one, what]
    raise UsageError(
        f"There is no {_CALLED[what]} of {'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}.",
        f"there is one of {', '.join(one.__name__ for one, form in _MAKERS if form == what)}.",
    )


class Shown:
    """A result that has a table, which notebooks show by themselves, and a figure; its methods go through the gate."""

    __slots__ = ()
    of_findings: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_methods(cls)

    def _repr_html_(self) -> str:
        """Return the table, and what belongs beneath it, as notebooks show it."""
        return str(render(self, "html"))

    def to_latex(self) -> str:
        """Return the table as LaTeX (booktabs)."""
        return str(render(self, "latex"))

    def to_markdown(self) -> str:
        """Return the table as Markdown, with what belongs beneath it."""
        return str(render(self, "markdown"))

    def to_model_card(self, dataset: str = "test set", *, format: str = "markdown") -> str:
        """Return a model card's part: metrics with intervals, the dataset and what varies.

        Evaluations, verifications, classifications, gates and what a study found have one.

        Parameters
        ----------
        dataset
            What the data are called.
        format
            ``markdown``: a README's head with Hugging Face's ``model-index`` and a section; ``yaml``: the head alone.
        """
        return str(render(self, "card", dataset=dataset, format=format))

    def plot(self, **options: Any) -> Figure:
        """Draw the result; `save_figure` writes what is returned, and notebooks show it.

        A result without a figure of its own is drawn as its values with their intervals, a row each.

        Parameters
        ----------
        options
            Curves, estimates and comparisons take a `width` in inches and a `title`; results with several figures, such as
            verifications (``det``, ``roc``, ``scores``), take the name of one of them, `which`; searches take a `rank`.
        """
        figure: Figure = render(self, "figure", **options)
        return figure


check_methods(Shown)
