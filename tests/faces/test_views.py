"""Views from the side: the head in depth is turned, so the nose hides what is behind it and the far eye narrows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from proband.errors import UsageError
from proband.faces import Population
from proband.faces.layout import lay_out
from proband.faces.painting.camera import frame
from proband.faces.painting.grid import PixelGrid
from proband.faces.painting.turned import Layer, Turn, _locks, _seen, _skin, finer
from proband.faces.plan import VIEWS
from proband.faces.population import Subject


def of(views: tuple[Any, ...] = (), **more: Any) -> Population:
    asked: dict[str, Any] = {"plan": "grid", "sessions": 2, "images_per_session": 1, "seed": 5} | more
    return Population(2, views=views, **asked)


def test_views_are_added_to_every_set_and_change_nothing_else() -> None:
    plain, more = of(), of(("hr", "ql"))
    columns = more.columns()
    assert columns["kind"] == ["fa", "hr", "ql"] * 4
    assert columns["view"] == ["frontal", "hr", "ql"] * 4
    assert columns["id"][1] == "s0001-1-hr"
    frontal = [k for k, view in enumerate(columns["view"]) if view == "frontal"]
    assert {name: [values[k] for k in frontal] for name, values in columns.items()} == plain.columns()
    assert np.array_equal(more.render(frontal), plain.render())
    assert np.array_equal(more.render([1], threads=1), of(("ql", "hr")).render([2], threads=2))


@pytest.mark.parametrize("view", VIEWS)
def test_the_angle_is_that_of_the_view(view: Any) -> None:
    columns = of((view,), difficulty=0.0).columns()
    assert columns["yaw"][1] == VIEWS[view]
    # Both irises lie as deep, so their distance shrinks with the cosine, and they move towards where the face looks.
    apart = [columns["right_eye_x"][k] - columns["left_eye_x"][k] for k in (0, 1)]
    assert apart[1] == pytest.approx(apart[0] * math.cos(math.radians(VIEWS[view])), rel=1e-9)
    middle = [columns["right_eye_x"][k] + columns["left_eye_x"][k] for k in (0, 1)]
    assert math.copysign(1, middle[1] - middle[0]) == math.copysign(1, VIEWS[view])
    assert columns["left_eye_y"][1] == columns["left_eye_y"][0]


def test_eyes_turn_as_points_of_one_rigid_head() -> None:
    """By hand: two points at ±a beside the axis and d before it are seen at ±a cos θ + d sin θ, with the same a and d from every side."""
    columns = of(tuple(VIEWS), difficulty=0.0).columns()
    for person in sorted(set(columns["subject"])):
        rows = [
            k for k, name in enumerate(columns["subject"]) if name == person and columns["session"][k] == 1
        ]
        seen = {
            columns["view"][k]: (columns["left_eye_x"][k], columns["right_eye_x"][k], columns["yaw"][k])
            for k in rows
        }
        left, right, yaw = seen.pop("frontal")
        assert yaw == 0
        axis, a = (left + right) / 2, (right - left) / 2
        quarter = seen["qr"]
        d = ((quarter[0] + quarter[1]) / 2 - axis) / math.sin(math.radians(22.5))
        assert 0.5 * a < d < 2.5 * a  # eyes lie before the axis of a head, about as far as they are apart
        for view, (x, other, yaw) in seen.items():
            assert yaw == VIEWS[view]
            point = np.array([[-a, d], [a, d]]) @ np.array(
                [math.cos(math.radians(yaw)), math.sin(math.radians(yaw))]
            )
            assert (x, other) == pytest.approx(tuple(axis + point), abs=1e-9)


def test_what_is_painted_is_where_the_table_says() -> None:
    """The darkest spot near an eye of the table is its iris, in the turned image as in the frontal one."""
    population = Population(
        3, plan="grid", sessions=1, images_per_session=1, seed=5, views=("rc", "ql", "rd")
    )
    columns, images = population.columns(), population.render()
    rows, places = np.mgrid[: images.shape[1], : images.shape[2]]
    off = []
    for k, image in enumerate(images):
        apart = (columns["right_eye_x"][k] - columns["left_eye_x"][k]) / math.cos(
            math.radians(columns["yaw"][k])
        )
        for side in ("left", "right"):
            x, y = columns[f"{side}_eye_x"][k], columns[f"{side}_eye_y"][k]
            near = np.hypot(places - x, rows - y) < 0.16 * apart
            dark = np.clip(np.quantile(image[near], 0.25) - image[near], 0, None)
            off.append(
                np.hypot(places[near] @ dark / dark.sum() - x, rows[near] @ dark / dark.sum() - y) / apart
            )
    assert np.median(off) < 0.02
    assert np.max(off) < 0.08


@pytest.mark.long
def test_recognition_falls_with_the_angle() -> None:
    from proband.algorithms import Correlation, Crops, crop_faces
    from proband.measures import rank
    from proband.samples import Experiment, Samples

    views = ("rc", "qr", "rd", "hr")  # 15, 22.5, 45 and 67.5 degrees
    population = Population(
        30, plan="grid", sessions=1, images_per_session=2, seed=5, views=views, height=96, width=80
    )
    columns = population.columns()
    samples = Samples(columns)
    eyes = np.column_stack([columns[f"{side}_eye_{axis}"] for side in ("left", "right") for axis in "xy"])
    crops = Crops.of(crop_faces(population.render(), eyes), samples)
    scores = Correlation().fit(None).scores(crops, crops)
    ranks = [
        rank(scores, Experiment(samples, "kind == 'fa'", f"kind == '{kind}'")).ranks
        for kind in ("fb", *views)
    ]
    rates = [float(np.mean(own == 1)) for own in ranks]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.9 > 0.2 > rates[-1]
    # Beyond guessing still: the mean rank of 30 drawn at random is 15.5.
    assert np.mean(ranks[3]) < np.mean(ranks[4]) < 15.5


def test_the_nearest_is_seen() -> None:
    """Independent: the z-buffer in plain loops, over samples so dense that no pixel between two is missed."""
    rng = np.random.default_rng(0)
    grid = PixelGrid.of_size(6, 20, (9.5, 2.5), 10.0)
    layers = []
    for depth in (0.0, 0.1):
        x = np.sort(rng.uniform(-1.2, 1.2, (6, 90)), axis=1).astype(np.float32)
        z = (depth + 0.02 * np.sin(5 * x)).astype(np.float32)
        layers.append(Layer(x, z, rng.random((6, 90)).astype(np.float32), rng.random((6, 90)) < 0.97))
    seen, near, cover = _seen(grid, layers)
    for row in range(6):
        for column in range(20):
            there = [
                (float(one.z[row, k]), float(one.lit[row, k]))
                for one in layers
                for k in range(90)
                if one.there[row, k] and math.floor((one.x[row, k] - grid.u[0, 0]) * 10.0 + 0.5) == column
            ]
            assert cover[row, column] == bool(there)
            if there:
                assert (near[row, column], seen[row, column]) == pytest.approx(max(there))


@pytest.mark.parametrize("degrees", [45.0, -55.0])
def test_the_far_eye_narrows_and_the_nose_hides_what_is_behind_it(degrees: float) -> None:
    population = of(difficulty=0.0)
    subject = Subject(population.seed, 1, 0.0)
    identity = subject.identity()
    sitting, shot = subject.appear(identity, population._takes[0][1])
    layout = lay_out(identity.anatomy, sitting, shot)
    grid = finer(frame(shot, 192, 160).grid())
    turn = Turn.by(degrees)
    locks = _locks(grid, layout, identity, sitting, shot.light)
    made = {
        angle: _skin(grid, layout, identity, sitting, shot.light, Turn.by(angle), locks)
        for angle in (0.0, degrees)
    }
    front = made[0.0].x.shape[1] * 7 // 13  # samples before the ears

    def width(index: int) -> float:
        """How wide an eye is seen, between samples that lie at its corners when the head looks ahead."""
        (u, v), half = layout.eyes[index], layout.eye_widths[index]
        row = int(np.argmin(np.abs(grid.v[:, 0] - v)))
        ends = [int(np.argmin(np.abs(made[0.0].x[row, :front] - (u + side * half)))) for side in (-1, 1)]
        return float(made[degrees].x[row, ends[1]] - made[degrees].x[row, ends[0]])

    near, far = (0, 1) if degrees > 0 else (1, 0)
    assert width(far) < 0.85 * width(near)
    assert width(far) < 2 * layout.eye_widths[far] * turn.cos * 1.05
    # Beside the tip of the nose, on the far side: a point of the cheek that the turned nose stands before.
    row = int(np.argmin(np.abs(grid.v[:, 0] - (layout.nose_v - 0.09))))
    beside = np.sign(degrees) * 0.30
    sample = int(np.argmin(np.abs(made[0.0].x[row, :front] - beside)))
    at = float(made[degrees].x[row, sample]), float(made[degrees].z[row, sample])
    _, depth, _ = _seen(grid, [made[degrees]])
    column = math.floor((at[0] - float(grid.u[0, 0])) * grid.px + 0.5)
    assert depth[row, column] > at[1] + 0.02


def test_views_that_are_refused() -> None:
    with pytest.raises(UsageError, match="item 1 is 'xl'"):
        of(("xl",))
    with pytest.raises(UsageError, match="given twice"):
        of(("ql", "ql"))
