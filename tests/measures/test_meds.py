"""Real scores: rank-1 rates of five algorithms on NIST's MEDS-II mugshots, found independently of this library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proband.measures import RecognitionRate, rank
from proband.samples import Experiment, Samples
from proband.scores import Scores

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "meds"

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the MEDS data is not at {DATA}"),
]

RANK_ONE = {
    "faceres": (0.9656, 0.968),
    "dlib": (0.9656, 0.966),
    "mobileface": (0.8953, 0.895),
    "lbp": (0.6600, 0.660),
    "ncc": (0.3917, 0.392),
}
N_SCORED = 697


@pytest.fixture(scope="module")
def archive():
    with np.load(DATA / "similarity_query_x_target.npz", allow_pickle=False) as arrays:
        return {name: arrays[name] for name in ("query_file", "target_file", *RANK_ONE)}


@pytest.fixture(scope="module")
def experiment(archive) -> Experiment:
    samples = Samples.read(DATA / "samples.csv", id_column="filename", failed="not detected")
    return Experiment(samples, gallery=archive["target_file"].tolist(), probes=archive["query_file"].tolist())


@pytest.mark.parametrize("algorithm", RANK_ONE)
def test_rank_one_rates(archive, experiment, algorithm):
    scores = Scores.from_array(
        archive[algorithm], archive["query_file"], archive["target_file"], orientation="similarity"
    )
    as_misses, as_scored = RANK_ONE[algorithm]
    outcomes = rank(scores, experiment, threads=1)
    assert (len(outcomes), outcomes.n_unmated) == (N_SCORED, 1)
    assert (int(outcomes.failed.sum()), outcomes.n_gallery_failed) == (8, 3)
    assert round(RecognitionRate(1)(outcomes).value, 4) == as_misses
    outcomes = rank(scores, experiment, on_failure="as_scored", threads=1)
    assert (len(outcomes), outcomes.n_unmated) == (N_SCORED, 1)
    assert round(RecognitionRate(1)(outcomes).value, 3) == as_scored


def test_the_rates_do_not_depend_on_ties_or_on_what_is_counted(archive, experiment):
    """One image of each person is enrolled, and no score is tied with the mate's."""
    scores = Scores.from_array(
        archive["dlib"], archive["query_file"], archive["target_file"], orientation="similarity"
    )
    found = {
        RecognitionRate(1)(rank(scores, experiment, ties=ties, counting=counting, threads=1)).value
        for ties in ("pessimistic", "optimistic", "mean")
        for counting in ("images", "subjects")
    }
    assert len(found) == 1


def test_a_wrong_orientation_is_noticed(archive, experiment):
    from proband.errors import InputError

    scores = Scores.from_array(
        archive["ncc"], archive["query_file"], archive["target_file"], orientation="distance"
    )
    with pytest.raises(InputError, match="orientation='similarity'"):
        rank(scores, experiment)
