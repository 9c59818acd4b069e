"""Every output says what the scores are, and which comparisons were counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.study.reading import read_study
from proband.study.run import run

Run = Callable[..., Any]

COMMANDS = {
    "evaluate": ("-g", "k == 0"),
    "compare": ("-g", "k == 0"),
    "verify": ("--fmr", "0.1", "--replicates", "0"),
    "search": ("-g", "k == 0 and subject < 's06'", "-p", "k == 1", "--fpir", "0.4"),
    "permute": ("--trials", "100"),
    "strat": ("--images", "4"),
    "feret": ("-g", "k == 0"),
}
WORDS = {"cosine": "cosine similarity of embeddings", "l2": "Euclidean distance of embeddings"}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("vectors")
    rng = np.random.default_rng(4)
    ids = [f"s{s:02d}-{k}" for s in range(10) for k in range(4)]
    middle = np.repeat(rng.normal(size=(10, 8)), 4, axis=0)
    models = {name: (middle + rng.normal(0, 0.7, (40, 8))).astype(np.float32) for name in ("net", "other")}
    np.savez(place / "models.npz", ids=np.array(ids), **models)
    pl.DataFrame({"id": ids, "subject": [one[:3] for one in ids], "k": [0, 1, 2, 3] * 10}).write_csv(
        place / "samples.csv"
    )
    return place


@pytest.mark.long
@pytest.mark.parametrize(("command", "metric"), [*((one, "cosine") for one in COMMANDS), ("verify", "l2")])
def test_the_metric_is_stated_by_every_command(command: str, metric: str, vectors: Path, run: Run) -> None:
    given = ("-e", "models.npz", "-s", "samples.csv", "--metric", metric, *COMMANDS[command])
    page = f"{command}-{metric}.html"
    done = run(command, *given, "--report", page, "--explain", cwd=vectors)
    assert done.returncode == 0, done.stderr
    assert WORDS[metric] in done.stdout
    assert WORDS[metric] in (vectors / page).read_text(encoding="utf-8")
    plain = run(command, *given, "--json", cwd=vectors)
    assert f'"{metric}"' in plain.stdout


def test_the_comparisons_of_a_verification_are_stated(vectors: Path, run: Run) -> None:
    given = ("-e", "models.npz", "-s", "samples.csv", "--fmr", "0.1", "--replicates", "0")
    every = run("verify", *given, "--explain", cwd=vectors)
    said = "Compared: every query with every target, no sample with itself and no pair twice; 60 genuine and 720 impostor comparisons."
    assert said in every.stdout
    chosen = run("verify", *given, "-g", "k == 0", "--json", cwd=vectors)
    first = json.loads(chosen.stdout)[0]["compared"]
    assert (first["design"], first["gallery"], first["metric"]) == ("experiment", "k == 0", "cosine")


@pytest.mark.parametrize(("said", "design"), [("", "experiment"), ('comparisons = "all"\n', "all")])
def test_a_study_verifies_its_experiment_unless_it_says_otherwise(
    vectors: Path, said: str, design: str
) -> None:
    (vectors / "study.toml").write_text(
        '[samples]\nfile = "samples.csv"\n[[embeddings]]\nfile = "models.npz"\nmetric = "cosine"\n[experiment]\n'
        f'gallery = "k == 0"\n[verification]\nfmr = [0.1]\nn_resamples = 0\n{said}',
        encoding="utf-8",
    )
    found = run(read_study(vectors / "study.toml"))
    assert [one.compared.design for one in found.verification] == [design, design]
    assert {one.curve.facts.metric for one in found.evaluation.entries} == {"cosine"}  # type: ignore[union-attr]
