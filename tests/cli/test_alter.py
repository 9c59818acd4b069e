"""``proband alter``: changed copies on disk, in the form that ``proband recognize`` reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.algorithms import read_picture
from proband.algorithms.pictures.alterations import alteration
from proband.faces import Population
from proband.samples import Samples
from proband.scores.reading import read_scores

Run = Callable[..., Any]
EYES = ("left_eye_x", "left_eye_y", "right_eye_x", "right_eye_y")
CHANGES = ("-c", "scale:0.8", "-c", "gain:2")
FB = ("--where", "kind == 'fb'")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Samples, np.ndarray]:
    """Five synthetic people with two images each, as an archive and a table."""
    folder = tmp_path_factory.mktemp("people")
    population = Population(5, plan="grid", sessions=1, images_per_session=2, height=96, width=80)
    samples, pictures = Samples(population.columns()), population.render()
    np.savez(folder / "images.npz", images=pictures, ids=np.array(samples.ids[:]))
    samples.frame.write_csv(folder / "samples.csv")
    return folder, samples, pictures


def test_pictures_and_table(people: Any, run: Run, tmp_path: Path) -> None:
    folder, samples, pictures = people
    out = tmp_path / "new" / "changed"
    done = run("alter", "images.npz", "-s", "samples.csv", *CHANGES, *FB, "-o", out, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "scale:0.8: 5 of 5 images changed" in done.stdout
    assert "gain:2: 5 of 5 images changed, " in done.stdout
    assert "% of their pixels clipped (at most " in done.stdout
    assert "wrote 20 images" in done.stderr

    table = Samples.read(out / "samples.csv")
    assert len(table) == 20
    chosen = np.flatnonzero((samples.frame["kind"] == "fb").to_numpy())
    for text in ("scale:0.8", "gain:2"):
        change = alteration(text)
        expected = change.apply(pictures[chosen], samples.frame.select(EYES).to_numpy()[chosen])
        part = table.frame.filter(pl.col("alteration") == text)
        assert part["id"].to_list() == [f"{samples.ids[k]}@{change.label}" for k in chosen]
        assert part["altered_from"].to_list() == [samples.ids[k] for k in chosen]
        assert np.allclose(part.select(EYES).to_numpy(), expected.eyes)
        for file, picture in zip(part["file"], expected.images, strict=True):
            assert np.array_equal(read_picture(out / file), picture)
    for name, picture in zip(samples.ids, pictures, strict=True):
        assert np.array_equal(read_picture(out / "images" / f"{name}.png"), picture)


def test_recognize_reads_both_forms(people: Any, run: Run, tmp_path: Path) -> None:
    folder, _, _ = people
    for form in ([], ["--npz"]):
        done = run(
            "alter", "images.npz", "-s", "samples.csv", *CHANGES, *FB, *form, "-o", tmp_path / f"changed{len(form)}", cwd=folder
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    usual = (
        "-a", "correlation", "--targets", "kind == 'fa'", "--queries", "kind == 'fb'"
    )  # fmt: skip
    start = ("recognize", "-s", "changed0/samples.csv", *usual)
    assert run(*start, "-i", "changed0", "-o", "one.npz", cwd=tmp_path).returncode == 0
    start = ("recognize", "-s", "changed1/samples.csv", *usual)
    assert run(*start, "-i", "changed1/images.npz", "-o", "two.npz", cwd=tmp_path).returncode == 0
    (one,), (two,) = (read_scores(tmp_path / f"{name}.npz").values() for name in ("one", "two"))
    assert np.array_equal(one.values, two.values)
    assert one.shape == (15, 5)
    # Originals score as they did before, and a smaller face, brought back by its eyes, much as it did.
    before = ("recognize", "-i", "images.npz", "-s", "samples.csv", *usual, "-o", tmp_path / "before.npz")
    assert run(*before, cwd=folder).returncode == 0
    (old,) = read_scores(tmp_path / "before.npz").values()
    assert np.array_equal(old.values, one.values[:5])
    assert np.abs(one.values[5:10] - old.values).max() < 0.1
    done = run("evaluate", "one.npz", "-s", "changed0/samples.csv", "--category", "small: probe.alteration == 'scale:0.8'", "--json", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "cannot be decided" not in done.stdout


def test_broken_pictures_stay_in_the_table(people: Any, run: Run, tmp_path: Path) -> None:
    folder, samples, _ = people
    first = run(
        "alter", "images.npz", "-s", "samples.csv", "-c", "gain:0.5", "-o", tmp_path / "a", cwd=folder
    )
    assert first.returncode == 0, first.stderr
    table = pl.read_csv(tmp_path / "a" / "samples.csv").head(10).drop("alteration", "altered_from")
    table.write_csv(tmp_path / "a" / "samples.csv")
    lost = samples.ids[1]
    (tmp_path / "a" / "images" / f"{lost}.png").write_bytes(b"no picture")
    done = run("alter", "a", "-s", "a/samples.csv", "-c", "scale:0.5", "-o", "b", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "scale:0.5: 9 of 10 images changed" in done.stdout
    assert "1 picture could not be used" in done.stdout
    found = pl.read_csv(tmp_path / "b" / "samples.csv")
    assert found.filter(pl.col("file").is_null())["id"].to_list() == [lost, f"{lost}@scale-0.5"]
    done = run(
        "recognize", "-i", "b", "-s", "b/samples.csv", "-a", "correlation", "-o", "s.npz", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "2 failures to acquire" in done.stdout


def test_odd_names_get_numbered_files_and_images_without_eyes_are_told(
    people: Any, run: Run, tmp_path: Path
) -> None:
    _, samples, pictures = people
    names = [f"set/{name}?" for name in samples.ids]
    np.savez(tmp_path / "odd.npz", images=pictures, ids=np.array(names))
    pl.DataFrame({"name": names, "who": samples.frame["subject"]}).write_csv(tmp_path / "odd.csv")
    done = run(
        "alter", "odd.npz", "-s", "odd.csv", "--id-column", "name", "--subject-column", "who", "-c", "scale:2", "-o", "out", cwd=tmp_path
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "10 images have no eye positions in the table, and were changed about their centre" in done.stdout
    found = pl.read_csv(tmp_path / "out" / "samples.csv")
    assert found["name"][10] == f"{names[0]}@scale-2"
    assert found["file"][10] == "images/000011.png"
    expected = alteration("scale:2").apply(pictures[:1]).images[0]
    assert np.array_equal(read_picture(tmp_path / "out" / found["file"][10]), expected)


def test_threads_do_not_matter(people: Any, run: Run, tmp_path: Path) -> None:
    folder, _, _ = people
    for threads in (1, 3):
        done = run("alter", "images.npz", "-s", "samples.csv", *CHANGES, "--npz", "--threads", threads, "-o", tmp_path / f"t{threads}", cwd=folder)  # fmt: skip
        assert done.returncode == 0, done.stderr
    for name in ("images.npz", "samples.csv"):
        assert (tmp_path / "t1" / name).read_bytes() == (tmp_path / "t3" / name).read_bytes()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("-c", "zoom:2"), 2, "Unknown change: 'zoom:2'"),
        (("-c", "gain:2", "-c", "gain:2.0"), 2, "twice"),
        (("-c", "gain:2", "--where", "kindd == 'fb'"), 2, "kindd"),
        (("-c", "gain:2", "--where", "kind == 'xx'"), 1, "no images to change"),
        ((), 2, "--change"),
    ],
)
def test_what_is_refused_leaves_nothing(
    people: Any, run: Run, tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    folder, _, _ = people
    done = run("alter", "images.npz", "-s", "samples.csv", *words, "-o", tmp_path / "out", cwd=folder)
    assert done.returncode == code
    assert said in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_directory_that_is_there_is_left_alone(people: Any, run: Run, tmp_path: Path) -> None:
    folder, _, _ = people
    (tmp_path / "out").mkdir()
    done = run("alter", "images.npz", "-s", "samples.csv", *CHANGES, "-o", tmp_path / "out", cwd=folder)
    assert done.returncode == 1
    assert "already exists" in done.stderr
