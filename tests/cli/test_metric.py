"""Every output says what the scores are, and which comparisons were counted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.modes import commands

import proband as pb
from proband.errors import UsageError
from proband.study.reading import read_study
from proband.study.run import run as carry_out

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
    given = (
        "-e",
        "models.npz",
        "--metric",
        "cosine",
        "-s",
        "samples.csv",
        "--fmr",
        "0.1",
        "--replicates",
        "0",
    )
    every = run("verify", *given, "--explain", cwd=vectors)
    said = "Compared: every query with every target, except samples with themselves and repeated pairs; 60 genuine and 720 impostor comparisons."
    assert said in every.stdout
    chosen = run("verify", *given, "-g", "k == 0", "--json", cwd=vectors)
    first = json.loads(chosen.stdout)["verification"]["algorithms"][0]["compared"]
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
    found = carry_out(read_study(vectors / "study.toml"))
    assert [one.compared.design for one in found["verification"].verification] == [design, design]
    assert {one.curve.facts.metric for one in found["identification"].evaluation.entries} == {"cosine"}  # type: ignore[union-attr]


EMBEDDED = "-e models.npz -s samples.csv"
WITHOUT = {
    "evaluate": "-g one_per_subject",
    "compare": "-g one_per_subject",
    "verify": "",
    "threshold": "--fmr 0.1",
    "search": "-g one_per_subject",
    "gate": "--baseline net --candidate other -g one_per_subject",
    "mcnemar": "-g one_per_subject",
    "permute": "--trials 10",
    "strat": "--images 4",
    "feret": "-g one_per_subject",
    "covariates": "-g one_per_subject --on k",
    "partition": "-g one_per_subject",
    "coverage": "-g one_per_subject --sets 20",
    "plan": "-g one_per_subject --subjects 100",
}


def test_every_command_that_takes_embeddings_is_tried() -> None:
    taking = {name for name, one in commands().items() if any(each.name == "metric" for each in one.params)}
    assert taking == set(WITHOUT)


@pytest.mark.parametrize("command", WITHOUT)
def test_a_metric_is_never_assumed(command: str, vectors: Path, run: Run) -> None:
    done = run(command, *EMBEDDED.split(), *WITHOUT[command].split(), cwd=vectors)
    assert done.returncode == 2
    assert "no metric was given for the embeddings net" in done.stderr
    assert "one of cosine, inner, l2, l1, chi2: --metric cosine" in done.stderr
    assert "--metric net=l2" in done.stderr


def test_normalised_vectors_need_a_metric_too(vectors: Path) -> None:
    net = np.load(vectors / "models.npz")["net"]
    np.savez(vectors / "unit.npz", net=net / np.linalg.norm(net, axis=1, keepdims=True))
    with pytest.raises(UsageError, match="no metric was given"):
        pb.read_embeddings(vectors / "unit.npz", pb.Samples.read(vectors / "samples.csv"))


def _metrics(done: Any) -> dict[str, str]:
    assert done.returncode == 0, done.stderr
    return {
        one["algorithm"]: one["compared"]["metric"]
        for one in json.loads(done.stdout)["verification"]["algorithms"]
    }


def test_metrics_are_given_by_name(vectors: Path, run: Run) -> None:
    asked = ("--fmr", "0.1", "--replicates", "0", "--json")
    every = (*EMBEDDED.split(), *asked)
    assert _metrics(run("verify", *every, "--metric", "net=l2,other=cosine", cwd=vectors)) == {
        "net": "l2",
        "other": "cosine",
    }
    named = ("-e", "first=models.npz::net", "-e", "models.npz::other", "-s", "samples.csv", *asked)
    assert _metrics(run("verify", *named, "--metric", "other=l1,first=inner", cwd=vectors)) == {
        "first": "inner",
        "other": "l1",
    }
    for wrong, told in (
        ("net=l2", "no metric was given for the embeddings other"),
        ("net=l2,other=l3", "expected 'cosine' or 'inner'"),
        ("euclidean", "expected 'cosine' or 'inner'"),
        ("net=l2,other=l2,others=l2", "did you mean 'other'?"),
        ("net=l2,net=l1", "names 'net' twice"),
        ("net=l2,l1", "NAME=METRIC"),
    ):
        done = run("verify", *every, "--metric", wrong, cwd=vectors)
        assert (done.returncode, told in done.stderr) == (2, True), done.stderr
    text = '[samples]\nfile = "samples.csv"\n[[embeddings]]\nfile = "models.npz"\nmetric = { net = "l2", other = "inner" }\n'
    (vectors / "named.toml").write_text(
        f"{text}[verification]\nfmr = [0.1]\nn_resamples = 0\n", encoding="utf-8"
    )
    found = carry_out(read_study(vectors / "named.toml"))
    assert [one.compared.metric for one in found["verification"].verification] == ["l2", "inner"]


def test_a_file_may_state_its_metric(vectors: Path, run: Run) -> None:
    held = dict(np.load(vectors / "models.npz"))
    np.savez(vectors / "stating.npz", **held, metric="l2")
    asked = (
        "verify",
        "-e",
        "stating.npz",
        "-s",
        "samples.csv",
        "--fmr",
        "0.1",
        "--replicates",
        "0",
        "--json",
    )
    assert set(_metrics(run(*asked, cwd=vectors)).values()) == {"l2"}
    assert set(_metrics(run(*asked, "--metric", "l2", cwd=vectors)).values()) == {"l2"}
    done = run(*asked, "--metric", "net=cosine", cwd=vectors)
    assert (done.returncode, "states the metric l2 for net, but cosine was declared" in done.stderr) == (
        1,
        True,
    )
    np.savez(vectors / "odd.npz", **held, metric="far")
    assert "the stated metric must be one of" in run(*asked[:2], "odd.npz", *asked[3:], cwd=vectors).stderr
    _safetensors(vectors / "model.safetensors", held["net"], "l1")
    shutil.copy(vectors / "samples.csv", vectors / "model.csv")
    (net,) = pb.read_embeddings(vectors / "model.safetensors").values()
    assert net.metric == "l1"


def _safetensors(path: Path, vectors: Any, metric: str) -> None:
    about = {"dtype": "F32", "shape": list(vectors.shape), "data_offsets": [0, vectors.nbytes]}
    header = json.dumps({"net": about, "__metadata__": {"metric": metric}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + vectors.tobytes())


def test_init_leaves_the_metric_to_the_user(vectors: Path, run: Run) -> None:
    done = run("init", "models.npz", "samples.csv", "-o", "first.toml", cwd=vectors)
    assert "to fill in: metric of net, other in models.npz" in done.stdout
    line = '# metric = { "net" = "…", "other" = "…" }   # fill in'
    assert line in (vectors / "first.toml").read_text(encoding="utf-8")
    np.savez(vectors / "stating.npz", **np.load(vectors / "models.npz"), metric="l2")
    done = run("init", "stating.npz", "samples.csv", "-o", "second.toml", cwd=vectors)
    assert "metric" not in done.stdout
    assert read_study(vectors / "second.toml").request.embeddings[0].metric is None
