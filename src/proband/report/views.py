"""Locations of views of kinds of results and of analyses, imported on demand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from proband.study.analysis import Analysis, analyses, loaded

_KINDS = "proband.report.kinds"


def load_view_of(kinds: Sequence[type]) -> None:
    """Import the view of the analysis that returns results of one of these kinds, if one does."""
    views = _views_by_result(tuple(analyses()))
    for kind in kinds:
        for view in views.get(f"{kind.__module__}:{kind.__qualname__}", ()):
            loaded(view)


@cache
def _views_by_result(every: tuple[Analysis, ...]) -> dict[str, list[object]]:
    """The views of analyses by the class of the result, ``module:name``."""
    views: dict[str, list[object]] = {}
    for analysis in every:
        if analysis.view is not None:
            home = analysis.result
            name = home if isinstance(home, str) else f"{home.__module__}:{home.__qualname__}"
            views.setdefault(name, []).append(analysis.view)
    return views


@cache
def load_views() -> None:
    """Import all views, which register themselves."""
    for module in iter_modules(import_module(_KINDS).__path__):
        import_module(f"{_KINDS}.{module.name}")
    for analysis in analyses():
        if analysis.view is not None:
            loaded(analysis.view)
