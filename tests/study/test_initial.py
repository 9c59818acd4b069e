from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import InputError, UsageError
from proband.scores import experiment_over
from proband.study.context import categories_of
from proband.study.definition import Study
from proband.study.init.additions import study_for
from proband.study.init.study_file import InitialStudy, initial_study, write_initial
from proband.study.reading import read_study, study_from_text

REAL = Path(__file__).parents[2].parent / "shared" / "data"
N = 12
PEOPLE = [f"p{k:02d}" for k in range(N)]


def made_of(out: Path, *files: Path) -> tuple[InitialStudy, Study]:
    """The study of some files, read back."""
    made = initial_study(files, out)
    write_initial(made, out)
    return made, read_study(out)


def matrix(sign: float = 1.0, seed: int = 0) -> np.ndarray:
    return sign * (np.random.default_rng(seed).uniform(0.0, 0.4, (N, N)) + np.eye(N))


def table(folder: Path, name: str = "people.csv", **more: Any) -> Path:
    """Two sessions of everybody; the ids are in a column that is not called so."""
    rows = {
        "picture": [f"{p}-{k}" for k in (1, 2) for p in PEOPLE],
        "person": PEOPLE * 2,
        "session": [1] * N + [2] * N,
        "sex": ["F", "M"] * N,
        **more,
    }
    pl.DataFrame(rows).write_csv(folder / name)
    return folder / name


def ids(session: int) -> list[str]:
    return [f"{p}-{session}" for p in PEOPLE]


def test_scores_and_samples_make_a_study_that_runs(tmp_path: Path) -> None:
    samples = table(tmp_path, face_detected=[True] * 23 + [False], taken=["2020-01-05"] * 24)
    np.savez(tmp_path / "scores.npz", good=matrix(), poor=matrix(seed=1), rows=ids(2), columns=ids(1))
    made, study = made_of(tmp_path / "study.toml", tmp_path / "scores.npz", samples)
    assert made.to_fill_in == ()
    assert study.request.samples is not None
    assert (
        study.request.samples.file,
        study.request.samples.id_column,
        study.request.samples.subject_column,
    ) == (
        "people.csv",
        "picture",
        "person",
    )
    assert study.request.samples.failed == "not face_detected"
    (scores,) = study.request.scores
    assert (scores.file, scores.orientation, scores.key) == ("scores.npz", "similarity", ())
    assert "without 1 sample that failed to acquire: good 1.0000, poor 1.0000" in made.text
    assert study.request.experiment.gallery is None
    found = pb.Samples.read(
        study.origin.find("people.csv"),
        id_column="picture",
        subject_column="person",
        failed=study.request.samples.failed,
    )
    assert (scores.query_ids, scores.target_ids) == ("rows", "columns")
    named = {"query_ids": scores.query_ids, "target_ids": scores.target_ids}
    read = pb.read_scores(study.origin.find(scores.file), found, orientation=scores.orientation, **named)
    outcome = pb.evaluate(list(read.values()), experiment_over(list(read.values()), found))
    assert outcome.algorithms == ("good", "poor")


def test_proposals_can_be_switched_on(tmp_path: Path) -> None:
    """Every proposed section, with its mark taken away, is one that a study may have."""
    samples = table(
        tmp_path,
        found=[1] * 23 + [0],
        image_set=[f"{p}{k}" for k in (1, 2) for p in PEOPLE],
        date=["2020-01-05"] * 12 + ["2021-02-05"] * 12,
        camera=["a", "b"] * N,
    )
    np.savez(tmp_path / "scores.npz", net=matrix(), query_ids=ids(2), target_ids=ids(1))
    made, study = made_of(tmp_path / "study.toml", tmp_path / "scores.npz", samples)
    assert study.request.samples is not None
    assert study.request.samples.failed == "found == 0"
    head, mark, proposals = made.text.partition("# [experiment]")
    switched = head + (mark + proposals).replace("\n# ", "\n").replace("# [experiment]", "[experiment]", 1)
    whole = study_from_text(switched, study.path)
    assert {
        "category",
        "comparison",
        "verification",
        "search",
        "feret",
        "output",
    } <= whole.request.model_fields_set
    assert whole.request.verification is not None
    assert whole.request.verification.by == ("sex",)
    assert [one.feret for one in whole.request.category] == [True, False, False, False]
    found = pb.Samples.read(samples, id_column="picture", subject_column="person")
    experiment = pb.Experiment(found, gallery="session == 1")
    others = [one for entry in whole.request.category[1:] for one in categories_of(entry, experiment)]
    assert len(others[0].of(experiment).probes) == N


