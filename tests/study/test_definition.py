from __future__ import annotations

from pathlib import Path

import pytest

import proband as pb
from proband.samples import Category, OnePerSubject
from proband.study.context import categories_of
from proband.study.reading import study_from_text
from proband.study.requests import CategoryEntry


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("scores.npz", "vectors.npy", "ids.txt"):
        (tmp_path / name).touch()
    return tmp_path / "mine.toml"


def test_defaults(place: Path) -> None:
    study = study_from_text('[scores]\nfile = "scores.npz"\n', place)
    assert study.request.title == "mine"
    assert study.request.model_fields_set == {"title", "scores"}
    assert study.request.identification is not None
    assert study.request.identification.ranks == (1, 5, 10)
    assert study.request.verification is not None
    assert study.request.verification.fmr == (0.01, 0.001, 0.0001)
    (compared,) = study.request.comparison
    assert (compared.measure, compared.of_pairs) == ("rank-1", False)
    assert (study.request.search, study.request.choices, study.request.strat, study.request.feret) == (
        None,
        None,
        None,
        None,
    )
    assert study.directory == place.parent / "mine-results"
    assert (study.request.missing, study.origin.enrolled(study.request.experiment)) == ("error", None)


def test_switches(place: Path) -> None:
    text = 'identification = false\ncomparison = false\nverification = false\nsearch = true\n[scores]\nfile = "scores.npz"\n'
    study = study_from_text(text, place)
    assert (study.request.identification, study.request.comparison, study.request.verification) == (
        None,
        (),
        None,
    )
    assert study.request.search is not None
    assert study.request.search.ranks == (1, 20)
    assert "verification" in study.request.model_fields_set


def test_files_are_found_beside_the_study(place: Path) -> None:
    text = (
        '[samples]\nfile = "ids.txt"\n[[scores]]\nfile = "scores.npz"\nkey = ["a", "b"]\nmissing = "drop"\n'
        '[embeddings]\nfile = "vectors.npy"\n'
        '[experiment]\ngallery = "@ids.txt"\n[output]\ndirectory = "made/here"\n'
    )
    study = study_from_text(text, place)
    folder = place.parent
    assert study.origin.references(study.request.scores[0]) == (
        f"{folder / 'scores.npz'}::a",
        f"{folder / 'scores.npz'}::b",
    )
    assert study.origin.references(study.request.embeddings[0]) == (str(folder / "vectors.npy"),)
    assert study.origin.enrolled(study.request.experiment) == f"@{folder / 'ids.txt'}"
    assert study.origin.condition("session == 1") == "session == 1"
    assert study.directory == folder / "made/here"
    assert study.request.missing == "drop"
    assert study.origin.where("experiment", "gallery") == "mine.toml, line 10, [experiment] gallery"
    assert study.origin.text == text


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ('gallery = "session == 1"', OnePerSubject("session == 1")),
        ('gallery = "all"', OnePerSubject()),
        ("", OnePerSubject()),
    ],
)
def test_one_per_subject_goes_with_a_condition(place: Path, said: str, meant: OnePerSubject) -> None:
    text = f'[scores]\nfile = "scores.npz"\n[experiment]\none_per_subject = true\n{said}\n'
    study = study_from_text(text, place)
    assert study.origin.enrolled(study.request.experiment) == meant


def test_categories_over_an_experiment() -> None:
    ids = [f"{person}{k}" for person in "abcd" for k in range(3)]
    table = {"id": ids, "subject": [name[0] for name in ids], "light": ["day", "day", "night"] * 4}
    experiment = pb.Experiment(pb.Samples(table), gallery=[name for name in ids if name.endswith("0")])
    by_light = categories_of(CategoryEntry(by="light"), experiment)
    assert [len(one.of(experiment).probes) for one in by_light] == [4, 4]
    rule = CategoryEntry(name="x", rule="probe.light != mate.light", mates="any")
    assert categories_of(rule, experiment) == (Category("x", "probe.light != mate.light", "any"),)
    feret = categories_of(CategoryEntry(feret=True, date="day"), experiment)
    assert [one.name for one in feret] == ["fb", "fc", "dup1", "dup2"]
    assert "probe.day" in feret[1].rule
