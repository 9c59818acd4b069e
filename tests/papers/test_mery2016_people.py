"""Who stands in for the paper's data sets: classes as they are, without a picture being painted."""

from __future__ import annotations

import numpy as np
import pytest

from proband.errors import UsageError
from proband.faces import Population
from proband.papers.mery2016 import MODELS, POSES, _cast, _posed
from proband.protocols.running.data import FeatureTable
from proband.samples import Samples


def test_expressions_are_as_many_as_in_jaffe() -> None:
    women = _cast({"F": MODELS}, 0, 100)
    everybody = Samples(
        women.population(
            0.25, 0, sessions=1, images_per_session=4 * len(POSES), expressions=tuple(POSES)
        ).columns()
    )
    chosen = everybody.take(np.flatnonzero(everybody.frame["subject"].is_in(list(women.chosen)).to_numpy()))
    posed = _posed(FeatureTable(chosen, images=np.zeros((len(chosen), 2, 2), np.uint8)))
    frame = posed.samples.frame
    counts = {
        "neutral": 30,
        "happiness": 31,
        "sadness": 31,
        "surprise": 30,
        "anger": 30,
        "disgust": 29,
        "fear": 32,
    }
    assert dict(frame["expression"].value_counts().rows()) == counts
    assert (len(frame), frame["subject"].n_unique(), set(frame["sex"])) == (213, 10, {"F"})
    each = frame.group_by("subject", "expression").len()["len"]
    assert (each.min(), each.max()) == (2, 4)
    of_a_woman = frame["subject"].value_counts()["count"]
    assert (of_a_woman.min(), of_a_woman.max()) in {(20, 22), (21, 22)}


def test_men_and_women_are_as_many_as_wanted_and_the_first_there_are() -> None:
    cast = _cast({"M": 6, "F": 4}, 0, 3)
    frame = Samples(cast.population(1.0, 0, sessions=1, images_per_session=1).columns()).frame
    own = frame.filter(frame["subject"].is_in(list(cast.chosen)))
    assert ((own["sex"] == "M").sum(), (own["sex"] == "F").sum()) == (6, 4)
    assert frame["subject"][-1] in cast.chosen  # nobody is passed over at the end


def test_a_grid_shows_the_expressions_in_turn() -> None:
    shown = Population(
        2, plan="grid", sessions=2, images_per_session=3, expressions=("fear", "neutral")
    ).columns()
    assert shown["expression"] == ["fear", "neutral", "fear"] * 4
    with pytest.raises(UsageError, match="apply only to plan 'grid'"):
        Population(2, expressions=("fear",))
    with pytest.raises(UsageError, match="expressions"):
        Population(2, plan="grid", expressions=("envy",))  # type: ignore[arg-type]
