"""Examples that properties are tried on: some in make test, all in make test-all, many more in make fuzz."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

TIMES = int(os.environ.get("PROBAND_FUZZ", "0"))


def examples(number: int) -> settings:
    """So many examples in make test-all; a quarter of them, and eight at least, in make test."""
    return settings(max_examples=number * TIMES if TIMES else max(8, number // 4), deadline=None)


def some(cases: Iterable[Any], step: int) -> list[Any]:
    """Every case in make test-all; one in so many, from the first on, in make test."""
    several = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [
        pytest.param(*case, marks=[pytest.mark.long] if place % step else [])
        for place, case in enumerate(several)
    ]


def damaged(content: bytes, rng: random.Random, pieces: bytes) -> bytes:
    """Some bytes changed, lost, put in or cut off."""
    made = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 3])):
        place = rng.randrange(len(made) + 1)
        match rng.randrange(4):
            case 0:
                made[place : place + 1] = rng.choice(pieces).to_bytes()
            case 1:
                del made[place : place + rng.randrange(1, 8)]
            case 2:
                made[place:place] = bytes(rng.choices(pieces, k=rng.randrange(1, 4)))
            case _:
                del made[place:]
    return bytes(made)
