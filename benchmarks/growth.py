"""How time and memory grow with people, images, algorithms, false match rates and replicates, each doubled four times.

``python -m benchmarks.growth verify people`` measures one of them. Each runs in its own process, on one thread.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.job import Growth

LEAST_TIMES, MOST_TIMES, ENOUGH = (
    3,
    12,
    2.0,
)  # repeats, and CPU seconds for them: what is short is disturbed the most
DOUBLINGS, DIMENSION, LEAST_MEMORY = 4, 32, 64  # MB: what varies less is flat
# A heap that gives back what is freed at once, so that the most memory taken is that of one size and not of those before it.
ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536", "PROBAND_THREADS": "1"}


class Study(NamedTuple):
    """What is measured: vectors of so many people, so many images of each, and what is asked of them."""

    people: int = 500
    images: int = 2
    algorithms: int = 1
    rates: int = 1
    replicates: int = 200


class Series(NamedTuple):
    """What is doubled, from which study on, and the exponents that time and memory may have."""

    grows: str
    first: Study
    time: float
    memory: float


# Pairs grow with the square of people and of images; a genuine comparison is kept, and people have images² of them.
SERIES: dict[str, tuple[Series, ...]] = {
    "evaluate": (
        Series("people", Study(people=2000), 2, 1),
        Series("images", Study(people=1000), 2, 1),
        Series("algorithms", Study(people=2000), 1, 1),
    ),
    "search": (Series("people", Study(people=500), 2, 1), Series("images", Study(people=250), 2, 1)),
    "verify": (
        Series("people", Study(people=500), 2, 1),
        Series("images", Study(people=250), 2, 2),
        Series("rates", Study(people=1500), 1, 1),
        Series("replicates", Study(people=1500, replicates=500), 1, 1),
    ),
    "compare rates": (Series("algorithms", Study(people=500, algorithms=2), 1.1, 1),),
    "compare FNMR": (
        Series("people", Study(people=250, algorithms=2), 2, 1),
        Series("algorithms", Study(people=250, algorithms=2), 1, 1),
    ),
}


def run() -> list[Growth]:
    return [row for verb, every in SERIES.items() for one in every for row in _rows(verb, one)]


def _rows(verb: str, series: Series) -> list[Growth]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.growth", verb, series.grows],
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        check=True,
    )
    tiny, *points = json.loads(done.stdout)
    seconds, memory = (np.array(column, dtype=np.float64) for column in zip(*points, strict=True))
    job = f"{verb}: {series.grows} {getattr(series.first, series.grows)}–{_size(series, DOUBLINGS)}"
    return [
        Growth(f"{job}, CPU time", exponent(seconds - tiny[0]), series.time, f"{seconds[-1]:.3g} s"),
        Growth(f"{job}, memory", _flat_or(memory), series.memory, f"{memory[-1]:.0f} MB"),
    ]


def exponent(values: np.ndarray) -> float:
    """The slope over the last two doublings, where what does not grow counts least."""
    last, before = max(float(values[-1]), 1e-9), max(float(values[-3]), 1e-9)
    return math.log2(last / before) / 2


def _flat_or(memory: np.ndarray) -> float:
    """The exponent of memory; none where there is next to nothing."""
    return 0.0 if memory[-1] < LEAST_MEMORY else exponent(memory)


def _size(series: Series, doublings: int) -> int:
    return int(getattr(series.first, series.grows) * 2**doublings)


# In the process that is measured


def measured(verb: str, series: Series) -> list[tuple[float, float]]:
    """CPU seconds and MB beyond the data: of the smallest study there can be, then of every doubling."""
    least = {"people": 50, "images": 2, "algorithms": 2, "rates": 1, "replicates": 100}
    tiny = Study(*(min(least[name], value) for name, value in series.first._asdict().items()))
    JOBS[verb](tiny)()  # compile
    sizes = [
        series.first._replace(**{series.grows: _size(series, doubling)}) for doubling in range(DOUBLINGS + 1)
    ]
    return [_of(JOBS[verb](study)) for study in (tiny, *sizes)]


def _of(job: Callable[[], object]) -> tuple[float, float]:
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    least, spent, times = math.inf, 0.0, 0
    while times < LEAST_TIMES or (spent < ENOUGH and times < MOST_TIMES):
        start = time.process_time()
        job()
        took = time.process_time() - start
        least, spent, times = min(least, took), spent + took, times + 1
        if least > 1:
            break
    return least, _memory("VmHWM") - before


def _memory(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def _data(study: Study, strangers: float = 0.0) -> tuple[list[Any], Any, Any]:
    """Vectors of every algorithm, the table, and the experiment with half of the images in the gallery, but of strangers none."""
    import proband as pb

    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(study.people), study.images)
    ids = [f"{k}" for k in range(len(who))]
    samples = pb.Samples({"id": ids, "subject": [f"p{k}" for k in who]})
    people = rng.standard_normal((study.people, DIMENSION), dtype=np.float32)
    algorithms = [
        pb.Embeddings(
            people[who] + 0.9 * rng.standard_normal((len(who), DIMENSION), dtype=np.float32),
            samples.ids,
            metric="cosine",
            name=f"net {k}",
        )
        for k in range(study.algorithms)
    ]
    half = np.arange(len(who)) % study.images < study.images // 2
    half &= who < study.people * (1 - strangers)
    return algorithms, samples, pb.Experiment(samples, gallery=[ids[k] for k in np.flatnonzero(half)])


def _evaluate(study: Study) -> Callable[[], object]:
    from proband.inference.estimates.evaluate import evaluate

    algorithms, _, experiment = _data(study)
    return lambda: evaluate(algorithms, experiment)


def _search(study: Study) -> Callable[[], object]:
    import proband as pb

    (one,), _, experiment = _data(study, strangers=0.25)
    return lambda: pb.search(one, experiment)


def _verify(study: Study) -> Callable[[], object]:
    import proband as pb

    (one,), samples, _ = _data(study)
    fmrs = np.geomspace(1e-3, 1e-4, study.rates).tolist()
    return lambda: pb.verify(one, samples, fmr=fmrs, n_resamples=study.replicates)


def _compare(study: Study, measure: str) -> Callable[[], object]:
    import proband as pb

    algorithms, samples, experiment = _data(study)
    if measure == "rank":
        return lambda: pb.compare(algorithms, experiment, measure=pb.measures.RecognitionRate(1))
    return lambda: pb.compare(algorithms, samples, measure=pb.measures.FNMR(1e-3))


JOBS: dict[str, Callable[[Study], Callable[[], object]]] = {
    "evaluate": _evaluate,
    "search": _search,
    "verify": _verify,
    "compare rates": lambda study: _compare(study, "rank"),
    "compare FNMR": lambda study: _compare(study, "fnmr"),
}


if __name__ == "__main__":
    verb, grows = sys.argv[1:]
    print(json.dumps(measured(verb, next(one for one in SERIES[verb] if one.grows == grows))))
