"""The plan and the covariates of a synthetic population."""

from __future__ import annotations

import datetime
from collections import Counter

import numpy as np
import pytest

from proband.errors import UsageError
from proband.faces import Population

KINDS_OF_VALUES = {
    "id": str,
    "subject": str,
    "image_set": str,
    "session": int,
    "date": datetime.date,
    "kind": str,
    "expression": str,
    "camera": str,
    "lighting": str,
    "view": str,
    "yaw": float,
    "blur": float,
    "sex": str,
    "age": float,
    "glasses": bool,
    "left_eye_x": float,
    "left_eye_y": float,
    "right_eye_x": float,
    "right_eye_y": float,
}


@pytest.fixture(scope="module")
def feret() -> Population:
    return Population(400, seed=11)


@pytest.mark.parametrize("plan", ["feret", "grid"])
def test_every_column_has_one_value_of_its_type_per_image(plan: str) -> None:
    population = Population(20, plan=plan)  # type: ignore[arg-type]
    columns = population.columns()
    assert set(columns) == set(KINDS_OF_VALUES)
    for name, kind in KINDS_OF_VALUES.items():
        assert len(columns[name]) == len(population)
        assert {type(value) for value in columns[name]} == {kind}, name


def test_ids_are_unique_and_image_sets_belong_to_one_subject_and_session(feret: Population) -> None:
    columns = feret.columns()
    assert len(set(columns["id"])) == len(feret)
    owners = dict(
        zip(columns["image_set"], zip(columns["subject"], columns["session"], strict=True), strict=True)
    )
    assert len(owners) == len(set(owners.values()))
    assert columns["id"][0] == "s0001-1-fa"


def test_the_caller_cannot_change_the_columns() -> None:
    population = Population(2)
    population.columns()["id"].clear()
    assert len(population.columns()["id"]) == len(population)


def test_feret_shares_are_those_of_feret(feret: Population) -> None:
    columns = feret.columns()
    sets = Counter((kind, session) for kind, session in zip(columns["kind"], columns["session"], strict=True))
    assert sets["fa", 1] == sets["fb", 1] == 400
    assert 0.11 < sets["fc", 1] / 400 < 0.22
    assert 0.38 < sets["fa", 2] / 400 < 0.55
    assert 0.12 < sets["fa", 3] / 400 < 0.26
    assert sets["fb", 2] == sets["fa", 2]
    assert max(columns["session"]) == 3


def test_feret_dates_follow_the_sessions(feret: Population) -> None:
    columns = feret.columns()
    first: dict[str, datetime.date] = {}
    days: dict[int, list[int]] = {1: [], 2: [], 3: []}
    for subject, session, date in zip(columns["subject"], columns["session"], columns["date"], strict=True):
        days[session].append((date - first.setdefault(subject, date)).days)
    assert set(days[1]) == {0}
    assert 0 in days[2]
    assert 300 < max(days[2]) <= 1000
    assert 540 <= min(days[3]) <= max(days[3]) <= 900


def test_age_goes_with_the_date_and_sex_with_the_subject(feret: Population) -> None:
    columns = feret.columns()
    rows = list(zip(columns["subject"], columns["date"], columns["age"], columns["sex"], strict=True))
    first = {subject: (date, age, sex) for subject, date, age, sex in reversed(rows)}
    for subject, date, age, sex in rows:
        began, younger, same = first[subject]
        assert age - younger == pytest.approx((date - began).days / 365.25)
        assert sex == same
    assert 17 < min(columns["age"]) < max(columns["age"]) < 70


def test_kind_says_expression_camera_and_lighting(feret: Population) -> None:
    columns = feret.columns()
    for kind, expression, camera, lighting in zip(
        columns["kind"], columns["expression"], columns["camera"], columns["lighting"], strict=True
    ):
        assert (expression == "neutral") == (kind != "fb")
        assert (camera == "b") == (kind == "fc")
        if kind != "fc":
            assert lighting == "frontal"
    assert {"left", "right"} <= set(columns["lighting"])


def test_grid_is_balanced() -> None:
    columns = Population(10, plan="grid", sessions=3, images_per_session=4).columns()
    cells = Counter(zip(columns["subject"], columns["session"], strict=True))
    assert len(cells) == 30
    assert set(cells.values()) == {4}
    assert len(set(columns["id"])) == 120
    dates = dict(zip(columns["image_set"], columns["date"], strict=True))
    gaps = [(dates[f"s{k:04d}-2"] - dates[f"s{k:04d}-1"]).days for k in range(1, 11)]
    assert 14 <= min(gaps) <= max(gaps) <= 120


def test_a_smaller_grid_is_part_of_a_larger_one() -> None:
    small = Population(3, plan="grid", sessions=1, images_per_session=2)
    large = Population(3, plan="grid", sessions=2, images_per_session=4)
    place = {name: k for k, name in enumerate(large.columns()["id"])}
    where = [place[name] for name in small.columns()["id"]]
    np.testing.assert_array_equal(small.render(), large.render(where))


def test_a_smaller_population_is_the_beginning_of_a_larger_one(feret: Population) -> None:
    few = Population(30, seed=11)
    for name, values in few.columns().items():
        assert values == feret.columns()[name][: len(few)], name


def test_populations_that_begin_elsewhere_share_no_subject(feret: Population) -> None:
    later = Population(5, seed=11, first_subject=3)
    columns, whole = later.columns(), feret.columns()
    assert columns["subject"][0] == "s0004"
    at = whole["id"].index(columns["id"][0])
    assert columns["yaw"] == whole["yaw"][at : at + len(later)]


def test_seeds_give_different_subjects() -> None:
    assert Population(3, seed=1).columns()["age"] != Population(3, seed=2).columns()["age"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_subjects": 0},
        {"n_subjects": 2.5},
        {"n_subjects": True},
        {"plan": "orl"},
        {"sessions": 0},
        {"images_per_session": 0},
        {"seed": -1},
        {"first_subject": -1},
        {"height": 47},
        {"width": 10},
        {"difficulty": -0.1},
        {"difficulty": 3.5},
        {"difficulty": float("nan")},
    ],
)
def test_wrong_parameters_are_refused_by_name(wrong: dict[str, object]) -> None:
    (name, value) = next(iter(wrong.items()))
    with pytest.raises(UsageError, match=f"(?s){name}.*{value}"):
        Population(**wrong)  # type: ignore[arg-type]
