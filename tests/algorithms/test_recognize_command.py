"""``proband recognize``: from images to scores to rates, and what is left behind when it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

from proband.algorithms import Acquired, Crops, Sets, crop_faces, names, recognizer, score, train
from proband.measures import rank
from proband.samples import Samples
from proband.scores.reading import read_scores

Run = Callable[..., Any]
TRAIN = ("--train", "subject <= 's0012'")
TEST = ("--queries", "subject > 's0012' and session == 2", "--targets", "subject > 's0012' and session == 1")
HERE = ("-i", "images.npz", "-s", "samples.csv")


@pytest.fixture
def study(tmp_path: Path, faces) -> Path:
    """The synthetic people as files: an archive of pictures and a table."""
    np.savez(tmp_path / "images.npz", images=faces.pictures, ids=np.array(faces.samples.ids[:]))
    faces.samples.frame.write_csv(tmp_path / "samples.csv")
    return tmp_path


@pytest.fixture
def crops_only(tmp_path: Path, faces) -> Path:
    """The same people as small crops, which need no eyes."""
    np.savez(tmp_path / "images.npz", images=faces.crops.images, ids=np.array(faces.samples.ids[:]))
    faces.samples.frame.select("id", "subject", "session", "kind").write_csv(tmp_path / "samples.csv")
    return tmp_path


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def values_of(path: Path) -> dict[str, np.ndarray]:
    return {name: scores.values for name, scores in read_scores(path).items()}


def test_from_images_to_scores_to_rates(study: Path, faces, run: Run) -> None:
    algorithms = ("correlation", "pca:l2", "lbp:nbnn")
    asked = [word for name in algorithms for word in ("-a", name)]
    done = run("recognize", *HERE, *asked, *TRAIN, *TEST, "-o", "scores.npz", cwd=study)
    assert done.returncode == 0, done.stderr
    assert (
        "24 queries × 24 targets; trained on 48 images of 12 people, none of whom is tested." in done.stdout
    )
    assert "wrote scores.npz" in done.stderr

    found = read_scores(study / "scores.npz")
    assert tuple(found) == algorithms
    crops = Crops.of(crop_faces(faces.pictures, faces.eyes), faces.samples)
    acquired, sets = Acquired(crops, {}), Sets(faces.training, faces.queries, faces.targets)
    models = train([recognizer(name) for name in algorithms], acquired, sets.training)
    for expected in score(models, acquired, sets):
        got = found[expected.name]
        assert (got.queries[:], got.targets[:]) == (faces.queries, faces.targets)
        assert np.array_equal(got.values, expected.values)

    done = run("evaluate", "scores.npz", "-s", "samples.csv", "--json", cwd=study)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)["identification"]["evaluation"]["results"]
    assert [result["algorithm"] for result in results] == list(algorithms)
    for result in results:
        ranks = rank(found[result["algorithm"]], faces.experiment).ranks
        assert result["estimates"]["1"]["value"] == pytest.approx((ranks == 1).mean())
        assert result["estimates"]["1"]["value"] > 0.6


def test_all_that_is_not_trained_on_is_tested_by_default(crops_only: Path, faces, run: Run) -> None:
    done = run(
        "recognize", *HERE, "--as-they-are", "-a", "pca:l2", *TRAIN, "-o", "scores.npz", cwd=crops_only
    )
    assert done.returncode == 0, done.stderr
    (scores,) = read_scores(crops_only / "scores.npz").values()
    rest = tuple(name for name in faces.samples.ids if name not in faces.training)
    assert (scores.queries[:], scores.targets[:]) == (rest, rest)


def test_the_list_names_every_recogniser(run: Run, tmp_path: Path) -> None:
    done = run("recognize", "--list", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.split() == names()


def test_saved_models_give_the_same_scores(crops_only: Path, run: Run) -> None:
    start = ("recognize", *HERE, "--as-they-are", *TEST)
    asked = ("-a", "pca:mahalanobis", "-a", "lda:soft", "-a", "lbp:chi2")
    done = run(*start, *asked, *TRAIN, "--save-models", "models/new", "-o", "first.npz", cwd=crops_only)
    assert done.returncode == 0, done.stderr
    saved = ["pca-mahalanobis.npz", "lda-soft.npz", "lbp-chi2.npz"]
    assert files(crops_only / "models" / "new") == set(saved)
    loaded = [word for name in saved for word in ("-m", f"models/new/{name}")]
    done = run(*start, *loaded, "-o", "second.npz", cwd=crops_only)
    assert done.returncode == 0, done.stderr
    assert "trained on 48 images of 12 people, none of whom is tested" in done.stdout
    first, second = values_of(crops_only / "first.npz"), values_of(crops_only / "second.npz")
    assert list(first) == list(second) == ["pca:mahalanobis", "lda:soft", "lbp:chi2"]
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_one_algorithm_fits_into_a_plain_array(crops_only: Path, run: Run) -> None:
    start = ("recognize", *HERE, "--as-they-are", *TEST, "-a", "lbp:chi2")
    assert run(*start, "-o", "scores.npy", cwd=crops_only).returncode == 0
    assert run(*start, "-o", "scores.npz", cwd=crops_only).returncode == 0
    assert np.array_equal(
        *[*values_of(crops_only / "scores.npy").values(), *values_of(crops_only / "scores.npz").values()]
    )


def test_pictures_in_a_directory(study: Path, faces, run: Run) -> None:
    (study / "photos").mkdir()
    for name, picture in zip(faces.samples.ids, faces.pictures, strict=True):
        Image.fromarray(picture).save(study / "photos" / f"{name}.png")
    start = ("recognize", "-s", "samples.csv", "-a", "correlation", *TEST)
    assert run(*start, "-i", "photos", "-o", "one.npz", cwd=study).returncode == 0
    assert run(*start, "-i", "images.npz", "-o", "other.npz", cwd=study).returncode == 0
    assert (study / "one.npz").read_bytes() == (study / "other.npz").read_bytes()

    table = pl.read_csv(study / "samples.csv").with_columns(scan="photos/" + pl.col("id") + ".png")
    table.write_csv(study / "scans.csv")
    start = ("recognize", "-s", "scans.csv", "-a", "correlation", *TEST)
    done = run(*start, "-i", ".", "--file-column", "scan", "-o", "third.npz", cwd=study)
    assert done.returncode == 0, done.stderr
    assert (study / "third.npz").read_bytes() == (study / "one.npz").read_bytes()


def test_threads_do_not_matter(study: Path, run: Run) -> None:
    start = ("recognize", *HERE, *TEST, "-a", "lbp:chi2", "--quiet")
    assert run(*start, "--threads", 1, "-o", "one.npz", cwd=study).returncode == 0
    assert run(*start, "--threads", 3, "-o", "three.npz", cwd=study).returncode == 0
    assert (study / "one.npz").read_bytes() == (study / "three.npz").read_bytes()


@pytest.mark.long
def test_eyes_can_be_found(study: Path, faces, run: Run) -> None:
    blind = pl.read_csv(study / "samples.csv").drop("left_eye_x", "left_eye_y", "right_eye_x", "right_eye_y")
    blind.write_csv(study / "blind.csv")
    start = ("recognize", "-i", "images.npz", "-s", "blind.csv", "-a", "lbp:chi2", *TEST, "-o", "scores.npz")
    done = run(*start, "--detect", "opencv", cwd=study)
    assert done.returncode == 0, done.stderr
    (scores,) = read_scores(study / "scores.npz").values()
    outcomes = rank(scores, faces.experiment)
    assert (outcomes.ranks == 1).mean() > 0.4
    assert outcomes.failed.mean() <= 0.1
    (study / "scores.npz").unlink()
    refused = run(*start, cwd=study)
    assert refused.returncode == 1
    assert "left_eye_x" in refused.stderr
    assert "--detect" in refused.stderr


def test_failures_are_counted_and_become_misses(study: Path, faces, run: Run) -> None:
    lost = faces.queries[5]
    table = pl.read_csv(study / "samples.csv").with_columns(
        left_eye_x=pl.when(pl.col("id") == lost).then(None).otherwise(pl.col("left_eye_x")),
        blurred=pl.col("id") == faces.queries[0],
    )
    table.write_csv(study / "samples.csv")
    start = ("recognize", *HERE, "-a", "lbp:chi2", *TEST, "--failed", "blurred")
    done = run(*start, "-o", "scores.npz", cwd=study)
    assert done.returncode == 0, done.stderr
    assert "1 failure to acquire: marked as failed in the table" in done.stdout
    assert "no eye centres" in done.stdout
    done = run("evaluate", "scores.npz", "-s", "samples.csv", "--json", cwd=study)
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)["identification"]["evaluation"]["results"]
    assert (result["facts"]["n_failed"], result["facts"]["n_probes"]) == (2, 24)


def test_ones_own_function_by_dotted_name(
    crops_only: Path, run: Run, importable: Callable[..., None]
) -> None:
    importable(
        {
            "mine/__init__.py": "",
            "mine/own.py": "def embed(images):\n    return images.reshape(len(images), -1).astype('f4')\n",
        }
    )
    done = run(
        "recognize", *HERE, "--as-they-are", *TEST, "-a", "mine.own:embed", "-o", "s.npz", cwd=crops_only
    )
    assert done.returncode == 0, done.stderr
    with np.load(crops_only / "s.npz") as archive:
        assert "mine.own:embed" in archive.files


# Regression: what a model has to say of its scores is written nowhere: neither here nor in the archive.
def test_notes_of_models_reach_the_user(crops_only: Path, run: Run) -> None:
    done = run("recognize", *HERE, "--as-they-are", *TEST, "-a", "lbp:nbnn", "-o", "s.npz", cwd=crops_only)
    assert "count subjects" in done.stdout + done.stderr


# Refusals: exit code 1 for data, 2 for a wrong request, and nothing half-written


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("-a", "pca:l2", *TEST), 2, "pca:l2 must be trained"),
        (("-a", "pca:l2", "--train", "subject == 'nobody'", *TEST), 2, "must be trained"),
        (
            ("-a", "pca:l2", "--train", "session == 1", *TEST),
            1,
            "training samples are targets too",
        ),
        (("-a", "pca:l2", "--train", "all"), 1, "No image is a query"),
        ((*TEST,), 2, "No recogniser was specified"),
        (("-a", "pca:l3", *TEST), 2, "did you mean"),
        (("-m", "nowhere.npz", *TEST), 1, "There is no file nowhere.npz"),
        (("-m", "samples.csv", *TEST), 1, "samples.csv"),
        (("-a", "lbp:chi2", "--detect", "magic", *TEST), 2, "Unknown detector: 'magic'"),
        (("-a", "lbp:chi2", "--queries", "colour == 3"), 2, "colour"),
        (("-a", "lbp:chi2", "-a", "lbp:chi2", *TEST), 1, "used twice"),
        (
            ("-a", "lda:l2", "--train", "subject <= 's0012' and kind == 'fa' and session == 1", *TEST),
            1,
            "singular",
        ),
    ],
    ids=lambda value: None,
)
def test_refusals_leave_nothing_behind(
    crops_only: Path, run: Run, arguments: tuple[str, ...], code: int, said: str
) -> None:
    before = files(crops_only)
    saving = ("--save-models", "models", "-o", "scores.npz")
    done = run("recognize", *HERE, "--as-they-are", *arguments, *saving, cwd=crops_only)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert files(crops_only) == before


@pytest.mark.parametrize(
    ("out", "code"),
    [("scores.npy", 2), ("nowhere/scores.npz", 1), ("scores.xyz", 2), ("samples.csv/scores.npz", 1)],
)
def test_places_that_scores_do_not_fit_into_are_refused(
    crops_only: Path, run: Run, out: str, code: int
) -> None:
    before = files(crops_only)
    start = ("recognize", *HERE, "--as-they-are", *TEST, "-a", "lbp:chi2", "-a", "correlation")
    done = run(*start, "--save-models", "models", "-o", out, cwd=crops_only)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert files(crops_only) == before


@pytest.mark.parametrize("missing", ["--images", "--samples", "--out"])
def test_what_must_be_given_is_asked_for(crops_only: Path, run: Run, missing: str) -> None:
    given = {"--images": "images.npz", "--samples": "samples.csv", "--out": "scores.npz"}
    del given[missing]
    done = run(
        "recognize", *[word for pair in given.items() for word in pair], "-a", "lbp:chi2", cwd=crops_only
    )
    assert done.returncode == 2
    assert missing in done.stderr


def test_files_that_are_missing_or_broken_are_refused(crops_only: Path, run: Run) -> None:
    (crops_only / "broken.npz").write_bytes(b"PK\x03\x04")
    for images, table in (("no.npz", "samples.csv"), ("images.npz", "no.csv"), ("broken.npz", "samples.csv")):
        done = run(
            "recognize", "-i", images, "-s", table, "-a", "lbp:chi2", *TEST, "-o", "s.npz", cwd=crops_only
        )
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
    assert "s.npz" not in files(crops_only)


def test_a_model_trained_on_what_it_would_be_tested_on_is_refused(crops_only: Path, run: Run) -> None:
    start = ("recognize", *HERE, "--as-they-are")
    both = ("--queries", "subject > 's0012'", "--targets", "subject > 's0012'")
    done = run(
        *start, "-a", "pca:l2", *TRAIN, *both, "--save-models", "models", "-o", "s.npz", cwd=crops_only
    )
    assert done.returncode == 0, done.stderr
    before = files(crops_only)
    again = ("--queries", "subject <= 's0012'", "--targets", "subject > 's0012'")
    done = run(*start, "-m", "models/pca-l2.npz", *again, "-o", "t.npz", cwd=crops_only)
    assert done.returncode == 1
    assert "of the samples it would be tested on" in done.stderr
    assert files(crops_only) == before


# Regression: only the queries and only the targets are compared with what a model was trained on, not both
# together.
def test_a_model_trained_on_queries_and_targets_together_is_refused(crops_only: Path, run: Run) -> None:
    start = ("recognize", *HERE, "--as-they-are")
    everyone = (
        "--train",
        "subject > 's0012'",
        "--queries",
        "subject <= 's0012'",
        "--targets",
        "subject <= 's0012'",
    )
    done = run(*start, "-a", "pca:l2", *everyone, "--save-models", "models", "-o", "s.npz", cwd=crops_only)
    assert done.returncode == 0, done.stderr
    done = run(*start, "-m", "models/pca-l2.npz", *TEST, "-o", "t.npz", cwd=crops_only)
    assert done.returncode == 1
    assert "t.npz" not in files(crops_only)


# Regression: a model that cannot be saved is refused only after the scores and other models have been written.
def test_a_model_that_cannot_be_saved_is_refused_before_anything_is_written(
    crops_only: Path, run: Run, importable: Callable[..., None]
) -> None:
    importable(
        {
            "mine/__init__.py": "",
            "mine/own.py": "def embed(images):\n    return images.reshape(len(images), -1).astype('f4')\n",
        }
    )
    before = files(crops_only)
    asked = ("-a", "lbp:chi2", "-a", "mine.own:embed", *TEST, "--save-models", "models", "-o", "scores.npz")
    done = run("recognize", *HERE, "--as-they-are", *asked, cwd=crops_only)
    assert done.returncode == 1
    assert "cannot be saved" in done.stderr
    assert files(crops_only) == before


def test_the_table_may_name_its_columns_otherwise(crops_only: Path, run: Run) -> None:
    table = pl.read_csv(crops_only / "samples.csv").rename({"id": "filename", "subject": "person"})
    table.write_csv(crops_only / "other.csv")
    columns = ("--id-column", "filename", "--subject-column", "person")
    done = run(
        "recognize", "-i", "images.npz", "-s", "other.csv", *columns, "--as-they-are", "-a", "src",
        "--queries", "session == 2", "--targets", "session == 1", "-o", "s.npz", cwd=crops_only,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    samples = Samples.read(crops_only / "other.csv", id_column="filename", subject_column="person")
    (scores,) = read_scores(crops_only / "s.npz", samples).values()
    assert scores.shape == (48, 48)


def test_training_on_the_gallery_is_allowed_by_name_and_labelled(crops_only: Path, run: Run) -> None:
    """The training set is the gallery (Beveridge et al. 2001, T = G): scores and results say so."""
    gallery = "session == 1 and kind == 'fa'"
    asked = ("recognize", *HERE, "--as-they-are", "-a", "pca:l2", "--train", gallery, "--targets", gallery)
    done = run(*asked, "-o", "s.npz", cwd=crops_only)
    assert done.returncode == 1
    assert "training samples are targets too" in done.stderr
    assert "--allow-training-overlap" in done.stderr
    done = run(*asked, "--allow-training-overlap", "--save-models", "models", "-o", "s.npz", cwd=crops_only)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("trained on the gallery: 24 of 24 targets were in the training set") == 1
    with np.load(crops_only / "s.npz") as kept:
        assert kept["trained_targets"].tolist() == kept["target_ids"].tolist()
    for command in (
        ("evaluate", "s.npz"),
        ("compare", "a=s.npz", "b=s.npz"),
        ("mcnemar", "a=s.npz", "b=s.npz"),
        ("mcnemar", "a=s.npz", "b=s.npz", "--by", "session"),
        ("strat", "s.npz", "-g", gallery),
    ):
        told = run(*command, "-s", "samples.csv", "--explain", cwd=crops_only)
        assert told.stdout.lower().count("trained on the gallery: 24 of 24 targets") == 1, command
    again = ("recognize", *HERE, "--as-they-are", "-m", "models/pca-l2.npz", "--targets", gallery)
    others = ("--queries", "session == 2", "-o", "t.npz")
    assert run(*again, *others, cwd=crops_only).returncode == 1
    done = run(*again, *others, "--allow-training-overlap", cwd=crops_only)
    assert "trained on the gallery: 24 of 24 targets" in done.stdout


def test_probes_are_never_trained_on_and_labels_are_not_lost(crops_only: Path, run: Run) -> None:
    before = files(crops_only)
    start = (
        "recognize",
        *HERE,
        "--as-they-are",
        "-a",
        "pca:l2",
        "--train",
        "session == 1",
        "--allow-training-overlap",
    )
    done = run(
        *start, "--targets", "session == 1", "--queries", "session == 1", "-o", "s.npz", cwd=crops_only
    )
    assert done.returncode == 1
    assert "a probe must not be in the training set" in done.stderr
    done = run(*start, "--targets", "session == 1", "-o", "s.npy", cwd=crops_only)
    assert done.returncode == 2
    assert "cannot record that some targets were used for training" in done.stderr
    assert files(crops_only) == before
