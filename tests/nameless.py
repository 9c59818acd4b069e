"""Results of one algorithm under several names, held against each other."""

from __future__ import annotations

from typing import Any


def nameless(said: Any) -> Any:
    """Return what a result says as plain values, but for whom it is about."""
    if isinstance(said, dict):
        return {key: nameless(value) for key, value in said.items() if key != "who"}
    return [nameless(value) for value in said] if isinstance(said, list) else said
