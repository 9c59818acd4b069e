"""The analyses, each in one place: what can be asked, what carries it out, and how what it finds is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proband.study.requests import Request as Request


def __getattr__(name: str) -> Any:
    """Put together the class of requests for all analyses there are, when it is first asked for."""
    if name == "Request":
        from proband.study.requests import request_type

        return request_type()
    raise AttributeError(name)
