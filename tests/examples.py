"""How many examples a property is tried on: some in make test, all in make test-all, many more in make fuzz."""

from __future__ import annotations

import os

from hypothesis import settings

TIMES = int(os.environ.get("PROBAND_FUZZ", "0"))


def examples(number: int) -> settings:
    """So many examples in make test-all; a third of them, and ten at least, in make test."""
    return settings(max_examples=number * TIMES if TIMES else max(10, number // 3), deadline=None)
