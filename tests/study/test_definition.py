from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

import proband as pb
from proband.samples import Category, OnePerSubject
from proband.study.reading import SECTIONS, study_from_text
from proband.study.sections import CategoryEntry, Limits

DOCUMENT = Path("docs/study.md")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("scores.npz", "vectors.npy", "ids.txt"):
        (tmp_path / name).touch()
    return tmp_path / "mine.toml"


def test_defaults(place: Path) -> None:
    study = study_from_text('[scores]\nfile = "scores.npz"\n', place)
    assert study.title == "mine"
    assert study.asked == {"scores"}
    assert study.identification is not None
    assert study.identification.ranks == (1, 5, 10)
    assert study.verification is not None
    assert study.verification.fmr == (0.01, 0.001, 0.0001)
    (compared,) = study.comparison
    assert (compared.rank, compared.is_verification) == (None, False)
    assert (study.search, study.choices, study.strat, study.feret) == (None, None, None, None)
    assert study.directory == place.parent / "mine-results"
    assert (study.missing, study.enrolled()) == ("error", None)


def test_switches(place: Path) -> None:
    text = 'identification = false\ncomparison = false\nverification = false\nsearch = true\n[scores]\nfile = "scores.npz"\n'
    study = study_from_text(text, place)
    assert (study.identification, study.comparison, study.verification) == (None, (), None)
    assert study.search is not None
    assert study.search.ranks == (1, 20)
    assert "verification" in study.asked


def test_files_are_found_beside_the_study(place: Path) -> None:
    text = (
        '[samples]\nfile = "ids.txt"\n[[scores]]\nfile = "scores.npz"\nkey = ["a", "b"]\nmissing = "drop"\n'
        '[embeddings]\nfile = "vectors.npy"\n'
        '[experiment]\ngallery = "@ids.txt"\n[output]\ndirectory = "made/here"\n'
    )
    study = study_from_text(text, place)
    folder = place.parent
    assert study.references(study.scores[0]) == (f"{folder / 'scores.npz'}::a", f"{folder / 'scores.npz'}::b")
    assert study.references(study.embeddings[0]) == (str(folder / "vectors.npy"),)
    assert study.enrolled() == f"@{folder / 'ids.txt'}"
    assert study.condition("session == 1") == "session == 1"
    assert study.directory == folder / "made/here"
    assert study.missing == "drop"
    assert study.where("experiment", "gallery") == "mine.toml, line 10, [experiment] gallery"
    assert study.text == text


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
    assert study_from_text(text, place).enrolled() == meant


def test_categories_over_an_experiment() -> None:
    ids = [f"{person}{k}" for person in "abcd" for k in range(3)]
    table = {"id": ids, "subject": [name[0] for name in ids], "light": ["day", "day", "night"] * 4}
    experiment = pb.Experiment(pb.Samples(table), gallery=[name for name in ids if name.endswith("0")])
    by_light = CategoryEntry(by="light").categories(experiment)
    assert [len(one.of(experiment).probes) for one in by_light] == [4, 4]
    rule = CategoryEntry(name="x", rule="probe.light != mate.light", mates="any")
    assert rule.categories(experiment) == (Category("x", "probe.light != mate.light", "any"),)
    feret = CategoryEntry(feret=True, date="day").categories(experiment)
    assert [one.name for one in feret] == ["fb", "fc", "dup1", "dup2"]
    assert "probe.day" in feret[1].rule


def test_limits_say_and_do_the_same() -> None:
    limits = Limits(above=0, most=2)
    assert [limits.allow(value) for value in (0, 0.1, 2, 2.1)] == [False, True, True, False]
    assert str(limits) == "of at most 2 and above 0"


def test_every_section_and_key_is_documented() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, kind in SECTIONS.items():
        heading = next(line for line in text.split("\n") if line.startswith("#") and f"[{name}]" in line)
        said = text.partition(f"{heading}\n")[2].split("\n#")[0]
        absent = [one.name for one in fields(kind) if f"`{one.name}`" not in said]
        assert absent == [], name
