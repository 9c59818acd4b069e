"""Real faces: recognition rates of the classical recognisers on ORL and MEDS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from proband.algorithms import LBP, LDA, Correlation, Crops, Grid, Recognizer, recognizer
from proband.measures import Outcomes, RecognitionRate, rank
from proband.samples import Experiment, Ids, Samples
from proband.scores import Scores

DATA = Path(__file__).parents[2].parent / "shared" / "data"
ORL, MEDS = DATA / "orl" / "images.npz", DATA / "meds" / "crops_150x130.npz"
needs_orl = pytest.mark.skipif(not ORL.is_file(), reason=f"the ORL data is not at {ORL}")
needs_meds = pytest.mark.skipif(not MEDS.is_file(), reason=f"the MEDS data is not at {MEDS}")

pytestmark = [pytest.mark.realdata, pytest.mark.long]


# ORL: forty people with ten images each


@pytest.fixture(scope="module")
def splits() -> list[tuple[Crops, Crops]]:
    """Five images of each person to train on and enrol, five to test, three times at random."""
    with np.load(ORL, allow_pickle=False) as arrays:
        images, people = arrays["images"], arrays["subject"]
    crops = Crops(images, Ids(range(len(images))), tuple(map(str, people)))
    rng = np.random.default_rng(1)
    halves = []
    for _ in range(3):
        shuffled = np.array(
            [rng.permutation(np.flatnonzero(people == person)) for person in np.unique(people)]
        )
        enrolled, tested = (
            crops.take([str(k) for k in part.ravel()]) for part in (shuffled[:, :5], shuffled[:, 5:])
        )
        halves.append((enrolled, tested))
    return halves


@needs_orl
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("pca:l2", 0.90),
        ("pca:angle", 0.90),
        ("lda:angle", 0.93),
        pytest.param("lbp:nbnn", 0.94, marks=pytest.mark.long),
        ("src", 0.94),
    ],
)
def test_rates_on_orl(splits: list[tuple[Crops, Crops]], name: str, least: float) -> None:
    rates = []
    for enrolled, tested in splits:
        model = recognizer(name, mask=False).fit(enrolled)
        closeness, people = model.class_scores(tested, enrolled)
        rates.append(np.mean(np.array(people)[closeness.argmax(axis=1)] == np.array(tested.subjects)))
    assert np.mean(rates) >= least


# MEDS: mugshots, cropped by their eyes


@dataclass(frozen=True)
class Mugshots:
    samples: Samples
    crops: Crops
    queries: tuple[str, ...]
    targets: tuple[str, ...]

    def scores(self, made: Recognizer, train: Crops | None = None) -> Scores:
        return made.fit(train).scores(self.crops.take(self.queries), self.crops.take(self.targets))

    def outcomes(self, scores: Scores, wanted: Callable[[str], bool] = lambda name: True) -> Outcomes:
        """The ranks of those wanted among themselves, scores taken at their word."""
        queries, targets = (list(filter(wanted, part)) for part in (self.queries, self.targets))
        return rank(scores, Experiment(self.samples, targets, queries), on_failure="as_scored")


@pytest.fixture(scope="module")
def mugshots() -> Mugshots:
    samples = Samples.read(MEDS.parent / "samples.csv", id_column="filename", failed="not detected")
    with np.load(MEDS, allow_pickle=False) as arrays:
        crops = Crops.of(arrays["images"], samples, arrays["filename"].tolist())
    parts: dict[str, list[str]] = {"query": [], "target": []}
    for name, part in zip(samples.ids, samples.frame["openbr_frontal_set"], strict=True):
        parts.get(part, []).append(name)
    return Mugshots(samples, crops, tuple(parts["query"]), tuple(parts["target"]))


@pytest.fixture(scope="module")
def lbp(mugshots: Mugshots) -> Scores:
    return mugshots.scores(LBP(Grid(7, 6, 2)))


@needs_meds
@pytest.mark.long
def test_lbp_on_meds_is_as_good_as_was_found_independently(mugshots: Mugshots, lbp: Scores) -> None:
    outcomes = mugshots.outcomes(lbp)
    assert (len(outcomes), outcomes.n_unmated) == (697, 1)
    assert RecognitionRate(1)(outcomes).value == pytest.approx(0.660, abs=0.03)


@needs_meds
@pytest.mark.long
def test_the_order_of_recognisers_on_meds(mugshots: Mugshots, lbp: Scores) -> None:
    """Train on one half of the people and test on the other, both ways round."""
    samples = mugshots.samples
    odd = {
        name for name, code in zip(samples.ids, samples.codes, strict=True) if int(samples.subjects[code]) % 2
    }
    acquired = [name for name, failed in zip(samples.ids, samples.failed, strict=True) if not failed]
    correlation = mugshots.scores(Correlation())
    recognised = {"correlation": 0.0, "lda:angle": 0.0, "lbp:chi2": 0.0}
    for half in (True, False):
        train = mugshots.crops.take([name for name in acquired if (name in odd) != half])
        lda = mugshots.scores(LDA("angle"), train)
        for name, scores in (("correlation", correlation), ("lda:angle", lda), ("lbp:chi2", lbp)):
            outcomes = mugshots.outcomes(scores, lambda sample, half=half: (sample in odd) == half)
            recognised[name] += outcomes.success(1).sum()
    assert recognised["correlation"] < recognised["lda:angle"] < recognised["lbp:chi2"]
