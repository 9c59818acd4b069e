"""The drop from mixed to disjoint, and what one run tells: by an independent computation, through every door."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from scipy.stats import t as student

from proband.cli import main
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.mixing import order_of_runs
from proband.protocols.running.results import ProtocolRun
from proband.protocols.running.running import run_protocol
from proband.protocols.running.what_if import what_if
from proband.samples import Samples

pytest.importorskip("sklearn")
NEAREST = "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"
BOTH = {"near": NEAREST, "centre": "sklearn.neighbors:NearestCentroid()"}


def expressions(rng: np.random.Generator, n_people: int = 15, images: int = 6) -> FeatureTable:
    """Everybody shows three expressions in a way of their own."""
    who = np.repeat(np.arange(n_people), images)
    shown = rng.permuted(np.tile(np.arange(3), len(who) // 3))
    own = rng.normal(size=(n_people, 3, 6))[who, shown]
    vectors = 1.2 * np.eye(3, 6)[shown] + own + 0.5 * rng.normal(size=(len(who), 6))
    table = Samples({"id": range(len(who)), "subject": who, "expression": np.array(["a", "b", "c"])[shown]})
    return FeatureTable(table, features=vectors, name="toy")


@pytest.fixture(scope="module")
def run() -> ProtocolRun:
    data = expressions(np.random.default_rng(2))
    asked = ["4×3f CV", "4×3f CV+", "LOSO"]
    return run_protocol(BOTH, data, asked, task="attribute", label="expression", confidence_level=0.9)


def test_drops_are_differences_of_pooled_predictions_with_people_as_clusters(run: ProtocolRun) -> None:
    assert [(drop.classifier, drop.mixed, drop.disjoint) for drop in run.drops] == [
        ("near", "4×3f CV mixed", "4×3f CV+"),
        ("centre", "4×3f CV mixed", "4×3f CV+"),
        ("near", "4×3f CV mixed", "LOSO"),
        ("centre", "4×3f CV mixed", "LOSO"),
    ]
    rows = run.predictions().with_columns(right=(pl.col("label") == pl.col("predicted")).cast(pl.Float64))
    for drop in run.drops:
        own = [
            rows.filter((pl.col("classifier") == drop.classifier) & (pl.col("protocol") == protocol))
            .group_by("id", "subject")
            .agg(pl.col("right").mean())
            for protocol in (drop.mixed, drop.disjoint)
        ]
        paired = (
            own[0].join(own[1], on=["id", "subject"]).with_columns(d=pl.col("right") - pl.col("right_right"))
        )
        each = paired.group_by("subject").agg(pl.col("d").mean())["d"].to_numpy()  # as many images of each
        n_models = max(
            run.of(drop.classifier, name).predictions.sizes.height for name in (drop.mixed, drop.disjoint)
        )
        error = each.std(ddof=1) / np.sqrt(len(each)) * np.sqrt(1 + (1 - 1 / n_models) / 3)
        reach = student.ppf(0.95, len(each) - 1) * error
        change = drop.difference
        assert (change.value, change.low, change.high) == pytest.approx(
            (each.mean(), each.mean() - reach, each.mean() + reach)
        )
        assert change.value > 0.05  # people are known by how they show it


def test_single_runs_are_counted_one_pair_after_the_other(run: ProtocolRun) -> None:
    values = {(one.classifier, str(one.protocol)): np.array(one.accuracies) for one in run.results}
    for drop in run.drops:
        mixed = values[drop.classifier, drop.mixed].mean(axis=1)
        apart = values[drop.classifier, drop.disjoint]
        apart = apart.mean(axis=1) if drop.disjoint != "LOSO" else [apart.mean()]  # there is one way to do it
        pairs = [first < second - 1e-9 for first in mixed for second in apart]
        assert drop.n_pairs == len(pairs)
        assert drop.reversed_runs == pytest.approx(np.mean(pairs))
    assert [order.protocol for order in run.single_runs] == ["4×3f CV mixed", "4×3f CV+"]
    for order in run.single_runs:
        high, low = (values[name, order.protocol].mean(axis=1) for name in (order.better, order.worse))
        assert high.mean() >= low.mean()
        assert order.gap == pytest.approx(high.mean() - low.mean())
        assert order.same_split == np.mean([b > a + 1e-9 for a, b in zip(high, low, strict=True)])
        others = [low[k] > high[j] + 1e-9 for k in range(4) for j in range(4) if j != k]
        assert order.other_split == np.mean(others)
    counted = order_of_runs("p", "a", "b", np.array([0.9, 0.8, 0.7]), np.array([0.85, 0.85, 0.6]))
    assert (counted.same_split, counted.other_split) == (1 / 3, 3 / 6)
    assert counted.overlap == pytest.approx(0.15)


def test_folds_stand_for_hold_outs_where_there_is_one_cross_validation() -> None:
    data = expressions(np.random.default_rng(3))
    run = run_protocol(BOTH, data, ["3f CV", "5f CV+"], task="attribute", label="expression")
    (first, _) = run.drops
    assert first.n_pairs == 15
    codes = [note.code for note in first.notes]
    assert codes.count("mixing.folds-as-runs") == 2
    assert "mixing.other-training-size" in codes  # 60 of 90 samples train, and 72
    one = run_protocol({"near": NEAREST}, data, ["LOO", "LOSO"], task="attribute", label="expression")
    assert one.drops[0].n_pairs == 1
    assert one.drops[0].reversed_runs is None
    assert one.single_runs == ()


def test_a_disjoint_protocol_stands_against_its_own_mixed_form() -> None:
    data = expressions(np.random.default_rng(3))
    asked = ["2f CV", "5f CV", "5f CV+", "50-50 HO+"]
    run = run_protocol({"near": NEAREST}, data, asked, task="attribute", label="expression")
    assert [(drop.mixed, drop.disjoint) for drop in run.drops] == [
        ("5f CV mixed", "5f CV+"),
        ("2f CV mixed", "50-50 HO+"),
    ]
    for alone in ("5f CV", "5f CV+"):
        assert not run_protocol({"near": NEAREST}, data, alone, task="attribute", label="expression").drops


def test_a_run_and_the_question_what_if_agree() -> None:
    data = expressions(np.random.default_rng(4))
    run = run_protocol({"near": NEAREST}, data, ["5f CV", "5f CV+"], task="attribute", label="expression")
    asked = what_if(NEAREST, data, "mixed", "5f CV", label="expression")
    one, other = run.drops[0].difference, asked.difference
    assert (one.value, one.low, one.high) == (other.value, other.low, other.high)


@pytest.fixture(scope="module")
def faces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures whose names say who shows what, and a table of the same."""
    folder = tmp_path_factory.mktemp("faces")
    data = expressions(np.random.default_rng(5), 8)
    rng = np.random.default_rng(6)
    basis = rng.normal(size=(6, 24 * 20))
    (folder / "pictures").mkdir()
    frame = data.samples.frame
    names = []
    for place, row in enumerate(frame.iter_rows(named=True)):
        image = np.clip(128 + 12 * (data.vectors[place] @ basis), 0, 255).astype(np.uint8).reshape(24, 20)
        names.append(f"p{row['subject']}.{row['expression']}.{place}.png")
        Image.fromarray(image).save(folder / "pictures" / names[-1])
    frame.with_columns(file=pl.Series(names)).write_csv(folder / "samples.csv")
    return folder


