"""Ranks and verification of 10⁹ pairs of embeddings from a memory-mapped file: threads against a Dask cluster of two processes.

``python -m benchmarks.engines 4000`` runs it on 4,000 × 4,000.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.job import Row, best_of
from proband.engine import default_threads, using
from proband.measures.pairs.counts import count_pairs
from proband.measures.pairs.pair_set import PairSet
from proband.measures.ranks import rank
from proband.samples import Experiment, Samples
from proband.scores import Embeddings

SIDE, DIMENSION = 31_623, 128
MOST_OVERHEAD = 1.10  # of threads
MOST_MEMORY, MOST_OF_WORKER = 1000, 300  # MB: here, and of each worker
TURNS = 3


def run(side: int = SIDE) -> list[Row]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        return []
    with tempfile.TemporaryDirectory() as folder:
        embeddings, samples, gallery = _written(Path(folder), side)
        experiment = Experiment(samples, gallery=gallery)
        jobs = {
            "ranks": lambda: _ranks(embeddings, experiment),
            "verification": lambda: _counts(embeddings, samples, gallery),
        }
        with (
            LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.ERROR
            ) as cluster,
            Client(cluster) as client,
        ):
            return [_row(name, job, side, client) for name, job in jobs.items()]


def _row(name: str, job: Any, side: int, client: Any) -> Row:
    """By threads and by the cluster in turn, so that what else the machine does meets both."""
    seconds: dict[str, list[float]] = {"threads": [], "cluster": []}
    digests, here, of_worker = set(), 0.0, 0.0
    for turn in range(TURNS + 1):
        for kind, engine in (("threads", "threads"), ("cluster", client)):
            _forget_peak()
            client.run(_forget_peak)
            with using(engine):
                took, found = best_of(1, job)
            if turn:  # the first compiles, and lets workers begin
                seconds[kind].append(took)
            digests.add(_digest(found))
            here, of_worker = max(here, _peak()), max(of_worker, *client.run(_peak).values())
    threads, cluster = min(seconds["threads"]), min(seconds["cluster"])
    goal = (
        f"≤ {MOST_OVERHEAD}× of {default_threads()} threads ({cluster / threads:.2f}×), "
        f"≤ {MOST_OF_WORKER} MB a worker"
    )
    reached = cluster <= MOST_OVERHEAD * threads and here <= MOST_MEMORY and of_worker <= MOST_OF_WORKER
    told = f"{here:.0f} MB here, {of_worker:.0f} MB a worker"
    asked = f"{name} of {side:,} × {side:,} × {DIMENSION} by two processes of Dask ({told})"
    return Row(asked, cluster, None, threads, "threads", goal, reached, len(digests) == 1)


def _digest(found: Any) -> str:
    return hashlib.sha256(pickle.dumps([np.ascontiguousarray(one).tobytes() for one in found])).hexdigest()


def _written(folder: Path, side: int) -> tuple[Embeddings, Samples, np.ndarray]:
    """Two vectors of everybody, one file, which is mapped."""
    rng = np.random.default_rng(0)
    people = rng.standard_normal((side, DIMENSION), dtype=np.float32)
    both = [
        people + rng.standard_normal((side, DIMENSION), dtype=np.float32) * np.float32(1.2) for _ in range(2)
    ]
    np.save(folder / "vectors.npy", np.concatenate(both))
    ids = [f"{kind}{k}" for kind in "gp" for k in range(side)]
    samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    embeddings = Embeddings(
        vectors[side:], ids[side:], metric="cosine", targets=vectors[:side], target_ids=ids[:side]
    )
    return embeddings, samples, np.arange(2 * side) < side


def _ranks(embeddings: Embeddings, experiment: Experiment) -> Any:
    found = rank(embeddings, experiment)
    return found.closer, found.tied


def _counts(embeddings: Embeddings, samples: Samples, gallery: np.ndarray) -> Any:
    found = count_pairs(embeddings, PairSet.of(embeddings, samples))
    return found.edges, found.impostor_ge, found.impostor_gt, found.genuine_at


def _forget_peak() -> None:
    """Begin to look anew for the most memory that this process takes."""
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """The most memory that this process took, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    for row in run(int(sys.argv[1]) if len(sys.argv) > 1 else SIDE):
        print(" | ".join(row.cells()))
