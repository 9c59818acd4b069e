from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proband as pb
from proband.inference.strat_study import strat_study

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty people with four images, of which the first is the better gallery image; one person with two."""
    place = tmp_path_factory.mktemp("strat")
    rng = np.random.default_rng(0)
    ids = [f"s{s:02d}-{k}" for s in range(20) for k in range(4)] + ["x99-0", "x99-1"]
    rows = ["id,subject"] + [f"{name},{name[:3]}" for name in ids]
    (place / "samples.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    own = np.array([name[:3] for name in ids])
    better = np.array([2.5 * name.endswith("-0") for name in ids])
    arrays = {
        name: rng.normal(0, 1, (82, 82)) + (strength + better[None, :]) * (own[:, None] == own[None, :])
        for name, strength in (("good", 1.5), ("poor", 0.5))
    }
    np.savez(place / "scores.npz", ids=np.array(ids), **arrays)
    return place


@pytest.fixture
def strat(run: Run, folder: Path) -> Run:
    usual = ("strat", "scores.npz", "-s", "samples.csv", "--orientation", "similarity", "--query-ids", "ids")
    return lambda *more: run(*usual, "--target-ids", "ids", *more, cwd=folder)


def study_of(folder: Path, **more: Any) -> Any:
    samples = pb.Samples.read(folder / "samples.csv")
    scores = pb.read_scores(
        folder / "scores.npz", samples, orientation="similarity", query_ids="ids", target_ids="ids"
    )
    return strat_study(list(scores.values()), samples, **more)


def test_json_equals_python(strat: Run, folder: Path) -> None:
    done = strat("--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(study_of(folder).to_dict()))


def test_gallery_effect_and_mixing(folder: Path) -> None:
    study = study_of(folder)
    assert (study.n_subjects, study.n_images, study.n_left_out) == (20, 4, 1)
    for before, after in zip(study.effects, study.mixed, strict=True):
        assert before.p_value < 0.001
        assert after.p_value > 0.01
        assert after.range < before.range
        rates = [one.value for one in before.estimates]
        assert rates[0] == max(rates)
    # JKn of a rate is BRR's; the ordinary jackknife and bootstrap vary something else.
    assert study.errors["bootstrap over probes"][0] == pytest.approx(
        study.errors["delete-one jackknife"][0], rel=0.1
    )
    assert study.variances[3] == pytest.approx(2 / 3 * study.variances[2], rel=1e-9)


def test_a_hand_computation_of_the_test() -> None:
    from scipy import stats

    from proband.inference.galleries import _hotelling

    rng = np.random.default_rng(0)
    means = rng.normal(0, 1, (30, 2))
    f, freedom, p = _hotelling(means)
    t = stats.ttest_rel(means[:, 0], means[:, 1])
    assert (f, freedom, p) == (pytest.approx(t.statistic**2), (1, 29), pytest.approx(t.pvalue))
    assert _hotelling(np.ones((10, 3))) == (0.0, (1, 10), 1.0)


def test_table_and_directory(strat: Run, folder: Path) -> None:
    done = strat("--images", 3, "--out", "made", "--design", "jackknife")
    assert done.returncode == 0, done.stderr
    assert "mixed galleries" in done.stdout
    assert "probe images of these people" in done.stdout
    names = {path.name for path in (folder / "made").iterdir()}
    assert {"results.json", "report.md", "galleries.png", "errors.svg", "algorithms.pdf"} <= names


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--images", "2"), 2, "images"),
        (("--images", "9"), 1, "people have 9 images"),
        (("--order-by", "date"), 2, "no column"),
        (("--design", "magic"), 2, "design"),
    ],
)
def test_bad_requests(strat: Run, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = strat(*arguments)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long  # its parts: a study and its directory above, the population in tests/faces
def test_the_study_of_the_paper(run: Run, tmp_path: Path) -> None:
    done = run("reproduce", "micheals-boult2001", "--people", 12, "-o", "m", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "synthetic" in (tmp_path / "m" / "12x3" / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "m" / "12x4" / "units.png").exists()
