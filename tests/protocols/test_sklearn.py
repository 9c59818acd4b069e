"""Splitters as scikit-learn's cv."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from proband.errors import DesignError
from proband.protocols.splits.splits import splitter

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV, check_cv, cross_val_score, cross_validate  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402

RNG = np.random.default_rng(0)
SUBJECTS = np.repeat(np.arange(12), 6)
LABELS = np.tile([0, 1, 2], 24)
FEATURES = RNG.normal(size=(72, 4)) + LABELS[:, None]
EVERY = [
    "3×80-20 HO",
    "2×4f CV",
    "2×4f CV+",
    "LOSO",
    "LOO",
    "LOO(40,9)",
    "2×3-1 HO*",
    "60-20-20 HO+",
    "HO(0:9, 1:9, 2:9)",
]


@pytest.mark.long
@pytest.mark.parametrize("text", EVERY)
def test_every_form_is_accepted(text):
    cv = splitter(text)
    assert check_cv(cv) is cv
    n = cv.get_n_splits(FEATURES, LABELS, SUBJECTS)
    model = KNeighborsClassifier(1)
    assert len(cross_val_score(model, FEATURES, LABELS, cv=cv, groups=SUBJECTS)) == n
    assert len(cross_validate(model, FEATURES, LABELS, cv=cv, groups=SUBJECTS)["test_score"]) == n
    search = GridSearchCV(model, {"n_neighbors": [1, 3]}, cv=cv)
    assert clone(search).fit(FEATURES, LABELS, groups=SUBJECTS).n_splits_ == n
    assert [(tuple(train), tuple(test)) for train, test in cv.split(FEATURES, LABELS, SUBJECTS)] == [
        (tuple(one.train), tuple(one.test)) for one in cv.splits(LABELS, SUBJECTS)
    ]


def test_anything_with_a_length_will_do_and_labels_are_not_needed():
    for samples in ([None] * 72, "x" * 72, np.zeros((72, 2, 2)), range(72)):
        assert len(list(splitter("4f CV+").split(samples, groups=SUBJECTS))) == 4
        assert len(list(splitter("4f CV").split(samples))) == 4


def test_numbers_per_subject_take_the_classes_for_subjects_where_there_are_no_groups():
    train, test = next(splitter("3-2 HO*").split(FEATURES, LABELS))
    assert np.bincount(LABELS[train]).tolist() == [3, 3, 3]
    assert np.bincount(LABELS[test]).tolist() == [2, 2, 2]


def test_missing_groups_are_asked_for():
    for text in ("4f CV+", "LOSO", "80-20 HO+"):
        with pytest.raises(DesignError, match="no subjects were given"):
            splitter(text).split(FEATURES, LABELS)
    for text in ("LOSO", "LOO"):
        with pytest.raises(DesignError, match="depends on the data"):
            splitter(text).get_n_splits()
    assert splitter("LOO").get_n_splits(y=LABELS) == 72


def test_scikit_learn_is_not_imported():
    code = "import sys, proband.protocols.splits.splits, proband.protocols.splits.files; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
