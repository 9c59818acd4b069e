"""The analyses, one package each: the request, the code that runs it, and the view of its results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proband.study.requests import Request as Request


def __getattr__(name: str) -> Any:
    """Build the class of requests for all analyses on first access."""
    if name == "Request":
        from proband.study.requests import request_type

        return request_type()
    raise AttributeError(name)
