"""What the tests of score files share."""

from __future__ import annotations

import time
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from proband.errors import ProbandError
from proband.samples import Samples
from proband.scores import Scores
from proband.scores.formats import read_file
from proband.scores.reading import read_scores

MEGABYTE = 1 << 20


@pytest.fixture(scope="session")
def refusal():
    """Read a file that must be refused; the complaint, which must name the file (or the part of it at fault)."""

    def refuse(path, samples=None, names=None, **options):
        named = names or Path(str(path).partition("::")[0]).stem
        with pytest.raises(ProbandError) as caught:
            read_every(path, samples, **options)
        assert named in str(caught.value)
        return str(caught.value)

    return refuse


@pytest.fixture(scope="session")
def frugally():
    """A block that may take neither long nor much memory, whatever a file claims."""

    @contextmanager
    def frugal(megabytes=16, seconds=5):
        start = time.process_time()
        tracemalloc.start()
        try:
            yield
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < megabytes * MEGABYTE
        assert time.process_time() - start < seconds

    return frugal


@pytest.fixture(scope="session")
def whole():
    """All scores of some `Scores`, in one tile."""
    return read_all


@pytest.fixture(scope="session")
def pairs_of_subjects():
    """Which queries and targets a file itself says are mated."""

    def mated(path):
        file = read_file(path)
        matrix = file.as_matrix()
        subject = dict(zip(file.subjects.ids, file.subjects.frame["subject"], strict=True))
        return np.array([[subject[q] == subject[t] for t in matrix.targets] for q in matrix.queries])

    return mated


@pytest.fixture
def small():
    """Distances of three queries with two targets, and whose they are."""
    values = np.array([[0.1, 1 / 3], [2.5e-310, -0.0], [1.7e308, -7.25]])
    scores = Scores.from_array(values, ["q1", "q2", "q3"], ["t1", "t2"], orientation="distance", name="small")
    samples = Samples({"id": ["q1", "q2", "q3", "t1", "t2"], "subject": ["a", "b", "a", "a", "b"]})
    return scores, samples


def read_every(path, samples, **options):
    for scores in read_scores(path, samples, **options).values():
        read_all(scores)


def read_all(scores):
    return scores.tile(*(np.arange(n) for n in scores.shape))