def test_orientations_that_differ_part_the_archive(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "scores.npz",
        near=matrix(),
        far=matrix(-1.0),
        noise=np.zeros((N, N)),
        query_ids=ids(2),
        target_ids=ids(1),
    )
    made, study = made_of(tmp_path / "study.toml", tmp_path / "scores.npz", table(tmp_path))
    assert [(one.key, one.orientation) for one in study.request.scores] == [
        (("near",), "similarity"),
        (("far",), "distance"),
        (("noise",), None),
    ]
    assert tuple(map(str, made.to_fill_in)) == (
        "orientation of 'noise' in scores.npz: similarity or distance",
    )


def test_square_scores_and_embeddings_need_a_gallery(tmp_path: Path) -> None:
    both = ids(1) + ids(2)
    samples = table(tmp_path)
    np.savez(tmp_path / "square.npz", net=np.kron(np.ones((2, 2)), matrix()), pictures=both)
    np.savez(tmp_path / "vectors.npz", net=np.random.default_rng(0).normal(size=(24, 7)), pictures=both)
    np.save(tmp_path / "plain.npy", np.random.default_rng(0).normal(size=(24, 5)))
    made, study = made_of(
        tmp_path / "study.toml", tmp_path / "square.npz", tmp_path / "vectors.npz", tmp_path / "plain.npy", samples
    )  # fmt: skip
    assert [note.code for note in made.to_fill_in] == ["init.no-metric"] * 2
    assert study.request.experiment.gallery == "one_per_subject"
    assert [(one.file, one.name) for one in study.request.embeddings] == [
        ("vectors.npz", None),
        ("plain.npy", None),
    ]
    assert "# [strat]" not in made.text
    assert '# groups = ["session"]' in made.text


def test_sections_that_the_data_do_not_allow_yet_are_to_be_filled_in(tmp_path: Path) -> None:
    samples, out = table(tmp_path), tmp_path / "study.toml"
    np.savez(tmp_path / "square.npz", net=np.kron(np.ones((2, 2)), matrix()), pictures=ids(1) + ids(2))
    made = study_for([tmp_path / "square.npz", samples], ["search"], out)
    (refused,) = made.to_fill_in
    assert "search: square: queries and targets share samples, so the gallery must be specified" in str(
        refused
    )
    assert study_for([tmp_path / "square.npz", samples], ["choices"], out).to_fill_in == ()


def test_files_are_found_from_a_directory_that_is_not_there_yet(tmp_path: Path) -> None:
    np.savez(tmp_path / "scores.npz", good=matrix(), rows=ids(2), columns=ids(1))
    made, study = made_of(tmp_path / "new" / "study.toml", tmp_path / "scores.npz", table(tmp_path))
    assert made.to_fill_in == ()
    assert study.request.scores[0].file == "../scores.npz"


def test_predicted_classes_in_a_table_are_classified(tmp_path: Path) -> None:
    truth = ["x", "y", "z"] * 4
    rows = {"patient": [*range(12)], "diagnosis": truth, "a": truth[::-1], "b": truth, "site": ["x", "w"] * 6}
    pl.DataFrame(rows).write_csv(tmp_path / "predictions.csv")
    made, study = made_of(tmp_path / "study.toml", tmp_path / "predictions.csv")
    assert made.to_fill_in == ()
    asked = study.request.classification
    assert (asked.table, asked.truth, asked.predicted) == ("predictions.csv", "diagnosis", ("a", "b"))
    assert [note.code for note in made.facts] == ["init.predictions"]
    assert pb.run(study)["classification"].algorithms == ("a", "b")


def test_an_archive_that_is_its_own_table(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "all.npz",
        net=np.random.default_rng(0).normal(size=(24, 6)),
        subject=np.arange(24) // 4,
        detected=np.arange(24) > 0,
    )
    made, study = made_of(tmp_path / "study.toml", tmp_path / "all.npz")
    assert study.request.samples is not None
    assert (
        study.request.samples.file,
        study.request.samples.id_column,
        study.request.samples.subject_column,
    ) == (
        "all.npz",
        "#",
        "subject",
    )
    assert study.request.samples.failed == "not detected"
    assert "# n_images = 4" in made.text


@pytest.mark.parametrize("left_out", [0, 3])
def test_ids_that_do_not_agree_are_dropped_and_counted(tmp_path: Path, left_out: int) -> None:
    samples = table(tmp_path)
    kept = pl.read_csv(samples).head(24 - left_out)
    kept.write_csv(samples)
    np.savez(tmp_path / "scores.npz", net=matrix(), query_ids=ids(2), target_ids=ids(1))
    made, study = made_of(tmp_path / "study.toml", tmp_path / "scores.npz", samples)
    assert study.request.missing == ("drop" if left_out else "error")
    assert (f"{left_out} ids are in the scores or in the table only" in made.text) == bool(left_out)


