"""What a plain job compiles: each kernel once, whatever the scores come from, and no kernel that it does without."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from proband.measures.pairs.counts import FEW_PAIRS

_JOBS = """
import json, sys
from proband.cli.app import main
matrix, vectors, samples = sys.argv[1:]
table, given = ["-s", samples, "--json"], [matrix, "--orientation", "similarity"]
for job in (
    ["evaluate", *given, *table],
    ["verify", *given, *table],
    ["evaluate", "-e", vectors, "--metric", "cosine", "-g", "one_per_subject", *table],
    ["verify", "-e", vectors, "--metric", "cosine", *table],
):
    try:
        main(job)
    except SystemExit as end:
        assert not end.code, job
    found = {
        kernel: len(one.signatures)
        for name, module in list(sys.modules.items()) if name.startswith("proband.kernels.")
        for kernel, one in vars(module).items() if hasattr(one, "py_func") and one.__module__ == name
    }
    print(json.dumps(found), file=sys.stderr)
"""


@pytest.mark.long
def test_plain_jobs_compile_each_kernel_once(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    n = 800  # people; fewer pairs would be sorted, without kernels
    people, vectors = np.repeat(np.arange(n), 3), rng.standard_normal((n, 8))
    ids = [f"i{k}" for k in range(3 * n)]
    images = (vectors[people] + 0.5 * rng.standard_normal((3 * n, 8))).astype(np.float32)
    scores = images[n:] @ images[:n].T
    assert scores.size > FEW_PAIRS
    np.savez(tmp_path / "scores.npz", scores=scores, query_ids=ids[n:], target_ids=ids[:n])
    np.save(tmp_path / "vectors.npy", images)
    rows = [f"{name},{person}" for name, person in zip(ids, people, strict=True)]
    (tmp_path / "samples.csv").write_text("\n".join(["id,subject", *rows]) + "\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("scores.npz", "vectors.npy", "samples.csv")]
    done = subprocess.run(
        [sys.executable, "-c", _JOBS, *files], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    after = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert len(after) == 4
    for before, now in pairwise([{}, *after]):
        assert {name for name, times in now.items() if times > before.get(name, 0) + 1} == set()
    for name in (
        "fill_scores",
        "count_rejected",
        "add_placements",
        "pour_cells",
        "tally_draws",
        "weighted_sizes",
    ):
        assert after[-1][name] == 1, name  # the same for matrices and embeddings
    unused = {"fill_by_component", "count_subjects", "count_screened_subjects", "sum_costs", "add_pairs"}
    assert not any(after[-1].get(name) for name in unused)
