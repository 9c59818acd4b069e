"""Refused before anything is computed: what is wrong with the last section of a study costs nobody the ranks of the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import proband.analyses.verification.run as verification
from proband.errors import ProbandError
from proband.measures import ranks
from proband.study.analysis import analyses, analysis_keys
from proband.study.definition import Study
from proband.study.run import run

from .conftest import EXPERIMENT

Studied = Callable[..., Study]
OTHERS = {
    "identification": "[identification]",
    "verification": "[verification]\nfmr = [0.1]\nn_resamples = 100",
}
CENTRE = 'file = "features.npy"\nclassifiers = "centre=sklearn.neighbors:NearestCentroid()"\n'

FAULTS = {
    "identification": {
        "measures = ['rank-1']\ndesign = 'sign-flip'": "gives no interval for one",
        "measures = ['rank-1']\ndesign = 'brr'\nrho = 0.3": "The design brr has no rho",
        "measures = ['rank-1']\ndesign = 'brr'\nstrata = 'site'": "no column 'site'",
    },
    "comparison": {
        "against = 'nobody'": "no algorithm 'nobody'",
        "pairs = 'good-nobody'": "no algorithm 'nobody'",
        "measure = 'auc'\ndesign = 'obuchowski'": "does not apply to measures of compared pairs",
        "design = 'brr'\nstrata = 'site'": "no column 'site'",
        "with_scores = 'good.npz'\nwith_gallery = 'nmber == 0'": "no column 'nmber'",
    },
    "gate": {
        "baseline = 'nobody'": "no algorithm 'nobody'",
        "baseline = 'poor'\nmeasure = 'auc'\ndesign = 'obuchowski'": "does not apply",
    },
    "mcnemar": {"pairs = 'good-nobody'": "no algorithm 'nobody'"},
    "verification": {"by = 'age'": "no column 'age'", "pairs = 'rates.csv'": "no column 'query'"},
    "threshold": {"fmr = 2": "expected a number"},
    "search": {
        "gallery = 'nmber == 0'": "no column 'nmber'",
        "gallery = 'number == 0'\nprobes = 'number == 1'": "every probe has a mate",
    },
    "choices": {"groups = 'session'": "no column 'session'"},
    "strat": {
        "n_images = 9": "0 of 20 people have 9 images",
        "n_images = 4\norder_by = 'age'": "no column 'age'",
        "design = 'bootstrap'": "does not resample within strata",
    },
    "feret": {
        "galleries = 2\norder = 'age'": "no column 'age'",
        "galleries = 2\nages = 'age'": "no column 'age'",
        "galleries = 90": "are too few for 90 galleries",
        "versions = { fully = 'good', partially = 'nobody' }": "no algorithm 'nobody'",
        "participants = 'rates.csv'": "no column 'algorithm'",
    },
    "covariates": {
        "on = 'age'": "no column 'age'",
        "on = 'elapsed(sex)'": "needs a column of numbers or dates",
        "on = 'new'\ntable = 'labels.csv'\nsuccess = 'right'": "no column 'right'",
    },
    "partition": {"judges = 'nobody'": "expected 'auto'"},
    "classification": {"table = 'labels.csv'\npredicted = 'newest'": "no column or array 'newest'"},
    "outcomes": {"table = 'labels.csv'\nalgorithms = ['new', 'newest']": "no column 'newest'"},
    "protocol": {
        CENTRE + 'protocols = "4f XX"': "expected 'CV'",
        CENTRE + 'protocols = "4f CV"\nlabel = "mood"': "no column 'mood'",
        CENTRE + 'protocols = "4f CV"\nwhere = "mood == 1"': "no column 'mood'",
    },
    "what_if": {
        'question = "mixed"\n'
        + CENTRE.replace("classifiers", "classifier")
        + 'protocol = "4f XX"': "expected 'CV'",
        'question = "mixed"\n'
        + CENTRE.replace("classifiers", "classifier")
        + 'label = "mood"': "no column 'mood'",
    },
    "audit": {"splits = 'rates.csv'": "no column 'id'", "label = 'mood'": "no column 'mood'"},
    "survey": {"table = 'labels.csv'\nmean = 'newest'": "no column 'newest'"},
    "datasets": {"table = 'labels.csv'": "no column 'dataset'"},
}


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often probes were ranked and pairs verified."""
    made: Counter[str] = Counter()

    def counted(owner: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def counting(*args: Any, **options: Any) -> Any:
            made[name] += 1
            return real(*args, **options)

        monkeypatch.setattr(owner, name, counting)

    counted(ranks, "_count")
    counted(verification, "verify_one")
    return made


def written(key: str, body: str) -> str:
    many = next(one.many for one in analyses() if one.key == key)
    return f"[[{key}]]\n{body}" if many else f"[{key}]\n{body}"


def test_every_analysis_has_a_fault_that_is_seen_early() -> None:
    assert set(FAULTS) == set(analysis_keys())


@pytest.mark.parametrize(
    ("key", "body", "said"),
    [
        pytest.param(key, body, said, id=f"{key}: {body!r}")
        for key, own in FAULTS.items()
        for body, said in own.items()
    ],
)
def test_a_fault_is_refused_before_anything_is_computed(
    studied: Studied, computed: Counter[str], key: str, body: str, said: str
) -> None:
    others = [text for name, text in OTHERS.items() if name != key]
    with pytest.raises(ProbandError, match=said) as refused:
        run(studied(EXPERIMENT, *others, written(key, body)), allow_plugins=True)
    assert "study.toml, line" in str(refused.value)
    assert computed == {}


def test_what_is_counted_is_computed_where_nothing_is_wrong(studied: Studied, computed: Counter[str]) -> None:
    run(studied(EXPERIMENT, *OTHERS.values()))
    assert computed == {"_count": 2, "verify_one": 2}
