"""The FERET evaluation on synthetic people: its sets, its algorithms, what it writes, and that a seed says it all."""

from __future__ import annotations

import datetime
import html
import json
import shlex
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.algorithms import crop_faces, read_picture
from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.cli import main
from proband.engine import Silent
from proband.errors import UsageError
from proband.inference.galleries.feret_results import FeretStudy
from proband.papers import feret2000
from proband.papers.feret2000 import (
    ALGORITHMS,
    CHANGES,
    FULLY,
    GALLERY,
    PHOTOGRAPHS,
    TWICE,
    VIEWS,
    Feret2000,
    feret2000_data,
)
from proband.papers.feret2000_claims import evidence_of
from proband.papers.feret2000_study import CONTENTS, FeretMeasurements, reproduction, run_feret2000
from proband.report.page.build import build_page
from proband.report.page.model import ChartBlock
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.report.tables.table import Table

pytestmark = pytest.mark.long

PEOPLE, SEED, VARIED = 24, 3, 8
Ran = tuple[Feret2000, FeretMeasurements]


@pytest.fixture(scope="module")
def ran() -> Ran:
    return run_feret2000(PEOPLE, SEED, 1, Silent())


def test_sets_are_those_of_the_protocol(ran: Ran) -> None:
    data, _ = ran
    frame = data.samples.frame
    queries, targets = data.scores[0].queries, data.scores[0].targets
    assert queries[:] == data.samples.ids[:]
    plain = frame.filter(alteration="none")
    assert set(targets) == set(plain.filter(pl.col("kind").is_in(["fa", "fb"]))["id"])
    assert set(targets) < set(queries)
    assert data.n_targets == len(targets)
    copies = frame.filter(pl.col("alteration") != "none")
    assert Counter(copies["alteration"]) == {str(change): VARIED for change in CHANGES}
    originals = frame.filter(pl.col("id").is_in(copies["altered_from"].to_list()))
    assert set(originals.select("kind", "session").rows()) == {("fb", 1)}
    turned = frame.filter(pl.col("view") != "frontal")
    assert Counter(turned["view"]) == dict.fromkeys(VIEWS, VARIED)
    assert set(turned["subject"]) == set(originals["subject"])
    assert set(turned["session"]) == {1}
    experiment = pb.Experiment(data.samples, gallery=GALLERY, probes=PHOTOGRAPHS)
    assert len(experiment.gallery) == experiment.n_gallery_subjects == PEOPLE
    assert experiment.universe == "closed"
    assert len(experiment.probes) == len(plain) - len(turned) - PEOPLE


def test_photographs_changed_copies_and_rotated_views_are_studied_apart(ran: Ran) -> None:
    data, measured = ran
    frame = data.samples.frame

    def probes(study: FeretStudy, category: str | None) -> pl.DataFrame:
        return frame[study.evaluation.of(category)[0].outcomes.probes.tolist()]

    for name in measured.study.evaluation.categories:
        own = probes(measured.study, name)
        assert set(own["alteration"]) == {"none"}
        assert set(own["view"]) == {"frontal"}
    fb = set(frame.filter(kind="fb", session=1, alteration="none")["id"])
    assert set(probes(measured.study, "fb")["id"]) == fb
    for change in CHANGES:
        own = probes(measured.changed, f"alteration {change}")
        assert set(own["alteration"]) == {str(change)}
        assert set(own["altered_from"]) == set(probes(measured.changed, "alteration none")["id"]) < fb
    for view in VIEWS:
        own = probes(measured.rotated, f"view {view}")
        assert set(own["kind"]) == {view}
        assert set(own["subject"]) == set(probes(measured.rotated, "view frontal")["subject"])
    assert len(measured.rotated.evaluation.categories) == 2 + len(VIEWS)


