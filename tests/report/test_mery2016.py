"""The experiments of Mery et al. 2016 on synthetic people: who is in them, what the tables say, and that a seed says it all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.report.legible import WIDTHS, check

from proband.algorithms import read_picture
from proband.cli import main
from proband.errors import UsageError
from proband.papers import mery2016, mery2016_study
from proband.papers.mery2016 import (
    ATTRIBUTES,
    CLASSIFIERS,
    FACES,
    IMAGES,
    MODELS,
    POSED,
    POSES,
    SHARES,
    Mery2016,
    accuracies,
    column_of,
    found,
    run_mery2016,
)
from proband.papers.mery2016_claims import claims, evidence_of
from proband.papers.mery2016_study import reproduction, tables
from proband.papers.mery2016_tables import (
    STATISTICS,
    TABLE_4,
    TABLE_4_HALF,
    TABLE_5,
    TABLE_6,
    beside_table,
    growth_table,
    mixing_table,
    published_order,
    published_overlap,
    single_runs,
    single_table,
)
from proband.papers.page import claims_table
from proband.report.directory import whole_directory
from proband.report.page.build import build_page
from proband.report.page.render import render_page
from proband.report.scene import Scene

pytestmark = pytest.mark.long

PEOPLE, RUNS, SEED = 12, 2, 3


@pytest.fixture(scope="module", autouse=True)
def fewer_difficulties() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mery2016, "OTHERWISE", (1.0,))
        yield


@pytest.fixture(scope="module")
def study(fewer_difficulties: None) -> Mery2016:
    return run_mery2016(PEOPLE, RUNS, SEED, threads=1)


def people_of(run: Any) -> set[str]:
    return set(run.setting.data.subjects.tolist())


def share(one: Any, *by: str) -> pl.DataFrame:
    """The share of correct predictions, from the table of predictions alone."""
    right = (pl.col("label") == pl.col("predicted")).mean().alias("share")
    return one.predictions.frame.group_by(*by, maintain_order=True).agg(right)


def test_people_and_images(study: Mery2016) -> None:
    everybody = people_of(study.faces[PEOPLE])
    assert list(study.faces) == [PEOPLE, PEOPLE // 2]
    for parts, (size, runs) in zip((1, 2, 4), study.galleries.items(), strict=True):
        assert (len(runs), size) == (parts, PEOPLE // parts)
        assert all(len(people_of(run)) == size for run in runs)
        assert set.union(*map(people_of, runs)) == everybody
    assert study.galleries[PEOPLE // 2][0] is study.faces[PEOPLE // 2]
    ids = []
    for count, run in study.images.items():
        counts = run.setting.data.samples.frame["subject"].value_counts()["count"]
        assert counts.to_list() == [count] * PEOPLE
        ids.append(set(run.setting.data.samples.ids))
    assert tuple(study.images) == IMAGES
    assert ids[0] > ids[1] > ids[2]
    assert not any(run.setting.data.left_out for run in (*study.images.values(), *study.faces.values()))
    for run in study.expressions.values():
        frame = run.setting.data.samples.frame
        assert (len(people_of(run)), len(frame), set(frame["sex"])) == (MODELS, 213, {"F"})
        assert dict(frame["expression"].value_counts().rows()) == POSES
        assert people_of(run) == people_of(study.expressions[POSED])
    groups = [everybody, people_of(study.expressions[POSED]), people_of(study.sex)]
    assert len(set.union(*groups)) == sum(map(len, groups)) == 5 * PEOPLE + MODELS
    assert study.sex.setting.data.each == "110 × 90 pixels"
    sexes = [
        run.setting.data.samples.frame.unique("subject")["sex"] for run in (study.faces[PEOPLE], study.sex)
    ]
    assert [(sex == "M").sum() for sex in sexes] == [PEOPLE // 2, round(0.6 * 4 * PEOPLE)]


def test_protocols_are_those_of_the_tables(study: Mery2016) -> None:
    for key, run, published in ((one.key, one.run, one.published) for one in tables(study)):
        assert tuple(dict.fromkeys(map(column_of, run.results))) == published.columns
        for one in run.results:
            assert one.protocol.is_disjoint == (key == "table6" or column_of(one) == "LOSO")
            assert one.spread.n_runs == (MODELS if column_of(one) == "LOSO" else RUNS)
    side = {column_of(one) for one in study.images[IMAGES[1]].results}
    assert side == set(SHARES)


def test_published_numbers_are_consistent() -> None:
    for table in (TABLE_4, TABLE_4_HALF, TABLE_5, TABLE_6):
        for name, column in product(CLASSIFIERS, table.columns):
            highest, mean, least, _ = (table.at(name, statistic, column) for statistic in STATISTICS)
            assert least < mean < highest  # type: ignore[operator]
    assert TABLE_4.at("LBP", "mean", "10f CV") is None
    assert published_order(TABLE_4_HALF) == ["SRC", "LBP"]
    assert published_order(TABLE_6) == ["LBP", "SRC"]
    overlaps = {column: published_overlap(TABLE_4_HALF, column) for column in FACES}
    assert overlaps == pytest.approx(dict(zip(FACES, (0.8, 0.4, 0.9, -0.8, -1.0, -0.7), strict=True)))
    assert [published_overlap(TABLE_6, column) > 0 for column in ATTRIBUTES] == [True] * 2 + [False] * 4  # type: ignore[operator]


def test_tables_say_what_the_predictions_say(study: Mery2016) -> None:
    for title, run, published in ((one.title, one.run, one.published) for one in tables(study)):
        table = beside_table(run, published, title)
        cells = {(row[0].text, row[1].text): row[2:] for row in table.rows}
        for place, column in enumerate(published.columns):
            for name in CLASSIFIERS:
                one = found(run, name, column)
                folds = share(one, "repeat", "fold")
                values = (
                    folds if column == "LOSO" else folds.group_by("repeat").agg(pl.col("share").mean())
                )["share"]
                assert sorted(accuracies(one)) == pytest.approx(sorted(values))
                expected = (values.max(), values.mean(), values.min(), values.std())
                for statistic, value in zip(STATISTICS, expected, strict=True):
                    own, theirs = cells[name, statistic][place].text.split(" (")
                    assert float(own) == pytest.approx(100 * value, abs=0.0501)
                    assert float(theirs.rstrip(")")) == published.at(name, statistic, column)
    singles = [single_table(single_runs(one.run), one.published, one.title) for one in tables(study)]
    beside = [beside_table(one.run, one.published, one.title) for one in tables(study)]
    said = claims_table(reproduction(study, RUNS, SEED).claims, brief=True)
    for table in (*beside, *singles, growth_table(study), mixing_table(study), said):
        for width in WIDTHS:
            check(table, width)
    rows = growth_table(study).rows
    assert len(rows) == 5
    means = [
        share(found(run, "SRC", "3f CV"), "repeat")["share"].mean() for run in study.galleries[PEOPLE // 4]
    ]
    assert float(rows[2][5].text) == pytest.approx(100 * np.mean(means), abs=0.00501)


def test_single_runs_are_counted_one_by_one(study: Mery2016) -> None:
    for run in (one.run for one in tables(study)):
        means = {
            name: np.mean([one.spread.mean for one in run.results if one.classifier == name and column_of(one) != "LOSO"])
            for name in CLASSIFIERS
        }  # fmt: skip
        for one in single_runs(run):
            assert means[one.better] >= means[one.worse]
            high, low = (
                accuracies(found(run, name, one.protocol)).tolist() for name in (one.better, one.worse)
            )
            same = [low[k] > high[k] for k in range(RUNS)]
            other = [low[j] > high[k] for j in range(RUNS) for k in range(RUNS) if j != k]
            assert (one.same_split, one.other_split) == (np.mean(same), np.mean(other))
            assert one.overlap == max(low) - min(high)
            assert one.gap == pytest.approx(np.mean(high) - np.mean(low))
        assert "LOSO" not in {one.protocol for one in single_runs(run)}


def test_people_lose_when_nobody_is_in_training_and_test(study: Mery2016) -> None:
    run = study.expressions[POSED]
    lost = evidence_of(study).lost
    judged = {one.key: one for each in claims(evidence_of(study)).values() for one in each}
    said = judged["mery2016.expressions-of-new-people"]
    falls = {one["name"]: one for one in said.here["each"]}
    for name in CLASSIFIERS:
        mixed, alone = (found(run, name, column) for column in ("10f CV", "LOSO"))
        first = dict(
            mixed.predictions.frame.filter(pl.col("repeat") == 1)
            .group_by("subject")
            .agg((pl.col("label") == pl.col("predicted")).mean())
            .rows()
        )
        after = dict(share(alone, "subject").rows())
        assert lost[name] == pytest.approx([first[one] - after[one] for one in sorted(first)])
        assert (falls[name]["mixed"], falls[name]["alone"]) == pytest.approx(
            (mixed.spread.mean, alone.spread.mean)
        )
    assert said.verdict == "agrees"


def test_claims_follow_from_the_runs(study: Mery2016) -> None:
    given = evidence_of(study)
    judged = {one.key: one for each in claims(given).values() for one in each}
    assert len(judged) == 14
    for people, run in study.faces.items():
        for name, column in product(CLASSIFIERS, FACES):
            assert given.faces[people][name][column].mean() == pytest.approx(
                found(run, name, column).spread.mean
            )
    ahead = sum(given.faces[people]["LBP"][column].mean() > given.faces[people]["SRC"][column].mean() for people in given.faces for column in FACES)  # fmt: skip
    assert judged["mery2016.stable-means"].here["n"] == max(ahead, 12 - ahead)


@pytest.mark.parametrize("anew", [False, pytest.param(True, marks=pytest.mark.long)])
def test_the_command_writes_everything_and_a_seed_says_it_all(
    study: Mery2016,
    anew: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Run the command anew with other threads than the fixture's, or let it find what the fixture ran."""
    if not anew:
        known = {(PEOPLE, RUNS, SEED): study}
        monkeypatch.setattr(mery2016_study, "run_mery2016", lambda *asked: known[asked[:3]])
    out = tmp_path / "new" / "mery2016"
    with pytest.raises(SystemExit) as stop:
        main(
            f"reproduce mery2016 --people {PEOPLE} --runs {RUNS} --seed {SEED} --threads 2 -q -o {out}".split()
        )
    assert not stop.value.code
    said = capsys.readouterr()
    assert "The people are synthetic" in said.out
    assert "expressions-of-new-people" in said.out
    assert "wrote" in said.err
    assert {path.name for path in out.iterdir()} == {"files.json", "results.json", "report.html", "faces.png"}
    assert read_picture(out / "faces.png").shape[1] > 12 * 90
    # The fixture ran the same study with one thread.
    here = reproduction(study, RUNS, SEED)
    stored = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert stored == json.loads(json.dumps(here.findings().to_dict()))
    made = stored["reproduction"]
    assert list(made["numbers"]["single_runs"]) == ["table4-all", "table4-half", "table5", "table6"]
    assert (made["study"], made["settings"]["people"], made["settings"]["runs"]) == ("mery2016", PEOPLE, RUNS)
    page = render_page(build_page(Scene(here.findings())))
    assert (out / "report.html").read_text(encoding="utf-8") == page
    with (
        pytest.raises(KeyError),
        whole_directory(out, ("faces.png",)),
    ):
        raise KeyError  # far enough to know that earlier results would be replaced


def test_too_few_people_or_runs_are_refused() -> None:
    with pytest.raises(SystemExit) as stop:
        main(["reproduce", "mery2016", "--people", "5"])
    assert stop.value.code == 2
    with pytest.raises(UsageError, match="12 people and 2 runs"):
        run_mery2016(12, 1)
