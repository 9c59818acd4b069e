"""Virtual experiments: 160 people × 4 images, 10,000 balanced trials × 8 algorithms, rates at ranks 1 to 10.

Measured in CPU seconds, for the fresh process too, so that other load on the machine matters little.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.job import Row, best_of
from proband.designs import ImageChoice
from proband.designs.image_choice import draw_choices
from proband.inference import permute
from proband.samples import Pool, Samples
from proband.scores import Scores

PEOPLE, IMAGES, TRIALS, ALGORITHMS = 160, 4, 10_000, 8
SORTED, COMPARED = 12, 60  # trials that the slow ways are timed on; their time is per trial

FRESH = """
import sys, numpy as np
from proband.designs import ImageChoice
from proband.inference import permute
from proband.samples import Pool, Samples
from proband.scores import Scores
data = np.load(sys.argv[1], allow_pickle=False)
ids = data["ids"].tolist()
samples = Samples({"id": ids, "subject": [name[:4] for name in ids], "day": data["day"]})
scores = [Scores.from_array(data[k], ids, orientation="similarity", name=k) for k in data.files if k.startswith("a")]
permute(scores, Pool(samples, "day"), design=ImageChoice(int(sys.argv[2])), max_rank=10, differences=False, threads=1)
"""


def run() -> list[Row]:
    rng = np.random.default_rng(0)
    ids = [f"s{s:03d}-{k}" for s in range(PEOPLE) for k in range(IMAGES)]
    day = [k // 2 for _ in range(PEOPLE) for k in range(IMAGES)]
    samples = Samples({"id": ids, "subject": [name[:4] for name in ids], "day": day})
    own = np.repeat(np.arange(PEOPLE), IMAGES)
    values = []
    for a in range(ALGORITHMS):
        matrix = rng.standard_normal((len(ids), len(ids))).astype(np.float32)
        matrix[own[:, None] == own[None, :]] += 2.6 + 0.1 * a
        values.append(matrix)
    scores = [
        Scores.from_array(matrix, ids, orientation="similarity", name=f"a{a}")
        for a, matrix in enumerate(values)
    ]
    pool = Pool(samples, "day")
    design = ImageChoice(TRIALS)

    permute(scores, pool, design=ImageChoice(64), max_rank=10, threads=1)
    ours, found = best_of(
        9,
        lambda: permute(scores, pool, design=design, max_rank=10, differences=False, threads=1),
        time.process_time,
    )
    choices = draw_choices(pool.options, True, 0, 0)
    argsort, sorted_rates = best_of(
        1, lambda: _trials(values, pool, choices[:SORTED], _by_argsort), time.process_time
    )
    loop, looped_rates = best_of(
        1, lambda: _trials(values, pool, choices[:COMPARED], _by_comparing), time.process_time
    )
    argsort, loop = argsort * TRIALS / SORTED, loop * TRIALS / COMPARED
    kept = permute(scores, pool, design=ImageChoice(COMPARED), max_rank=10, keep=True).replicates
    equal = bool(
        np.allclose(kept, looped_rates, atol=1e-12)
        and np.allclose(kept[:, :SORTED], sorted_rates, atol=1e-12)
    )
    plain, without = best_of(
        1,
        lambda: permute(
            scores, pool, design=design, max_rank=10, differences=False, threads=1, kernel="numpy"
        ),
        time.process_time,
    )
    same = without.to_dict() == found.to_dict()
    fresh = _fresh(values, ids, day)
    job = f"{TRIALS:,} trials × {ALGORITHMS} algorithms × {PEOPLE} people"
    goal = "≥ 3,000× argsort, ≥ 300× loop"
    reached = argsort >= 3000 * ours and loop >= 300 * ours
    return [
        Row(job, ours, argsort, loop, "numpy compare loop", goal, reached, equal),
        Row(f"{job}, from a fresh process", fresh, argsort, loop, "numpy compare loop", "≥ 100× argsort", argsort >= 100 * fresh, equal),
        Row(f"{job}, by numpy alone", plain, argsort, loop, "numpy compare loop", "≥ 50× argsort", argsort >= 50 * plain, same),
        _many(scores[:2], pool, found),
    ]  # fmt: skip


def _many(scores: list[Scores], pool: Pool, found: object) -> Row:
    trials = 10_000_000
    begun = time.perf_counter()
    made = permute(scores, pool, design=ImageChoice(trials), max_rank=10)
    took = time.perf_counter() - begun
    close = abs(made.rate("a0").mean - found.rate("a0").mean) < 0.002  # type: ignore[attr-defined]
    return Row(
        f"{trials:,} trials × 2 algorithms, all cores", took, None, None, "", "seconds", took < 60, close
    )


def _trials(values: list[np.ndarray], pool: Pool, choices: np.ndarray, ranks_of: object) -> np.ndarray:
    options = pool.options
    rates = np.zeros((len(values), len(choices), 10))
    for t, trial in enumerate(choices):
        chosen = options.starts[:-1] + trial
        rows, columns = options.images[options.probe[chosen]], options.images[options.gallery[chosen]]
        for a, matrix in enumerate(values):
            ranks = ranks_of(matrix[np.ix_(rows, columns)])  # type: ignore[operator]
            rates[a, t] = [(ranks <= rank).mean() for rank in range(1, 11)]
    return rates


def _by_argsort(matrix: np.ndarray) -> np.ndarray:
    order = np.argsort(-matrix, axis=1, kind="stable")
    return np.argmax(order == np.arange(len(matrix))[:, None], axis=1) + 1


def _by_comparing(matrix: np.ndarray) -> np.ndarray:
    return (matrix >= np.diagonal(matrix)[:, None]).sum(axis=1)


def _fresh(values: list[np.ndarray], ids: list[str], day: list[int]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.npz"
        np.savez(path, ids=np.array(ids), day=np.array(day), **{f"a{k}": m for k, m in enumerate(values)})
        command = [sys.executable, "-c", FRESH, str(path), str(TRIALS)]
        subprocess.run(command, check=True)
        return best_of(3, lambda: subprocess.run(command, check=True), _by_children)[0]


def _by_children() -> float:
    """CPU seconds of processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