def test_duplicates_ii_have_a_gallery_of_their_own(ran: Ran) -> None:
    """By FERET's rule: mates enrolled before one date, probes taken a year after it; searched for among those mates' like."""
    data, measured = ran
    frame = data.samples.frame.filter(alteration="none", view="frontal")
    enrolled = frame.filter(kind="fa", session=1).select("subject", mate="date")
    early = enrolled.filter(pl.col("mate") < datetime.date(1994, 4, 23))
    assert 0 < len(early) < PEOPLE
    later = frame.join(early, on="subject").filter(pl.col("session") > 1)
    probes = later.filter(pl.col("date") >= datetime.date(1995, 4, 23))
    entries = measured.study.evaluation.of("dup2")
    within = entries[0].outcomes.experiment
    people = data.samples.frame["subject"]
    assert set(people[within.gallery.tolist()]) == set(early["subject"])
    assert sorted(data.samples.frame["id"][within.probes.tolist()]) == sorted(probes["id"])
    # The rate at rank 1, by the scores alone.
    scores = {matrix.name: matrix for matrix in data.scores}
    for entry in entries:
        matrix = scores[entry.algorithm]
        if matrix.cell_codes is not None:
            continue
        rows = matrix.queries.positions(probes["id"].to_list())
        columns = matrix.targets.positions(frame.filter(kind="fa", session=1).filter(pl.col("subject").is_in(early["subject"].to_list()))["id"].to_list())  # fmt: skip
        best = np.asarray(matrix.values)[np.ix_(rows, columns)].argmax(axis=1)
        whose = [name.partition("-")[0] for name in matrix.targets]
        right = [whose[columns[k]] == subject for k, subject in zip(best, probes["subject"], strict=True)]
        assert entry.curve.at(1) == pytest.approx(np.mean(right))
    days = probes.select((pl.col("date") - pl.col("mate")).dt.total_days()).to_series()
    (claim,) = (
        claim for claim in reproduction(data, measured, SEED).claims if claim.key.endswith("a-year-later")
    )
    assert claim.verdict == "agrees"
    assert (claim.here["days"], claim.here["own"], claim.here["whole"]) == (days.min(), len(early), PEOPLE)


def test_rotated_views_are_recognised_by_their_scores(ran: Ran) -> None:
    data, measured = ran
    frame = data.samples.frame
    gallery = frame.filter(kind="fa", session=1)
    for matrix in data.scores:
        if matrix.cell_codes is not None:
            continue
        columns = matrix.targets.positions(gallery["id"].to_list())
        for view in VIEWS:
            own = frame.filter(view=view)
            rows = matrix.queries.positions(own["id"].to_list())
            best = np.asarray(matrix.values)[np.ix_(rows, columns)].argmax(axis=1)
            rate = np.mean(gallery["subject"].to_numpy()[best] == own["subject"].to_numpy())
            (entry,) = (entry for entry in measured.rotated.evaluation.of(f"view {view}") if entry.algorithm == matrix.name)  # fmt: skip
            assert entry.curve.at(1) == pytest.approx(rate)


def test_the_page_has_every_table_and_figure(ran: Ran) -> None:
    data, measured = ran
    blocks = [block for item in reproduction(data, measured, SEED).items for block in item.blocks]
    ids = {block.id for block in blocks if isinstance(block, Table | ChartBlock)}
    assert {"table2", "took-part-here", "table3", "table4", "table5", "changed-table", "rotated-table"} <= ids
    assert {f"figure{k}{letter}" for k in (3, 4, 5, 6) for letter in "ab"} <= ids
    assert {"figure-average", "figure-upper_bound", "figure9", "figure10"} <= ids
    assert [row[0] for row in CONTENTS] == [
        *(f"Table {k}" for k in range(1, 6)),
        *(f"Figure {k}" for k in range(1, 11)),
    ]
    shown = {block.id: block for block in blocks if isinstance(block, Table)}
    sizes = {row[1].text: [cell.value for cell in row[2:]] for row in shown["table3"].rows}
    facts = {result.category: result.average.facts for result in measured.study.results}
    assert sizes["fb"] == [1196, PEOPLE, 1195, PEOPLE]
    assert sizes["dup2"] == [864, facts["dup2"].n_gallery_subjects, 234, facts["dup2"].n_probes]
    assert sizes["hl"] == [None, PEOPLE, None, VARIED]
    rates = {row[0].text: row for row in shown["rotated-table"].rows}
    assert list(rates) == ["fb", *VIEWS]
    assert [row[2].value for row in rates.values()] == [0, 22.5, 22.5, 67.5, 67.5]
    frame = measured.rotated.evaluation.to_frame(wide=True)
    own = frame.filter(pl.col("category") == "view qr", pl.col("algorithm").is_in(measured.study.field))
    assert rates["qr"][3].value == pytest.approx(own["rank_1"].mean(), abs=6e-4)


