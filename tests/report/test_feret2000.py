"""The FERET evaluation on synthetic people: its sets, its algorithms, what it writes, and that a seed says it all."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.algorithms import crop_faces, read_picture
from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.cli import main
from proband.engine import Silent
from proband.errors import UsageError
from proband.papers import feret2000
from proband.papers.feret2000 import ALGORITHMS, CHANGES, FULLY, TWICE, Feret2000, categories, feret2000_data
from proband.papers.feret2000_claims import evidence_of
from proband.papers.feret2000_study import reproduction, run_feret2000
from proband.report.page.build import build_page
from proband.report.page.render import render_page
from proband.report.scene import Scene

pytestmark = pytest.mark.long

PEOPLE, SEED = 24, 3
Ran = tuple[Feret2000, Any]


@pytest.fixture(scope="module")
def ran() -> Ran:
    return run_feret2000(PEOPLE, SEED, 1, Silent())


def test_sets_are_those_of_the_protocol(ran: Ran) -> None:
    data, _ = ran
    frame = data.samples.frame
    queries, targets = data.scores[0].queries, data.scores[0].targets
    assert queries[:] == data.samples.ids[:]
    plain = frame.filter(pl.col("alteration") == "none")
    assert set(targets) == set(plain.filter(pl.col("kind") != "fc")["id"])
    assert set(targets) < set(queries)
    assert data.n_targets == len(targets)
    copies = frame.filter(pl.col("alteration") != "none")
    assert Counter(copies["alteration"]) == {str(change): PEOPLE for change in CHANGES}
    originals = frame.filter(pl.col("id").is_in(copies["altered_from"].to_list()))
    assert set(originals.select("kind", "session").rows()) == {("fb", 1)}
    experiment = data.experiment
    assert len(experiment.gallery) == experiment.n_gallery_subjects == PEOPLE
    assert experiment.universe == "closed"
    assert len(experiment.probes) == len(frame) - PEOPLE


def test_categories_part_changed_from_unchanged_probes(ran: Ran) -> None:
    data, _ = ran
    of = {one.name: one.of(data.experiment) for one in categories() if one.name != "fc"}
    frame = data.samples.frame
    assert set(frame["alteration"][of["fb"].probes]) == {"none"}
    assert set(frame["id"][of["fb"].probes]) == set(frame["altered_from"].drop_nulls())
    for change in CHANGES:
        assert set(frame["alteration"][of[str(change)].probes]) == {str(change)}
        assert not of[str(change)].notes
    assert set(of["dup2"].probes.tolist()) <= set(of["dup1"].probes.tolist())


def test_algorithms_and_their_pairs(ran: Ran) -> None:
    data, study = ran
    names = [one.name for one in data.scores]
    assert names == [*ALGORITHMS, *(f"{name}-earlier" for name in TWICE), *(f"{name}-auto" for name in FULLY)]
    assert study.field == tuple(names[:10])
    assert [(one.earlier, one.later) for one in data.improvements] == [
        (f"{name}-earlier", name) for name in TWICE
    ]
    assert [(one.fully, one.partially) for one in data.versions] == [(f"{name}-auto", name) for name in FULLY]
    assert (data.n_training, data.n_earlier) == (12, 4)
    values = {one.name: one.values for one in data.scores}
    assert not np.array_equal(values["lda:angle"], values["lda:angle-earlier"])
    assert not np.array_equal(values["lda:angle"], values["lda:angle-auto"])
    # A query that is a target scores highest with itself.
    own = [data.scores[0].queries.positions([name])[0] for name in data.scores[0].targets]
    assert (values["correlation"][own].argmax(axis=1) == np.arange(data.n_targets)).all()


def test_changed_copies_match_the_images_they_were_made_from(ran: Ran) -> None:
    data, _ = ran
    assert list(data.clipped) == [str(change) for change in CHANGES]
    assert data.clipped["gain:0.4"] == 0 < data.clipped["gain:1.5"] < 1
    frame, scores = data.samples.frame, data.scores[0]
    assert scores.name == "correlation"
    for change in ("gain:0.4", "scale:0.5"):
        copies = frame.filter(pl.col("alteration") == change)
        rows = scores.queries.positions(copies["id"].to_list())
        columns = scores.targets.positions(copies["altered_from"].to_list())
        assert scores.values[rows, columns].min() > 0.9
    # The eyes of the table are those of the shrunken face: cropped by them, it is the face again.
    shown = data.shown.reshape(4, 2 + len(CHANGES), *data.shown.shape[1:])
    person = frame["subject"][0]
    eyes = {name: frame.filter(pl.col("id") == name).select(EYE_COLUMNS).to_numpy()[0] for name in (f"{person}-1-fb", f"{person}-1-fb@scale-0.5")}  # fmt: skip
    before, after = (crop_faces([image], [points])[0].astype(float) for image, points in zip((shown[0, 1], shown[0, -1]), eyes.values(), strict=True))  # fmt: skip
    assert np.corrcoef(before.ravel(), after.ravel())[0, 1] > 0.95


@pytest.mark.parametrize("anew", [False, pytest.param(True, marks=pytest.mark.long)])
def test_the_command_writes_everything_and_a_seed_says_it_all(
    ran: Ran,
    anew: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Run the command anew with other threads than the fixture's, or let it find what the fixture ran."""
    if not anew:
        known = {(PEOPLE, SEED): ran}
        monkeypatch.setattr("proband.papers.feret2000_study.run_feret2000", lambda *asked: known[asked[:2]])
    out = tmp_path / "new" / "feret2000"
    with pytest.raises(SystemExit) as stop:
        main(f"reproduce feret2000 --people {PEOPLE} --seed {SEED} --threads 2 -q -o {out}".split())
    assert not stop.value.code
    said = capsys.readouterr()
    assert "The people are synthetic" in said.out
    assert "wrote" in said.err

    assert {path.name for path in out.iterdir()} == {
        "files.json",
        "report.html",
        "results.json",
        "faces.png",
        "samples.csv",
    }
    assert read_picture(out / "faces.png").shape[1] > 160 * (2 + len(CHANGES))
    text = (out / "report.html").read_text(encoding="utf-8")
    assert "The people are synthetic" in text
    assert "made up" in text
    assert "1,196" in text

    # The fixture ran the same study with one thread.
    data, study = ran
    here = reproduction(data, study, SEED)
    assert text == render_page(build_page(Scene(here.findings())))
    stored = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert stored == json.loads(json.dumps(here.findings().to_dict()))
    settings = stored["reproduction"]["settings"]
    assert (stored["reproduction"]["study"], settings["people"], settings["seed"]) == (
        "feret2000",
        PEOPLE,
        SEED,
    )
    assert stored["feret"] == json.loads(json.dumps(study.to_dict()))


