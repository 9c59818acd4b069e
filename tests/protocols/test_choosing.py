"""The protocol that is chosen where nobody said, and that it can be carried out."""

from __future__ import annotations

import numpy as np
import pytest

from proband.errors import DesignError, UsageError
from proband.protocols.recommendation import auto_protocol
from proband.protocols.splits.splits import splitter


@pytest.mark.parametrize(
    ("n_people", "images", "task", "text", "because"),
    [
        (10, 21, "attribute", "LOSO", "10 subjects are few enough"),
        (49, 2, "attribute", "LOSO", "49 subjects"),
        (50, 2, "attribute", "10×10f CV+", "50 subjects are enough for 10 subject-disjoint folds"),
        (40, 10, "identity", "10×10f CV mixed", "every subject has enough samples for 10 folds"),
        (40, 3, "identity", "10×3f CV mixed", "'0' has only 3 samples"),
    ],
)
def test_the_choice_and_its_reason(n_people, images, task, text, because):
    subjects = np.repeat(np.arange(n_people), images)
    labels = subjects if task == "identity" else np.arange(len(subjects)) % 2
    protocol, why = auto_protocol(labels, subjects, task)
    assert str(protocol) == text
    assert because in str(why)
    assert next(splitter(protocol).splits(labels, subjects)).train.size


def test_what_cannot_be_tested_is_refused():
    for labels, subjects, task, complaint in (
        (["a", "a", "b"], ["a", "a", "b"], "identity", "1 of 2 subjects has only one sample"),
        (["a", "a"], ["a", "a"], "identity", "one subject"),
        (["x", "x", "y", "y"], [1, 1, 2, 2], "attribute", "labels are not an attribute"),
        (["x", "x", "x", "y"], [1, 2, 3, 2], "attribute", "1 of 2 classes has only one subject"),
        (["x", "y"], None, "attribute", "no subjects were given"),
    ):
        with pytest.raises(DesignError, match=complaint):
            auto_protocol(labels, subjects, task)
    with pytest.raises(UsageError, match="'identity' or 'attribute'"):
        auto_protocol(["x"], ["a"], "sex")
