"""Results know nothing of tables and plots; those who draw them register here, and results ask by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_RENDERERS: dict[tuple[type, str], Callable[..., Any]] = {}
_HOME = "proband.report"  # registers its renderers when it is imported


def renders(kind: type, form: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as the way to show results of a kind in a form: ``latex``, ``markdown``, ``csv``, …"""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _RENDERERS[kind, form] = function
        return function

    return register


def render(result: object, form: str, **options: Any) -> Any:
    """Show a result in a form."""
    import_module(_HOME)
    return _RENDERERS[type(result), form](result, **options)