def test_too_few_people_are_refused() -> None:
    with pytest.raises(SystemExit) as stop:
        main(["reproduce", "feret2000", "--people", "5"])
    assert stop.value.code == 2


def test_claims_are_what_the_tables_say(ran: Ran) -> None:
    data, study = ran
    judged = {one.key.partition(".")[2]: one for one in reproduction(data, study, SEED).claims}
    frame = study.evaluation.to_frame().filter(pl.col("algorithm").is_in(study.field))
    rates = dict(frame.group_by("category").agg(pl.col("rank_1").mean()).rows())
    given = evidence_of(study, {})
    four = {name: rates[name] for name in ("fb", "dup1", "fc", "dup2") if name in rates}
    assert {name: one.value for name, one in given.averages.items()} == pytest.approx(four, abs=6e-4)
    assert set(judged) >= {
        "galleries-vary-fb",
        "order-changes-dup1",
        "some-always-ahead",
        "tasks-differ",
        "improved",
    }
    for name in ("fb", "dup1"):
        variation = next(
            one for one in study.variation if one.category == name and one.design.key == "galleries-in-order"
        )
        cells = variation.to_frame().filter(pl.col("value").is_not_null())
        table = {
            key[0]: part["value"].to_numpy() for key, part in cells.group_by("algorithm", maintain_order=True)
        }
        count = sum(bool((a > b).all() or (a < b).all()) for a, b in combinations(table.values(), 2))
        assert dict(judged["some-always-ahead"].here["pairs"])[name] == count
        moving = sum(part["place"].n_unique() > 1 for _, part in cells.group_by("algorithm"))
        here = judged[f"order-changes-{name}"].here
        assert (here["moving"], here["total"]) == (moving, 10)


def test_what_is_not_installed_is_left_out_aloud_and_another_seed_gives_other_people(
    ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> Any:
        raise UsageError("It needs a library that is not installed.", "install proband[images].")

    monkeypatch.setattr(feret2000, "detector", missing)
    monkeypatch.setattr(feret2000, "need", missing)
    data = feret2000_data(PEOPLE, SEED + 1)
    assert data.versions == ()
    names = [one.name for one in data.scores]
    assert names == [*ALGORITHMS[:-1], *(f"{name}-earlier" for name in TWICE)]
    assert [str(note).partition(" left out")[0] for note in data.notes] == [
        "lbp:chi2 was",
        "the fully automatic versions were",
    ]
    assert all("install proband[images]" in str(note) for note in data.notes)
    first, second = (one.samples.frame["left_eye_x"].head(PEOPLE).to_list() for one in (data, ran[0]))
    assert first != second


def test_altered_copies_are_not_pooled_with_photographs(ran: Ran) -> None:
    data, study = ran
    first = study.evaluation.categories[0]
    assert first == "all unaltered probes"
    for entry in study.evaluation.of(first):
        assert set(data.samples.frame["alteration"][entry.outcomes.probes]) == {"none"}
    assert {one.category for one in study.variation} == {*study.evaluation.categories}
    assert not any("altered copies" in str(note) for note in study.evaluation.notes)