def test_texts_are_not_numbers(tmp_path: Path) -> None:
    """Ids such as 007 are found as they are written."""
    names = [f"{k:03d}" for k in range(24)]
    pl.DataFrame({"nr": names, "subject": PEOPLE * 2}).write_csv(tmp_path / "people.csv")
    np.savez(tmp_path / "scores.npz", net=matrix(), query_ids=names[12:], target_ids=names[:12])
    made, study = made_of(tmp_path / "study.toml", tmp_path / "people.csv", tmp_path / "scores.npz")
    assert made.to_fill_in == ()
    assert study.request.samples is not None
    assert (study.request.samples.id_column, study.request.scores[0].orientation) == ("nr", "similarity")


def test_lists_that_name_the_people_need_no_table(tmp_path: Path) -> None:
    values = matrix()
    rows = [f"{t} {q} {q}/2 {values[i, j]}" for i, q in enumerate(PEOPLE) for j, t in enumerate(PEOPLE)]
    (tmp_path / "scores-dev").write_text("\n".join(rows) + "\n", encoding="utf-8")
    made, study = made_of(tmp_path / "study.toml", tmp_path / "scores-dev")
    assert (study.request.samples, made.to_fill_in) == (None, ())
    assert study.request.scores[0].orientation == "similarity"
    nameless = [" ".join([*row.split()[:2], "x", row.split()[3]]) for row in rows]
    (tmp_path / "nameless").write_text("\n".join(nameless) + "\n", encoding="utf-8")
    made, study = made_of(tmp_path / "other.toml", tmp_path / "nameless")
    assert (study.request.identification, study.request.comparison, made.to_fill_in) == (None, (), ())


def test_tables_of_scores(tmp_path: Path) -> None:
    values = matrix(-1.0)
    pl.DataFrame({"": ids(2), **{name: values[:, k] for k, name in enumerate(ids(1))}}).write_csv(
        tmp_path / "wide.csv"
    )
    pl.DataFrame(
        {"query": np.repeat(ids(2), N), "target": ids(1) * N, "score": values.ravel()}
    ).write_parquet(tmp_path / "long.parquet")
    made, study = made_of(
        tmp_path / "study.toml", tmp_path / "wide.csv", tmp_path / "long.parquet", table(tmp_path)
    )
    assert [(one.file, one.orientation) for one in study.request.scores] == [
        ("wide.csv", "distance"),
        ("long.parquet", "distance"),
    ]
    assert made.to_fill_in == ()


def test_columns_that_may_be_scores_are_listed(tmp_path: Path) -> None:
    rng, n = np.random.default_rng(0), 60
    people = [[f"s{k}" for k in rng.integers(0, 9, n)] for _ in range(2)]
    same = np.array(people[0]) == np.array(people[1])
    columns = {"person1": people[0], "person2": people[1], "same": same.astype(int)}
    columns |= {name: rng.normal(size=n) + 3 * same for name in ("vit", "net")}
    pl.DataFrame(columns).write_csv(tmp_path / "both.csv")
    made, study = made_of(tmp_path / "both.toml", tmp_path / "both.csv")
    assert study.request.scores[0].columns.score == ("vit", "net")
    assert "init.more-scores" not in [note.code for note in made.facts]
    pl.DataFrame(columns | {"dist": 1 - columns["net"]}).write_csv(tmp_path / "pairs.csv")
    made, study = made_of(tmp_path / "pairs.toml", tmp_path / "pairs.csv")
    assert study.request.scores[0].columns.score == ("dist",)
    assert '# These columns may be scores too: ["vit", "net"]' in made.text
    (note,) = (note for note in made.facts if note.code == "init.more-scores")
    assert (note["read"], note["more"]) == (("dist",), ("vit", "net"))


def test_pictures_alone_are_recognised(tmp_path: Path) -> None:
    from PIL import Image

    (tmp_path / "photos").mkdir()
    for name in [*ids(1), *ids(2)]:
        Image.new("L", (8, 8)).save(tmp_path / "photos" / f"{name}.png")
    made, study = made_of(tmp_path / "study.toml", tmp_path / "photos", table(tmp_path))
    assert study.request.images is not None
    assert (study.request.images.file, study.request.images.as_they_are) == ("photos", True)
    assert study.request.experiment.gallery == "one_per_subject"
    assert made.to_fill_in == ()


def test_what_cannot_be_found_is_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "scores.npz", net=matrix(), query_ids=ids(2), target_ids=ids(1))
    made = initial_study([tmp_path / "scores.npz"], tmp_path / "study.toml")
    assert made.to_fill_in[0].code == "init.no-table"
    assert made.to_fill_in[1]["algorithms"] == "'scores'"
    assert "# [samples]" in made.text
    pl.DataFrame({"what": ["a", "b"], "whose": ["x", "y"]}).write_csv(tmp_path / "odd.csv")
    made = initial_study([tmp_path / "scores.npz", tmp_path / "odd.csv"], tmp_path / "study.toml")
    assert [one["key"] for one in made.to_fill_in[:2]] == ["id_column", "subject_column"]
    made = initial_study([table(tmp_path)], tmp_path / "study.toml")
    assert [note.code for note in made.to_fill_in] == ["init.no-scores"]


