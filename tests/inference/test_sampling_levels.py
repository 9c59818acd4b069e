"""Sampling levels of STRAT: which declared columns vary behind a result, and which are held fixed, on tables made by hand."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.analyses.strat.tables import study_statements
from proband.designs import BRR, Bootstrap, Galleries, ImageChoice, Jackknife
from proband.errors import UsageError
from proband.inference.comparisons.mcnemar_table import mcnemar_table
from proband.inference.estimates.cmc_bands import estimate_cmc
from proband.inference.verification.thresholds.deployed import threshold
from proband.results.base import Answers, among
from proband.results.sampling import _ALSO_DRAWN, _DRAWN
from proband.results.targets import GALLERY, OTHER_PEOPLE, PEOPLE_ALIKE
from proband.samples.sampling import observed
from proband.words import SampledColumn, Target

Run = Callable[..., Any]
LEVELS = {"scene": "session", "context": ["site", "camera"], "implicit": "sex", "system": "crop"}
POPULATION = "population level: scene (session) within people, context (site) between people, implicit property (sex) between people"
HELD = "scene (session = 1 in the gallery); context (camera = canon); system level (crop = 64)"


def table(n: int = 12) -> dict[str, list[Any]]:
    """People with four images each: the first in session 1, the others in 1, 2 and 3; a site and a sex each, one camera and one crop."""
    rows = [
        (f"{p}-{k}", f"p{p}", max(1, k), "ab"[p % 2], "canon", "fm"[p // 2 % 2], 64)
        for p in range(n)
        for k in range(4)
    ]
    names = ("id", "subject", "session", "site", "camera", "sex", "crop")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


@pytest.fixture(scope="module")
def samples() -> pb.Samples:
    return pb.Samples(table(), sampling=LEVELS)


@pytest.fixture(scope="module")
def scores() -> list[pb.Scores]:
    people, rng = table()["subject"], np.random.default_rng(3)
    alike = np.equal.outer(np.array(people), np.array(people)).astype(float)
    made = []
    for name in ("a", "b"):
        noise = rng.normal(size=alike.shape)
        values = 1.5 * alike + noise + noise.T
        made.append(pb.Scores.from_array(values, table()["id"], orientation="similarity", name=name))
    return made


@pytest.fixture(scope="module")
def experiment(samples: pb.Samples) -> pb.Experiment:
    return pb.Experiment(samples, gallery=[name for name in samples.ids if name.endswith("-0")])


def added(answers: Answers) -> tuple[str, str, str]:
    """What is said of the levels, behind what is said without."""
    varying, fixed = (str(one).partition("; ")[2] for one in (answers.varying, answers.fixed))
    return varying, fixed, str(answers.assuming).partition("; ")[2]


@pytest.mark.parametrize(
    ("values", "people", "gallery", "spread", "value", "gallery_value", "n_within"),
    [
        (["x", "x", "x", "x"], "aabb", ["x"], "constant", "x", "x", 0),
        (["x", "x", "x", "x"], "aabb", ["y"], "constant", "x", "y", 0),
        (["x", "x", "y", "y"], "aabb", ["x", "y"], "between-people", None, None, 0),
        (["x", "y", "x", "x"], "aabb", ["x"], "within-people", None, "x", 1),
        (["x", "y"], "ab", ["x"], "between-people", None, "x", 0),
        (["x", "x", None, "x"], "aabb", ["x"], "not-known", None, "x", 0),
        (["x", "y", None, "x"], "aabb", [None], "within-people", None, None, 1),
        ([1, 1, 2, 2], "aabb", [7], "between-people", None, "7", 0),
    ],
)
def test_what_data_show_of_a_column(
    values: list[Any],
    people: str,
    gallery: list[Any],
    spread: str,
    value: str | None,
    gallery_value: str | None,
    n_within: int,
) -> None:
    n, m = len(values), len(gallery)
    columns = {"subject": [*people, *"zy"[:m]], "c": [*values, *gallery]}
    made = pb.Samples({"id": [str(k) for k in range(n + m)], **columns}, sampling={"context": "c"})
    (found,) = observed(made, np.arange(n), np.arange(n, n + m))
    assert (found.spread, found.value, found.gallery_value) == (spread, value, gallery_value)
    assert (found.n_within, found.n_missing) == (n_within, values.count(None))


@pytest.mark.parametrize(
    ("sampling", "message", "hint"),
    [
        ({"scene": "sesion"}, "the samples table has no column 'sesion', which is declared as scene.", "did you mean 'session'?"),
        ({"scen": "session"}, "There is no sampling level 'scen'.", "did you mean 'scene'?"),
        (
            {"scene": "site", "context": ["camera", "site"]},
            "The column 'site' is declared as scene and as context.",
            "declare it once, as what comes closest.",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_declared(sampling: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        pb.Samples(table(), sampling=sampling)
    assert (refused.value.message, str(refused.value.hint)) == (message, hint)


def test_nothing_is_said_where_nothing_is_declared(
    scores: list[pb.Scores], experiment: pb.Experiment
) -> None:
    plain = pb.Experiment(pb.Samples(table()), gallery=[one for one in table()["id"] if one.endswith("-0")])
    one, other = (pb.estimate(scores[0], within).to_dict()["answers"] for within in (plain, experiment))
    assert "sampling" not in one
    assert other["varying"]["text"].startswith(one["varying"]["text"] + "; ")
    assert [column["column"] for column in other["sampling"]] == ["session", "site", "camera", "sex", "crop"]
    assert other["sampling"][0] == {
        "column": "session", "level": "scene", "spread": "within-people", "value": None, "gallery_value": "1", "n_within": 12, "n_missing": 0,
    }  # fmt: skip


def test_people_vary_with_all_that_varies_within_and_between_them(
    scores: list[pb.Scores], experiment: pb.Experiment
) -> None:
    estimate = pb.estimate(scores[0], experiment)
    compared = pb.compare(scores, experiment)
    for answers in (
        estimate.answers,
        compared.answers,
        compared.estimates[1].answers,
        pb.evaluate(scores, experiment).answers,
        estimate_cmc(scores[0], experiment).answers,
    ):
        assert added(answers) == (POPULATION, f"system level and model level; {HELD}", "")
    again = pb.estimate(scores[0], experiment, design=Bootstrap(n_resamples=500)).extended(1_000)
    assert added(again.answers)[0] == POPULATION


def test_probes_vary_by_themselves(scores: list[pb.Scores], experiment: pb.Experiment) -> None:
    for answers in (
        pb.estimate(scores[0], experiment, design=Bootstrap("probe", n_resamples=500)).answers,
        mcnemar_table(scores, experiment).answers,
    ):
        assert added(answers)[0] == POPULATION.replace("within people", "between samples").replace(
            "between people", "between samples"
        )


def test_images_of_these_people_hold_fixed_what_each_person_has(
    scores: list[pb.Scores], experiment: pb.Experiment
) -> None:
    own = "context (site) at the value of each person; context (camera = canon); implicit property (sex) at the value of each person; system level (crop = 64)"
    answers = pb.estimate(scores[0], experiment, design=BRR()).answers
    assert added(answers)[0] == "population level: scene (session) within people"
    assert added(answers)[1] == f"system level and model level; scene (session = 1 in the gallery); {own}"
    found = pb.permute(scores, pb.Pool(experiment.samples, "session"), design=ImageChoice(n_resamples=50))
    assert added(found.answers)[0] == (
        "population level: scene (session) within people; model level (exemplars)"
    )
    assert added(found.answers)[1] == f"system level and model level (training); {own}"


def test_strata_are_held_fixed_and_units_vary(scores: list[pb.Scores], experiment: pb.Experiment) -> None:
    within = pb.estimate(scores[0], experiment, design=Jackknife("site", units="subject")).answers
    assert added(within)[0] == (
        "population level: scene (session) within people, implicit property (sex) between people"
    )
    assert "context (site) as strata" in str(within.fixed)
    units = pb.estimate(scores[0], experiment, design=Jackknife(kind="JK1", units="session")).answers
    assert added(units)[0] == "scene (session) as units"


@pytest.mark.parametrize(("units", "spread"), [("subject", "between people"), (None, "between samples")])
def test_what_each_stratum_has_one_value_of_is_held_fixed(
    scores: list[pb.Scores], units: str | None, spread: str
) -> None:
    data = table()
    data["country"] = [{"a": "x", "b": "y"}[site] for site in data["site"]]
    data["town"] = [f"{site}{sex}" for site, sex in zip(data["site"], data["sex"], strict=True)]
    samples = pb.Samples(data, sampling={"explicit": ["country", "town"]})
    within = pb.Experiment(samples, gallery=[name for name in data["id"] if name.endswith("-0")])
    design = Jackknife("site", units=units)
    for answers in (
        pb.estimate(scores[0], within, design=design).answers,
        pb.compare(scores, within, design=design).answers,
        pb.compare(scores, within, design=design, measure="auc").answers if units else None,
        estimate_cmc(scores[0], within, design=design).answers,
        pb.strat.compare_sensors(scores[0], within, by="session", design=design).answers if units else None,
    ):
        if answers is None:
            continue
        assert f"explicit property (town) {spread}" in str(answers.varying)
        assert "country" not in str(answers.varying)
        assert "explicit property (country) at the value of each stratum" in str(answers.fixed)
        assert [column.spread for column in answers.sampling] == ["between-strata", "between-people"]
    over_people = pb.estimate(scores[0], within).answers
    assert "explicit property (country) between people" in str(over_people.varying)


def test_galleries_in_turn_are_not_said_to_be_of_one_session(scores: list[pb.Scores]) -> None:
    data = table()
    data["session"] = [int(name[-1]) for name in data["id"]]
    samples = pb.Samples(data, sampling={"scene": "session", "context": "camera"})
    study = pb.strat.strat_study(scores, samples=samples, n_images=4)
    assert "session = 0 in the gallery" in str(study.effects[0].estimates[0].answers.fixed)
    assert "in the gallery)" not in str(study.mixed[0].estimates[0].answers.fixed)
    told = "\n".join(map(str, study_statements(study)))
    assert "scene (session) within people" in told
    assert "context (camera = canon)" in told
    assert "session = 0" not in told


def test_new_galleries_vary_whom_the_model_knows(scores: list[pb.Scores], experiment: pb.Experiment) -> None:
    answers = pb.estimate(scores[0], experiment, design=Galleries(2)).answers
    assert added(answers)[0] == f"{POPULATION}; model level (exemplars)"
    assert "model level (training)" in str(answers.fixed)


def test_verification_draws_both_sides(scores: list[pb.Scores], samples: pb.Samples) -> None:
    found = pb.verify(scores[0], samples, fmr=0.1, n_resamples=100)
    (point,) = found.points
    for answers in (found.answers, point.fmr.answers, threshold(scores[0], samples, fmr=0.2).answers):
        assert added(answers)[0] == f"{POPULATION}; model level (exemplars)"
        assert "context (camera = canon)" in str(answers.fixed)
    for answers in (
        point.fnmr.answers,
        found.eer.answers,
        pb.compare(scores, samples, measure="fnmr@0.1").answers,
    ):
        assert added(answers)[0] == f"{POPULATION}; system level (threshold); model level (exemplars)"
    assert point.fnmr_at_threshold is not point.fnmr
    at = pb.verify(scores[0], samples, fmr=(), thresholds=[1.0]).points[0]
    assert at.fnmr_at_threshold is at.fnmr


def test_missing_values_are_assumed_and_never_claimed(scores: list[pb.Scores]) -> None:
    data = table()
    data["camera"] = [None if k == 5 else value for k, value in enumerate(data["camera"])]
    samples = pb.Samples(data, sampling={"context": "camera"})
    within = pb.Experiment(samples, gallery=[name for name in data["id"] if name.endswith("-0")])
    answers = pb.estimate(scores[0], within).answers
    assert added(answers)[0] == "population level"
    assert "canon for all" not in str(answers.fixed)
    assert (
        added(answers)[2] == "context (camera), missing for 1 sample, has the same values there as elsewhere"
    )


def test_a_column_of_the_system_that_varies_is_not_called_fixed() -> None:
    column = SampledColumn("crop", "system", "within-people", None, None, 3, 0)
    told = among(Answers(Target("x", "x"), OTHER_PEOPLE, GALLERY, PEOPLE_ALIKE), (column,))
    assert added(told) == ("population level; system level (crop) within people", "model level", "")
    assert among(told, (column,)) is told  # said once


def test_of_what_varies_otherwise_only_constants_are_told() -> None:
    plain = Answers(Target("x", "x"), Target("folds", "the folds"), GALLERY, PEOPLE_ALIKE)
    columns = (
        SampledColumn("session", "scene", "within-people", None, None, 3, 0),
        SampledColumn("camera", "context", "constant", "canon", "nikon", 0, 0),
    )
    fixed = "context (camera = canon for all probes); context (camera = nikon in the gallery)"
    assert added(among(plain, columns)) == ("", fixed, "")
    described = Answers(Target("x", "x"), Target("description", "nothing"), GALLERY, PEOPLE_ALIKE)
    assert added(among(described, columns))[1].startswith(
        "population level, system level and model level; scene (session); context (camera = canon"
    )


def test_what_is_drawn_in_part_is_drawn() -> None:
    assert set(_ALSO_DRAWN) <= set(_DRAWN)


def written(folder: Path) -> None:
    pl.DataFrame(table()).write_csv(folder / "samples.csv")
    people, rng = np.array(table()["subject"]), np.random.default_rng(3)
    made = {}
    for name in ("a", "b"):
        noise = rng.normal(size=(len(people), len(people)))
        made[name] = 1.5 * np.equal.outer(people, people) + noise + noise.T
    np.savez(folder / "scores.npz", **made, ids=np.array(table()["id"]))


READ = "scores.npz::a scores.npz::b -s samples.csv --query-ids ids --target-ids ids --orientation similarity"
GIVEN = "--sampling scene=session,context=site,camera --sampling implicit=sex"


@pytest.mark.parametrize(
    "command",
    [
        "evaluate -g one_per_subject",
        "compare -g one_per_subject",
        "verify --fmr 0.1 --replicates 100",
        "strat -g one_per_subject",
        "permute --groups session --trials 50 --max-rank 2",
        "mcnemar -g one_per_subject",
        """search -g "sex == 'f' and session == 1" --fpir 0.2""",
    ],
)
def test_commands_say_which_levels_vary(command: str, tmp_path: Path, run: Run) -> None:
    written(tmp_path)
    name, _, rest = command.partition(" ")
    words = [name, *READ.split(), *shlex.split(rest), *GIVEN.split()]
    done = run(*words, "--explain", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = " ".join(done.stdout.split())
    assert "population level: scene (session)" in shown
    assert "context (camera = canon)" in shown
    assert '"level": "scene"' in run(*words, "--json", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("scene=sesion", "samples.csv has no column 'sesion', which is declared as scene."),
        ("scen=session", "--sampling takes LEVEL=COLUMN, got 'scen=session'."),
        ("session", "--sampling takes LEVEL=COLUMN, got 'session'."),
    ],
)
def test_commands_refuse_what_is_not_there(given: str, message: str, tmp_path: Path, run: Run) -> None:
    written(tmp_path)
    done = run("evaluate", *READ.split(), "-g", "one_per_subject", "--sampling", given, cwd=tmp_path)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert "did you mean" in done.stderr or "available:" in done.stderr


STUDY = """
[samples]
file = "samples.csv"
[samples.sampling]
scene = "session"
context = ["site", "camera"]
[[scores]]
file = "scores.npz"
query_ids = "ids"
target_ids = "ids"
key = ["a", "b"]
orientation = "similarity"
[experiment]
gallery = "one_per_subject"
"""


def test_a_study_and_its_page_say_it(tmp_path: Path, run: Run) -> None:
    written(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    assert run("run", "study.toml", "--out", "made", cwd=tmp_path).returncode == 0
    found = json.loads((tmp_path / "made/results.json").read_text(encoding="utf-8"))
    answers = found["identification"]["evaluation"]["answers"]
    assert [column["level"] for column in answers["sampling"]] == ["scene", "context", "context"]
    assert "context (camera = canon)" in answers["fixed"]["text"]
    assert "population level: scene (session) within people" in (tmp_path / "made/report.html").read_text(
        encoding="utf-8"
    )
