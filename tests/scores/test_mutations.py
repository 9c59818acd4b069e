"""Files with random damage are read or refused; nothing else happens."""

from __future__ import annotations

import random

import numpy as np
import pytest

from proband.errors import ProbandError
from proband.samples import Samples
from proband.scores import Scores
from proband.scores.formats import write_scores
from proband.scores.reading import read_scores

ENDINGS = {
    "npy": ".npy",
    "npz": ".npz",
    "bee": ".mtx",
    "csv-long": ".csv",
    "csv-matrix": ".csv",
    "bob5": ".txt",
    "bob4": ".txt",
}
PIECES = b"0123456789 ,\n\"'()<{}\xff\x00"


def damaged(content, rng):
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 4])):
        place = rng.randrange(len(content) + 1)
        match rng.randrange(5):
            case 0:
                content[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                del content[place : place + rng.randrange(1, 8)]
            case 2:
                content[place:place] = bytes(rng.choices(PIECES, k=rng.randrange(1, 5)))
            case 3:
                other = rng.randrange(len(content) + 1)
                content[place:place] = content[other : other + rng.randrange(1, 20)]
            case _ if rng.random() < 0.3:
                del content[place:]
    return bytes(content)


@pytest.mark.parametrize("name", ENDINGS)
def test_random_damage(tmp_path, name):
    samples = Samples({"id": ["x", "y", "a", "b", "c"], "subject": ["s", "t", "s", "t", "u"]})
    values = np.random.default_rng(0).normal(size=(2, 3))
    scores = Scores.from_array(values, ["x", "y"], ["a", "b", "c"], orientation="distance")
    path = tmp_path / f"harbour{ENDINGS[name]}"
    write_scores(path, scores, samples, name)
    whole = path.read_bytes()
    stated = None if name in ("npy", "npz", "bee") else "distance"
    rng = random.Random(name)
    failures = {}
    for _ in range(400):
        content = damaged(whole, rng)
        path.write_bytes(content)
        try:
            for found in read_scores(path, orientation=stated, format=rng.choice([None, name])).values():
                found.tile(*(np.arange(min(n, 10)) for n in found.shape))
        except ProbandError:
            pass
        except Exception as error:
            failures.setdefault(type(error).__name__, content)
    assert failures == {}
