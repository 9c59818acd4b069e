"""Every view there is: those of kinds of results, and those of analyses."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from proband.study.analysis import analyses, loaded

_KINDS = "proband.report.kinds"


@cache
def load_views() -> None:
    """Import all views, which register themselves."""
    for module in iter_modules(import_module(_KINDS).__path__):
        import_module(f"{_KINDS}.{module.name}")
    for analysis in analyses():
        if analysis.view is not None:
            loaded(analysis.view)