def without_notes(plain: Any) -> Any:
    if isinstance(plain, dict):
        return {key: without_notes(value) for key, value in plain.items() if key != "notes"}
    return [without_notes(value) for value in plain] if isinstance(plain, list) else plain


def test_saved_scores_give_the_same_study(ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """The commands that the page prints, run in its directory."""
    _, measured = ran
    monkeypatch.setattr("proband.papers.feret2000_study.run_feret2000", lambda *_: ran)
    made, page = pb.papers.reproduce_feret2000(tmp_path / "feret2000", PEOPLE, SEED, 1, Silent())
    text = page.read_text(encoding="utf-8")
    monkeypatch.chdir(page.parent)
    for command, study in zip(
        made.further, (measured.study, measured.changed, measured.rotated), strict=True
    ):
        assert command in html.unescape(text)
        program, *words = shlex.split(command)
        assert (program, words[0]) == ("proband", "feret")
        with pytest.raises(SystemExit) as stop:
            main([*words, "--json", "-q"])
        assert not stop.value.code
        again = json.loads(capsys.readouterr().out)["feret"]
        # What a recogniser noted (distances negated, faces not found) is not in the file.
        assert without_notes(again) == without_notes(json.loads(json.dumps(study.to_dict())))


def test_algorithms_and_their_pairs(ran: Ran) -> None:
    data, measured = ran
    study = measured.study
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
    shown = data.shown.reshape(4, 2 + len(CHANGES) + len(VIEWS), *data.shown.shape[1:])
    person = frame["subject"][0]
    eyes = {name: frame.filter(pl.col("id") == name).select(EYE_COLUMNS).to_numpy()[0] for name in (f"{person}-1-fb", f"{person}-1-fb@scale-0.5")}  # fmt: skip
    before, after = (crop_faces([image], [points])[0].astype(float) for image, points in zip((shown[0, 1], shown[0, 1 + len(CHANGES)]), eyes.values(), strict=True))  # fmt: skip
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
    assert "proband feret scores.npz scores_auto.npz" in said.err

    assert {path.name for path in out.iterdir()} == {
        "files.json",
        "report.html",
        "results.json",
        "faces.png",
        "figure1.png",
        "samples.csv",
        "scores.npz",
        "scores_auto.npz",
    }
    assert read_picture(out / "faces.png").shape[1] > 160 * (2 + len(CHANGES) + len(VIEWS))
    text = (out / "report.html").read_text(encoding="utf-8")
    assert "The people are synthetic" in text
    assert "invented" in text
    assert "1,196" in text

    # The fixture ran the same study with one thread.
    data, measured = ran
    here = reproduction(data, measured, SEED)
    assert text == render_page(build_page(Scene(here.findings())))
    stored = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert stored == json.loads(json.dumps(here.findings().to_dict()))
    settings = stored["reproduction"]["settings"]
    assert (stored["reproduction"]["study"], settings["people"], settings["seed"]) == (
        "feret2000",
        PEOPLE,
        SEED,
    )
    assert stored["feret"] == json.loads(json.dumps(measured.study.to_dict()))


def test_too_few_people_are_refused() -> None:
    with pytest.raises(SystemExit) as stop:
        main(["reproduce", "feret2000", "--people", "5"])
    assert stop.value.code == 2


def test_claims_are_what_the_tables_say(ran: Ran) -> None:
    data, measured = ran
    study = measured.study
    judged = {one.key.partition(".")[2]: one for one in reproduction(data, measured, SEED).claims}
    frame = study.evaluation.to_frame(wide=True).filter(pl.col("algorithm").is_in(study.field))
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
    monkeypatch.setattr("proband.algorithms.lbp.need", missing)
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


def test_an_algorithm_has_one_colour_in_both_panels_of_a_figure(ran: Ran) -> None:
    data, measured = ran
    blocks = {
        block.id: dict(block.looks)
        for item in reproduction(data, measured, SEED).items
        for block in item.blocks
        if isinstance(block, ChartBlock)
    }
    for number in (3, 4, 5, 6):
        first, second = blocks[f"figure{number}a"], blocks[f"figure{number}b"]
        shared = set(first) & set(second)
        assert len(shared) == 4, number
        assert {name: first[name] for name in shared} == {name: second[name] for name in shared}
        for looks in (first, second):
            assert len(set(looks.values())) == len(looks)