@pytest.mark.parametrize("size", [(), ("--size", "12x10")])
@pytest.mark.parametrize("door", [("-s", "samples.csv"), ("--names", "{subject}.{expression}.{number}")])
def test_every_door_shows_the_drop(
    faces: Path,
    door: tuple[str, ...],
    size: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(faces)
    words = [
        "protocol",
        "run",
        "pictures",
        *door,
        *size,
        "-c",
        "lbp:chi2",
        "-c",
        NEAREST,
        "--label",
        "expression",
    ]
    words += ["-P", "2×3f CV", "-P", "2×3f CV+", "-q"]

    def said(*more: str) -> str:
        with pytest.raises(SystemExit) as stop:
            main([*words, *more])
        assert not stop.value.code
        return capsys.readouterr().out

    plain = json.loads(said("--json"))["protocol"]
    assert [drop["classifier"] for drop in plain["drops"]] == ["lbp:chi2", NEAREST]
    assert all("low" in drop["difference"] for drop in plain["drops"])
    assert "Drop from mixed to disjoint" in said()
    said("--out", str(tmp_path / "out"), "--formats", "csv")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Drop from mixed to disjoint" in page
    assert "Single runs: how often the order" in page
    written = pl.read_csv(next((tmp_path / "out").rglob("protocol_drops.csv")))
    assert written["drop"].to_list() == pytest.approx(
        [drop["difference"]["value"] for drop in plain["drops"]]
    )
    asked = [
        "protocol",
        "what-if",
        "mixed",
        "-i",
        "pictures",
        *door,
        *size,
        "-c",
        "lbp:chi2",
        "--label",
        "expression",
    ]
    with pytest.raises(SystemExit):
        main([*asked, "-p", "2×3f CV", "--json", "-q"])
    assert json.loads(capsys.readouterr().out)["what_if"]["difference"]["value"] == pytest.approx(
        plain["drops"][0]["difference"]["value"]
    )


@pytest.mark.long
@pytest.mark.parametrize("classifier", sorted(BOTH))
@pytest.mark.parametrize("n_people", [20, 40])
def test_intervals_of_the_drop_cover_over_new_people(classifier: str, n_people: int) -> None:
    """People, and with them all models, are drawn anew; the truth is the mean drop of many such data sets."""
    found = []
    for seed in range(400):
        data = expressions(np.random.default_rng([9, n_people, seed]), n_people)
        run = run_protocol(
            {"it": BOTH[classifier]},
            data,
            ["5f CV", "5f CV+"],
            task="attribute",
            label="expression",
            seed=seed,
        )
        change = run.drops[0].difference
        found.append((change.value, change.low, change.high))
    values, low, high = np.array(found).T
    covered = ((low < values.mean()) & (values.mean() < high)).mean()
    assert 0.92 < covered < 0.985
