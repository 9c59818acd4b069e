"""Examples that properties are tried on: some in make test, all in make test-all, many more in make fuzz."""

from __future__ import annotations

import os
import random

from hypothesis import settings

TIMES = int(os.environ.get("PROBAND_FUZZ", "0"))


def examples(number: int) -> settings:
    """So many examples in make test-all; a third of them, and ten at least, in make test."""
    return settings(max_examples=number * TIMES if TIMES else max(10, number // 3), deadline=None)


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