def test_what_is_no_data_is_refused_or_left_out(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("hello", encoding="utf-8")
    with pytest.raises(InputError, match="No file was recognised"):
        initial_study([tmp_path / "note.txt"], tmp_path / "study.toml")
    with pytest.raises(InputError, match="no file"):
        initial_study([tmp_path / "absent.npz"], tmp_path / "study.toml")
    with pytest.raises(UsageError, match="No files"):
        initial_study([], tmp_path / "study.toml")
    made = initial_study([tmp_path / "note.txt", table(tmp_path)], tmp_path / "study.toml")
    assert (made.remarks[0].code, made.remarks[0]["file"]) == ("init.file-left-out", "note.txt")


def test_ids_that_could_be_of_either_axis_are_not_guessed(tmp_path: Path) -> None:
    np.savez(tmp_path / "scores.npz", net=matrix(), some=ids(2), others=ids(1))
    made = initial_study([tmp_path / "scores.npz", table(tmp_path)], tmp_path / "study.toml")
    assert "any of some, others could be the query_ids" in str(made.remarks[0])
    assert [note.code for note in made.to_fill_in] == ["init.no-scores"]


def test_odd_names_survive(tmp_path: Path) -> None:
    folder = tmp_path / 'a "quoted" # [folder]'
    folder.mkdir()
    samples = table(folder, **{"was it detected?": [True] * 24, 'skin "tone"': ["a", "b"] * N})
    np.savez(folder / "scores.npz", net=matrix(), query_ids=ids(2), target_ids=ids(1))
    _, study = made_of(tmp_path / "study.toml", folder / "scores.npz", samples)
    assert study.request.samples is not None
    assert study.request.samples.failed == "not col('was it detected?')"
    assert study.origin.find(study.request.samples.file) == samples


@pytest.mark.realdata
@pytest.mark.skipif(not REAL.is_dir(), reason=f"the real data are not at {REAL}")
@pytest.mark.parametrize(
    ("files", "algorithms", "id_column", "gallery"),
    [
        (("meds/similarity_query_x_target.npz", "meds/samples.csv"), 5, "filename", None),
        (("orl/similarity.npz",), 5, "filename", "one_per_subject"),
        (("lfw/embeddings.npz",), 2, "#", "one_per_subject"),
        (("formats/scores-cmc-4col.txt",), 1, None, None),
        (("formats/scores-nonorm-openset-dev",), 1, None, None),
        (("formats/scores.mtx",), 1, None, None),
    ],
)
def test_real_files(
    tmp_path: Path, files: tuple[str, ...], algorithms: int, id_column: str | None, gallery: str | None
) -> None:
    made, study = made_of(tmp_path / "study.toml", *(REAL / name for name in files))
    asked = ["init.no-metric"] if "embeddings.npz" in files[0] else []
    assert [note.code for note in made.to_fill_in] == asked
    assert study.request.title.startswith(f"{algorithms} algorithm")
    assert " people" not in study.request.title or " samples of " in study.request.title
    assert study.request.experiment.gallery == gallery
    assert (None if study.request.samples is None else study.request.samples.id_column) == id_column
    if id_column == "filename" and gallery is None:
        assert study.request.samples is not None
        assert (study.request.samples.subject_column, study.request.samples.failed) == (
            "subject",
            "not detected",
        )
        assert study.request.scores[0].orientation == "similarity"
        assert '# by = ["sex"]' in made.text


def test_names_of_files_decide_nothing(tmp_path: Path) -> None:
    """A file may be called like a section: whether a table is needed is known by what was found."""
    rows = [f"{t} {q} {q}/2 {i + j}" for i, q in enumerate(PEOPLE) for j, t in enumerate(PEOPLE)]
    (tmp_path / "scores [samples]").write_text("\n".join(rows) + "\n", encoding="utf-8")
    made = initial_study([tmp_path / "scores [samples]"], tmp_path / "study.toml")
    assert [note.code for note in made.to_fill_in] == ["init.no-orientation"]
    assert "# No [samples]: the scores name the subjects of both samples of each pair." in made.text


def test_a_column_is_proposed_though_its_name_is_part_of_another(tmp_path: Path) -> None:
    samples = table(tmp_path, face_detected=[True] * 23 + [False], face=["a", "b"] * 6 + ["b", "a"] * 6)
    np.savez(tmp_path / "scores.npz", good=matrix(), rows=ids(2), columns=ids(1))
    made, _ = made_of(tmp_path / "study.toml", tmp_path / "scores.npz", samples)
    assert '# by = "face"' in made.text
