"""Verification of real faces: what was found independently of this library, and the same numbers again in plain NumPy."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import proband as pb

DATA = Path(__file__).parents[2].parent / "shared" / "data"
MEDS, LFW = DATA / "meds", DATA / "lfw" / "embeddings.npz"
needs_meds = pytest.mark.skipif(not MEDS.is_dir(), reason=f"the MEDS data is not at {MEDS}")
needs_lfw = pytest.mark.skipif(not LFW.is_file(), reason=f"the LFW data is not at {LFW}")
pytestmark = pytest.mark.realdata

TAR = {"faceres": 0.928, "dlib": 0.852, "mobileface": 0.789, "lbp": 0.531, "ncc": 0.261}
"""Of MEDS at a false match rate of 0.001, every score taken at its word."""
Floats = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def archive() -> dict[str, Any]:
    with np.load(MEDS / "similarity_query_x_target.npz", allow_pickle=False) as arrays:
        return {name: arrays[name] for name in ("query_file", "target_file", *TAR)}


def apart(
    archive: dict[str, Any], algorithm: str, samples: pb.Samples, failed: bool
) -> tuple[Floats, Floats]:
    """Genuine and impostor scores, those of failures to acquire left out or not."""
    place = {name: k for k, name in enumerate(samples.ids)}
    queries, targets = (np.array([place[n] for n in archive[side].tolist()]) for side in ("query_file", "target_file"))  # fmt: skip
    same = samples.codes[queries][:, None] == samples.codes[targets][None]
    lost = samples.failed[queries][:, None] | samples.failed[targets][None]
    values = archive[algorithm].astype(float)
    kept = np.ones_like(same) if failed else ~lost
    return values[same & kept], values[~same & kept]


@needs_meds
@pytest.mark.parametrize("algorithm", TAR)
def test_meds(archive: dict[str, Any], algorithm: str) -> None:
    path = MEDS / "samples.csv"
    scores = pb.Scores.from_array(
        archive[algorithm], archive["query_file"], archive["target_file"], orientation="similarity", name=algorithm
    )  # fmt: skip
    for failed in ("not detected", None):
        samples = pb.Samples.read(path, id_column="filename", failed=failed)
        experiment = pb.Experiment(samples, archive["target_file"].tolist(), archive["query_file"].tolist())
        result = pb.verify(scores, experiment, fmr=[0.001], n_resamples=0)
        genuine, impostor = apart(archive, algorithm, samples, failed is None)
        allowed = int(0.001 * len(impostor))
        stop = np.sort(impostor)[::-1][allowed]  # the first impostor who is one too many
        counts = result.points[0].counts
        assert (counts.n_genuine, counts.n_impostor) == (len(genuine), len(impostor))
        assert counts.false_matches == int(np.sum(impostor > stop))
        assert counts.false_non_matches == int(np.sum(genuine <= stop))
        u = stats.mannwhitneyu(genuine, impostor).statistic  # Wilcoxon's, ties half
        assert result.auc.value == pytest.approx(u / len(genuine) / len(impostor), rel=1e-12)
        edges = np.unique(genuine)
        fmr = 1 - np.searchsorted(np.sort(impostor), edges) / len(impostor)
        fnmr = np.searchsorted(np.sort(genuine), edges) / len(genuine)
        assert abs(result.eer.value - (fmr + fnmr)[np.argmin(np.abs(fmr - fnmr))] / 2) < 1 / len(genuine)
        if failed is None:
            assert round(1 - counts.fnmr, 3) == pytest.approx(TAR[algorithm], abs=0.0011)


@needs_lfw
@pytest.mark.parametrize(
    ("model", "metric", "rate"), [("dlib", "l2", 0.921), ("mobileface", "cosine", 0.678)]
)
def test_identification_on_lfw(model: str, metric: Any, rate: float) -> None:
    """1,680 people, one image enrolled and one searched; by the library's screened products and by whole matrices."""
    with np.load(LFW, allow_pickle=False) as arrays:
        gallery, probes = arrays["gallery_idx"], arrays["probe_idx"]
        vectors, subjects = arrays[model].astype(np.float64), arrays["subject"]
    taken = np.concatenate([gallery, probes])
    ids = [str(k) for k in taken]
    samples = pb.Samples({"id": ids, "subject": [str(subjects[k]) for k in taken]})
    given = pb.Embeddings(vectors[taken], ids, metric=metric, name=model)
    experiment = pb.Experiment(samples, ids[: len(gallery)], ids[len(gallery) :])
    outcomes = pb.rank(given, experiment)
    x, y = vectors[probes], vectors[gallery]
    if metric == "cosine":
        x, y = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (x, y))
    closeness = 2 * x @ y.T - (x**2).sum(axis=1)[:, None] - (y**2).sum(axis=1)[None]
    own = subjects[probes][:, None] == subjects[gallery][None]
    mates = closeness[own]
    ranks = 1 + ((closeness >= mates[:, None]) & ~own).sum(axis=1)
    assert np.mean(outcomes.ranks == ranks) > 0.999  # but for rounding of whole matrices
    assert float(np.mean(outcomes.ranks == 1)) == pytest.approx(rate, abs=5e-4)


@needs_lfw
@pytest.mark.long
@pytest.mark.parametrize(
    ("model", "metric", "accuracy", "error"), [("dlib", "l2", 0.9892, 0.0010), ("mobileface", "cosine", 0.9402, 0.0043)]
)  # fmt: skip
def test_view_two_of_lfw(
    run: Callable[..., Any], tmp_path: Path, model: str, metric: str, accuracy: float, error: float
) -> None:
    """Ten folds, each judged at the threshold that is best on the other nine."""
    done = run(
        "verify", "-e", f"{LFW}::{model}", "-s", LFW, "--id-column", "#", "--metric", metric, "--pairs", LFW, "--json", cwd=tmp_path
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)["verification"]["folds"]
    with np.load(LFW, allow_pickle=False) as arrays:
        a, b = (arrays[model].astype(np.float64)[arrays[side]] for side in ("pair_a", "pair_b"))
        same, folds = arrays["pair_same"], arrays["pair_fold"]
    if metric == "cosine":
        a, b = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (a, b))
    closeness = -np.linalg.norm(a - b, axis=1)
    shares = []
    for fold in np.unique(folds):
        rest, own = folds != fold, folds == fold
        limits = np.unique(closeness[rest])
        # Right at a threshold: genuine pairs that reach it, and impostors that do not.
        right = [np.searchsorted(np.sort(closeness[rest & (same == kind)]), limits) for kind in (True, False)]
        best = limits[int(np.argmax(right[1] - right[0]))]
        shares.append(np.mean((closeness[own] >= best) == same[own]))
    # Several thresholds may be as good on the other folds; none moves a fold by more than three pairs of 600.
    assert result["accuracies"] == pytest.approx(shares, abs=0.0051)
    assert result["mean"] == pytest.approx(np.mean(result["accuracies"]))
    assert result["standard_error"] == pytest.approx(np.std(result["accuracies"], ddof=1) / np.sqrt(10))
    assert (round(result["mean"], 4), round(result["standard_error"], 4)) == (accuracy, error)
    assert np.mean(shares) == pytest.approx(accuracy, abs=0.001)
