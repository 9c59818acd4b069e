"""The recipes of docs/how-to/integrations.md run, with the packages they are for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import proband as pb

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "integrations.md"


def block(section: str, language: str) -> str:
    """The first block of code of a section of the page."""
    _, _, text = PAGE.read_text(encoding="utf-8").partition(f"\n## {section}\n")
    found = re.search(rf"```{language}\n(.*?)```", text.partition("\n## ")[0], re.DOTALL)
    assert found, section
    return found[1]


def defined(section: str) -> dict[str, Any]:
    """What the code of a section defines."""
    names: dict[str, Any] = {"pb": pb}
    exec(block(section, "python"), names)
    return names


@cache
def embeddings() -> tuple[pb.Samples, pb.Embeddings, pb.Embeddings]:
    """Forty bundled synthetic people, and two models' vectors of their images."""
    people = pb.faces.Population(n_subjects=60, plan="grid", seed=1, height=64, width=54)
    samples = pb.Samples(people.columns())
    eyes = samples.frame.select("left_eye_x", "left_eye_y", "right_eye_x", "right_eye_y").to_numpy()
    crops = pb.algorithms.Crops.of(pb.algorithms.crop_faces(people.render(), eyes), samples)
    train = crops.take([samples.ids[k] for k in samples.select("subject > 's0040'").positions])
    tested = samples.take(samples.select("subject <= 's0040'").positions)
    made = []
    for name, model in (("new", "lda:angle"), ("old", "pca:l2")):
        vectors = pb.algorithms.recognizer(model).fit(train).represent(crops.take(tested.ids))
        made.append(pb.Embeddings(vectors, tested.ids, metric="cosine", name=name))
    return tested, made[0], made[1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files that a release has."""
    samples, *models = embeddings()
    samples.frame.write_csv(tmp_path / "samples.csv")
    for model in models:
        vectors = model.query_rows(np.arange(len(samples)))
        np.savez(tmp_path / f"{model.name}.npz", embeddings=vectors, ids=samples.ids[:])
    return tmp_path


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which `proband` is the program of this Python."""
    home = tmp_path_factory.mktemp("bin")
    (home / "proband").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m proband "$@"\n')
    (home / "proband").chmod(0o755)
    return {**os.environ, "PATH": f"{home}{os.pathsep}{os.environ['PATH']}"}


def test_the_workflow_gates_a_release(folder: Path, program: dict[str, str]) -> None:
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load(block("GitHub Actions", "yaml"))
    assert set(workflow) == {"name", True, "jobs"}  # YAML 1.1 reads `on` as true
    (job,) = workflow["jobs"].values()
    steps = job["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    (gate,) = (step["run"] for step in steps if step.get("name") == "Gate")
    asked = {"cwd": folder, "env": program | {"GITHUB_STEP_SUMMARY": str(folder / "step.md")}}
    pin = "proband gate -e {}.npz --baseline old.npz --metric cosine -s samples.csv -g \"session == 1 and kind == 'fa'\" --save baseline.json"
    subprocess.run(["bash", "-c", pin.format("new")], check=True, capture_output=True, **asked)
    done = subprocess.run(["bash", "-e", "-c", gate], capture_output=True, text=True, **asked)
    assert done.returncode == 0, done.stderr
    assert "Pass: new is not worse than old" in done.stdout
    assert (folder / "step.md").read_text(encoding="utf-8").startswith("### ✅ Pass")
    suite = ElementTree.parse(folder / "gate.xml").getroot()[0]
    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
    uploaded = next(step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", ""))
    assert (folder / uploaded).is_file()
    # The other way round the step fails.
    worse = gate.replace("new.npz", "old.npz").replace("baseline.json", "new.npz")
    assert subprocess.run(["bash", "-e", "-c", worse], capture_output=True, **asked).returncode == 3


def test_mlflow_has_numbers_page_and_card(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (folder / "runs").as_uri())
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a package that is not ours
        mlflow = pytest.importorskip("mlflow")
        (folder / "study.toml").write_text(
            "\n".join(
                [
                    '[samples]\nfile = "samples.csv"',
                    '[[embeddings]]\nfile = "new.npz"\nmetric = "cosine"',
                    "[experiment]\ngallery = \"session == 1 and kind == 'fa'\"",
                ]
            )
        )
        found = pb.run(pb.read_study("study.toml"), only=["identification"])
        run = mlflow.get_run(defined("MLflow")["log_study"](found, "synthetic people"))
        curve = found["identification"].evaluation.curves()[0]
        assert run.data.metrics["new/all probes/rank-1/value"] == pytest.approx(curve.at(1))
        assert run.data.metrics["new/all probes/rank-1/low"] < curve.at(1)
        assert run.data.tags["dataset"] == "synthetic people"
        kept = {one.path for one in mlflow.MlflowClient().list_artifacts(run.info.run_id, "results")}
        assert {"results/report.html", "results/model-card.md", "results/results.json"} <= kept


def test_a_model_card_takes_results(tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    samples, new, _ = embeddings()
    experiment = pb.Experiment(samples, gallery="session == 1 and kind == 'fa'")
    result = pb.evaluate(new, experiment)
    (tmp_path / "README.md").write_text("---\nlicense: mit\n---\n\n# A face model\n", encoding="utf-8")
    card = hub.ModelCard.load(tmp_path / "README.md")
    defined("Hugging Face")["add_results"](card, result, "synthetic people").save(tmp_path / "README.md")
    found = hub.ModelCard.load(tmp_path / "README.md")
    assert found.data.license == "mit"
    assert found.data.model_name == "new"
    first = found.data.eval_results[0]
    rate = result.curves()[0].at(1)
    assert (first.metric_type, first.metric_value) == ("rank-1", pytest.approx(rate, abs=1e-6))
    assert first.metric_args["low"] < rate < first.metric_args["high"]
    assert "# A face model" in found.text
    assert "synthetic people" in found.text


def test_the_page_links_what_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parent / target).is_file(), target
